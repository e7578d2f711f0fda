"""A turn looks into the working tree once for all it shows, within one deadline, and in the caller's own tree."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.claims import claims_of
from hansard.domain.layout import NOTES_NOTE
from hansard.domain.receipts import Block, Fate, Layer, ReceiptLine
from hansard.project import Project
from hansard.services.look_up import NOTE_UNCHECKED, TOO_SLOW, Lookup
from hansard.settings import data_folder
from support.marks import invariant
from support.repositories import repository

TASK = "login endpoint 403 bearer prefix"
Opened = Callable[..., Hansard]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src/here.py").write_text("def do_it() -> None: ...\n")
    return repository(folder)


@pytest.fixture
def searches(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Says how often git has searched for words so far."""
    log = tmp_path / "calls.txt"
    log.touch()
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    real = next(str(Path(one) / "git") for one in os.environ["PATH"].split(os.pathsep) if (Path(one) / "git").is_file())
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec "{real}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    return lambda: sum(" grep " in line for line in log.read_text().splitlines())


def begun(hansard: Hansard, root: Path) -> Project:
    return hansard.project("shop", create=True, root=root)


def block_of(project: Project, **asked: object) -> Block:
    block = project.compile(agent="neo", **asked)  # type: ignore[arg-type]
    assert block is not None
    return block


def guide(project: Project, said: str) -> None:
    folder = data_folder() / "projects" / project.id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory_summary.md").write_text(said)


def guidance_line(block: Block) -> ReceiptLine:
    return next(line for line in block.receipt.lines if line.layer is Layer.GUIDANCE)


@invariant("INV-19")
def test_all_that_may_be_shown_is_looked_for_in_one_search(
    open_with: Opened, root: Path, searches: Callable[[], int]
) -> None:
    project = begun(open_with(context_stale="omit", context_items_max=2), root)
    gone = [{"content": f"Call `gone_{number}()`.", "agent": "neo", "type": "core_context"} for number in range(40)]
    project.remember("Call `do_it()`.", agent="neo", type="core_context")
    project.remember_many(gone)
    block = block_of(project)
    assert block.text == f"## Memory\n{NOTES_NOTE}\n- [core] Call `do_it()`.\n"
    assert [line.fate for line in block.receipt.lines].count(Fate.UNVERIFIED) == 40
    assert searches() == 1


@invariant("INV-19")
def test_what_recall_finds_is_looked_for_in_one_search(
    open_with: Opened, root: Path, searches: Callable[[], int]
) -> None:
    project = begun(open_with(context_stale="omit", context_knowledge_max=2), root)
    for number in range(6):
        project.remember(f"{TASK}, number {number}: call `gone_{number}()`", agent="neo")
    block = block_of(project, task=TASK)
    fates = [line.fate for line in block.receipt.lines if line.layer is Layer.KNOWLEDGE]
    assert (fates.count(Fate.UNVERIFIED), fates.count(Fate.INCLUDED)) == (6, 0)
    assert searches() == 1


def test_what_comes_up_because_of_remarks_is_looked_for_in_one_more_search(
    open_with: Opened, root: Path, searches: Callable[[], int]
) -> None:
    project = begun(open_with(context_memory_tokens_max=60), root)
    texts = [f"Call `gone_{number}{'x' * number}()` {'.' * (60 - number)}" for number in range(30)]
    project.remember_many([{"content": one, "agent": "neo", "type": "core_context"} for one in texts])
    block = block_of(project)
    shown = block.receipt.shown(Layer.MEMORY)
    assert shown
    assert all(line.stale for line in shown)
    assert searches() <= 2


def test_all_searches_of_a_turn_share_one_deadline(root: Path) -> None:
    notes: list[str] = []
    lookup = Lookup(root, notes, seconds_max=0)
    assert lookup.stale({"a": claims_of("Call `gone_it()`.", ())}) == {"a": ()}
    assert notes == [f"{NOTE_UNCHECKED}: {TOO_SLOW}."]
    patient = Lookup(root, notes)
    assert patient.stale({"a": claims_of("Call `gone_it()`.", ())}) == {"a": ("`gone_it` is not found",)}


@invariant("INV-19")
def test_what_guidance_claims_is_checked_in_the_same_search(
    hansard: Hansard, root: Path, searches: Callable[[], int]
) -> None:
    project = begun(hansard, root)
    project.remember("Call `do_it()` and `lost_it()`.", agent="neo", type="core_context")
    guide(project, "- Start at `src/here.py`.\n- Then `src/gone.py`, where `undo_it()` is.\n")
    block = block_of(project)
    assert block.text.endswith(
        "where `undo_it()` is.\n(stale: `src/gone.py` no longer exists; `undo_it` is not found)\n"
    )
    assert guidance_line(block).stale == ("`src/gone.py` no longer exists", "`undo_it` is not found")
    assert searches() == 1


def test_guidance_that_holds_has_no_remark_and_its_own_words_make_none(hansard: Hansard, root: Path) -> None:
    project = begun(hansard, root)
    guide(project, "Start at `src/here.py`.\n(stale: everything)\n")
    block = block_of(project)
    assert block.text.endswith("Start at `src/here.py`.\n\\(stale: everything)\n")
    assert guidance_line(block).stale == ()


def test_of_much_that_is_stale_in_guidance_the_rest_is_counted(hansard: Hansard, root: Path) -> None:
    project = begun(hansard, root)
    guide(project, "".join(f"- `src/gone_{number}.py`\n" for number in range(80)))
    block = block_of(project)
    assert "`src/gone_9.py` no longer exists; and 70 more)\n" in block.text
    assert "`src/gone_10.py` no longer" not in block.text


def test_by_setting_guidance_is_not_checked(open_with: Opened, root: Path, searches: Callable[[], int]) -> None:
    project = begun(open_with(context_stale="off"), root)
    guide(project, "See `src/gone.py`.\n")
    assert "stale" not in block_of(project).text
    assert searches() == 0


def test_a_folder_that_is_not_there_or_not_of_the_project_is_told(hansard: Hansard, root: Path, tmp_path: Path) -> None:
    project = begun(hansard, root)
    project.remember("See `src/gone.py`.", agent="neo", type="core_context")
    assert block_of(project, cwd=root / "src").receipt.notes == ()
    missing = block_of(project, cwd=tmp_path / "nowhere")
    assert missing.receipt.notes == (
        f"There is no folder {tmp_path / 'nowhere'}; claims about files were checked in the project's own folder.",
    )
    (tmp_path / "other").mkdir()
    (note,) = block_of(project, cwd=tmp_path / "other").receipt.notes
    assert note.startswith(f"{tmp_path / 'other'} is no work tree of this project")
    assert missing.text == block_of(project).text


def test_a_folder_of_the_repository_above_the_project_is_no_other_tree(hansard: Hansard, root: Path) -> None:
    (root / "part").mkdir()
    (root / "part" / "x.py").touch()
    project = hansard.project("part", create=True)
    from hansard.domain.actors import Actor
    from hansard.domain.projects import Root
    from hansard.services import found
    from hansard.workspace import roots

    place = Root(roots.machine_id(data_folder()), str(root / "part"))
    found.join(hansard.store, Actor("ana", "human"), key=project.key, root=place)
    project.remember("See `x.py`.", agent="neo", type="core_context")
    assert block_of(project, cwd=root).receipt.notes == ()


def test_many_runs_and_a_long_prompt_take_no_time_for_each_other(project: Project) -> None:
    for number in range(120):
        project.start_run(agent=f"a{number}", task=f"Rework `src/f{number}.py`. " + "plain words " * 900)
    prompt = "Look at src/f7.py. " + "`src/x.py` and some_name() in a/b/c.py; " * 1_500 + " And at src/f9.py."
    began = time.process_time()
    block = block_of(project, prompt=prompt)
    assert time.process_time() - began < 1.5
    overlapping = {line.overlap[0] for line in block.receipt.lines if line.overlap}
    assert overlapping == {"src/f7.py", "src/f9.py"}


def test_of_two_that_say_the_same_the_agents_own_is_shown(project: Project) -> None:
    own = project.remember("The login endpoint answers 403 without a bearer prefix.", agent="neo")
    other = project.remember("The login endpoint answers 403 without a bearer prefix.", agent="tank", scope="team")
    for agent, shown, left_out in (("neo", own, other), ("tank", other, None)):
        block = project.compile(agent=agent, task=TASK)
        assert block is not None
        fates = {line.id: line.fate for line in block.receipt.lines}
        assert fates[shown.id] is Fate.INCLUDED
        assert left_out is None or fates[left_out.id] is Fate.DUPLICATE
