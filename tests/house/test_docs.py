"""Checks that the documentation is complete, generated where it can be, and says nothing about any one machine."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hansard.domain import limits
from hansard.domain.errors import HansardError, HiddenMemory
from hansard.interfaces.cli.group import cli
from hansard.settings import SETTINGS
from house.reference import pages
from house.source import ROOT, python_files, shown, text_files
from support.routes import Described, described

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
MACHINE_PATH = re.compile(r"(?<![\w.$}~/-])/(?:home|mnt|private|root|Users|Volumes|work)/[\w.-]+")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def error_codes(kind: type[HansardError] = HansardError) -> Iterator[str]:
    yield kind.code
    for child in kind.__subclasses__():
        if child.__module__.startswith("hansard."):
            yield from error_codes(child)


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands(found, f"{name} {child}")


def mentions(pattern: str) -> list[str]:
    """What the architecture page names in this form, each once."""
    return sorted(set(re.findall(pattern, text_of(DOCS / "architecture.md"))))


COMMANDS = dict(commands(cli, "hansard"))


@pytest.mark.parametrize("path", pages(), ids=str)
def test_a_generated_page_is_what_the_code_says(path: Path) -> None:
    assert text_of(ROOT / path) == pages()[path], "run `make reference`"


def test_no_reference_page_is_written_by_hand() -> None:
    generated = {ROOT / path for path in pages()}

    assert set(REFERENCE.glob("*.md")) - generated == set()


@pytest.mark.parametrize("one", described(), ids=lambda one: f"{one.method} {one.path}")
def test_the_summary_of_an_operation_is_its_first_paragraph_and_ends_with_a_sentence(one: Described) -> None:
    first, _, _ = one.said["description"].partition("\n\n")

    assert first == f"{one.said['summary']}.", "the first paragraph of the docstring must be one line"


@pytest.mark.parametrize("name", [setting.name for setting in SETTINGS])
def test_every_setting_is_documented(name: str) -> None:
    assert f"| `{name}` |" in text_of(REFERENCE / "settings.md")


@pytest.mark.parametrize("code", list(error_codes()))
def test_every_error_code_is_documented(code: str) -> None:
    assert f"| `{code}` |" in text_of(REFERENCE / "errors.md")


def test_no_two_errors_share_a_code_unless_one_hides_behind_the_other() -> None:
    codes = list(error_codes())
    hiding = [HiddenMemory.code]

    assert sorted(codes) == sorted([*set(codes), *hiding])


@pytest.mark.parametrize("name", [name for name in vars(limits) if name.isupper()])
def test_every_limit_is_documented(name: str) -> None:
    assert f"| `{name}` |" in text_of(REFERENCE / "limits.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"\n## {name}\n" in text_of(REFERENCE / "cli.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_an_example(name: str) -> None:
    assert "Example:" in (COMMANDS[name].help or ""), f"`{name} --help` shows no example"


@pytest.mark.parametrize("command", ["make run", "make test"])
def test_the_readme_names_both_commands(command: str) -> None:
    assert command in text_of(ROOT / "README.md")


def test_every_decision_record_is_in_the_index() -> None:
    records = {path.name for path in (DOCS / "adr").glob("[0-9]*.md")}
    listed = set(LINK.findall(text_of(DOCS / "adr" / "README.md")))

    assert records == {name for name in listed if name[0].isdigit()}


def test_decision_records_are_numbered_without_a_gap_but_those_that_were_replaced() -> None:
    numbers = sorted(int(path.name[:4]) for path in (DOCS / "adr").glob("[0-9]*.md"))
    told = re.findall(r"Replaces ((?:\d+(?:, | and )?)+)", text_of(DOCS / "adr/README.md"))
    replaced = [int(number) for some in told for number in re.findall(r"\d+", some)]

    assert sorted([*numbers, *replaced]) == list(range(1, numbers[-1] + 1))


@pytest.mark.parametrize("path", sorted((DOCS / "adr").glob("[0-9]*.md")), ids=shown)
def test_a_decision_record_says_why_what_and_then(path: Path) -> None:
    headings = re.findall(r"^## (.+)$", text_of(path), re.MULTILINE)

    assert headings == ["Context", "Decision", "Consequences"]


@pytest.mark.parametrize("path", [path for path in text_files() if path.suffix == ".md"], ids=shown)
def test_every_link_inside_the_repository_leads_somewhere(path: Path) -> None:
    links = LINK.findall(FENCED.sub("", text_of(path)))

    assert [link for link in links if "://" not in link and not (path.parent / link).exists()] == []


@pytest.mark.parametrize("name", mentions(r"`((?:src|tests|scripts)/[\w/.]+)`"))
def test_every_file_the_architecture_names_exists(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize("path", text_files(), ids=shown)
def test_no_file_names_a_path_of_one_machine(path: Path) -> None:
    assert MACHINE_PATH.findall(text_of(path)) == []


@pytest.mark.parametrize("path", python_files("src"), ids=shown)
def test_no_source_file_leaves_something_for_later(path: Path) -> None:
    assert UNFINISHED.findall(text_of(path)) == []


@pytest.mark.parametrize("name", mentions(r"`(\w+)\(\)`"))
def test_every_function_the_architecture_names_exists(name: str) -> None:
    assert any(re.search(rf"\bdef {name}\(", text_of(path)) for path in python_files("src"))
