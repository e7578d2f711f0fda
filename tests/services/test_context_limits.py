"""A block keeps to its limits whatever its parts hold, and says in its receipt what it left out."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain import layout, rendering
from hansard.domain.budget import tokens
from hansard.domain.limits import TIME_MAX
from hansard.domain.receipts import Block, Fate, Kind, Layer, LayerTotal
from hansard.project import Project
from hansard.services.gather import CORE_READ_MAX
from hansard.settings import data_folder
from support.raw import raw

Opened = Callable[..., Hansard]
LONGEST = ["\u200b" * 60_000, "a\u200b\u202e" * 20_000, "#\n" * 30_000, "system:\n" + "a\n" * 30_000, "---" * 30_000]


def block_of(project: Project, **asked: object) -> Block:
    block = project.compile(agent="neo", **asked)  # type: ignore[arg-type]
    assert block is not None
    return block


def total(block: Block, layer: Layer) -> LayerTotal:
    return next(one for one in block.receipt.totals if one.layer is layer)


def guide(project: Project, said: str) -> None:
    folder = data_folder() / "projects" / project.id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory_summary.md").write_text(said)


@pytest.mark.parametrize("said", LONGEST, ids=lambda one: repr(one[:8]))
def test_guidance_fits_as_it_is_drawn(project: Project, said: str) -> None:
    guide(project, said)
    block = block_of(project)
    rules = f"{layout.GUIDANCE_HEADING}\n{rendering.GUIDANCE_RULES}\n"
    drawn = block.text.removeprefix(rules).rpartition("\n(cut: ")[0]
    assert tokens(drawn) == total(block, Layer.GUIDANCE).tokens <= 5_000
    assert tokens(drawn) > 2_000


@pytest.mark.parametrize("said", LONGEST, ids=lambda one: repr(one[:8]))
def test_a_session_fits_as_it_is_drawn(project: Project, said: str) -> None:
    flat = "x" + " ".join(said[:600].split())
    project.start_session(focus=flat, issues=[flat[:130], "b" * 400], summary=f"s{said[:20_000]}")
    block = block_of(project)
    assert tokens(block.text) == total(block, Layer.SESSION).tokens <= 2_000
    assert "**Summary:** " in block.text


def test_runs_with_long_paths_share_their_room_and_leave_the_session_its_half(project: Project) -> None:
    project.start_session(focus="f" * 400, issues=["i" * 400] * 20, summary="s" * 9_000)
    for number in range(8):
        run = project.start_run(agent=f"a{number}", task=f"task {number}")
        cited = [f"src/{place}/{'d' * 250}/{number}.py" for place in range(9)]
        project.remember(f"x{number}", agent=f"a{number}", scope="team", run_id=run.id, citations=cited)
    block = block_of(project, task=f"fix src/0/{'d' * 250}/3.py")
    assert total(block, Layer.SESSION).tokens <= 2_000
    runs = [line for line in block.receipt.lines if line.kind is Kind.RUN]
    assert [line.fate for line in runs] == [Fate.INCLUDED] * 8
    assert runs[0].overlap
    assert block.text.count("- [run of ") == 8
    session = next(line for line in block.receipt.lines if line.kind is Kind.SESSION)
    assert session.tokens >= 900


def test_a_run_for_which_there_is_no_room_is_counted(open_with: Opened) -> None:
    project = open_with(context_session_tokens_max=40).project("shop", create=True)
    for number in range(4):
        project.start_run(agent=f"a{number}", task=f"a task of some length, number {number}")
    block = block_of(project)
    fates = [line.fate for line in block.receipt.lines if line.kind is Kind.RUN]
    assert set(fates) == {Fate.INCLUDED, Fate.BUDGET}
    assert block.receipt.more_runs == fates.count(Fate.BUDGET)
    assert f"- and {block.receipt.more_runs} more" in block.text
    assert total(block, Layer.SESSION).tokens <= 40


def test_of_many_core_memories_the_first_are_candidates_and_the_rest_is_counted(project: Project) -> None:
    low = {"agent": "neo", "type": "core_context", "importance": "low"}
    project.remember_many([{**low, "content": f"core fact {number}"} for number in range(CORE_READ_MAX + 30)])
    project.remember_many([{**low, "content": f"weighty fact {number}", "importance": "high"} for number in range(3)])
    block = block_of(project)
    lines = [line for line in block.receipt.lines if line.layer is Layer.MEMORY]
    assert len(lines) == CORE_READ_MAX
    count = total(block, Layer.MEMORY)
    assert (count.shown, count.shown + count.left_out) == (20, CORE_READ_MAX + 33)
    assert "Of the core memories 33 more were counted and not read" in block.receipt.notes[0]
    assert block.text.count("weighty fact") == 3
    assert f"core fact {CORE_READ_MAX + 29}\n" in block.text
    past = project.compile(agent="neo", as_of=block.receipt.at)
    assert past is not None
    assert past.text == block.text
    assert [line for line in past.receipt.lines if line.layer is Layer.MEMORY] == lines


@pytest.mark.parametrize("at", [TIME_MAX, TIME_MAX + 1, 2**62])
def test_a_memory_of_a_time_that_has_no_name_ends_no_turn(project: Project, target: str, at: int) -> None:
    memory = project.remember("The login endpoint answers 403 without a bearer prefix.", agent="neo")
    with raw(target) as connection:
        connection.execute(f"UPDATE memories SET created_at = {at}, updated_at = {at} WHERE id = '{memory.id}'")
    block = block_of(project, task="login endpoint 403 bearer prefix")
    assert f"- [learning, 9999-12-31, memory://memories/{memory.id}]" in block.text


@pytest.mark.parametrize(("at", "taken"), [(TIME_MAX, True), (TIME_MAX + 1, False)])
def test_a_ledger_line_of_a_later_year_than_9999_is_left_alone(
    hansard: Hansard, tmp_path: Path, at: int, taken: bool
) -> None:
    project = hansard.project("files", create=True, root=tmp_path)
    project.remember("Known.", agent="neo", scope="team", importance="high")
    project.export()
    file = tmp_path / ".hansard" / "ledger" / "memories.jsonl"
    line = json.loads(file.read_text().splitlines()[0])
    line |= {"id": "01a2b3c4-d5e6-7f80-9a1b-2c3d4e5f6a7b", "created_at": at, "updated_at": at, "content": "Later."}
    file.write_text(file.read_text() + json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n")
    project.import_inbox()
    assert ("Later." in {one.content for one in project.list_memories().items}) is taken


def test_a_record_that_cannot_be_drawn_costs_its_layer_and_not_the_turn(project: Project) -> None:
    """A session whose version no program could have written stands for whatever nobody foresaw."""
    from hansard.services.compile import compose, turn_of
    from hansard.services.gather import gather

    project.decide(type="scope", title="T", content="c")
    memory = project.remember("core", agent="neo", type="core_context")
    project.start_session(focus="f")
    seat = project.seat(agent="neo")
    turn = turn_of(agent="neo")
    state = gather(seat, turn)
    assert state.session is not None
    broken = state._replace(
        memories=(memory._replace(content=None),),  # type: ignore[arg-type]
        session=state.session._replace(focus=None),  # type: ignore[arg-type]
    )
    block = compose(seat, turn, broken)
    assert block is not None
    assert [line for line in block.text.splitlines() if line.startswith("## ")] == ["## Boundaries and Decisions"]
    assert [note.split(":")[0] for note in block.receipt.notes] == [
        "Memory could not be shown", "The session could not be shown",
    ]  # fmt: skip
