"""Checks that every text on its way into the store passes the guard."""

import ast
from pathlib import Path

import pytest

from house.source import PACKAGE, python_files, shown

SERVICES = [path for path in python_files("src") if path.is_relative_to(PACKAGE / "services")]
TABLES = frozenset({"inbox", "decisions", "memories", "sessions", "runs", "usage", "receipts", "revisions"})
WRITES = frozenset({"insert", "update", "rate", "rate_again", "log", "rewrite"})

UNSCREENED = {
    "chronicle": "writes down versions of records that passed when they were made",
    "give_up": "ends memories and changes no word",
    "purge": "forgets",
    "reindex": "stores memories for others, each of which screens them",
    "scan": "takes secrets out",
    "transfer": "copies rows of a store that has the same guard",
}
"""Services that write texts and do not ask the gate themselves, and why. The list may only shrink."""


def writes_text(path: Path) -> list[int]:
    """The lines in which a service hands a text to the store."""
    found: list[int] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id == "insert_indexed":
            found.append(node.lineno)
        if isinstance(called, ast.Attribute) and called.attr in WRITES and isinstance(called.value, ast.Attribute):
            found += [node.lineno] if called.value.attr in TABLES else []
    return found


def asks_the_gate(path: Path) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and node.module == "hansard.services.admission"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


@pytest.mark.parametrize("path", SERVICES, ids=shown)
def test_a_service_that_writes_text_asks_the_gate(path: Path) -> None:
    lines = writes_text(path)

    assert not lines or asks_the_gate(path) or path.stem in UNSCREENED, f"{shown(path)} writes text in lines {lines}"


def test_every_exception_is_still_needed() -> None:
    needed = {path.stem for path in SERVICES if not asks_the_gate(path)}
    gone = [name for name in UNSCREENED if name not in needed and name != "scan"]

    assert gone == []


def test_only_the_gate_and_what_shows_texts_know_the_scanner() -> None:
    allowed = {"admission.py", "allow.py", "scan.py"}
    users = {path.name for path in SERVICES if "hansard.guard.secrets" in path.read_text(encoding="utf-8")}

    assert users <= allowed
