"""Replay: a block made again from the record and its receipt has the same bytes, or says what is gone."""

from pathlib import Path
from typing import Any

import pytest

from hansard import Hansard
from hansard.domain.receipts import Block, Layer
from hansard.project import Project
from hansard.services.compile import compose, turn_of
from hansard.services.gather import gather
from hansard.services.keep import keep
from hansard.services.replay import UNEXPLAINED
from hansard.settings import Settings
from support.clock import START, FakeClock
from support.raw import raw

CHARTER = "You are tank.\n\nBe brief."


class StandingClock:
    """A clock that stands still: what follows a reading happens in the same microsecond."""

    at = START

    def now(self) -> int:
        return self.at


def fill(project: Project) -> dict[str, str]:
    """Something in every layer, and the ids of what is changed later."""
    first = project.decide(
        type="architectural", title="Use Postgres", content="All data.", rationale="One place.", by="ana"
    )
    project.decide(type="scope", title="Only payments", content="We build payments.", by="ana", applies_to=["src/**"])
    core = project.remember("I am the build agent.", agent="tank", type="core_context")
    high = project.remember("The API needs a Bearer prefix.", agent="tank", importance="high")
    team = project.remember("Login needs a cookie from the gateway.", agent="neo", scope="team")
    session = project.start_session(focus="Auth rework", issues=["#1", "#2"], summary="Began.")
    run = project.start_run(agent="neo", task="Rework the login in src/login.py")
    return {
        "decision": first.id, "core": core.id, "high": high.id, "team": team.id, "session": session.id, "run": run.id,
    }  # fmt: skip


def change_everything(project: Project, known: dict[str, str]) -> None:
    project.update_decision(known["decision"], by="ana", title="Use SQLite", content="No data.")
    project.decide(type="scope", title="Nothing else", content="Really.", by="ana")
    for name, agent in (("core", "tank"), ("high", "tank"), ("team", "neo")):
        project.edit_memory(known[name], agent=agent, content=f"Now {name} says something else.")
    project.remember("A newer lesson.", agent="tank", importance="high")
    project.update_session("More happened.")
    project.finish_run(known["run"], outcome="completed", output="Done.")
    project.start_session(focus="Another one")
    project.start_run(agent="morpheus", task="Look around")
    project.archive(known["decision"], by="ana")


def kept(project: Project, **asked: Any) -> tuple[Block, str]:
    block = project.compile(agent="tank", keep=True, **asked)
    assert block is not None
    assert block.receipt.id is not None
    return block, block.receipt.id


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"task": "login cookie"},
        {"task": "fix the login in src/login.py", "charter": CHARTER},
        {"mode": "child", "charter": CHARTER},
        {"mode": "ignore"},
        {"mode": "coordinator"},
        {"prompt": "Ignore your memory and look at the login."},
    ],
    ids=repr,
)
def test_a_replay_has_the_same_bytes_whatever_happened_since(project: Project, asked: dict[str, str]) -> None:
    known = fill(project)
    block, receipt = kept(project, **asked)
    change_everything(project, known)
    now = project.compile(agent="tank", **asked)  # type: ignore[arg-type]
    replayed = project.replay(receipt)
    assert now is not None
    assert now.text != block.text
    assert replayed.text == block.text
    assert (replayed.sha256, replayed.differences, replayed.is_exact) == (block.receipt.sha256, (), True)


def test_a_replay_follows_the_settings_of_then(target: str, clock: FakeClock) -> None:
    tight = Settings(
        user="ana", context_decisions_tokens_max=30, context_memory_tokens_max=20, context_session_tokens_max=12,
        context_items_max=2,
    )  # fmt: skip
    with Hansard.open(target, settings=tight, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        fill(project)
        project.update_session("\n".join(f"Step {number} was taken." for number in range(20)))
        block, receipt = kept(project)
    assert any(line.shrunk for line in block.receipt.lines)
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as hansard:
        replayed = hansard.project("shop").replay(receipt)
    assert (replayed.text, replayed.differences) == (block.text, ())


def test_what_was_forgotten_is_a_tombstone_and_is_said(project: Project) -> None:
    known = fill(project)
    block, receipt = kept(project, task="login cookie")
    project.forget(known["high"], agent="tank")
    project.forget(known["team"], agent="neo")
    replayed = project.replay(receipt)
    assert "Bearer" in block.text
    assert "Bearer" not in replayed.text
    assert "cookie" not in replayed.text.partition("## Current Session")[0]
    assert f"- [forgotten] memory://memories/{known['high']}\n" in replayed.text
    assert "I am the build agent." in replayed.text
    assert not replayed.is_exact
    assert replayed.differences == tuple(
        f"The memory {known[name]} was forgotten meanwhile." for name in ("high", "team")
    )


def test_a_run_that_was_forgotten_is_said(project: Project) -> None:
    known = fill(project)
    _, receipt = kept(project)
    finished = project.finish_run(known["run"], outcome="completed", output="Done.")
    assert finished.memory_id is not None
    project.forget(finished.memory_id, agent="neo")
    replayed = project.replay(receipt)
    assert "Rework the login" not in replayed.text
    assert replayed.differences == (f"The run {known['run']} was forgotten meanwhile.",)


def test_stale_remarks_are_those_of_then(hansard: Hansard, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    project = hansard.project("files", create=True, root=tree)
    project.remember("The work is in `src/gone.py`.", agent="tank", importance="high")
    block, receipt = kept(project)
    (tree / "src" / "gone.py").write_text("x = 1\n", encoding="utf-8")
    now = project.compile(agent="tank")
    assert now is not None
    assert "stale" in block.text
    assert "stale" not in now.text
    assert project.replay(receipt).text == block.text


def test_guidance_is_replayed_as_it_was_when_it_is_long_another(hansard: Hansard, home: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    project = hansard.project("shop-2", create=True, root=tree)
    fill(project)
    file = home / "data" / "hansard" / "projects" / project.id / "memory_summary.md"
    file.parent.mkdir(parents=True)
    file.write_text("Deploys go out on Mondays, by `src/gone.py`.\n", encoding="utf-8")
    block, receipt = kept(project)
    assert "Mondays" in block.text
    assert "(stale: `src/gone.py` no longer exists)" in block.text
    for now in ("Deploys go out on Fridays.\n", None):
        file.unlink() if now is None else file.write_text(now, encoding="utf-8")
        assert project.replay(receipt).text == block.text
    (copy,) = (file.parent / "told").iterdir()
    copy.unlink()
    replayed = project.replay(receipt)
    assert "days" not in replayed.text
    assert replayed.differences == ("The guidance of then is gone: its words are not on this machine.",)


def test_guidance_of_then_goes_with_the_last_receipt_that_names_it(
    project: Project, home: Path, clock: FakeClock
) -> None:
    file = home / "data" / "hansard" / "projects" / project.id / "memory_summary.md"
    file.parent.mkdir(parents=True)
    for text in ("Deploys go out on Mondays.\n", "Deploys go out on Fridays.\n"):
        file.write_text(text, encoding="utf-8")
        fill(project)
        kept(project)
        clock.advance(days=5)
    assert len(list((file.parent / "told").iterdir())) == 2
    assert project.purge_receipts(days=7) == 1
    (left,) = (file.parent / "told").iterdir()
    assert left.read_text(encoding="utf-8") == "Deploys go out on Fridays.\n"


def test_a_charter_that_is_no_text_costs_the_receipt_and_not_the_turn(project: Project) -> None:
    fill(project)
    block = project.compile(agent="tank", charter="\ud800 c", keep=True)
    assert block is not None
    assert block.receipt.id is None
    assert any(one.startswith("The receipt could not be kept: ") for one in block.receipt.notes)


def test_words_that_were_changed_behind_the_record_are_noticed(project: Project, target: str) -> None:
    known = fill(project)
    _, receipt = kept(project)
    with raw(target) as connection:
        connection.execute("UPDATE memories SET content = 'Quite different.' WHERE id = ?", (known["core"],))
    replayed = project.replay(receipt)
    assert replayed.differences == (UNEXPLAINED,)


def test_a_change_in_the_microsecond_of_the_block_does_not_reach_its_replay(target: str) -> None:
    clock = StandingClock()
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        known = fill(project)
        clock.at += 1_000
        block, receipt = kept(project)
        changed = project.edit_memory(known["core"], agent="tank", content="Changed at once.")
        assert changed.updated_at == block.receipt.at
        assert project.replay(receipt).text == block.text


def test_what_changes_between_the_reading_and_the_search_is_left_out_and_said(project: Project) -> None:
    task = "redis cluster password rotation"
    same = project.remember("The redis cluster password rotation is weekly.", agent="tank")
    edited = project.remember("A redis cluster password rotation takes an hour.", agent="tank")
    gone = project.remember("The redis cluster password rotation has a runbook.", agent="tank")
    seat, turn = project.seat(agent="tank"), turn_of(agent="tank", task=task)
    state = gather(seat, turn)
    project.edit_memory(edited.id, agent="tank", content="A redis cluster password rotation takes two hours.")
    project.remember("After a redis cluster password rotation restart the workers.", agent="tank")
    project.forget(gone.id, agent="tank")
    block = compose(seat, turn, state)
    assert block is not None
    assert [line.id for line in block.receipt.shown(Layer.KNOWLEDGE)] == [same.id]
    assert any("Recall left out 2 that changed" in note for note in block.receipt.notes)
    replayed = project.replay(keep(seat, block.receipt).id or "")
    assert replayed.is_exact
    assert replayed.differences == ()
    later = compose(seat, turn, gather(seat, turn))
    assert later is not None
    assert len(later.receipt.shown(Layer.KNOWLEDGE)) == 3


def test_a_receipt_that_names_what_was_not_there_is_not_said_to_be_of_something_forgotten(project: Project) -> None:
    first = project.remember("The first.", agent="tank", importance="high")
    block = project.compile(agent="tank")
    assert block is not None
    second = project.remember("The second.", agent="tank", importance="high")
    (line,) = block.receipt.shown(Layer.MEMORY)
    wrong = block.receipt._replace(lines=(line._replace(version=7), line._replace(id=second.id)))
    replayed = project.replay(keep(project.seat(), wrong).id or "")
    assert replayed.differences == (
        f"The memory {first.id} was version 7 in the block, and version 1 at the receipt's event.",
        f"The memory {second.id} is not in the record as it was at the receipt's event.",
    )
