"""What a token looks like, what is kept of it, and when it ends."""

import pytest

from hansard.domain import tokens
from hansard.domain.errors import Invalid

HOUR = 3_600_000_000


def test_a_token_has_256_bits_that_nobody_has_seen() -> None:
    made = {tokens.new_text() for _ in range(100)}

    assert len(made) == 100
    assert all(tokens.looks_right(one) for one in made)
    assert all(len(tokens.digest_of(one)) == 32 for one in made)


def test_a_token_has_a_digit_by_which_the_scan_tells_it_from_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["A" * 43, "b" * 43, "c" * 42 + "7"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda _size: next(drawn))

    assert tokens.new_text() == f"hansard_{'c' * 42}7"


@pytest.mark.parametrize("text", ["", "hansard_", "hansard_short", "x" * tokens.TEXT_CHARACTERS, "hansard_" + "é" * 43])
def test_what_cannot_be_a_token_is_known_without_a_look(text: str) -> None:
    assert not tokens.looks_right(text)


@pytest.mark.parametrize(
    ("within", "hours"), [("1h", 1), ("12h", 12), (" 90D ", 90 * 24), ("4w", 4 * 7 * 24), ("3650d", 3_650 * 24)]
)
def test_a_token_ends_after_its_time(within: str, hours: int) -> None:
    assert tokens.expiry(within, now=5) == 5 + hours * HOUR


@pytest.mark.parametrize("within", [None, "", "never", "Never"])
def test_a_token_may_have_no_end(within: str | None) -> None:
    assert tokens.expiry(within, now=5) is None


@pytest.mark.parametrize("within", ["0d", "-1d", "d", "90", "1.5h", "٣d", "3651d", "9999999d", "tomorrow", "1m"])
def test_a_time_that_makes_no_sense_is_refused(within: str) -> None:
    with pytest.raises(Invalid):
        tokens.expiry(within, now=5)
