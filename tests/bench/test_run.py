"""One tiny run of limpet's own adapter; no peer is installed here."""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

import pytest

from benchmarks.catalogue import LIMPET, PEERS, chosen
from benchmarks.measures import core, peers, raw, scaling
from benchmarks.places import ROOT
from benchmarks.plan import TINY
from benchmarks.progress import expected
from benchmarks.table import Table


@pytest.fixture
def table() -> Iterator[Table]:
    """Lay a table for a tiny run."""
    made = Table(TINY, lambda _: None)
    yield made
    made.close()


def test_every_peer_has_an_adapter() -> None:
    """Who is in the catalogue has a file, and all but limpet something to install."""
    for peer in PEERS:
        assert (ROOT / "benchmarks" / "peers" / f"{peer.name}.py").exists()
        assert bool(peer.packages) is (peer is not LIMPET)


def test_peers_are_chosen_by_name() -> None:
    """Besides, limpet is always there; an unknown name is told with those there are."""
    assert [peer.name for peer in chosen("rq")] == ["limpet", "rq"]
    with pytest.raises(SystemExit, match="no such peer: nobody"):
        chosen("nobody")


def test_a_tiny_run_measures_everything(table: Table) -> None:
    """All steps of limpet, bare lists beside it; each job ran exactly once."""
    raw.run(table)
    core.run(table)
    peers.run(table, [LIMPET])
    scaling.run(table)

    book = table.book
    assert book.trouble == {}
    for measure in ("drain sync", "drain async", "enqueue bulk", "rss", "start-up"):
        assert book.subjects(measure)[0] == "limpet"
        assert (book.median(measure, "limpet") or 0) > 0
    for subject in ("limpet", "bare"):
        assert len(book.samples["latency sync"][subject]) == 2 * TINY.latencies
        assert len(book.samples["enqueue bulk"][subject]) == TINY.pairs
    assert len(book.samples["core us"]["push of 100"]) == TINY.pairs
    assert set(book.subjects("raw")) >= {"GET", "RPUSH", "empty script"}
    assert len(book.subjects("core us")) == 4
    counted = expected(TINY, [LIMPET])
    assert table.taken == sum(counted[stage] for stage in ("raw", "core", "peers", "scaling"))


def test_bare_lists_carry_the_same_bytes(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a comparison with them would be one of payloads."""
    monkeypatch.setenv("BENCH_URL", table.server.url)
    monkeypatch.setenv("BENCH_PORT", str(table.server.port))
    monkeypatch.setenv("BENCH_BOARD", str(table.path))
    mine = import_module("benchmarks.peers.limpet")
    bare = import_module("benchmarks.peers.bare")

    for kind in LIMPET.kinds:
        assert mine.item(kind, 77).payload == bare.payload(kind, 77)


def test_a_peer_that_cannot_start_is_told(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes on, and the book says why the peer is not in it."""
    broken = replace(LIMPET, name="nobody", holds_many=False)
    monkeypatch.setattr("benchmarks.table.versions_of", lambda *_: {})

    peers.run(table, [broken])

    assert "No module named 'benchmarks.peers.nobody'" in table.book.trouble["nobody"]
    assert table.book.samples == {}
