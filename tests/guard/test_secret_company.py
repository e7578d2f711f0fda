"""What stands beside a secret neither hides it nor is lost with it."""

import random
from base64 import b64encode
from itertools import product

import pytest
from benchmarks.guard import survives
from benchmarks.leaks import HASHED, SEED, Fake
from benchmarks.lookalikes import POSITIONS, public
from benchmarks.makers import ALNUM, LOWER_HEX, of, password
from benchmarks.neighbours import BESIDE, beside
from benchmarks.written import WRITTEN

from hansard.domain import tokens
from hansard.guard.batch import scan_many
from hansard.guard.columns import ROWS_MAX
from hansard.guard.floods import DEAR, FLOOD, JUDGEMENTS_MAX, LEAKS_MAX, REFUSALS_MAX, REFUSALS_MIN
from hansard.guard.leaks import redacted
from hansard.guard.secrets import redact, scan
from support.fakes import fake_secret

COMPANY = list(beside())
HIDDEN_MAX = 0.002
"""A table that is broken by what was put before it is no table any more."""
CHANCE = random.Random(47)
PASSWORD = f"{password(CHANCE)}7q"
KEY = of(ALNUM, 32)(CHANCE)
HARMLESS_HEADS = (
    "<token>", "<password>", "token >", "api_key |", "secret =>", "password: |", "password: >", "token:", "password =",
    "auth>", "</secret>", "| secret |", "password,", "password(", "password[", "token: str =", "--password",
    "env TOKEN",
    "login", "password is", "the token is", "password ->", "- password:", '"password":', "PASSWORD=", "password: None,",
    "password: str = None,", "password: ${PW}", "password=%s", "token=token,", "password=password,", "secret=secret",
    "password: changeme", 'password := os.Getenv("PW")', "token = get_token()", "password:\n", "Bearer <token>",
    "user:password@host", "password: # comment", "password={", "password: [", "secret: !Ref Foo", "password: !vault |",
    '"token": null,', '"secret": "",', "token: ''", "the key is", "| password |", "| token | kind |\n|---|---|",
)  # fmt: skip
JOINTS = ("\n", " ", "\n  ", ", ", "; ", "\t")
LINES = (
    ("DB_PASSWORD={}", PASSWORD),
    ("  db_password: {}", PASSWORD),
    ('{{"password": "{}"}}', PASSWORD),
    ("the password is {}", PASSWORD),
    ('api_key = "{}"', KEY),
    ("export MY_TOKEN={}", KEY),
    ("secret: '{}'", KEY),
)


def test_nearly_every_secret_is_found_beside_harmless_text_too() -> None:
    missed = [fake for fake in COMPANY if survives(fake.secret, redact(fake.text))]

    print(f"{len(COMPANY) - len(missed)} of {len(COMPANY)} fake secrets found in {len(BESIDE)} kinds of company")
    assert len(missed) <= HIDDEN_MAX * len(COMPANY), [fake.where for fake in missed]


@pytest.mark.parametrize("head", HARMLESS_HEADS)
def test_no_harmless_beginning_hides_what_follows_it(head: str) -> None:
    texts = [f"{head}{joint}{line.format(value)}" for joint, (line, value) in product(JOINTS, LINES)]

    assert [text for text in texts if PASSWORD in redact(text) or KEY in redact(text)] == []


@pytest.mark.parametrize("where", BESIDE)
def test_what_is_redacted_in_company_holds_nothing_more(where: str) -> None:
    texts = [fake.text for fake in COMPANY if fake.where.endswith(f"beside {where}")]
    clean = [redacted(text, scan(text)) for text in texts]

    assert [text for text in clean if scan(text)] == []


def test_many_texts_in_company_are_judged_as_each_by_itself() -> None:
    texts = [fake.text for fake in COMPANY[::7]]

    assert scan_many(texts) == {place: leaks for place, text in enumerate(texts) if (leaks := scan(text))}


@pytest.mark.parametrize("name", ["encryption_key", "api_key", "DB_PASS", "jwt_secret", "client-key-data", "auth"])
def test_padding_before_another_line_of_yaml_is_no_equals_sign(name: str) -> None:
    chance = random.Random(name)
    values = [b64encode(chance.randbytes(size)).decode() for size in (17, 20, 23, 26, 32) * 20]
    assert all(value.endswith("=") for value in values)
    kept = [one for one in values if one in redact(f"data:\n  {name}: {one}\n  endpoint: https://example.org\n")]

    assert len(kept) <= 0.01 * len(values), kept


def test_an_empty_value_does_not_make_a_value_of_the_next_name() -> None:
    empty, first, second = "password =", "api_key2 = ", "secret:\n  token2: "
    text = f'{empty}\n{first}"{KEY}"\n{second}{KEY}\n'

    assert redact(text) == f'{empty}\n{first}"[REDACTED:api_key]"\n{second}[REDACTED:token]\n'


def test_two_values_of_another_script_are_judged_one_by_one() -> None:
    name, value = "password", "Привет" + "1"

    assert redact(f'{name}: "жжжжжж1"\n{name}: "{value}"') == f'{name}: "жжжжжж1"\n{name}: "[REDACTED:password]"'


def test_a_cell_that_is_open_once_is_judged_again_where_it_is_closed() -> None:
    text = f"| api_key | {KEY} and more\n| api_key | {KEY} | x\n"

    assert redact(text).endswith("| api_key | [REDACTED:api_key] | x\n")


def test_the_same_words_are_judged_again_behind_another_word() -> None:
    text = f"The cache key is {PASSWORD}.\nThe key is {PASSWORD}.\n"

    assert redact(text) == f"The cache key is {PASSWORD}.\nThe key is [REDACTED:password].\n"


@pytest.mark.parametrize("text", list(public(random.Random(SEED))))
def test_what_everybody_may_know_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("name", ["DB_PASS", "jwt_secret"])
def test_padding_shows_a_value_without_a_digit(name: str) -> None:
    value = "NXhTWDRRUTNi" + "aERMNyE="

    assert value not in redact(f"{name}: {value}\n")
    assert redact(f"{name}: LoginServiceName=\n") == f"{name}: LoginServiceName=\n"


@pytest.mark.parametrize("sign", [" = ", ": ", ' ?? "', " ĀĀ"])
@pytest.mark.parametrize("value", [KEY, f"{KEY}{KEY[:11]}="])
def test_the_kind_in_a_mark_is_no_name_of_what_follows(sign: str, value: str) -> None:
    token = fake_secret(47)
    text = redact(f"{token}{sign}{value}\n")

    assert text == redact(text) == f"[REDACTED:github_token]{sign}{value}\n"
    assert redact(f"[REDACTED:openai_key]{sign}{value}\n") == f"[REDACTED:openai_key]{sign}{value}\n"


def test_what_follows_a_mark_is_not_told_by_the_name_before_it() -> None:
    beside = "0000~" + "A0B"
    text = redact(f'password = "{PASSWORD}" {beside}')

    assert text == redact(text) == f'password = "[REDACTED:password]" {beside}'


@pytest.mark.parametrize("owner", ["Hetzner", "the API", "our"])
def test_a_key_of_somebody_is_a_secret_in_a_sentence(owner: str) -> None:
    assert redact(f"{owner} key is {KEY} since May") == f"{owner} key is [REDACTED:password] since May"


@pytest.mark.parametrize("owner", ["cache", "primary", "VAPID public", "minisign", "object", "the primary"])
def test_a_key_that_opens_nothing_stays_in_a_sentence(owner: str) -> None:
    assert redact(f"{owner} key is {KEY} since May") == f"{owner} key is {KEY} since May"


@pytest.mark.parametrize("form", POSITIONS)
def test_a_place_in_a_list_is_no_token_and_the_same_value_elsewhere_is_one(form: str) -> None:
    text = f"{form.format(KEY)}\n\nThe deploy token is {KEY}\ntoken: {KEY}\n"

    assert redact(text) == f"{form.format(KEY)}\n\nThe deploy token is [REDACTED:password]\ntoken: [REDACTED:token]\n"


def test_a_method_is_no_password_and_a_password_that_opens_like_one_is() -> None:
    name, value = "DB_PASSWORD", "bcrypt-" + "wInter24!"

    assert redact(f"{name}=scram-sha-256\n{name}={value}\n") == f"{name}=scram-sha-256\n{name}=[REDACTED:password]\n"


@pytest.mark.parametrize(
    "name", ["password of the shop: ", "Password of the staging DB: ", "the login password there: "]
)
def test_a_password_stands_behind_a_colon_that_ends_several_words(name: str) -> None:
    assert redact(f"{name}{PASSWORD}") == f"{name}[REDACTED:password]"


def test_a_number_behind_a_name_changes_nothing() -> None:
    assert (
        redact(f"DB_PASSWORD2={PASSWORD}\ntoken3: {KEY}")
        == "DB_PASSWORD2=[REDACTED:password]\ntoken3: [REDACTED:token]"
    )


@pytest.mark.parametrize("user", ["x-access-token", "token", "TOKEN", "oauth2"])
def test_of_an_address_only_the_token_goes(user: str) -> None:
    token = of(ALNUM, 36, "gh" + "p_")(CHANCE)

    assert redact(f"git clone https://{user}:{token}@github.com/org/repo.git") in (
        f"git clone https://{user}:[REDACTED:github_token]@github.com/org/repo.git",
        f"git clone https://{user}:[REDACTED:url_password]@github.com/org/repo.git",
    )


@pytest.mark.parametrize("form", WRITTEN)
def test_a_password_is_taken_out_alone_however_it_is_written(form: str) -> None:
    assert redact(form.format(PASSWORD)) == form.format("[REDACTED:MARK]").replace("MARK", _kind(form))


@pytest.mark.parametrize("form", HASHED)
def test_what_could_be_a_digest_is_a_secret_where_it_is_called_one(form: str) -> None:
    value = of(LOWER_HEX, 32)(CHANCE)

    assert value not in redact(form.format(value))
    assert value in redact(f"The token was checked in run {value}, by the API key of build {value}.")


def test_a_token_of_hansard_is_found_whole() -> None:
    made = [tokens.new_text() for _ in range(50)]

    assert [redact(f"use {one} here") for one in made] == ["use [REDACTED:hansard_token] here"] * len(made)


@pytest.mark.parametrize("word", ["xXxX", "yOuR", "your", "XXXX"])
def test_a_random_token_may_hold_the_word_of_an_example_by_chance(word: str) -> None:
    by_chance = f"hansard_PTFEr1IILM3djhJ{word}P0P5aVpIYlwHeBJY5ksB5B3M"

    assert redact(by_chance) == "[REDACTED:hansard_token]"


def test_a_column_goes_on_to_the_last_row_of_its_table_and_no_further() -> None:
    table = f"| user | password |\n|---|---|\n| ana | {PASSWORD} |\n| bob | {PASSWORD}x |\n"

    assert redact(f"{table}\n| ana | {PASSWORD} |") == (
        "| user | password |\n|---|---|\n| ana | [REDACTED:password] |\n| bob | [REDACTED:password] |\n"
        f"\n| ana | {PASSWORD} |"
    )


def test_a_heading_behind_the_rows_of_another_table_is_read_too() -> None:
    text = f"user,token\nana,none\n\nname,secret\nshop,{KEY}\n"

    assert redact(text) == "user,token\nana,none\n\nname,secret\nshop,[REDACTED:secret]\n"


def test_rows_are_counted_so_that_no_table_takes_long() -> None:
    rows = "a,b\n" * ROWS_MAX

    assert KEY in redact(f"user,token\n{rows}ana,{KEY}\n")
    assert KEY not in redact(f"user,token\n{rows[: len(rows) // 2]}ana,{KEY}\n")


@pytest.mark.parametrize(
    ("heading", "row"), [("| user | password |\n|---|---|", "| u | {} |"), ("user,password", "u,{}")]
)
def test_a_long_table_of_passwords_is_a_dump(heading: str, row: str) -> None:
    rows = "\n".join(row.format(f"h!{number:06d}x") for number in range(LEAKS_MAX + 10))
    leaks = scan(f"{heading}\n{rows}\n\nwords behind it")

    assert leaks[-1].kind == FLOOD
    assert len(leaks) == LEAKS_MAX + 2
    assert "words behind it" not in redact(f"{heading}\n{rows}\n\nwords behind it")


def test_a_table_with_too_many_different_values_to_judge_is_one_too() -> None:
    rows = "\n".join(f"u,name-{number}" for number in range(JUDGEMENTS_MAX + 2))
    same = "u,name-1\n" * (JUDGEMENTS_MAX + 1)

    assert [leak.kind for leak in scan(f"user,password\n{rows}")] == [FLOOD]
    assert scan(f"user,password\n{same}") == ()


@pytest.mark.parametrize("line", ["token: foo-bar-{}", "Bearer foo-bar-{}-here", "password: Get{}(User.Id)"])
def test_lines_with_too_many_different_values_to_judge_are_one_and_half_as_many_are_none(line: str) -> None:
    rows = [line.format(number) for number in range(JUDGEMENTS_MAX + 2)]

    assert scan("\n".join(rows))[-1].kind == FLOOD
    assert FLOOD not in {leak.kind for leak in scan("\n".join(rows[: min(LEAKS_MAX, JUDGEMENTS_MAX // DEAR)]))}


@pytest.mark.parametrize(
    "line",
    [
        '{{"author": "Person Number{0}", "title": "A note on things {0}"}}', "passed: test_case_{}_ok",
        "passenger: name{} row", "    {{0x{:04x}, 1 | DECOMP_COMPAT | DECOMP_INLINE, 0x03C0}},",
        "tokens: {} in, 12k out", "tokens used {:,} of 200,000 by 09:41", '"Key": "item-{}-of-list", "Value": "a note"',
    ],
)  # fmt: skip
def test_lines_that_are_no_secrets_at_first_sight_may_be_many(line: str) -> None:
    rows = [line.format(number) for number in range(REFUSALS_MAX // 3)]

    assert scan("\n".join(("the account at aws", *rows))) == ()


def test_nor_are_many_numbers_where_nobody_is_named_whose_key_they_may_be() -> None:
    line = "WARN refresh token " + "{:08x}-7f1e-4a0b-9d3c-4f0c9a527f1e expired"

    assert scan("\n".join(line.format(number) for number in range(REFUSALS_MAX // 3))) == ()


@pytest.mark.parametrize("name", ["author", "passed", "key"])
def test_a_secret_behind_many_names_that_tell_none_is_found(name: str) -> None:
    """A name that holds one is judged, however often another one held none."""
    rows = "\n".join(f"{name}: name-of-{number}" for number in range(REFUSALS_MIN))

    assert redact(f"{rows}\n{name}: password={KEY}\n").endswith(f"{name}: password=[REDACTED:password]\n")
    assert redact(f"{rows}\naws_{name}: none\naws secret key: {KEY}\n").endswith("key: [REDACTED:api_key]\n")


@pytest.mark.parametrize("owner", ["api", "access", "client", "license", "storage"])
@pytest.mark.parametrize("line", ["**{} key:** `{}`", '"{} key": "{}"', "{} key: {}", "`{} key`: `{}`"])
def test_the_second_key_of_a_text_is_found_as_the_first_is(owner: str, line: str) -> None:
    """A name was read without the word behind its blank, and cleared by what it said before."""
    text = f"{line.format(owner, 'in-the-vault')}\n{line.format(owner, KEY)}\n"

    assert KEY not in redact(text)


@pytest.mark.parametrize("long", ["pass|\n" * 3_400, "user|token\n" + "a|b\n" * ROWS_MAX, "aaaa\\\n" * 60_000])
def test_no_text_of_a_batch_is_read_less_because_another_is_long(long: str) -> None:
    token = fake_secret()
    texts = [long, *["The build is green."] * 12, f"user | password\nana | {KEY}!", f"{token[:20]}\\\n{token[20:]}"]

    assert list(scan_many(texts)) == [13, 14]


@pytest.mark.parametrize("before", [0, 1, 226, 238, 470])
def test_a_key_that_only_its_owner_tells_is_found_wherever_it_stands(before: int) -> None:
    number = "3f2b8c1e-9a47-4d60-" + "b1c5-7e8f90a1b2c3"
    text = ("some words and so on " * 30)[:before] + ("\n" if before else "") + f"Token for heroku: {number}"

    assert number not in redact(text)


def test_a_batch_finds_the_key_behind_a_name_that_another_text_cleared() -> None:
    texts = ["**API key:** `in-the-vault`", *["The build is green."] * 10, f"**API key:** `{KEY}`"]

    assert list(scan_many(texts)) == [11]


def test_what_is_refused_again_and_again_is_one_only_past_a_limit_of_its_own() -> None:
    assert scan("key a1b2c3d4 " * (REFUSALS_MAX - REFUSALS_MIN)) == ()
    assert [leak.kind for leak in scan("key a1b2c3d4 " * (REFUSALS_MAX + 2))] == [FLOOD]


def test_a_company_never_has_a_secret_of_its_own() -> None:
    assert [where for where, (before, after) in BESIDE.items() if scan(f"{before}it{after}")] == []


def _kind(form: str) -> str:
    """A value that is called a key, a token or a secret is said to be one, and what is in an address to be of one."""
    if "@tcp(" in form or "@unix(" in form:
        return "url_password"
    return {"SECRET_KEY = b'{}'": "api_key", 'const token = process.env.TOKEN ?? "{}"': "token"}.get(form, "password")


def test_every_kind_of_company_has_every_secret() -> None:
    kinds: dict[str, list[Fake]] = {}
    for fake in COMPANY:
        kinds.setdefault(fake.where.rpartition("beside ")[2], []).append(fake)

    assert set(kinds) == set(BESIDE)
    assert len({len(fakes) for fakes in kinds.values()}) == 1


@pytest.mark.parametrize("before", ["Make a commit\n", "# sync\n", "## Output\n", "Next\n\n", "- page\n"])
def test_a_word_of_the_line_before_is_no_part_of_a_name(before: str) -> None:
    assert KEY not in redact(f"{before}token={KEY}\n")
    assert scan("the next page token: CAESBgiB-4WxBg") == ()


@pytest.mark.parametrize("beside", ["pinned {}@sha256:0", "[REDACTED:{}"])
def test_what_makes_a_value_public_in_one_place_does_not_do_so_in_another(beside: str) -> None:
    bot = "7997378789:A" + "AQX-gviF6a9x50-3QCR7I_n7DOvJpo2d53"
    text = f"{beside.format(bot)}\nthe bot answers to {bot} now"

    assert redact(text).endswith("the bot answers to [REDACTED:telegram_bot_token] now")
    assert scan_many([beside.format(bot), f"the bot answers to {bot} now"]).keys() >= {1}
