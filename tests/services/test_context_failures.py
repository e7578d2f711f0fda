"""A part of a block that fails leaves the others standing, and the receipt says so; nobody's turn ends by it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.receipts import Block
from hansard.project import Project
from hansard.settings import data_folder
from support.raw import raw

TASK = "login endpoint 403 bearer prefix"


def block_of(project: Project, **asked: str | None) -> Block:
    block = project.compile(agent="neo", **asked)  # type: ignore[arg-type]
    assert block is not None
    return block


def headings(block: Block) -> list[str]:
    return [line for line in block.text.splitlines() if line.startswith("## ")]


def fill(project: Project) -> None:
    project.decide(type="scope", title="T", content="c")
    project.remember("core", agent="neo", type="core_context")
    project.remember("The login endpoint answers 403 without a bearer prefix.", agent="neo")
    project.start_session(focus="f")
    project.start_run(agent="tank", task="t")


@pytest.fixture
def summary(project: Project) -> Path:
    folder = data_folder() / "projects" / project.id
    folder.mkdir(parents=True)
    return folder / "memory_summary.md"


@pytest.mark.parametrize(
    ("table", "missing", "told"),
    [
        ("sessions", set(), "The session could not be read"),
        ("runs", set(), "The list of runs could not be read"),
        ("memories", {"## Memory", "## Relevant Past Knowledge"}, "Memory could not be read"),
        ("units", {"## Relevant Past Knowledge"}, "Recall was not available"),
        ("project_roots", set(), "The list of folders could not be read"),
    ],
)
def test_a_table_that_cannot_be_read_takes_its_layer_and_no_other(
    project: Project, target: str, table: str, missing: set[str], told: str
) -> None:
    fill(project)
    with raw(target) as connection:
        connection.execute(f"ALTER TABLE {table} RENAME TO hidden")
    block = block_of(project, task=TASK)
    every = ["## Boundaries and Decisions", "## Memory", "## Relevant Past Knowledge", "## Current Session"]
    assert headings(block) == [one for one in every if one not in missing]
    assert any(note.startswith(told) for note in block.receipt.notes), block.receipt.notes
    assert ("**Focus:**" in block.text) is (table != "sessions")
    assert ("run of tank" in block.text) is (table not in {"runs", "memories"})


@pytest.mark.parametrize("mode", ["full", "child", "ignore", "coordinator"])
def test_if_nothing_can_be_read_the_charter_is_the_block(project: Project, target: str, mode: str) -> None:
    fill(project)
    with raw(target) as connection:
        for table in ("decisions", "memories", "sessions", "runs", "project_roots", "units"):
            connection.execute(f"ALTER TABLE {table} RENAME TO hidden_{table}")
    block = block_of(project, mode=mode, charter="You are neo.", task=TASK)
    assert block.text == "You are neo."
    assert "The record could not be read" in block.receipt.notes[0]
    bare = block_of(project, mode=mode)
    assert bare.text == ""
    assert bare.receipt.notes


def test_guidance_is_not_read_through_a_link(project: Project, summary: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret words")
    summary.symlink_to(secret)
    fill(project)
    block = block_of(project)
    assert "secret words" not in block.text
    assert "## Memory Guidance" not in block.text
    assert block.receipt.notes[0].startswith("The consolidated memory could not be read: ")


def test_guidance_that_is_no_plain_file_keeps_nobody_waiting(project: Project, summary: Path) -> None:
    os.mkfifo(summary)
    fill(project)
    assert "The consolidated memory could not be read" in block_of(project).receipt.notes[0]


def test_a_folder_of_guidance_behind_a_link_is_not_entered(project: Project, summary: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / summary.name).write_text("secret words")
    summary.parent.rmdir()
    summary.parent.symlink_to(elsewhere)
    fill(project)
    assert "secret words" not in block_of(project).text


def test_a_long_file_of_guidance_is_read_in_part(project: Project, summary: Path) -> None:
    summary.write_bytes(b"a line of it\n" * 100_000)
    assert block_of(project).receipt.tokens < 6_000


def test_recall_without_a_model_is_told_and_finds_by_words(open_with: Callable[..., Hansard]) -> None:
    opened = open_with(
        embedding_provider="http", embedding_base_url="http://127.0.0.1:9", embedding_model="m",
        embedding_timeout_seconds=0.5,
    )  # fmt: skip
    project = opened.project("shop", create=True)
    project.remember("The login endpoint answers 403 without a bearer prefix.", agent="neo")
    block = block_of(project, task=TASK)
    assert headings(block) == ["## Relevant Past Knowledge"]
    assert "keywords alone" in block.receipt.notes[0]


def test_a_working_directory_that_cannot_be_used_leaves_claims_unchecked(project: Project) -> None:
    project.remember("See `src/gone.py`.", agent="neo", type="core_context")
    block = block_of(project, cwd="/nowhere/at/all")
    assert "- [core] See `src/gone.py`.\n" in block.text
    assert "stale" not in block.text
