"""A short run of the load that `python -m benchmarks load` puts on a store for a minute."""

from pathlib import Path

from benchmarks import load

from support.marks import invariant

SECONDS = 3.0


@invariant("INV-22")
@invariant("INV-23")
def test_processes_that_are_killed_under_load_lose_nothing_that_was_acknowledged(target: str, tmp_path: Path) -> None:
    outcome = load.run(target, tmp_path / "load", SECONDS)
    assert (outcome.lost, outcome.twice, outcome.broken, outcome.unexpected) == (0, 0, [], [])
    assert outcome.killed == load.KILLED
    assert outcome.acknowledged > 100
    assert set(outcome.kinds) == {"memory", "entry", "decision", "session", "run"}
