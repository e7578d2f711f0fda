"""Checks that names say what is inside, and that one noun has one file name in every layer."""

import ast
from pathlib import Path

import pytest

from house.source import PACKAGE, python_files, shown, tree_of

BANNED = frozenset(
    {"util", "utils", "helper", "helpers", "manager", "managers", "common", "base", "misc", "core", "stuff"}
)

WITHOUT_A_NOUN = {
    "connection": "how the engine is reached, not what is stored",
    "past": "every noun as it stood after an earlier event",
    "revisions": "earlier versions of every noun; a revision is a row, not an entity",
    "rows": "how lists and filters look in a row",
    "tables": "whole tables as rows, whatever they hold",
    "transaction": "one project at one instant",
    "vectors": "vectors of units by model; a vector is a row, not an entity",
}
"""Files of the shared SQL that stand for no noun of the domain, and what they stand for."""
ONLY_OF_A_SERVER = {
    "address": "a file has a path, and every path is one",
    "faults": "the driver of a file has few faults, which its connection translates",
    "forks": "what a forked child inherits of a file harms nobody",
    "idle": "nobody waits for the connections to a file that others keep",
    "line": "a file is not reached over a network that can fall silent",
    "outage": "a file is never away",
    "refusal": "a file lets everybody in whom the system lets in",
    "rows": "the driver of a file numbers values and answers with rows as the shared SQL expects",
    "server_time": "a file is used by one machine, and that has one clock",
    "slots": "readers of a file need no connection that somebody else may hold",
}
"""Files that the back end of a server has and that of a file cannot have, and why."""
ONLY_OF_A_FILE = {
    "flush": "a server flushes its own log",
    "keywords": "what recall is measured against, which only one engine brings along",
}
"""Files that the back end of a file has alone, and why."""

SOURCE = python_files("src")
DOCUMENTED = python_files("src", "tests", "benchmarks", "scripts")


def stems(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("path", SOURCE, ids=shown)
def test_no_module_is_named_for_nothing_in_particular(path: Path) -> None:
    words = {word for part in path.relative_to(PACKAGE).with_suffix("").parts for word in part.lower().split("_")}

    assert words.isdisjoint(BANNED), f"{shown(path)} does not say what it owns"


@pytest.mark.parametrize("path", DOCUMENTED, ids=shown)
def test_a_module_opens_with_a_sentence(path: Path) -> None:
    docstring = ast.get_docstring(tree_of(path)) or ""
    opening = docstring.partition("\n\n")[0]

    assert opening.endswith("."), f"{shown(path)} must open with one sentence about what it owns"


def test_every_file_of_the_shared_sql_has_its_noun_in_the_domain() -> None:
    strangers = stems(PACKAGE / "store" / "sql") - stems(PACKAGE / "domain") - set(WITHOUT_A_NOUN)

    assert strangers == set()


def test_every_file_without_a_noun_still_exists() -> None:
    assert set(WITHOUT_A_NOUN) <= stems(PACKAGE / "store" / "sql")
    assert set(WITHOUT_A_NOUN).isdisjoint(stems(PACKAGE / "domain"))


def test_the_back_ends_have_the_same_files() -> None:
    sqlite, postgres = (stems(PACKAGE / "store" / name) for name in ("sqlite", "postgres"))

    assert sqlite - set(ONLY_OF_A_FILE) == postgres - set(ONLY_OF_A_SERVER)
    assert set(ONLY_OF_A_FILE) <= sqlite
    assert set(ONLY_OF_A_SERVER) <= postgres


def test_no_error_takes_the_name_of_a_builtin_one() -> None:
    builtin = set(dir(__import__("builtins")))
    classes = {node.name for node in tree_of(PACKAGE / "domain" / "errors.py").body if isinstance(node, ast.ClassDef)}

    assert classes.isdisjoint(builtin)
