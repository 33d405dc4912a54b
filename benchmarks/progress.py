"""How many samples a run will take, so that it can say how far it is."""

from collections.abc import Sequence

from benchmarks.catalogue import LIMPET, Peer
from benchmarks.plan import Plan


def expected(plan: Plan, peers: Sequence[Peer]) -> dict[str, int]:
    """Count the samples of each stage."""
    return {
        "raw": plan.rounds,
        "core": plan.rounds,
        "peers": _peers(plan, peers),
        "scaling": len((*plan.backlogs, *plan.running, *plan.queues)),
        "crowds": plan.rounds * _crowds(plan),
        "profile": len(LIMPET.kinds),
    }


def _peers(plan: Plan, peers: Sequence[Peer]) -> int:
    each = sum(1 + len(peer.kinds) for peer in peers)
    beside = 1 + len(LIMPET.kinds)
    holding = sum(peer.holds_many for peer in peers) if plan.running_memory else 1
    return plan.rounds * (each + beside) + len(peers) + holding


def _crowds(plan: Plan) -> int:
    return 1 + len((*plan.idle, *plan.special, *plan.payloads, *plan.processes))
