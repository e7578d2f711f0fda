"""A password is seen whole with the signs that generators use, and a piece of a program is none."""

import random

import pytest
from benchmarks.leaks import GENERATED
from benchmarks.lookalikes import QUERIES, SIGNED
from benchmarks.makers import SIGN_SETS, generated

from hansard.guard.batch import scan_many
from hansard.guard.generated import RUN_CHARACTERS_MAX, is_generated, reach
from hansard.guard.secrets import redact, scan

TRIES = 500
MISSED_MAX = 0.01
URL_MISSED_MAX = 0.02
URL_SIGNS = "!#%^*@$&_-+=?"
PIECE_CHARACTERS = 5
VALUE = "Xk9!Lm2" + "Qp7Rt"
MIXED = "x7(Kp9!" + "mQ2wz"


@pytest.mark.parametrize("form", GENERATED)
@pytest.mark.parametrize("signs", SIGN_SETS)
def test_hardly_any_generated_password_is_left_and_hardly_any_in_part(form: str, signs: str) -> None:
    chance = random.Random(f"{form}{signs}")
    make = generated(signs.replace(";", "") if form.startswith("Server") else signs)
    left = [value for value in (make(chance) for _ in range(TRIES)) if _is_left(value, redact(form.format(value)))]

    assert len(left) <= MISSED_MAX * TRIES, left


@pytest.mark.parametrize("url", ["postgres://u:{}@db/x", "https://ana:{}@git.example.org/a.git", "redis://:{}@cache/0"])
@pytest.mark.parametrize("size", [12, 16, 20])
def test_a_password_in_an_address_may_have_what_ends_one(url: str, size: int) -> None:
    chance = random.Random(f"{url}{size}")
    values = [generated(URL_SIGNS, size)(chance) for _ in range(TRIES)]
    left = [value for value in values if _is_left(value, redact(url.format(value)))]

    assert len(left) <= URL_MISSED_MAX * TRIES, left


@pytest.mark.parametrize("url", QUERIES)
def test_a_query_with_a_later_at_sign_is_no_password(url: str) -> None:
    assert redact(url) == url


@pytest.mark.parametrize("size", [12, 20, 32])
def test_longer_and_shorter_ones_are_seen_too(size: int) -> None:
    chance = random.Random(size)
    values = [generated(signs, size)(chance) for signs in SIGN_SETS for _ in range(TRIES)]
    left = [value for value in values if _is_left(value, redact(f"DB_PASSWORD={value}"))]

    assert len(left) <= MISSED_MAX * len(values), left


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("Staging .env has DB_PASSWORD={}", MIXED),
        ("The admin password is {}", "S3cur3@" + "Pass!x9"),
        ("The password is {}", "P@ssw0rd" + "123!"),
        ("Prod: Server=db;User ID=sa;Password={};Encrypt=True", "lRCB&68" + "57Tpu2"),
        ("Server=db;Password={};User Id=sa", "lRCB&68" + "57Tpu2"),
        ("password:{}", "juSZ+22" + "59DqfCY"),
        ("ADMIN_PASSWORD={}", "Xk9!Lm2Qp" + "&7Rt5vW8z"),
        ("DB_PASSWORD={};DB_USER=ana make", MIXED),
        ("DB_PASSWORD={}&&make", MIXED),
        ("DB_PASSWORD={};make", MIXED),
        ("https://example.org/?password={}&k=5&page=2", "Xk9!Lm2" + "(Qp7Rt"),
        ("login(user=ana,password={},retries=3)", MIXED),
        ("{{password:{},user:ana}}", MIXED),
        ("(password: {})", VALUE),
        ("Is the password {}?", MIXED),
        ("password: {}</td>", MIXED),
        ("<password>{}</password>", MIXED),
        ("| DB_PASSWORD | {} |", MIXED),
        ("password: |\n  {}\n", MIXED),
        ("service --password {} -v", MIXED),
        ("redis-cli -a {} ping", "Xk9!Lm2" + "$Qp7Rt"),
        ("mysql -u root -p{} shop", "Xk9!Lm2" + "{Qp7Rt"),
        ("postgres://app:{}@db.internal/x", "[Xk9!Lm2" + "{{Qp7Rt"),
        ("postgres://app:{}@db.internal/x", "Xk@9!Lm2" + "@@Qp7R"),
        ("SECRET_KEY={}", "x7(kp9!mq2w&z#0d)" + "k3=v+8^b1n$c5"),
    ],
)
def test_a_value_ends_where_the_form_ends_it(form: str, value: str) -> None:
    before, after = form.format("\0").split("\0")
    clean = redact(form.format(value))

    assert clean.startswith(f"{before}[REDACTED:")
    assert clean.endswith(f"]{after}")
    assert scan(clean) == ()
    assert set(scan_many(["plain", form.format(value)])) == {1}


@pytest.mark.parametrize("text", SIGNED)
def test_a_piece_of_a_program_is_no_password(text: str) -> None:
    assert redact(text) == text


def test_a_value_that_goes_on_otherwise_is_judged_again() -> None:
    opening = "getUser(" + "Id9"
    text = f"password={opening})\npassword={opening}!kQ2^wZ8~vB4\n"

    assert redact(text) == f"password={opening})\npassword=[REDACTED:password]\n"


def test_what_is_redacted_in_part_is_not_judged_again() -> None:
    text = f"password=[REDACTED:github_token]{MIXED}"

    assert redact(redact(text)) == redact(text)
    assert reach(text, len("password=")) == len("password=")


def test_a_run_is_judged_up_to_a_bound() -> None:
    assert reach(MIXED * 100, 0) == RUN_CHARACTERS_MAX


def test_what_is_only_called_a_token_needs_more_signs_than_a_password() -> None:
    value = "GfPuzi6-" + "AxHPWLC6"

    assert is_generated(value, named=True)
    assert not is_generated(value, named=False)
    assert is_generated(MIXED, named=False)


def test_a_cursor_is_no_token_and_a_token_beside_it_is_one() -> None:
    token = "b2Zmc2V0Oj" + "EwMA5x9Z=="
    text = f"The cursor token {token} is opaque. The deploy token {token} is not."

    assert redact(text) == f"The cursor token {token} is opaque. The deploy token [REDACTED:password] is not."


def _is_left(value: str, text: str) -> bool:
    """Whether five characters of it, one behind another, can still be read."""
    pieces = (value[place : place + PIECE_CHARACTERS] for place in range(len(value) - PIECE_CHARACTERS + 1))
    return any(piece in text for piece in pieces)
