"""The judge finds what it is there to find."""

from tests.matrix.judge import Bounds, Ending, Final, Verdict, complaints, judge
from tests.matrix.witness import Sighting, What


def see(what: What, job: str, at: float, pid: int = 1, fence: int = 0) -> Sighting:
    """Make a sighting; jobs are called by their numbers."""
    text = "poison" if job.startswith("p") else "nap"
    return Sighting(
        what, at=at, pid=pid, job=job, n=int(job.strip("p") or 0), fence=fence, text=text
    )


def life(job: str, at: float, pid: int = 1, fence: int = 0) -> list[Sighting]:
    """Make the life of a job that was enqueued and ran once."""
    return [
        see("pushed", job, at),
        see("start", job, at + 0.1, pid, fence),
        see("end", job, at + 0.2, pid, fence),
    ]


def hit(at: float, pid: int = 1) -> Sighting:
    """Make a strike."""
    return Sighting("strike", at=at, pid=pid)


def final(accepted: int, **endings: Ending) -> Final:
    """Make what the server says; jobs that are not named are gone."""
    return Final({name.removeprefix("_"): ending for name, ending in endings.items()}, accepted)


def test_a_run_without_a_fault_gives_no_complaint() -> None:
    """Nothing allowed, nothing needed."""
    verdict = judge([*life("1", 0), *life("2", 1)], final(2))

    assert verdict == Verdict(jobs=2)
    assert complaints(verdict, Bounds(disorder=0)) == []


def test_a_job_that_is_gone_and_never_ended_is_lost() -> None:
    """A start is not enough."""
    verdict = judge([*life("1", 0)[:2], *life("2", 1)], final(1))

    assert (verdict.lost, verdict.surplus) == (("1",), 0)
    assert complaints(verdict, Bounds()) == ["lost: ('1',)"]


def test_a_job_that_is_still_there_is_stuck() -> None:
    """Whatever state it is in."""
    verdict = judge([*life("1", 0), *life("2", 1)], final(1, _1=Ending("running")))

    assert (verdict.stuck, verdict.surplus) == (("1",), 0)


def test_a_second_accepted_end_is_found() -> None:
    """And an end that was not accepted as well."""
    seen = [*life("1", 0), *life("2", 1)]

    assert [judge(seen, final(count)).surplus for count in (1, 3)] == [-1, 1]
    assert complaints(judge(seen, final(3)), Bounds()) != []


def test_a_result_of_a_delivery_that_nobody_saw_is_strange() -> None:
    """The accepted delivery is one of those that started."""
    seen = [*life("1", 0, fence=7), *life("2", 1, fence=8)]

    verdict = judge(seen, final(2, _1=Ending("gone", fence=7), _2=Ending("gone", fence=9)))

    assert verdict.strange == ("2",)


def test_a_job_that_nobody_enqueued_is_found() -> None:
    """As if one call had made two jobs."""
    verdict = judge([*life("1", 0), *life("2", 1)[1:]], final(1))

    assert verdict.uninvited == ("2",)
    assert complaints(verdict, Bounds()) == ["enqueued by nobody: ('2',)"]


def test_a_second_start_needs_a_strike_on_the_process_that_had_the_job() -> None:
    """A strike on another process, or at another time, explains nothing."""
    again = [*life("1", 0), see("start", "1", 5, pid=2)]

    for strike in (hit(3, pid=9), hit(6)):
        assert judge([*again, strike], final(1)).unexplained == ("1",)
    assert complaints(judge(again, final(1)), Bounds(per_strike=9)) != []


def test_a_restart_is_measured_from_the_strike() -> None:
    """Its time, and how many jobs began in between that had not begun before."""
    seen = [
        *life("1", 0),
        hit(1.0),
        *life("2", 1.1, pid=2),
        *life("3", 1.5, pid=2),
        see("start", "1", 3.0, pid=2),
    ]

    verdict = judge(seen, final(3))

    assert (verdict.recovery_s, verdict.places_lost, verdict.extra) == (2.0, 2, 1)
    bounds = Bounds(per_strike=1, recovery_s=1.9, places_lost=1)
    assert complaints(verdict, bounds) == [
        "seconds until a restart: 2, at most 1.9",
        "places lost by a restarted job: 2, at most 1",
    ]


def test_each_strike_has_its_own_restarts() -> None:
    """Two for the first, one for the second: at most two for one."""
    seen = [*life("1", 0), *life("2", 0), *life("3", 0, pid=2), hit(1), hit(2, pid=2)]
    seen += [see("start", job, 3, pid=3) for job in "123"]

    verdict = judge(seen, final(3))

    assert (verdict.most_per_strike, verdict.extra, verdict.strikes) == (2, 3, 2)
    assert complaints(verdict, Bounds(per_strike=1)) == ["restarts for one strike: 2, at most 1"]


def test_poison_must_be_given_up_and_nobody_else() -> None:
    """Its starts are counted apart from those of the others."""
    seen = [*life("1", 0), *(see("start", "p2", at) for at in (1, 2, 3)), see("pushed", "p2", 0)]

    good = judge(seen, final(1, p2=Ending("dead", "it died")))
    escaped = judge(seen, final(1, p2=Ending("waiting")))
    bad = judge(seen, final(0, p2=Ending("dead"), _1=Ending("dead", "a neighbour")))

    assert (good.poison, good.extra, good.poison_starts) == ({"p2": "it died"}, 0, {"p2": 3})
    assert complaints(good, Bounds()) == []
    assert complaints(good, Bounds(poison_starts=2)) != []
    assert escaped.escaped == ("p2",)
    assert bad.neighbours == {"1": "a neighbour"}


def test_disorder_is_the_most_that_overtook_one() -> None:
    """Jobs are numbered as they were enqueued."""
    starts = [see("start", job, at) for at, job in enumerate("2314")]

    assert judge(starts, final(0)).disorder == 2


def test_the_way_back_to_work_is_measured_from_the_relief() -> None:
    """The longest, if there were several; none if there was nothing left to do."""
    reliefs = [Sighting("relief", at=at) for at in (1.0, 4.0, 99.0)]

    verdict = judge([*life("1", 1.5), *life("2", 4.9), *reliefs], final(2))

    assert round(verdict.resumed_s, 6) == 1.0
