"""A secret is found where it is handed to a call, a command or an address, and where it stands before a mark."""

import random
from collections.abc import Mapping
from string import ascii_letters

import pytest
from benchmarks.handed import HANDED, TWINS, VALUES
from benchmarks.makers import ALNUM, BASE64, LOWER_HEX, URL_SAFE, Make, joined, of

from hansard.guard.secrets import redact, scan

DRAWS = 20
KINDS: Mapping[str, tuple[str, Make]] = {
    "fireworks": ("{}", of(ascii_letters, 22, "f" + "w_")),
    "voyage": ("{}", of(ascii_letters, 42, "p" + "a-", "-")),
    "resend": ("{}", of(ascii_letters, 24, "r" + "e_AbCdEfGh_")),
    "discord in bold": ("__{}__", joined(of(ALNUM, 25, "M"), of(ALNUM, 6), of(URL_SAFE, 38), by=".")),
    "paypal": ("{}", of(URL_SAFE, 92, "A21" + "AA")),
    "infisical": ("{}", joined(of(LOWER_HEX, 24, "s" + "t."), of(LOWER_HEX, 32), of(LOWER_HEX, 32), by=".")),
    "adyen": ("{}", joined(of(BASE64, 90, "AQ" + "E", "="), of(ALNUM, 40, "", "="), of(ALNUM, 16), by="-")),
    "modal": ("{}", of(ALNUM, 22, "a" + "s-")),
    "mailgun": ("The Mailgun key is {}", joined(of(LOWER_HEX, 32), of(LOWER_HEX, 8), of(LOWER_HEX, 8), by="-")),
    "old vault": ("Vault says s.{} to it", of(ALNUM, 24)),
}


def _left(form: str, make: Make) -> list[str]:
    """What survives of the values that are drawn."""
    chance = random.Random(41)
    values = [make(chance) for _ in range(DRAWS)]
    return [value for value in values if value in redact(form.format(value))]


@pytest.mark.parametrize("form", HANDED)
def test_what_a_generator_made_is_found_wherever_it_is_handed_over(form: str) -> None:
    left = [value for make in VALUES for value in _left(form, make)]

    # One in a hundred random values looks like words.
    assert len(left) <= 2, left


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_is_known_by_its_mark_or_by_whose_it_is(kind: str) -> None:
    assert len(_left(*KINDS[kind])) <= 1


@pytest.mark.parametrize("text", TWINS)
def test_names_words_and_placeholders_in_these_forms_stay(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize("value", ["Zk4!" + "pWm9#xLq2", "dGj29" + "xKqLw81ZbT"])
def test_what_stands_before_a_mark_goes_and_the_mark_stays(value: str) -> None:
    clean = redact(f"password: {value}[REDACTED:token] is old")

    assert clean == "password: [REDACTED:password][REDACTED:token] is old"
    assert redact(clean) == clean


def test_a_mark_with_more_in_it_than_a_kind_hides_nothing() -> None:
    value = "Zk4!" + "pWm9#xLq2"

    assert value not in redact(f"[REDACTED:password={value}]")
    assert redact("[REDACTED:password]=later2") == "[REDACTED:password]=later2"
