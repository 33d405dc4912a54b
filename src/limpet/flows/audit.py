"""Verify and repair in bounded steps."""

from limpet.flows.base import Flow
from limpet.keys import QueueKeys
from limpet.values import Report


def verify(keys: QueueKeys) -> Flow[Report]:
    """Look for anything inconsistent."""
    yield from ()
    return Report(keys.queue)


def repair(keys: QueueKeys) -> Flow[Report]:
    """Mend what is inconsistent."""
    yield from ()
    return Report(keys.queue)
