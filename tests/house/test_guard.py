"""Checks that `services/admission.py` is the one door that every text passes on its way into the store."""

import ast
from pathlib import Path

import pytest

from house.source import PACKAGE, python_files, shown, tree_of

SERVICES = [path for path in python_files("src") if path.is_relative_to(PACKAGE / "services")]
DOOR = "hansard.services.admission"
GUARD = ("hansard.guard.gate", "hansard.guard.outside", "hansard.guard.secrets")
TABLES = frozenset({"inbox", "decisions", "memories", "sessions", "runs", "usage", "receipts", "revisions"})
WITH_ORIGIN = frozenset({"inbox", "memories"})
WRITES = frozenset({"insert", "update", "rate", "rate_again", "log", "rewrite"})
SCREENS = frozenset({"screen", "screen_all", "screen_text", "screen_texts", "screen_reason", "safe"})
JUDGES = frozenset((
    "judged", "judged_entry", "judged_file", "judged_line", "settled_entry", "edited", "followed", "repeated", "raised",
))  # fmt: skip
"""What the door does with a text: takes its secrets out, and settles how far words go from where they come."""

ELSEWHERE = {
    "give_up": "ends memories and changes no word",
    "reindex": "stores memories for others, each of which admits them",
    "scan": "takes secrets out",
}
"""Services that write texts and do not pass the door themselves, and why. The lists may only shrink."""
SCREENED_ELSEWHERE = ELSEWHERE | {
    "chronicle": "writes down versions of records that passed when they were made",
    "take_over": "writes lines that `read_lines` screened",
}
JUDGED_ELSEWHERE = ELSEWHERE | {"quarantine": "has a person judge, and changes no word"}
SCANNERS = {
    "admission": "the door",
    "allow": "lets a value through for a person, if it is taken for a secret",
    "look_into": "shows a person what the scanner finds in a text, and stores nothing",
    "scan": "finds what was stored before there was a guard",
}
"""Who asks the guard."""


def written(path: Path) -> dict[str, int]:
    """The tables into which a service hands a text, each with a line where it does."""
    found: dict[str, int] = {}
    for node in ast.walk(tree_of(path)):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "insert_indexed":
            found["memories"] = called.lineno
        if isinstance(called, ast.Attribute) and called.attr in WRITES and isinstance(called.value, ast.Attribute):
            found |= {called.value.attr: called.lineno} if called.value.attr in TABLES else {}
    return found


def asked(path: Path) -> frozenset[str]:
    """What a service asks of the door."""
    nodes = (one for one in ast.walk(tree_of(path)) if isinstance(one, ast.ImportFrom) and one.module == DOOR)
    return frozenset(alias.name for node in nodes for alias in node.names)


def asks_the_guard(path: Path) -> bool:
    """Whether a service has a text scanned or judged itself. What is only named for types asks nothing."""
    for_types = {
        one
        for node in tree_of(path).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for one in node.body
    }
    asked_of = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node not in for_types
        for alias in node.names
    }
    return any(one.startswith(GUARD) for one in asked_of)


def is_written_without(path: Path, wanted: frozenset[str], tables: frozenset[str]) -> bool:
    return not tables.isdisjoint(written(path)) and wanted.isdisjoint(asked(path))


@pytest.mark.parametrize("path", SERVICES, ids=shown)
def test_a_service_that_writes_text_passes_the_door(path: Path) -> None:
    told = f"{shown(path)} writes {written(path)}"
    assert path.stem in SCREENED_ELSEWHERE or not is_written_without(path, SCREENS, TABLES), told
    assert path.stem in JUDGED_ELSEWHERE or not is_written_without(path, JUDGES, WITH_ORIGIN), told


def test_every_exception_is_still_needed() -> None:
    known = {path.stem: path for path in SERVICES}
    for listed, wanted, tables in ((SCREENED_ELSEWHERE, SCREENS, TABLES), (JUDGED_ELSEWHERE, JUDGES, WITH_ORIGIN)):
        assert [one for one in listed if not is_written_without(known[one], wanted, tables)] == []


def test_nobody_but_the_door_and_what_scans_asks_the_guard() -> None:
    assert {path.stem for path in SERVICES if asks_the_guard(path)} == set(SCANNERS)
