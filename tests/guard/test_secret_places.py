"""Proves that a secret is found whether its word is rare in a text and looked at where it stands, or common in it."""

import random
from string import ascii_letters, digits

import pytest

from hansard.guard.patterns import GROUP_CHARACTERS_MAX, PLACES_MAX
from hansard.guard.secrets import redact

PASSWORD = "Xk29!" + "dkq0Zp"
COMMANDS = (
    "curl -u ana:{}", "twine upload -p {} dist", "openssl enc -k {}", "lftp -u ana,{} host", "net use /user:ana {}",
    "requirepass {}", "wifi:T:WPA;S:home;P:{};", "service --password {}", "env DB_PASSWORD {}",
)  # fmt: skip
EDGES = ("", " ", "\n", "_", "\\n", "\\u000a", "\\x20", "%20", "\x1b[0;31m", "(", "`", "é")
GLUED = ("x", "7", "re", "é_x")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("times", [0, 3, PLACES_MAX + 1])
def test_a_command_is_found_among_few_and_many_of_its_kind(command: str, times: int) -> None:
    harmless = command.split("{}", maxsplit=1)[0].strip() + "\n"
    text = harmless * times + command.format(PASSWORD) + "\n" + harmless * times

    assert PASSWORD not in redact(text)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("times", [0, PLACES_MAX + 1])
def test_a_command_begins_behind_any_edge(edge: str, times: int) -> None:
    assert PASSWORD not in redact("curl \n" * times + f".{edge}curl -u ana:{PASSWORD}")


@pytest.mark.parametrize("glued", GLUED)
@pytest.mark.parametrize("times", [0, PLACES_MAX + 1])
def test_the_end_of_another_word_is_no_command(glued: str, times: int) -> None:
    text = "curl \n" * times + f"{glued}twine upload -p {PASSWORD} dist"

    assert redact(text) == text


@pytest.mark.parametrize("between", [10, 8_000])
def test_a_command_with_much_in_between_is_read_as_one(between: int) -> None:
    assert PASSWORD not in redact(f"curl -H '{'a' * between}' -u ana:{PASSWORD}")


def test_a_value_longer_than_what_is_looked_at_first_goes_whole() -> None:
    value = "".join(random.Random(31).choices(ascii_letters + digits, k=GROUP_CHARACTERS_MAX + 500))

    assert redact(f"twine upload -p {value} dist") == "twine upload -p [REDACTED:password] dist"


@pytest.mark.parametrize("name", ["mật\xa0khẩu", "mot\u2009de\xa0passe", "clave", "Contraseña", "пароль"])
@pytest.mark.parametrize("beside", ["", "ordinary words ", "naïve — “quoted” ", "中文 "])
def test_a_name_of_another_language_is_known_whatever_stands_beside_it(name: str, beside: str) -> None:
    assert PASSWORD not in redact(f"{beside}{name}: {PASSWORD}")


@pytest.mark.parametrize("command", ["mongo", "twine", "openssl", "curl", "redis-cli", "ldap"])
@pytest.mark.parametrize("option", ["mkdir -p /srv/data/{}", "pytest -k test_guard_forms{}", "docker run -u 1000:{}"])
def test_options_of_other_commands_far_behind_a_word_are_no_dump(command: str, option: str) -> None:
    words = " ".join(["what", "we", "have", "to", "know", "of", "this", "store"] * 15)
    text = "\n".join(f"In {command} {number} {words}, then {option.format(number)}" for number in range(300))

    assert redact(text) == text
