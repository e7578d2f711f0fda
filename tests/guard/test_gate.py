"""Many texts at once are judged as each by itself, and a record leaves the gate without its secrets."""

from random import Random

import pytest

from hansard.guard.gate import holds_secret, passed
from hansard.guard.secrets import scan, scan_many
from support.fakes import fake_key, fake_secret

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


@pytest.mark.parametrize("word", ["cross-team", "use-postgres", "tank", "api-key-rotation", "token", "release-2026-01"])
def test_ordinary_words_are_none(word: str) -> None:
    assert holds_secret(word) is None
