"""Checks that what services say fits every interface: no bare flag of the command line, only whole commands."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from house.source import PACKAGE, python_files, shown, tree_of

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(r"`(?:hansard|git) [^`]*`")
BELOW = [
    path
    for path in python_files("src")
    if path.relative_to(PACKAGE).parts[0] in ("services", "facade", "guard") or path.name == "errors.py"
]


def sentences(node: ast.AST) -> Iterator[str]:
    """Every text below a node, each one joined as it is written, docstrings left out."""
    if isinstance(node, ast.JoinedStr | ast.Constant):
        yield _text(node)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from sentences(child)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "…"


@pytest.mark.parametrize("path", BELOW, ids=shown)
def test_a_message_of_a_service_names_no_flag_outside_of_a_command(path: Path) -> None:
    bare = [said for said in sentences(tree_of(path)) if FLAG.search(COMMAND.sub("", said)) and " " in said]

    assert bare == []
