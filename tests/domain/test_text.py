"""What counts as text, and the normal form it is stored in."""

import pytest

from hansard.domain import text
from hansard.domain.errors import Invalid, TooLarge

CONTROLS = ["\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1b", "\x1f", "\x7f", "\x80", "\x85", "\x9f"]


def test_prose_keeps_inner_blank_lines_and_the_indent_of_its_first_line() -> None:
    assert text.prose("\n \n    code\n\nmore  \n\n", field="content", bytes_max=100) == "    code\n\nmore"


def test_every_spelling_of_a_newline_becomes_one() -> None:
    assert text.prose("a\r\nb\rc\nd", field="content", bytes_max=100) == "a\nb\nc\nd"


@pytest.mark.parametrize("value", ["", " ", "\n\t\n", "\u3000"])
def test_blank_prose_is_refused_by_the_name_of_its_field(value: str) -> None:
    with pytest.raises(Invalid, match="content is empty"):
        text.prose(value, field="content", bytes_max=100)


@pytest.mark.parametrize("value", [None, "", "  \n "])
def test_blank_optional_prose_is_nothing(value: str | None) -> None:
    assert text.optional_prose(value, field="rationale", bytes_max=100) is None


@pytest.mark.parametrize("control", CONTROLS)
def test_control_characters_are_refused_in_prose_and_lines(control: str) -> None:
    for check in (text.prose, text.optional_prose, text.line, text.optional_line):
        with pytest.raises(Invalid, match="position 1"):
            check(f"a{control}b", field="content", bytes_max=100)


def test_a_nul_byte_is_called_by_its_name() -> None:
    with pytest.raises(Invalid, match="contains a NUL byte at position 2"):
        text.prose("ab\x00", field="content", bytes_max=100)


@pytest.mark.parametrize("value", ["\ud800", "fine \udfff fine", "\udc00\ud800"])
def test_a_lone_surrogate_is_not_text(value: str) -> None:
    with pytest.raises(Invalid, match="not valid Unicode"):
        text.prose(value, field="content", bytes_max=100)
    with pytest.raises(Invalid, match="not valid Unicode"):
        text.line(value, field="title", bytes_max=100)


@pytest.mark.parametrize("value", [5, b"bytes", ["a"], 1.5, True])
def test_what_is_not_a_string_is_refused(value: object) -> None:
    with pytest.raises(Invalid, match="must be text"):
        text.prose(value, field="content", bytes_max=100)  # type: ignore[arg-type]
    with pytest.raises(Invalid, match="must be text"):
        text.optional_line(value, field="title", bytes_max=100)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["a\nb", "a\tb", "a\u2028b", "a\u2029b", "a\r\nb"])
def test_a_line_stays_one_line(value: str) -> None:
    with pytest.raises(Invalid, match="single line"):
        text.line(value, field="title", bytes_max=100)


def test_a_line_is_trimmed() -> None:
    assert text.line("  a b \n", field="title", bytes_max=100) == "a b"
    assert text.optional_line(" \t ", field="title", bytes_max=100) is None


def test_limits_count_bytes_and_are_inclusive() -> None:
    assert text.line("é" * 50, field="title", bytes_max=100) == "é" * 50
    with pytest.raises(TooLarge, match="title is 102 bytes long; the limit is 100"):
        text.line("é" * 51, field="title", bytes_max=100)
    with pytest.raises(TooLarge):
        text.prose("𝄞" * 26, field="content", bytes_max=100)


@pytest.mark.parametrize(
    "value", ["\u200b", "\u2060\ufeff", " \u200d\n\u2800", "\u3164", "\ufe0f\U000e0100", "\u00ad\u00a0"]
)
def test_text_of_which_nothing_shows_is_empty(value: str) -> None:
    for clean in (text.prose, text.line):
        with pytest.raises(Invalid, match="content is empty"):
            clean(value, field="content", bytes_max=100)
    assert text.optional_line(value, field="title", bytes_max=100) is None
    assert text.optional_prose(value, field="note", bytes_max=100) is None
    assert text.prose(f"{value}x", field="content", bytes_max=100).endswith("x")


@pytest.mark.parametrize(
    "said",
    ["plain", "a\u200bb", "<U+200B>", "<U+003C>U+200B>", "<<U+200B\u200b>", "\\\u2028", "<U+D800>", "<U+FFFFFF>",
     "x\ufe0f"],
)  # fmt: skip
def test_a_text_with_numbers_for_what_shows_nothing_comes_back_as_it_was(said: str) -> None:
    shown = text.numbered(said)
    assert not text.has_invisible(shown)
    assert text.unnumbered(shown) == said


def test_a_number_of_no_character_stays() -> None:
    said = "<U+D800> <U+FFFFFF> <U+12> <u+200b>"
    assert text.unnumbered(said) == said
