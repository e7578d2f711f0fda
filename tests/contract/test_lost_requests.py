"""Requests with a key: who lost its claim writes nothing, and no answer is kept with words that were forgotten."""

import pytest

from hansard.domain.errors import AnswerGone, KeyInFlight
from hansard.domain.idempotency import WORKED_SECONDS_MAX, KeptAnswer
from hansard.project import Project
from hansard.services import repeat
from support.clock import FakeClock
from support.fakes import fake_secret
from support.raw import raw

WORDS = "The combination of the safe is 4711."


def claimed(project: Project, digest: bytes = b"d") -> repeat.Claim:
    got = repeat.claim(project.seat().store, project.id, caller="c", key="k", digest=digest)
    assert isinstance(got, repeat.Claim)
    return got


def settle(project: Project, mine: repeat.Claim, body: bytes, **headers: str) -> None:
    repeat.settle(project.seat().store, mine, status=201, headers=headers, body=body)


def repeated(project: Project) -> repeat.Claim | KeptAnswer:
    return repeat.claim(project.seat().store, project.id, caller="c", key="k", digest=b"d")


def test_a_worker_whose_claim_was_taken_over_does_not_do_its_work(
    project: Project, elsewhere: Project, clock: FakeClock
) -> None:
    """It was suspended between claim and work, and another process did the work meanwhile."""
    late = claimed(project)
    clock.advance(seconds=WORKED_SECONDS_MAX)
    mine = claimed(elsewhere)
    with repeat.working_on(mine):
        elsewhere.start_run(agent="tank", task="job 5")
    settle(elsewhere, mine, b"done")

    with repeat.working_on(late), pytest.raises(KeyInFlight, match="nothing was written"):
        project.start_run(agent="tank", task="job 5")
    settle(project, late, b"refused")

    assert [one.task for one in project.list_runs().items] == ["job 5"]
    kept = repeated(project)
    assert isinstance(kept, KeptAnswer)
    assert kept.body == b"done"


def test_nor_does_it_while_the_other_is_still_at_work(project: Project, elsewhere: Project, clock: FakeClock) -> None:
    late = claimed(project)
    clock.advance(seconds=WORKED_SECONDS_MAX)
    mine = claimed(elsewhere)

    with repeat.working_on(late), pytest.raises(KeyInFlight):
        project.start_run(agent="tank", task="job 5")
    settle(project, late, b"refused")
    with repeat.working_on(mine):
        elsewhere.start_run(agent="neo", task="job 5")

    assert [one.agent for one in project.list_runs().items] == ["neo"]


def test_nor_after_the_other_has_let_go(project: Project, elsewhere: Project, clock: FakeClock) -> None:
    late = claimed(project)
    clock.advance(seconds=WORKED_SECONDS_MAX)
    repeat.let_go(elsewhere.seat().store, claimed(elsewhere))

    with repeat.working_on(late), pytest.raises(KeyInFlight):
        project.remember(WORDS, agent="tank")

    assert project.list_memories().items == ()
    assert isinstance(repeated(project), repeat.Claim)


def test_a_late_worker_that_nobody_took_over_from_does_its_work(project: Project, clock: FakeClock) -> None:
    mine = claimed(project)
    clock.advance(seconds=WORKED_SECONDS_MAX)
    with repeat.working_on(mine):
        project.start_run(agent="tank", task="job 5")
        project.remember(WORDS, agent="tank")
    settle(project, mine, b"done")

    kept = repeated(project)
    assert isinstance(kept, KeptAnswer)
    assert kept.body == b"done"


def test_words_that_are_forgotten_between_work_and_answer_are_not_kept(
    project: Project, elsewhere: Project, target: str
) -> None:
    mine = claimed(project)
    with repeat.working_on(mine):
        memory = project.remember(WORDS, agent="tank")
    elsewhere.forget(memory.id, by="ana")
    settle(project, mine, WORDS.encode(), location="/memories/the-combination-is-4711")

    with raw(target) as database:
        assert database.execute("SELECT status, headers, body FROM idempotency_keys").fetchall() == [(201, "{}", None)]
    with pytest.raises(AnswerGone):
        repeated(elsewhere)


def test_nor_those_of_a_request_that_goes_on_after_the_forgetting(project: Project, elsewhere: Project) -> None:
    mine = claimed(project)
    with repeat.working_on(mine):
        memory = project.remember(WORDS, agent="tank")
    elsewhere.forget(memory.id, by="ana")
    with repeat.working_on(mine):
        mate = project.remember("Uploads fail above 5 MB.", agent="tank")
        project.forget(mate.id, by="ana")
    settle(project, mine, WORDS.encode())

    with pytest.raises(AnswerGone):
        repeated(elsewhere)


def test_what_only_read_forgotten_words_is_done_again(project: Project, elsewhere: Project, target: str) -> None:
    memory = project.remember(WORDS, agent="tank")
    mine = claimed(project)
    elsewhere.forget(memory.id, by="ana")
    settle(project, mine, WORDS.encode())

    with raw(target) as database:
        assert database.execute("SELECT count(*) FROM idempotency_keys").fetchone() == (0,)
    assert isinstance(repeated(project), repeat.Claim)


def test_a_request_that_forgets_is_answered_as_before(project: Project) -> None:
    ids = [project.remember(f"{WORDS} {number}", agent="tank").id for number in range(2)]
    mine = claimed(project)
    with repeat.working_on(mine):
        for one in ids:
            project.forget(one, by="ana")
    settle(project, mine, b"forgotten")

    kept = repeated(project)
    assert isinstance(kept, KeptAnswer)
    assert (kept.digest, kept.body) == (b"d", b"forgotten")


def test_a_scan_that_takes_out_a_secret_of_the_log_is_answered_as_before(project: Project, target: str) -> None:
    """The log is no record, so no event tells of it."""
    memory = project.remember(WORDS, agent="tank")
    project.use_memory(memory.id, agent="tank", task="Open the safe.")
    with raw(target) as database:
        database.execute("UPDATE retrievals SET task = ?", (f"Open it with {fake_secret()}.",))
    mine = claimed(project)
    with repeat.working_on(mine):
        assert project.scan(redact=True).redacted == 1
    settle(project, mine, b"redacted")

    kept = repeated(project)
    assert isinstance(kept, KeptAnswer)
    assert kept.body == b"redacted"
