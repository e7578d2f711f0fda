"""Tables as a person with a narrow terminal meets them: nothing is broken in the middle of a word."""

import re

import pytest

from cli.conftest import Cli
from hansard.interfaces.cli.calling import Column
from hansard.interfaces.cli.tables import TEXT_WIDTH_MIN, fitted

LISTS = [
    ("memory", "list"),
    ("inbox", "list"),
    ("inbox", "list", "--status", "all"),
    ("decisions", "list", "--status", "all"),
    ("run", "list"),
    ("session", "list"),
    ("history", "list"),
    ("projects",),
    ("agents",),
    ("config", "list"),
]


@pytest.fixture
def demo(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    assert cli("demo").code == 0
    monkeypatch.setenv("HANSARD_PROJECT", "demo-shop")
    return cli


@pytest.mark.parametrize("width", [80, 99, 120, 160])
@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_every_record_is_one_line_that_fits(
    demo: Cli, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    records = len(demo(*arguments, "--json").json["items"])
    lines = [line for line in demo(*arguments).out.splitlines() if not line.startswith("More:")]
    assert len(lines) == records + 2
    assert max(len(line) for line in lines) <= width


def test_ids_are_whole_at_eighty_columns(demo: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for noun in ("memory", "run", "session"):
        ids = [item["id"] for item in demo(noun, "list", "--json").json["items"]]
        lines = demo(noun, "list").out.splitlines()[2:]
        assert [line.split()[-1] for line in lines] == ids
    types = {item["type"] for item in demo("inbox", "list", "--status", "all", "--json").json["items"]}
    assert types <= set(demo("inbox", "list", "--status", "all").out.split())


def test_a_terminal_too_narrow_for_an_id_gets_it_whole_all_the_same(demo: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    made = demo("memory", "list", "--json").json["items"][0]["id"]
    assert made in demo("memory", "list").out


def test_times_say_that_they_are_in_utc(demo: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    for arguments in LISTS[:-1]:
        out = demo(*arguments).out
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", out), arguments
        assert "(UTC)" in out.splitlines()[0]
    assert re.search(r"^proposed: .* UTC$", demo("inbox", "show", "P-13").out, re.MULTILINE)


def test_text_of_many_lines_and_wide_letters_stays_on_its_line(
    project_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    project_cli("memory", "record", "一行\n二行\tと" * 40, "--agent", "tank")
    head, _, line = project_cli("memory", "list").out.splitlines()
    assert "…" in line
    assert "content" in head


def test_columns_go_by_their_rank_and_texts_share_the_rest() -> None:
    columns = [Column("ref"), Column("title", text=True), Column("by", rank=1), Column("made", rank=2)]
    assert fitted(columns, [4, 200, 8, 16], 100) == {0: 4, 1: 66, 2: 8, 3: 16}
    assert fitted(columns, [4, 200, 8, 16], 50) == {0: 4, 1: 34, 2: 8}
    assert fitted(columns, [4, 200, 8, 16], 20) == {0: 4, 1: 14}
    assert fitted(columns, [4, TEXT_WIDTH_MIN, 8, 16], 58) == {0: 4, 1: TEXT_WIDTH_MIN, 2: 8, 3: 16}


@pytest.mark.parametrize(("width", "mark"), [("80", "(outside)"), ("200", "(from outside)")])
def test_a_cut_text_from_outside_is_marked_and_still_says_something(
    project_cli: Cli, monkeypatch: pytest.MonkeyPatch, width: str, mark: str
) -> None:
    text = "The vendor of the gateway allows sixty calls a minute and not one more, whoever asks."
    made = project_cli("memory", "record", text, "--origin", "external", "--agent", "tank")
    assert made.code == 0, made.err
    monkeypatch.setenv("COLUMNS", width)
    assert f"{mark} The vendor" in project_cli("memory", "list").out
