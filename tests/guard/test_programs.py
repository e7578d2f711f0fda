"""A program that declares what holds a secret holds none, and a password that only looks like a type is one."""

import random
from itertools import product

import pytest
from benchmarks.declared import declared, some_declared
from benchmarks.makers import ALNUM, LOWER_HEX

from hansard.guard.secrets import redact, scan

TRIES = 500
LEFT_MAX = 0.02
"""Which share of random values before a sign may look like words by chance."""
SIZES = range(7, 16)
BEHIND_COLON = ("password: {}", "let password: {}", "(password: {})", "pass: {}, user: ana")
WORDS = "Summer Winter Orange Tiger Berlin Secret Password".split()


def mixed(chance: random.Random, size: int) -> str:
    while True:
        value = "".join(chance.choices(ALNUM, k=size))
        if any(map(str.islower, value)) and any(map(str.isupper, value)) and any(map(str.isdigit, value)):
            return value


def test_what_declares_a_secret_holds_none() -> None:
    assert [text for text in declared() if redact(text) != text] == []


def test_what_declares_a_secret_holds_none_among_others_of_its_kind() -> None:
    text = "\n".join(some_declared())

    assert [text[leak.start - 30 : leak.end] for leak in scan(text)] == []


@pytest.mark.parametrize("form", ["`{}`", "Declare it as `{}`, as the others are.", "({})"])
def test_what_declares_a_secret_holds_none_where_a_sentence_quotes_it(form: str) -> None:
    texts = [form.format(text) for text in some_declared()]

    assert [text for text in texts if redact(text) != text] == []


@pytest.mark.parametrize("mark", "?!")
@pytest.mark.parametrize("form", BEHIND_COLON)
def test_mixed_letters_and_digits_before_a_mark_are_no_type(form: str, mark: str) -> None:
    chance = random.Random(f"{form}{mark}")
    made = [mixed(chance, chance.choice(SIZES)) + mark for _ in range(TRIES)]

    assert [value for value in made if value in redact(form.format(value))] == []


@pytest.mark.parametrize("form", BEHIND_COLON)
def test_a_word_a_number_and_a_mark_are_a_password(form: str) -> None:
    made = [f"{word}{number}{mark}" for word, number, mark in product(WORDS, (7, 24, 2025), "?!")]

    assert [value for value in made if value in redact(form.format(value))] == []


def test_no_type_stands_behind_an_equals_sign_or_in_quotes() -> None:
    value = "Orange" + "Tiger?"

    assert redact(f"DB_PASSWORD={value}") == "DB_PASSWORD=[REDACTED:password]"
    assert redact(f'"password": "{value}"') == '"password": "[REDACTED:password]"'
    assert redact(f"let password: {value}") == f"let password: {value}"


@pytest.mark.parametrize("mark", "!?")
@pytest.mark.parametrize("name", ["password", "passphrase", "adminPassword", "user_password", "pw"])
def test_a_field_whose_type_has_its_name_holds_no_secret(name: str, mark: str) -> None:
    kind = name.title().replace("_", "") if name.islower() else name[0].upper() + name[1:]
    forms = (
        "{}: {}",
        "input In {{ email: Email!, {}: {} }}",
        "In {{ a: Email! {}: {} }}",
        "me({}: {}): Me",
        "`{}: {}`",
    )

    texts = [form.format(name, kind + mark) for form in forms]
    assert [text for text in texts if redact(text) != text] == []


def test_a_field_may_have_the_type_of_the_last_word_of_its_name() -> None:
    text = "input Change { oldPassword: Password!, newPassword: Password! }"

    assert redact(text) == text


def test_a_password_that_only_resembles_its_name_is_one() -> None:
    value = "Pass" + "word"
    told = [f"password={value}!", f"password: '{value}!'", f"Password: {value}!", f"my password: {value}!",
            f"password: {value}!!", f"password: {value}1!", f"password: {value.upper()}!", f"pw: {value}!",
            f"password: {value}Tiger!", "password: Secr" + "et!"]  # fmt: skip

    assert [text for text in told if redact(text) == text] == []


def test_what_a_field_is_set_to_is_found_behind_such_a_type() -> None:
    value = mixed(random.Random(14), 16)

    assert value not in redact(f'let password: Password! = "{value}"')
    assert value not in redact(f"input In {{ password: Password!, token: {value} }}")


def test_a_value_that_begins_with_a_colon_is_no_scope() -> None:
    chance = random.Random(8)
    made = [mixed(chance, 14) + chance.choice("!$%&") for _ in range(TRIES)]

    left = [value for value in made if value in redact(f"password::{value}")]
    assert len(left) <= LEFT_MAX * TRIES, left


def test_a_value_that_opens_with_a_bracket_closes_no_prompt() -> None:
    chance = random.Random(9)
    made = [f"){mixed(chance, 14)}" for _ in range(TRIES)]

    assert [value for value in made if value in redact(f'password = "{value}"')] == []


def test_a_name_of_a_type_may_have_a_key_beside_it() -> None:
    chance = random.Random(10)
    key = mixed(chance, 24)
    sum_of_schema = "".join(chance.choices(LOWER_HEX, k=32))

    assert key not in redact(f'"AWS::IAM::AccessKey": "{key}"')
    assert sum_of_schema not in redact(f"'Config::API_KEY' => '{sum_of_schema}'")
    assert sum_of_schema not in redact(f'"AccessKey": "{sum_of_schema}"')


def test_an_option_is_read_where_it_is_none_of_a_word() -> None:
    value = mixed(random.Random(11), 14)

    assert value not in redact(f"mysql --password {value} shop")
    assert value not in redact(f'["mysql","--password {value}"]')


def test_what_a_package_has_ends_where_its_name_does() -> None:
    value = mixed(random.Random(12), 24)

    assert value not in redact(f"secret := &corev1.Secret{{}}; token: {value}")


@pytest.mark.parametrize("joint", "-.:=")
def test_a_type_before_a_random_value_hides_nothing_of_it(joint: str) -> None:
    chance = random.Random(joint)
    made = [f"SessionToken{joint}{mixed(chance, 20)}" for _ in range(TRIES)]

    left = [value for value in made if value[-12:] in redact(f"token: {value}")]
    assert len(left) <= LEFT_MAX * TRIES, left


def test_a_long_name_of_words_is_no_type_without_an_end() -> None:
    value = "Orange" * 40 + mixed(random.Random(13), 16)

    assert value not in redact(f"password: {value}!x")
