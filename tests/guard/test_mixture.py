"""Letters and digits alone are a secret where they are called one, and a name that mixes them is none."""

import random
from itertools import product

import pytest
from benchmarks.lookalikes import MIXED_FORMS, MIXED_NAMES
from benchmarks.makers import ALNUM

from hansard.guard.batch import scan_many
from hansard.guard.mixture import is_jumbled
from hansard.guard.secrets import redact, scan

TRIES = 500
LEFT_MAX = {12: 0.11, 16: 0.05, 20: 0.035, 32: 0.01}
"""Of how many characters which share may be left: docs/secrets.md says so."""
SHORT_LEFT_MAX = 0.06
FORMS = (
    "The password is {}.",
    "the API key is {}",
    "The staging password was changed to {}",
    "Log in as admin with password {} until May",
    "Authorization: Bearer {}",
    "Authorization: Token {}",
    "client_secret={}",
    'apiKey: "{}"',
    "token: {}",
    "password: {}",
    "| user | password |\n|---|---|\n| ana | {} |",
)


def made(size: int, chance: random.Random) -> str:
    while True:
        value = "".join(chance.choices(ALNUM, k=size))
        if any(map(str.islower, value)) and any(map(str.isupper, value)) and any(map(str.isdigit, value)):
            return value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", LEFT_MAX)
def test_few_random_letters_and_digits_are_left_where_they_are_called_a_secret(form: str, size: int) -> None:
    chance = random.Random(f"{form}{size}")
    left = [value for value in (made(size, chance) for _ in range(TRIES)) if value in redact(form.format(value))]

    assert len(left) <= LEFT_MAX[size] * TRIES, left


@pytest.mark.parametrize("form", ["password: {}", "grafana admin password: {}", "pw: {}\n"])
def test_ten_random_letters_and_digits_are_a_password_behind_its_name(form: str) -> None:
    chance = random.Random(form)
    left = [value for value in (made(10, chance) for _ in range(TRIES)) if value in redact(form.format(value))]

    assert len(left) <= SHORT_LEFT_MAX * TRIES, left


def test_a_name_of_ten_letters_and_digits_is_no_password() -> None:
    names = "AccessKey2 UserLogin2 Password12 parseInt64 BuildLog12".split()

    assert [name for name in names if scan(f"password: {name}")] == []


@pytest.mark.parametrize(
    "form", ["Ana said the prod db login is shop / {}", "The credentials are shop / {}.", "login: shop / {}"]
)
@pytest.mark.parametrize("size", LEFT_MAX)
def test_what_a_user_and_a_slash_lead_to_is_a_password(form: str, size: int) -> None:
    chance = random.Random(f"{form}{size}")
    left = [value for value in (made(size, chance) for _ in range(TRIES)) if value in redact(form.format(value))]

    assert len(left) <= LEFT_MAX[size] * TRIES, left


def test_a_path_behind_a_slash_is_no_password() -> None:
    assert redact("The login is shop / parseOAuth2Response2") == "The login is shop / parseOAuth2Response2"
    assert redact("credentials: vault / AcmeClient7Store") == "credentials: vault / AcmeClient7Store"


@pytest.mark.parametrize("form", MIXED_FORMS)
def test_a_name_in_one_with_capitals_and_digits_is_no_secret_in_a_sentence(form: str) -> None:
    assert [name for name in MIXED_NAMES if scan(form.format(name))] == []


def test_letters_and_digits_that_are_not_told_stay() -> None:
    value = "uKOkk" + "fE3YtO"

    assert not is_jumbled(value)
    assert not is_jumbled(value.lower() + "abcdef")
    assert is_jumbled(value + "kZ")
    assert redact(f"Pass the token to Acme{7}Client before the run") == "Pass the token to Acme7Client before the run"


def test_many_texts_are_judged_as_each_by_itself() -> None:
    chance = random.Random(9)
    texts = [form.format(made(16, chance)) for form, _ in product(FORMS, range(20))]

    assert scan_many(texts) == {place: leaks for place, text in enumerate(texts) if (leaks := scan(text))}
