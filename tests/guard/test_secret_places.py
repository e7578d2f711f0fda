"""Proves that a secret is found whether its word is rare in a text and looked at where it stands, or common in it."""

import json
import random
from collections.abc import Callable
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.guard.familiar import PASSAGE_CHARACTERS
from hansard.guard.patterns import GROUP_CHARACTERS_MAX, PLACES_MAX, Words
from hansard.guard.secrets import redact

PASSWORD = "Xk29!" + "dkq0Zp"
COMMANDS = (
    "curl -u ana:{}", "twine upload -p {} dist", "openssl enc -k {}", "lftp -u ana,{} host", "net use /user:ana {}",
    "requirepass {}", "wifi:T:WPA;S:home;P:{};", "service --password {}", "env DB_PASSWORD {}",
)  # fmt: skip
EDGES = ("", " ", "\n", "_", "\\n", "\\u000a", "\\x20", "%20", "\x1b[0;31m", "(", "`", "é")
WORDS = ("curl", "cur", "url ", "-p", "ssh", "sshpass", "pass", "hp", "key", "a_")
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


CHAINS = (
    "mongodump -u root -p {} --out /b && mkdir -p build/out", "redis-cli -a {} ping && ls -a folder",
    "twine upload -p {} dist/a && git log -p README.md", "mongosh -p {} && docker run -p 8080:80 nginx",
    "openssl enc -aes-256-cbc -k {} && curl -k https://a.example.org", "sqlcmd -S x -P {} && xargs -P parallel",
    "curl -uana:{} https://a && docker run -u1000:1000 img", "zip -r -P {} a.zip d && zip -P placeholder b.zip d",
    "ldapsearch -D cn=a -w {} -b dc=x && curl -w format u", "lftp -u ana,{} h && lftp -u ana,password h",
    "mongosh -p {} and then mkdir -p build/output, as the runbook says.", "curl\t-uana:{} https://a",
    "kubectl create secret generic a --from-literal=x={} --from-literal=y=words-of-an-administrator",
)  # fmt: skip
TOKEN = "".join(random.Random(32).choices(ascii_letters + digits, k=22))


@pytest.mark.parametrize("line", CHAINS)
@pytest.mark.parametrize("before", ["", "mongosh -p placeholder && ", "curl -b a=b c && "])
def test_what_a_command_is_given_is_found_before_and_behind_the_same_option_of_others(line: str, before: str) -> None:
    value = TOKEN if "literal" in line else PASSWORD

    assert redact(f"{before}{line.format(value)}") == f"{before}{line.format('[REDACTED:x]')}".replace(
        ":x]", ":secret]" if "literal" in line else ":password]"
    )


@pytest.mark.parametrize("encode", [json.dumps, lambda text: json.dumps(json.dumps(text))], ids=["once", "twice"])
@pytest.mark.parametrize(
    "line", ["pw={}", "pwd={}", "\tpass: {}", "senha: {}", "requirepass {}", "mongosh -p {}", "rootpw {}"]
)
@pytest.mark.parametrize(
    "around", ["{}", "ok\n{}", "{}\nexample.py", "{}\tyour turn", "{}\r\nplaceholder", "a\n\n{}\n\n# b"]
)
def test_lines_in_a_quoted_text_are_lines(encode: Callable[[str], str], line: str, around: str) -> None:
    quoted = encode(around.format(line.format(PASSWORD)))

    assert redact(quoted) == quoted.replace(PASSWORD, "[REDACTED:password]")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"text": "We hash passwords with argon2\n\n## Next"}),
        json.dumps("How do I reset the password of web2?\nassistant: with the link"),
        "password_file: C:\\new\\tools2\\token.txt",
    ],
)
def test_a_line_break_in_a_quoted_text_makes_no_secret(text: str) -> None:
    assert redact(text) == text


def test_a_folder_of_windows_that_begins_with_such_a_letter_is_no_line() -> None:
    assert PASSWORD not in redact(f"net use Z: \\\\srv\\tools {PASSWORD} /user:ana")


@pytest.mark.parametrize(
    ("harmless", "same"),
    [
        ("[REDACTED:password={}\n", "password={}\n"),
        ("docker://reg:{}@sha256:ab\n", "docker://reg:{}@srv.example.org\n"),
    ],
)
def test_a_value_that_was_refused_once_is_judged_again_where_something_else_stands_around_it(
    harmless: str, same: str
) -> None:
    assert PASSWORD not in redact(f"{harmless.format(PASSWORD)}{same.format(PASSWORD)}").replace(
        harmless.format(PASSWORD), ""
    )


@pytest.mark.parametrize("number", [0, 1, 150, 199, 200, 201, 202, 1_500])
@pytest.mark.parametrize("command", ["echo 'ana:{}' | chpasswd", "mongosh -p {}", "zip -P {} a"])
def test_nothing_is_left_of_a_text_that_is_crowded_with_commands(command: str, number: int) -> None:
    words = "curl mongo ldap openssl lftp twine psexec sqlcmd smbclient rabbitmqctl ssh-keygen chpasswd zip -"
    lines = [f"{words} {place}" for place in range(2_000)]
    lines[number] += f"\n{command.format(PASSWORD)}"

    assert PASSWORD not in redact("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        '{{"password": "{}\\n"}}', '{{"env": {{"DB_PASSWORD": "{}\\n"}}}}', 'db.connect(password="{}\\t")',
        '{{"text": "{{\\"password\\": \\"{}\\\\n\\"}}"}}',
        "sqlcmd -S DB01\\nightly -U sa -P {}", "curl -uCORP\\tom:{} https://a", "psexec \\\\web01 -u CORP\\nina -p {}",
        'curl -w "%{{http_code}}\\n" -uadmin:{} https://a', "redis-cli -d '\\n' -a {}", "mssql://CORP\\nina:{}@db01/shop",
        '{{"out": "wrote C:\\\\app\\\\config.ini\\npwd={}\\nok"}}', '{{"cmd": "redis-cli -a \\"{}\\" ping"}}',
        '{{"cmd": "curl -u \\"admin:{}\\" https://a"}}', '{{"cmd": "mongosh -p \\"{}\\""}}',
        "The password for login with --user ana is {}",
    ],
)  # fmt: skip
def test_what_looks_like_a_line_break_hides_nothing(text: str) -> None:
    kind = "url_password" if "://CORP" in text else "password"

    assert redact(text.format(PASSWORD)) == text.format(f"[REDACTED:{kind}]")


@pytest.mark.parametrize(
    "line",
    ["redis-cli ping && usermod -a docker9users", "curl -s https://x && docker exec -uroot:wheel9 img"],
)
def test_what_follows_another_command_is_its_own(line: str) -> None:
    assert redact(line) == line


def test_a_long_log_of_requests_with_client_tokens_is_no_dump() -> None:
    ids = (f"{place:08x}-3b7d-4c58-9e21-7a4d5b8c0f13" for place in range(2_500))
    text = "\n".join(f'{{"eventName": "RunInstances", "requestParameters": {{"clientToken": "{one}"}}}}' for one in ids)

    assert redact(text) == text


@given(st.lists(st.sampled_from(WORDS) | st.text("acdhkprsuyCURL -_\n", max_size=5), max_size=30))
def test_one_pass_tells_exactly_where_a_text_holds_which_words(parts: list[str]) -> None:
    text = "".join(parts)

    lowered = text.lower()
    told = {one: [place for place in range(len(text)) if lowered.startswith(one, place)] for one in sorted(WORDS)}

    assert Words(WORDS).places_in(text.encode("latin-1"), lowered) == {
        one: places[: PLACES_MAX + 1] for one, places in told.items() if places
    }


@pytest.mark.parametrize("before", range(PASSAGE_CHARACTERS - 12, PASSAGE_CHARACTERS + 2))
def test_a_word_across_the_edge_of_a_passage_is_found_once(before: int) -> None:
    text = "-" * before + "redis-cli" + "-" * PASSAGE_CHARACTERS

    assert Words(["redis-cli", "curl"]).places_in(text.encode(), text) == {"redis-cli": [before]}


@pytest.mark.parametrize("before", range(PASSAGE_CHARACTERS - 16, PASSAGE_CHARACTERS + 2))
def test_a_name_of_another_language_across_the_edge_of_a_passage_is_known(before: int) -> None:
    text = (
        "é, " + "x " * (before // 2) + " " * (before % 2) + f"mot de passe: {PASSWORD}\n" + "y. " * PASSAGE_CHARACTERS
    )

    assert PASSWORD not in redact(text)


def test_a_token_around_a_word_is_found_in_a_long_text_with_few_of_them() -> None:
    chance = random.Random(5)
    token = ".atlasv1.".join("".join(chance.choices(ascii_letters + digits, k=size)) for size in (14, 3_000))
    text = f"{'plain words. ' * 40_000}{token}{' plain words.' * 40_000}"

    assert redact(text) == text.replace(token, "[REDACTED:terraform_token]")


def test_what_no_rule_wants_of_a_header_hides_no_secret_behind_it() -> None:
    digits = "".join(random.Random(11).choices("0123456789abcdef", k=32))
    secret = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    assert secret not in redact(f"Authorization: PVEAPIToken=root@pam!ci={secret}")
