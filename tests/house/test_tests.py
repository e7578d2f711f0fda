"""Checks that the tests are honest, and that every invariant is proven or owed by name."""

import ast
import re
from pathlib import Path

import pytest

from house.source import ROOT, functions, python_files, shown, tree_of

NOT_YET_DUE: dict[str, str] = {}
"""Invariants without a test, each with the capability that owes it. The list may only shrink."""

PARTLY_DUE: dict[str, str] = {}
"""Invariants whose test covers what exists today, each with what the named capability still has to prove."""

NUMBERS = tuple(f"INV-{number:02d}" for number in range(1, 25))
DISHONEST = frozenset({"skip", "skipif", "skipUnless", "xfail", "importorskip", "sleep"})
MOCKS = frozenset({"mock", "pytest_mock", "unittest.mock"})

FILES = python_files("tests")
TEST_FILES = [path for path in FILES if path.name.startswith("test_")]


def marks() -> dict[str, list[str]]:
    """The tests that name each invariant, as `file::test`."""
    found: dict[str, list[str]] = {}
    for path in TEST_FILES:
        for name, node in functions(tree_of(path)):
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func).split(".")[-1] == "invariant":
                    for number in mark.args:
                        assert isinstance(number, ast.Constant), f"{shown(path)}::{name} must spell its invariant out"
                        found.setdefault(str(number.value), []).append(f"{shown(path)}::{name}")
    return found


def documented() -> set[str]:
    page = (ROOT / "docs" / "invariants.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| (INV-\d{2}) \|", page, re.MULTILINE))


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_no_test_is_skipped_or_waits_or_expects_to_fail(path: Path) -> None:
    used = {
        f"{shown(path)}:{node.lineno} {ast.unparse(node)}"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in DISHONEST
    }
    used |= {
        f"{shown(path)}:{node.lineno} imports {alias.name}"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in DISHONEST
    }

    assert used == set()


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_no_test_replaces_a_part_by_a_mock(path: Path) -> None:
    wanted = {
        name
        for node in ast.walk(tree_of(path))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert wanted.isdisjoint(MOCKS)


@pytest.mark.parametrize("path", TEST_FILES, ids=shown)
def test_the_name_of_a_test_is_a_sentence(path: Path) -> None:
    short = [
        name
        for name, _ in functions(tree_of(path))
        if name.split(".")[-1].startswith("test_") and len(name.split(".")[-1].split("_")) < 4
    ]

    assert short == []


@pytest.mark.parametrize("number", NUMBERS)
def test_every_invariant_is_proven_or_owed(number: str) -> None:
    assert number in marks() or number in NOT_YET_DUE, f"{number} has no test and nobody owes it"


def test_an_invariant_that_is_proven_is_no_longer_owed() -> None:
    proven = {number: marks()[number] for number in NOT_YET_DUE if number in marks()}

    assert proven == {}, "take them off the list"


def test_an_invariant_that_is_partly_owed_is_proven_for_what_exists() -> None:
    assert set(PARTLY_DUE) <= set(marks())


def test_every_marked_invariant_is_documented() -> None:
    assert set(marks()) <= documented()


def test_every_invariant_is_documented() -> None:
    assert documented() == set(NUMBERS)
