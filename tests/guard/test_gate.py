"""Many texts at once are judged as each by itself, and a record leaves the gate without its secrets."""

from collections.abc import Sequence
from random import Random
from string import ascii_letters, digits

import pytest
from benchmarks.leaks import fakes
from benchmarks.lookalikes import lookalikes

from hansard.domain import memories, slugs
from hansard.guard.batch import SIFTED_CHARACTERS_MIN, scan_many
from hansard.guard.gate import found_in, holds_secret, passed, suspects
from hansard.guard.secrets import scan
from support.fakes import fake_hex_token, fake_key, fake_secret
from support.pace import milliseconds

TOKEN = fake_secret(3)


def nothing(_value: str) -> bool:
    return False


@pytest.mark.parametrize("seed", range(20))
def test_many_texts_at_once_are_judged_as_each_by_itself(seed: int) -> None:
    random = Random(seed)
    value = "".join(random.choice("abcdefghijkmnpqrstuvwxyzABCDEFGH0123456789/+") for _ in range(40))
    vendor = f"aws secret key: {value}"
    pieces = [
        "The build takes a minute.", f"use {fake_secret(seed)} here", f"export KEY={fake_key(seed)}", vendor,
        vendor.removeprefix("aws "), "pass" + "word: Zq7" + "pLm9xT!", "password: changeme", "token = ${TOKEN}",
        "-----BEGIN PRIVATE " + "KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", "key: value", "a.b.c",
    ]  # fmt: skip
    texts = [random.choice(pieces) for _ in range(40)]
    assert scan_many(texts) == {place: leaks for place, text in enumerate(texts) if (leaks := scan(text))}


PROSE = "The build takes a minute on a machine with two processors, and nobody waits for it."


def test_a_large_batch_leaves_out_no_secret_of_any_kind() -> None:
    split = f"{TOKEN[:12]}\\\n{TOKEN[12:]}"
    told = [*(one.text for one in fakes()), *lookalikes(), split, f"Mot de passe : {fake_key(7)}"]
    texts = [text for one in told for text in (one, PROSE, PROSE)]

    assert sum(map(len, texts)) > SIFTED_CHARACTERS_MIN
    assert scan_many(texts) == {place: leaks for place, text in enumerate(texts) if (leaks := scan(text))}


def test_a_large_batch_without_anything_to_look_for_is_clean() -> None:
    assert scan_many([f"{number}: {PROSE}" for number in range(SIFTED_CHARACTERS_MIN // len(PROSE) + 1)]) == {}


def test_a_secret_at_either_end_of_a_text_of_a_large_batch_is_found() -> None:
    texts = [PROSE] * (SIFTED_CHARACTERS_MIN // len(PROSE) + 1)
    texts[0], texts[7], texts[-1] = f"{TOKEN} {PROSE}", f"{PROSE} {TOKEN}", TOKEN

    assert list(scan_many(texts)) == [0, 7, len(texts) - 1]


@pytest.mark.parametrize(
    "said",
    [
        "set -e{0}mysql -u root -p{1} shop < dump.sql", "cd out{0}7z a x.7z -p{1} out", "x{0}sqlplus ana/{1}@db",
        "ok{0}identified by '{1}'", "GRANT ALL IDENTIFIED{0} BY '{1}'", "x{0}mc alias set m http://h ana {1}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("between", ["\n", r"\n", r"\t"])
def test_a_secret_behind_an_escaped_line_break_is_found_in_a_large_batch(said: str, between: str) -> None:
    text = said.format(between, _word(Random(3), 12) + "7Qz4")
    plain = "The team met on Monday and spoke of the plan for the harbour. " * (SIFTED_CHARACTERS_MIN // 60)

    assert scan(text)
    assert list(scan_many([plain, text])) == [1]


def test_many_texts_with_tokens_are_scanned_in_time() -> None:
    chance = Random(4)
    texts = [
        f"The mirror of shop {one} is pulled with ghp_{_word(chance, 36)} by the job {one}." for one in range(1_000)
    ]
    scan_many(texts)

    assert milliseconds(lambda: scan_many(texts), tries=1) < 600


def _word(chance: Random, size: int) -> str:
    return "".join(chance.choices(ascii_letters + digits, k=size))


def test_records_are_found_by_any_of_their_texts_and_what_many_share_is_searched_once() -> None:
    searched: list[str] = []

    def search(texts: Sequence[str]) -> set[int]:
        searched.extend(texts)
        return suspects(texts)

    plain = memories.note("plain", agent="tank", category="builds", tags=["shop"], citations=["a.py"])
    records = [
        plain, plain._replace(content=f"use {TOKEN}"), plain, plain._replace(category=f"for {TOKEN}"), plain,
        plain._replace(citations=("a.py", f"x {TOKEN}")), plain._replace(category=f"for {TOKEN}"),
    ]  # fmt: skip

    assert found_in(records, ("content", "name", "category", "citations", "tags"), search, ignored="shop") == {
        1,
        3,
        5,
        6,
    }
    assert sorted(searched) == sorted(["plain", f"use {TOKEN}", "builds", f"for {TOKEN}", "a.py", f"x {TOKEN}"])
    assert found_in([plain] * 9, ("content", "name"), suspects) == set()


def test_fields_are_cleaned_one_by_one_and_lists_keep_their_length() -> None:
    texts = {"content": f"use {TOKEN}", "name": None, "citations": ("a.py", f"x {TOKEN}"), "title": "plain"}
    changed, found = passed(texts, nothing)
    assert changed == {
        "content": "use [REDACTED:github_token]", "citations": ("a.py", "x [REDACTED:github_token]"),
    }  # fmt: skip
    assert [(one.field, one.kind) for one in found] == [("content", "github_token"), ("citations", "github_token")]


def test_what_is_allowed_stays_while_the_rest_goes() -> None:
    other = fake_secret(4)
    changed, found = passed({"content": f"{TOKEN} and {other}"}, lambda value: value == TOKEN)
    assert changed == {"content": f"{TOKEN} and [REDACTED:github_token]"}
    assert len(found) == 1


@pytest.mark.parametrize("word", [TOKEN.lower(), fake_key(5).lower(), fake_key(6)])
def test_a_secret_in_small_letters_is_still_one(word: str) -> None:
    assert holds_secret(word) is not None


@pytest.mark.parametrize("token", [fake_secret(8), fake_hex_token(8)], ids=["github", "digitalocean"])
def test_a_secret_in_a_slug_has_dashes_for_its_underscores_and_is_still_one(token: str) -> None:
    assert holds_secret(slugs.words(f"rotate {token}")) is not None


@pytest.mark.parametrize("word", ["cross-team", "use-postgres", "tank", "api-key-rotation", "token", "release-2026-01"])
def test_ordinary_words_are_none(word: str) -> None:
    assert holds_secret(word) is None


WORD = "Xk9" + "#qLm2vTz"
NUMBER = fake_secret(5)[4:] + "Ab12"
NAMED: list[dict[str, str | None]] = [
    {"name": "Staging DB password", "content": WORD},
    {"title": "DB password", "content": WORD},
    {"subject": "db_password", "content": WORD, "name": None},
    {"name": "aws_secret_access_key", "content": NUMBER},
    {"name": "Mot de passe", "content": f"`{WORD}`"},
    {"name": "Password of the staging DB", "content": f"{WORD}\nin the vault too"},
]


@pytest.mark.parametrize("texts", NAMED, ids=lambda one: next(value for value in one.values() if value))
def test_a_name_makes_a_secret_of_what_it_names(texts: dict[str, str | None]) -> None:
    changed, found = passed(texts, nothing)
    assert list(changed) == ["content"]
    assert {one.field for one in found} == {"content"}
    said = str(changed["content"])
    assert WORD not in said
    assert NUMBER not in said
    assert passed({**texts, **changed}, nothing).found == ()


@pytest.mark.parametrize(
    "texts",
    [
        {"name": "password policy", "content": "Passwords have 12 characters or more, and change every 90 days."},
        {"name": "Password", "content": "bcrypt2b with cost 12 is what we use."},
        {"title": "API token rotation", "content": "Rotate tokens every 90 days; see docs/rotation2.md."},
        {"name": "Primary key", "content": "users_v2.id is a ULID."},
        {"subject": "auth", "content": "OAuth2 with PKCE, see RFC7636."},
        {"name": "Builds", "content": WORD},
        {"name": "Keys", "content": "v1.22.7-rc.4+b1d6479"},
        {"name": "DB password", "content": "Partition key is tenant#4821, sort key is 2026-03-01#INV-000123."},
        {"name": "The login page", "content": "It loads in 300ms since v2.4.1."},
        {"name": "DB password", "content": "Kept in the vault, see infra/README.md."},
        {"name": "DB password", "content": "[REDACTED:password]"},
    ],
    ids=lambda one: next(iter(one.values())) + ": " + one["content"][:12],
)
def test_a_name_makes_no_secret_of_prose(texts: dict[str, str | None]) -> None:
    assert passed(texts, nothing) == ({}, ())


def test_what_only_its_name_makes_a_secret_can_be_allowed() -> None:
    assert passed(NAMED[0], lambda value: value == WORD) == ({}, ())
