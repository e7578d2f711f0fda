"""Blocks as of an earlier time: the record's layers as they stood, without what the record does not keep."""

from pathlib import Path

import pytest

from contract.test_replay import change_everything, fill
from hansard import Hansard
from hansard.clock import iso
from hansard.domain.errors import Invalid
from hansard.domain.receipts import Block, Layer
from hansard.project import Project
from hansard.settings import Settings
from support.clock import START, FakeClock


def told(project: Project, **asked: str) -> Block:
    block = project.compile(agent="tank", **asked)  # type: ignore[arg-type]
    assert block is not None
    return block


@pytest.mark.parametrize("mode", ["full", "child", "ignore", "coordinator"])
def test_a_block_as_of_then_is_the_block_of_then(project: Project, mode: str) -> None:
    known = fill(project)
    then = told(project, mode=mode)
    change_everything(project, known)
    back = project.compile(agent="tank", mode=mode, as_of=then.receipt.at)
    assert back is not None
    assert back.text == then.text
    assert back.receipt.sha256 == then.receipt.sha256
    assert (back.receipt.at, back.receipt.ledger_seq) == (then.receipt.at, then.receipt.ledger_seq)
    assert back.receipt.superseded == then.receipt.superseded
    assert told(project, mode=mode).text != then.text


def test_the_time_may_be_written_as_people_write_it(project: Project, clock: FakeClock) -> None:
    known = fill(project)
    then = told(project)
    clock.advance(days=3)
    change_everything(project, known)
    for time in (iso(then.receipt.at), iso(then.receipt.at)[:10]):
        back = project.compile(agent="tank", as_of=time)
        assert back is not None
        assert back.text == then.text


def test_a_note_says_what_is_missing(project: Project) -> None:
    fill(project)
    then = told(project, task="login cookie")
    back = project.compile(agent="tank", task="login cookie", as_of=then.receipt.at)
    assert back is not None
    assert then.receipt.shown(Layer.KNOWLEDGE)
    assert not back.receipt.shown(Layer.KNOWLEDGE)
    assert "without past knowledge" in back.receipt.notes[-1]


def test_what_has_expired_since_is_there_as_of_then_and_what_had_is_not(project: Project, clock: FakeClock) -> None:
    project.remember("For three days.", agent="tank", importance="high", source="session_summary")
    then = told(project)
    assert "For three days." in then.text
    clock.advance(days=4)
    assert project.compile(agent="tank") is None
    back = project.compile(agent="tank", as_of=then.receipt.at)
    assert back is not None
    assert back.text == then.text
    project.remember("Later.", agent="tank", importance="high")
    late = told(project).receipt.at
    assert project.purge() == 1
    back = project.compile(agent="tank", as_of=late)
    assert back is not None
    assert "For three days." not in back.text


def test_what_was_forgotten_since_is_absent_and_a_note_says_so(project: Project) -> None:
    known = fill(project)
    then = told(project)
    project.forget(known["high"], agent="tank")
    back = project.compile(agent="tank", as_of=then.receipt.at)
    assert back is not None
    assert "Bearer" not in back.text
    assert "I am the build agent." in back.text
    assert back.receipt.notes[0] == "1 of the memories of then was forgotten since."


def test_a_memory_that_was_private_then_stays_private_then(project: Project) -> None:
    memory = project.remember("Only mine.", agent="neo", importance="high")
    project.decide(type="scope", title="T", content="c", by="ana")
    then = told(project)
    project.share_memory(memory.id, agent="neo")
    assert "Only mine." in told(project).text
    back = project.compile(agent="tank", as_of=then.receipt.at)
    assert back is not None
    assert "Only mine." not in back.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("2999-01-01", "has not come yet"),
        ("1999-01-01", "before the project, which began at 2026-01-01"),
        ("yesterday-ish", "is not a time"),
        ("", "is not a time"),
        (-5, "before the project"),
        (2**62 - 1, "has not come yet"),
        (10**40, "is no time"),
        (True, "must be text or microseconds"),
        (1.5, "must be text or microseconds"),
    ],
)
def test_a_bad_time_is_told(project: Project, wrong: str | int, said: str) -> None:
    fill(project)
    with pytest.raises(Invalid) as caught:
        project.compile(agent="tank", as_of=wrong)
    assert said in caught.value.message


def test_nothing_was_known_right_after_the_project_was_made(hansard: Hansard, clock: FakeClock) -> None:
    project = hansard.project("young", create=True)
    born = clock.now()
    fill(project)
    back = project.compile(agent="tank", as_of=born)
    assert back is None


def test_what_another_clone_made_is_there_from_the_moment_it_arrived(
    project: Project, clock: FakeClock, tmp_path: Path
) -> None:
    project.decide(type="scope", title="Ours", content="c", by="ana")
    with Hansard.open(":memory:", settings=Settings(user="bob"), clock=FakeClock(START)) as mate:
        theirs = mate.project("shop", create=True)
        theirs.decide(type="scope", title="Theirs", content="c", by="bob")
        theirs.remember("A lesson of theirs.", agent="neo", scope="team", importance="high")
        theirs.export(tmp_path)
    (tmp_path / ".hansard" / "mirror.json").unlink(missing_ok=True)
    clock.advance(days=1)
    then = told(project)
    project.import_inbox(tmp_path)
    now = told(project)
    for seen, there in ((then, False), (now, True)):
        back = project.compile(agent="tank", as_of=seen.receipt.at)
        assert back is not None
        assert back.text == seen.text
        assert ("Theirs" in back.text, "A lesson of theirs." in back.text) == (there, there)
