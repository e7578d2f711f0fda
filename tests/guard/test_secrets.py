"""The secret scan finds what must not be kept, leaves alone what only looks like it, and takes out what it found."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.guard import survives
from benchmarks.leaks import Fake, fakes
from benchmarks.lookalikes import COLONS, HARMLESS_FIELDS, IDENTIFIERS, METHODS, PATS, PROGRAMS, SENTENCES, lookalikes
from benchmarks.makers import ALNUM
from benchmarks.tokens import TOKENS
from hypothesis import given
from hypothesis import strategies as st

from hansard.guard.floods import FLOOD, LEAKS_MAX
from hansard.guard.leaks import Leak, redacted
from hansard.guard.rules import table
from hansard.guard.secrets import redact, scan
from house.source import shown, text_files

FAKES = fakes()
HARMLESS = lookalikes()
RECALL_MIN = 0.97
FALSE_MAX = 0.01


def one(kind: str) -> str:
    return TOKENS[kind](random.Random(kind))


def is_fixture(path: Path) -> bool:
    """Whether the file may hold made-up passwords: tests of other parts have servers to log in to."""
    return shown(path).startswith("tests/") and not shown(path).startswith("tests/guard/")


def kinds(text: str) -> list[str]:
    return [leak.kind for leak in scan(text)]


def test_nearly_every_fake_secret_is_found() -> None:
    missed = [fake for fake in FAKES if survives(fake.secret, redact(fake.text))]

    print(f"{len(FAKES) - len(missed)} of {len(FAKES)} fake secrets found")
    assert len(FAKES) >= 150
    assert len({fake.kind for fake in FAKES}) >= 40
    assert len(missed) <= (1 - RECALL_MIN) * len(FAKES), missed


def test_hardly_any_harmless_look_alike_is_taken_for_a_secret() -> None:
    found = [text for text in HARMLESS if scan(text)]

    print(f"{len(found)} of {len(HARMLESS)} harmless texts flagged")
    assert len(HARMLESS) >= 400
    assert len(found) <= FALSE_MAX * len(HARMLESS), found


@pytest.mark.parametrize("fake", FAKES, ids=lambda fake: f"{fake.kind} in {fake.where}")
def test_what_is_redacted_once_holds_nothing_more(fake: Fake) -> None:
    leaks = scan(fake.text)
    clean = redacted(fake.text, leaks)

    assert scan(clean) == ()
    assert redact(clean) == clean
    assert all(f"[REDACTED:{leak.kind}]" in clean for leak in leaks)


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_alone_is_found_from_end_to_end(kind: str) -> None:
    token = one(kind)
    found = scan(token)

    assert [token[leak.start : leak.end].removeprefix("https://") for leak in found] == [token.removeprefix("https://")]


@pytest.mark.parametrize("text", [*IDENTIFIERS, *HARMLESS_FIELDS, *SENTENCES, *PROGRAMS, *COLONS, *PATS, *METHODS])
def test_names_fields_sentences_and_programs_pass(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Password={};", "password"),
        ('"db_password": "{}"', "password"),
        ("password is {}", "password"),
        ("psql postgresql://shop:{}@db/shop", "url_password"),
        ("curl --user ana:{} https://example.org", "password"),
        ("secret_name: password={}", "password"),
        ("PGPASSWORD={} psql -h db", "password"),
        ("mysql -u root -p{} shop", "password"),
        ("sshpass -p {} ssh host", "password"),
        ("password: |\n  {}", "password"),
        ("password => '{}'", "password"),
        ('password = """{}"""', "password"),
        ("**Password:** `{}`", "password"),
        ("| password | {} |", "password"),
        ("config(token_url='x', password='{}')", "password"),
    ],
)
def test_a_password_is_known_by_what_stands_around_it(text: str, kind: str) -> None:
    value = "Gr4!" + "vel9Xq"

    assert [(leak.kind, text.format(value)[leak.start : leak.end]) for leak in scan(text.format(value))] == [
        (kind, value)
    ]


def test_the_kind_is_that_of_the_rule_that_knows_most() -> None:
    token = one("github_classic")

    assert kinds(f"export API_TOKEN='{token}'") == ["github_token"]
    assert kinds(f"Authorization: Bearer {one('jwt')}") == ["jwt"]


def test_places_are_counted_in_characters() -> None:
    token = one("github_classic")
    text = f"Пароль 😀 İ é: {token} – Ende"
    (leak,) = scan(text)

    assert text[leak.start : leak.end] == token
    assert redact(text) == "Пароль 😀 İ é: [REDACTED:github_token] – Ende"


def test_a_lone_surrogate_does_not_stop_the_scan() -> None:
    assert kinds("\ud800 " + one("npm")) == ["npm_token"]


def test_several_secrets_are_told_in_order_and_apart() -> None:
    text = f"{one('npm')} and {one('stripe_live')}\npassword = 'Gr4!" + "vel9Xq'"
    leaks = scan(text)

    assert [leak.kind for leak in leaks] == ["npm_token", "stripe_key", "password"]
    assert all(first.end <= second.start for first, second in pairwise(leaks))


def test_a_key_without_an_end_is_taken_out_to_its_last_line() -> None:
    body = "\n".join("".join(random.Random(n).choices(ALNUM, k=64)) for n in range(3))
    text = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{body}"

    assert redact(text) == "[REDACTED:private_key]"


def test_a_dump_of_secrets_is_taken_out_whole() -> None:
    chance = random.Random(5)
    text = "\n".join(TOKENS["npm"](chance) for _ in range(LEAKS_MAX + 50))
    leaks = scan(text)

    assert leaks[-1].kind == FLOOD
    assert leaks[-1].end == len(text)
    assert len(leaks) == LEAKS_MAX + 2


def test_a_mark_does_not_hide_what_stands_beside_it() -> None:
    assert kinds('password="[REDACTED:password]Gr4!' + 'vel9Xq"') == ["password"]


def test_threads_find_the_same() -> None:
    texts = [fake.text for fake in FAKES] + HARMLESS
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(scan, texts)) == [scan(text) for text in texts]


def test_a_text_without_any_telling_word_does_not_load_the_engine() -> None:
    program = (
        "import sys\n"
        "from hansard.guard.secrets import scan\n"
        "scan('We use blue buttons on every page.')\n"
        "assert 're2' not in sys.modules\n"
        "scan('password=' + 'Gr4!vel9Xq')\n"
        "assert 're2' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@given(st.text(max_size=300), st.sampled_from(FAKES), st.text(max_size=300))
def test_redaction_is_final_whatever_stands_around(before: str, fake: Fake, after: str) -> None:
    text = f"{before} {fake.text} {after}"
    leaks = scan(text)

    assert list(leaks) == sorted(leaks)
    assert all(0 <= leak.start < leak.end <= len(text) for leak in leaks)
    assert scan(redacted(text, leaks)) == ()


@pytest.mark.parametrize("rule", [*table().tokens, *table().shapes, *table().contexts], ids=lambda rule: rule.id)
def test_every_rule_says_by_which_words_it_is_found(rule: object) -> None:
    words = getattr(rule, "words")  # noqa: B009 - rules of three tables

    assert words
    assert all(words)


def test_every_rule_has_a_name_of_its_own() -> None:
    names = [rule.id for rule in (*table().tokens, *table().shapes, *table().contexts)]

    assert len(set(names)) == len(names)
    assert len({rule.kind for rule in (*table().tokens, *table().shapes, *table().contexts)}) >= 40


@pytest.mark.parametrize("path", [one for one in text_files() if not is_fixture(one)], ids=shown)
def test_the_repository_holds_no_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert [text[leak.start : leak.end] for leak in scan(text)] == []


def test_a_leak_tells_its_rule() -> None:
    assert scan(one("npm")) == (Leak(0, 40, "npm-token", "npm_token"),)
