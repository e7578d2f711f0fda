"""A short run of the load that `python -m benchmarks load` puts on a store for a minute."""

from pathlib import Path

from benchmarks import load

from support.marks import invariant

ACKNOWLEDGED = 100


@invariant("INV-21")
@invariant("INV-22")
@invariant("INV-23")
def test_processes_that_are_killed_under_load_lose_nothing_that_was_acknowledged(target: str, tmp_path: Path) -> None:
    outcome = load.run(target, tmp_path / "load", load.SECONDS, enough=ACKNOWLEDGED)
    assert (outcome.lost, outcome.twice, outcome.broken, outcome.unexpected) == (0, 0, [], [])
    assert outcome.jobs_twice == 0
    assert (outcome.requests_twice, outcome.over_limit) == (0, 0)
    assert outcome.killed == load.KILLED
    assert outcome.acknowledged >= 2 * ACKNOWLEDGED
    assert set(outcome.kinds) == load.KINDS
