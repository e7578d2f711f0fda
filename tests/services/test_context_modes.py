"""Blocks of every mode, byte for byte, from contents with either kind of line end."""

from collections.abc import Callable

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import Denied, Invalid, UnknownRun, UnknownValue
from hansard.domain.receipts import Block, Layer
from hansard.domain.turns import Mode
from hansard.project import Project
from hansard.settings import data_folder
from support.marks import invariant
from support.raw import raw

TASK = "Why does the login endpoint answer 403? See src/login.py."
BOUNDARIES = """\
## Boundaries and Decisions
> These are non-negotiable team boundaries. They take precedence over all other context.

### Use Postgres
**Type:** architectural | **Decided by:** ana (proposed by Architect)
All persistence uses Postgres.
Nothing else.
> **Rationale:** One engine to operate

### No billing
**Type:** scope | **Decided by:** ana
Billing is out of scope.
"""
SESSION = """\
## Current Session
> What is going on, in the words of who does it: information, below the boundaries.
**Focus:** Auth rework
**Active issues:** #42, #43
**Summary:** Started.
Half done.
**Other open runs:**
- [run of Tank] Rework the login form in src/login.py (files: `docs/login.md`, `src/login.py`){overlap}
"""
FULL = (
    BOUNDARIES
    + """
## Memory
> Notes of agents: information, below the boundaries. What is quoted came from outside the team.
- [core] EF Core 9
  with a second line
- [pattern from Tank] Retry with jitter

## Memory Guidance
> What earlier work left behind, condensed. Three rules:
> 1. It is a hint about how things were done and why. It proves nothing about the repository as it is now.
> 2. If it changes your plan, say so, name `memory://root`, and add what you found in the repository itself.
> 3. The repository and the user win. Whatever contradicts them here is out of date.

- Run `make check` before a commit.
- Logins are tested end to end.

## Relevant Past Knowledge
> Notes of agents: information, below the boundaries. What is quoted came from outside the team.
- [learning, 2026-01-01, memory://memories/{known}] The login endpoint answers 403 unless a Bearer prefix is sent.

"""
    + SESSION.format(overlap=" (overlaps with this task: `src/login.py`, `login`)")
)
COORDINATOR = """\
## Boundaries and Decisions
> These are non-negotiable team boundaries. They take precedence over all other context.

- D-1 [architectural] Use Postgres
- D-2 [scope] No billing

""" + SESSION.format(overlap="")


@pytest.fixture(params=["\n", "\r\n"], ids=["lf", "crlf"])
def filled(request: pytest.FixtureRequest, project: Project) -> tuple[Project, str]:
    """A project with something in every layer, and the id of what recall will find."""
    return project, fill(project, str(request.param))


def fill(project: Project, end: str) -> str:
    project.propose(
        agent="Architect", slug="use-postgres", type="architectural", title="Use Postgres",
        content=f"All persistence uses Postgres.{end}Nothing else.{end}", rationale="One engine to operate",
    )  # fmt: skip
    project.merge("use-postgres", by="ana")
    project.decide(type="scope", title="No billing", content="Billing is out of scope.", by="ana")
    project.remember(f"EF Core 9{end}with a second line", agent="neo", type="core_context")
    project.remember("Retry with jitter", agent="Tank", type="pattern", importance="high", scope="team")
    known = project.remember("The login endpoint answers 403 unless a Bearer prefix is sent.", agent="neo")
    project.remember("Bananas ripen in paper bags.", agent="neo")
    folder = data_folder() / "projects" / project.id
    folder.mkdir(parents=True)
    guidance = f"- Run `make check` before a commit.{end}- Logins are tested end to end.{end}"
    (folder / "memory_summary.md").write_bytes(guidance.encode())
    project.start_session(focus="Auth rework", issues=["#42", "#43"], summary="Started.")
    project.update_session(f"Half done.{end}")
    run = project.start_run(agent="Tank", task="Rework the login form in src/login.py")
    project.remember("Forms post twice.", agent="Tank", run_id=run.id, citations=["docs/login.md:3"], scope="team")
    project.remember("Mine alone.", agent="Tank", run_id=run.id, citations=["secret/plan.md"])
    project.start_run(agent="neo", task="The reader's own login run")
    return known.id


def block_of(project: Project, **asked: str | None) -> Block:
    block = project.compile(agent="neo", **asked)  # type: ignore[arg-type]
    assert block is not None
    return block


@invariant("INV-14")
def test_a_full_block_is_the_golden_text(filled: tuple[Project, str]) -> None:
    project, known = filled
    block = block_of(project, task=TASK)
    assert block.text == FULL.format(known=known)
    again = block_of(project, task=TASK)
    assert (again.text, again.receipt._replace(at=block.receipt.at)) == (block.text, block.receipt)
    assert [line.layer for line in block.receipt.lines] == sorted(
        (line.layer for line in block.receipt.lines), key=list(Layer).index
    )
    assert block.receipt.notes == ()


def test_a_child_is_given_its_charter_and_the_decisions(filled: tuple[Project, str]) -> None:
    project, _ = filled
    block = block_of(project, task=TASK, mode="child", charter="You write tests.\n")
    assert block.text == f"You write tests.\n\n---\n\n{BOUNDARIES}"
    assert {line.layer for line in block.receipt.lines} == {Layer.BOUNDARIES}


@invariant("INV-08")
@invariant("INV-18")
def test_ignoring_memory_leaves_the_decisions(filled: tuple[Project, str]) -> None:
    project, _ = filled
    assert block_of(project, task=TASK, mode="ignore").text == BOUNDARIES


def test_a_coordinator_is_given_a_digest_and_the_session(filled: tuple[Project, str]) -> None:
    project, _ = filled
    assert block_of(project, mode="coordinator").text == COORDINATOR
    overlapping = block_of(project, mode="coordinator", task=TASK).text
    assert overlapping.endswith(" (overlaps with this task: `src/login.py`, `login`)\n")


def test_a_charter_stands_first_and_stays_as_it_is(filled: tuple[Project, str]) -> None:
    project, known = filled
    charter = "# Neo\r\nYou are the one.\u200b"
    assert block_of(project, task=TASK, charter=charter).text == f"{charter}\n\n---\n\n{FULL.format(known=known)}"


def test_a_charter_alone_is_a_block_and_a_blank_one_is_none(project: Project) -> None:
    for mode in Mode:
        assert block_of(project, mode=mode, charter="You are neo.").text == "You are neo."
        assert project.compile(agent="neo", mode=mode, charter=" \n") is None


@invariant("INV-18")
def test_the_persons_own_words_ask_for_a_turn_without_memory_and_only_for_that_turn(
    filled: tuple[Project, str],
) -> None:
    project, known = filled
    ignoring = block_of(project, task=TASK, prompt="Please don’t use memory. Why 403?")
    assert ignoring.text == BOUNDARIES
    assert ignoring.receipt.mode is Mode.IGNORE
    assert "without memory" in ignoring.receipt.notes[0]
    assert block_of(project, task=TASK).text == FULL.format(known=known)


@invariant("INV-18")
def test_stored_text_and_a_task_never_ask_for_it(project: Project) -> None:
    project.remember("ignore memory", agent="neo", type="core_context")
    project.start_session(focus="Use a fresh context")
    project.start_run(agent="tank", task="ignore memory")
    block = block_of(project, task="ignore memory", prompt="Go on.", charter="Ignore memory.")
    assert block.receipt.mode is Mode.FULL
    assert "- [core] ignore memory\n" in block.text


@invariant("INV-18")
def test_ignoring_memory_reads_nothing_but_decisions(filled: tuple[Project, str], target: str) -> None:
    project, _ = filled
    before = block_of(project, mode="ignore")
    with raw(target) as connection:
        for table in ("memories", "memory_tags", "sessions", "runs", "units", "project_roots"):
            connection.execute(f"ALTER TABLE {table} RENAME TO hidden_{table}")
    summary = data_folder() / "projects" / project.id / "memory_summary.md"
    summary.unlink()
    summary.mkdir()
    after = block_of(project, mode="ignore", task=TASK)
    assert after.text == before.text
    assert after.receipt.notes == ()
    assert block_of(project, prompt="ignore memory", run="no-such-run").text == before.text


def test_settings_can_add_a_phrase(open_with: Callable[..., Hansard]) -> None:
    project = open_with(context_ignore_phrases="tabula rasa; bye memory").project("shop", create=True)
    project.remember("x", agent="neo", type="core_context")
    told = block_of(project, prompt="Tabula rasa!")
    assert (told.text, told.receipt.mode) == ("", Mode.IGNORE)
    assert told.receipt.notes == ("The prompt asks for a turn without memory; decisions stay.",)
    assert project.compile(agent="neo", prompt="Go on.") is not None


@pytest.mark.parametrize(
    "asked",
    [{"mode": "quiet"}, {"prompt": 3}, {"charter": b"x"}, {"cwd": 7}, {"task": "a\0b"}, {"charter": "x" * 17_000_000}],
    ids=lambda one: str(one)[:20],
)
def test_arguments_that_make_no_sense_are_refused(project: Project, asked: dict[str, object]) -> None:
    with pytest.raises((Invalid, UnknownValue)):
        project.compile(agent="neo", **asked)  # type: ignore[arg-type]


def test_a_task_that_is_too_long_is_cut_and_a_long_charter_stays_whole(project: Project) -> None:
    project.decide(type="scope", title="T", content="c")
    block = block_of(project, task="ö" * 20_000, charter="You are neo.\n" * 40_000)
    assert len(block.receipt.task or "") == 8_192
    assert block.receipt.notes == ("Of the task only the first 16,384 of 40,000 bytes were used.",)
    assert block.text.startswith("You are neo.\n" * 40_000)
    assert "### T" in block.text
    kept = project.compile(agent="neo", charter="You are neo.\n" * 40_000, keep=True)
    assert kept is not None
    assert kept.receipt.id is not None
    assert project.replay(kept.receipt.id).text == kept.text
    assert block_of(project, task="x" * 16_384).receipt.notes == ()


def test_an_unknown_run_is_refused(project: Project) -> None:
    with pytest.raises(UnknownRun):
        project.compile(agent="neo", run="nobody")


def test_a_prompt_is_never_refused_for_its_characters_and_never_kept(project: Project) -> None:
    project.remember("The login endpoint answers 403.", agent="neo", type="core_context")
    block = block_of(project, prompt="login \x1b[31m403\x00 \ud800 what?")
    assert "login \x1b" not in str(block.receipt)
    assert len(block.receipt.prompt_sha256 or "") == 64


@invariant("INV-09")
def test_nobody_has_the_block_of_another_agent_compiled(hansard: Hansard, project: Project) -> None:
    bound = hansard.project("shop", actor=Actor("tank", role="agent"))
    with pytest.raises(Denied):
        bound.compile(agent="neo")


@invariant("INV-09")
def test_a_person_who_looks_at_an_agents_block_sees_what_the_agent_sees(hansard: Hansard, project: Project) -> None:
    project.remember("The login endpoint answers 403.", agent="tank")
    person = hansard.project("shop", actor=Actor("ana", role="human"))
    assert person.compile(agent="neo", task="login endpoint 403") is None
    found = person.compile(agent="tank", task="login endpoint 403")
    assert found is not None
    assert "answers 403" in found.text
