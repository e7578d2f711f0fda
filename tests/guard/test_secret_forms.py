"""Secrets are found in the forms that tools and people give them, and what stands beside them is left alone."""

import json
import random
from base64 import b64encode
from string import ascii_letters, ascii_uppercase, digits

import pytest
from benchmarks.leaks import Fake, fakes
from benchmarks.tokens import TOKENS

from hansard.guard.batch import scan_many
from hansard.guard.familiar import WIDE
from hansard.guard.gate import passed
from hansard.guard.rules import table
from hansard.guard.secrets import redact, scan
from support.fakes import fake_key, fake_secret

CHANCE = random.Random(31)
TOKEN = fake_secret(31)
PASSWORD = "Xk29!" + "dkq0Zp"
HEX = "0123456789abcdef"
HEAD = f"-----BEGIN RSA {'PRIVATE'} KEY-----"
TAIL = f"-----END RSA {'PRIVATE'} KEY-----"


def made(count: int, alphabet: str = ascii_letters + digits) -> str:
    return "".join(CHANCE.choice(alphabet) for _ in range(count))


LINES = [made(64) for _ in range(4)]
UUID = "-".join(made(size, HEX) for size in (8, 4, 4, 4, 12))
AWS = made(38) + "/+"


@pytest.fixture(autouse=True)
def chance() -> None:
    """A test draws the same values whichever ones ran before it."""
    CHANCE.seed(31)


def nothing(_value: str) -> bool:
    return False


@pytest.mark.parametrize(
    "left", ["\\u0026", "\\u003e", "\\x22", "TOKEN_", "\x1b[01;31m\x1b[K", "\x1b[K", "\\n", "%3D", "_"]
)
def test_a_token_begins_behind_what_an_encoder_or_a_terminal_put_there(left: str) -> None:
    assert redact(f"a {left}{TOKEN} b") == f"a {left}[REDACTED:github_token] b"


@pytest.mark.parametrize("form", ["rotate _{}_ today", "__{}__", "*_{}_*", "_the new one: {}_"])
@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_that_is_set_off_by_underscores_ends_before_them(kind: str, form: str) -> None:
    token = TOKENS[kind](random.Random(kind))
    clean = redact(form.format(token))

    assert token[-12:] not in clean
    assert "[REDACTED:" in clean


def test_the_underscores_around_a_token_stay() -> None:
    key = fake_key(31)

    assert redact(f"rotate _{key}_ today") == "rotate _[REDACTED:aws_access_key]_ today"
    assert redact(f"my_{key}_x") == "my_[REDACTED:aws_access_key]_x"
    assert redact(f"{key}_b") == "[REDACTED:aws_access_key]_b"
    assert redact(f"{key}X_b") == f"{key}X_b"


def test_the_folder_that_a_shell_is_in_is_no_password() -> None:
    folder = "/srv/app/releases/20261116T101010Z"

    assert redact(f"PWD={folder}") == f"PWD={folder}"
    assert redact(f"HOME=/srv\nPWD={folder}\nDB_PWD={PASSWORD}") == (
        f"HOME=/srv\nPWD={folder}\nDB_PWD=[REDACTED:password]"
    )
    assert redact(f"PWD={PASSWORD}") == "PWD=[REDACTED:password]"


@pytest.mark.parametrize("form", ["password: ‘{}’", "password: “{}”", "ana’s password = ‘{}’."])
def test_a_password_in_curly_quotes_is_found(form: str) -> None:
    assert redact(form.format(PASSWORD)) == form.format("[REDACTED:password]")


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        (f"User name,Access key ID,Secret access key\nbob,{fake_key(31)},", AWS, "\n"),
        ('"Secret access key",', AWS, "]"),
        ('{"kty":"EC","crv":"P-256","d":"', made(43), '"}'),
        ("APP_KEY=base64:", made(43) + "=", "\n"),
        ("secret_key=", "0x" + made(64, HEX), "\n"),
        ("ETH_PRIVATE_KEY: ", "0x" + made(64, HEX), "\n"),
        ("PresharedKey = ", made(43) + "=", "\n"),
        ("token: ", UUID, "\n"),
        ("//registry.example.org/:_authToken=", UUID, "\n"),
        ("password: >-\n  ", PASSWORD, "\n"),
        ("password: |+\n  ", PASSWORD, "\n"),
        ("| key | value |\n|---|---|\n| DB_PASSWORD | ", PASSWORD, " |"),
        ("| DB_PASSWORD | `", PASSWORD, "` |"),
        ("password：", PASSWORD, ""),
        ("contraseña: ", PASSWORD, ""),
        ("contrasena: ", PASSWORD, ""),
        ("Mot de passe: ", PASSWORD, ""),
        ("пароль: ", PASSWORD, ""),
        ("Пароль = ", PASSWORD, ""),
        ("密码：", PASSWORD, ""),
        ("Das Passwort lautet ", PASSWORD, ""),
        ("postgres://app:", "p@ss/w0rd#1", "@db/x"),
        ("postgres://app:", "ab/Xk29!" + "dkq0", "@db.internal/x"),
        ("postgres://app:", "Xk29" + "dk@q0", "@db.internal/x"),
    ],
)
def test_a_value_is_taken_out_whole_and_nothing_else(before: str, value: str, after: str) -> None:
    text = before + value + after
    assert value in [text[leak.start : leak.end] for leak in scan(text)]
    clean = redact(text)
    assert value not in clean
    assert scan(clean) == ()


def test_a_token_that_goes_on_behind_a_backslash_is_one() -> None:
    text = f"export A=\\\n  1\nexport GITHUB_TOKEN={TOKEN[:20]}\\\n  {TOKEN[20:]} next"
    assert redact(text) == "export A=\\\n  1\nexport GITHUB_TOKEN=[REDACTED:github_token] next"


@pytest.mark.parametrize(
    "form", ["TOKEN={}", "token: {}", "export API_TOKEN={} && make", "service --token {}", "Bearer {}"]
)
@pytest.mark.parametrize("head", ["id:", "v1:", "oauth:", f"{UUID}:", "1/12004567890123:", "a:b:", "longer-than-six:"])
def test_a_word_and_a_colon_do_not_hide_the_secret_behind_them(form: str, head: str) -> None:
    value = f"{head}{made(40)}"
    assert redact(form.format(value)).replace("bearer_token", "token") == form.format("[REDACTED:token]")


@pytest.mark.parametrize("head", ["Ab3:", "oauth:", "a:b:"])
def test_a_password_may_have_a_colon(head: str) -> None:
    assert redact(f"DB_PASSWORD={head}{PASSWORD}") == "DB_PASSWORD=[REDACTED:password]"


@pytest.mark.parametrize("behind", [":example", ":8080", ":f(x)", ": yes"])
def test_what_follows_a_colon_does_not_save_what_stands_before_it(behind: str) -> None:
    assert PASSWORD not in redact(f"DB_PASSWORD={PASSWORD}{behind}")


@pytest.mark.parametrize(
    "name", ["DEVOPS_EXT_PAT", "GITHUB_PAT", "MY_PAT", "pat", "PAT", "githubPat", "PAT_2", "ci.pat"]
)
@pytest.mark.parametrize("value", [made(40, HEX), made(52)])
def test_a_personal_access_token_is_known_by_its_short_name(name: str, value: str) -> None:
    assert redact(f"{name}={value}\n") == f"{name}=[REDACTED:token]\n"
    assert redact(f'"{name}": "{value}"') == f'"{name}": "[REDACTED:token]"'


def test_somebody_called_pat_may_name_a_commit_and_no_token() -> None:
    commit, token = made(40, HEX), made(40)
    assert (
        redact(f"Pat: {commit}\nPat: {token}\npat: {commit}")
        == f"Pat: {commit}\nPat: [REDACTED:token]\npat: [REDACTED:token]"
    )


def test_a_name_in_an_arn_says_nothing_and_the_same_name_elsewhere_does() -> None:
    value = f"shop/db-a1B2c3{made(12)}"
    arn = f"arn:aws:secretsmanager:eu-west-1:123456789012:secret:{value}"
    assert redact(f"{arn}\nsecret:{value}") == f"{arn}\nsecret:[REDACTED:secret]"


def test_many_texts_know_a_personal_access_token_too() -> None:
    texts = ["plain", f"MY_PAT={made(40)}", "the path and the pattern"] * 900
    assert set(scan_many(texts)) == set(range(1, len(texts), 3))


@pytest.mark.parametrize("mark", ["-- ", "# ", "// ", "> ", " * ", "    ", ""])
@pytest.mark.parametrize("closed", [True, False])
def test_a_key_in_comment_lines_is_taken_out_to_its_last_line(mark: str, closed: bool) -> None:
    lines = [HEAD, *LINES, "abc1="] + ([TAIL] if closed else [])
    text = "\n".join(mark + line for line in lines) + "\nThe rest of this page stays."
    assert redact(text) == f"{mark}[REDACTED:private_key]\nThe rest of this page stays."


@pytest.mark.parametrize(
    "head",
    [
        f'---- BEGIN SSH2 ENCRYPTED {"PRIVATE"} KEY ----\nComment: "mine"',
        HEAD.lower(),
        f"{HEAD}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n",
    ],
)
def test_other_armour_is_armour_too(head: str) -> None:
    text = "\n".join([head, *LINES, "", "It is used by the build."])
    assert redact(text) == "[REDACTED:private_key]\n\nIt is used by the build."


def test_a_key_in_pieces_of_a_program_is_taken_out() -> None:
    text = f'key = ("{HEAD}\\n"\n' + "\n".join(f'  "{line}\\n"' for line in LINES) + ")\nrun(key)"
    clean = redact(text)
    assert not any(line in clean for line in LINES)
    assert clean.endswith("run(key)")


@pytest.mark.parametrize(
    "text",
    [
        f'We look for "{HEAD}" in commits. The hook lives in tools/hook.py. Run it before pushing.',
        f"A file that begins with {HEAD}\nis refused by the internationalisation/continuous-integration job.",
        f"Between {HEAD} and {TAIL} stands the key.",
    ],
)
def test_naming_the_armour_costs_nobody_a_text(text: str) -> None:
    assert redact(text) == text


def test_a_state_in_json_stays_json() -> None:
    state = {"key": f"{HEAD}\n{LINES[0]}\n", "steps": [1, 2], "note": "keep me"}
    changed, found = passed({"state": json.dumps(state)}, nothing)
    assert json.loads(str(changed["state"])) == state | {"key": "[REDACTED:private_key]\n"}
    assert [one.kind for one in found] == ["private_key"]


def test_json_that_a_redaction_would_break_is_cleaned_string_by_string() -> None:
    flood = [fake_secret(seed) for seed in range(1_200)]
    changed, _ = passed({"text": json.dumps({"a": flood, "b": "kept"})}, nothing)
    parsed = json.loads(str(changed["text"]))
    assert parsed["b"] == "kept"
    assert not any(token in str(changed["text"]) for token in flood)


@pytest.mark.parametrize(
    "text",
    [
        "Change the password policy to min12chars-max64chars",
        "Press key Ctrl+Alt+F12!",
        "passphrase: diceware6words",
        "echo $TOKEN | base64 -d | sh",
        "get-password | sha256sum | cut -c1-8",
        "| token | expires1 |",
        "npm install from http://localhost:4873/@scope/pkg2",
        "see https://example.org:443/a?mail=a1@example.org",
        "passwords?|tokens1?|keys",
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert redact(text) == text


def test_what_was_harmless_once_is_judged_again_where_something_else_follows() -> None:
    value = "Zx81" + "kd92q"
    assert redact(f"password={value}(\npassword={value}\n") == f"password={value}(\npassword=[REDACTED:password]\n"


def test_what_was_harmless_once_is_judged_again_where_a_vendor_is_named() -> None:
    value = made(32, HEX)
    filler = "Some filler text here. " * 30
    text = f"key: {value} is a digest.\n{filler}\nFor datadog use this, key: {value}"
    assert redact(text).endswith("For datadog use this, key: [REDACTED:datadog_key]")
    assert f"key: {value} is a digest." in redact(text)


def test_a_name_of_another_language_is_as_long_as_the_one_it_is_read_as() -> None:
    assert all(len(name) == len(name.upper()) == len(known) for name, known in table().foreign_names.items())


def test_many_texts_know_the_names_of_other_languages_too() -> None:
    texts = ["plain", f"пароль: {PASSWORD}", f"密码：{PASSWORD}", ascii_uppercase]
    assert scan_many(texts) == {1: scan(texts[1]), 2: scan(texts[2])}


@pytest.mark.parametrize(
    "blank", [*WIDE, "\u200b", "\u200d", "\u2060", "\ufeff", "\xad", "\u200b\u2060", "\xa0\u200b "]
)
@pytest.mark.parametrize(
    "form",
    ['DB_PASSWORD ={}"<>"', "password:{}<>", "password{}:{}<>", 'let password:{}str{}={}"<>"', '"password"{}:{}"<>"'],
)
def test_whatever_a_reader_takes_for_a_blank_stands_before_a_value(form: str, blank: str) -> None:
    text = form.replace("{}", blank)
    before, after = text.split("<>")
    (leak,) = scan(f"{before}{PASSWORD}{after}")

    assert (leak.start, leak.end) == (len(before), len(before) + len(PASSWORD))
    assert 1 in scan_many(["plain", f"{before}{PASSWORD}{after}"])


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\ufeff"])
def test_what_shows_nothing_inside_of_a_value_does_not_save_a_part_of_it(hidden: str) -> None:
    value = hidden.join((PASSWORD[:5], PASSWORD[5:]))
    assert redact(f"password: {hidden}{value}") == f"password: {hidden}[REDACTED:password]"


@pytest.mark.parametrize("begun", [f"{HEAD}\n{LINES[0]}\n{LINES[1]}", f"{HEAD}\nis how such a file begins."])
@pytest.mark.parametrize("fake", [one for one in fakes() if scan(one.text)], ids=lambda one: f"{one.kind} {one.where}")
def test_a_private_key_that_is_not_closed_hides_nothing_that_follows_it(begun: str, fake: Fake) -> None:
    assert any(leak.end > len(begun) for leak in scan(f"{begun}\n\n{fake.text}"))
    assert 1 in scan_many([begun, fake.text])


@pytest.mark.parametrize("form", ["password -> {}|{}", "creds: {}|{}", "login ana:{}|{}", "la clave es {} y {}"])
def test_a_password_beside_an_address_with_credentials_is_found_with_it(form: str) -> None:
    other = "Zt83#" + "wmB1qe"
    text = redact(form.format(PASSWORD, f"postgres://shop:{other}@db/shop"))

    assert PASSWORD not in text
    assert other not in text
    assert scan(text) == ()


@pytest.mark.parametrize("joint", ["_", "", "-", ".", "/", "|"])
def test_two_tokens_in_one_word_are_both_taken_out(joint: str) -> None:
    for first in (f"AKIA{made(16, ascii_uppercase)}", f"ghp_{made(36)}")[not joint :]:
        second = made(36)
        text = redact(f"Artifact {first}{joint}ghp_{second} was uploaded")

        assert first not in text
        assert second not in text
        assert text.startswith("Artifact [REDACTED:")
        assert text.endswith(" was uploaded")


def test_the_mark_of_a_token_in_an_address_is_no_password() -> None:
    text = redact(f"https://ghp_{made(36)}@github.com/shop")

    assert text == "https://[REDACTED:github_token]@github.com/shop"
    assert scan(text) == ()


def test_a_private_key_in_hexadecimal_is_found_behind_its_name() -> None:
    key = made(64, HEX)

    assert redact(f"The private key 0x{key} is lost") == "The private key [REDACTED:private_key] is lost"
    assert scan(f"The commit 0x{key} is lost") == ()


def test_a_webhook_a_registry_and_recovery_codes_are_found() -> None:
    hook = f"hooks.zapier.com/hooks/catch/{made(7, digits)}/{made(7)}"
    login = b64encode(json.dumps({"auths": {"r.io": {"auth": made(24)}}}).encode()).decode()
    codes = [f"{made(4, HEX)}-{made(4, HEX)}" for _ in range(5)]

    assert redact(f"WEBHOOK_URL=https://{hook}/") == "WEBHOOK_URL=https://[REDACTED:webhook]/"
    assert login not in redact(f"data:\n  .dockerconfigjson: {login}\n")
    for between in (" ", "\n", ", "):
        told = f"recovery codes: {between.join(codes)}"
        assert redact(told) == "recovery codes: [REDACTED:recovery_codes]"


@pytest.mark.parametrize("text", ["auth:true,password={}", "token:no,apikey:{}", "auth:true,pass={}"])
def test_a_name_behind_a_short_value_is_not_swallowed_by_it(text: str) -> None:
    for _ in range(50):
        value = f"{made(19)}7"
        assert value not in redact(text.format(value))


@pytest.mark.parametrize("size", [9, 12, 15, 18])
def test_a_password_in_base64_is_one_whatever_it_looks_like(size: int) -> None:
    for _ in range(100):
        encoded = b64encode(made(size).encode()).decode()
        assert encoded not in redact(f"kind: Secret\ndata:\n  password: {encoded}\n")


def test_the_keys_that_open_a_vault_and_the_login_of_a_scanner_are_found() -> None:
    unseal = b64encode(CHANCE.randbytes(33)).decode()
    assert redact(f"Unseal Key 1: {unseal}\n") == "Unseal Key 1: [REDACTED:secret_key]\n"
    login = made(40, HEX)
    assert redact(f"mvn sonar:sonar -Dsonar.login={login} -q") == "mvn sonar:sonar -Dsonar.login=[REDACTED:token] -q"


@pytest.mark.parametrize("sign", [":-", ":=", "-", "="])
def test_the_default_of_a_variable_is_a_password_whatever_stands_before_it(sign: str) -> None:
    password = made(10) + "!7aB"
    assert (
        redact(f"DB_PASSWORD=${{DB_PASSWORD{sign}{password}}}")
        == f"DB_PASSWORD=${{DB_PASSWORD{sign}[REDACTED:password]}}"
    )


@pytest.mark.parametrize("said", ["app password: {}", 'SMTP_PASSWORD="{}"', "The app-specific password is {}."])
@pytest.mark.parametrize("between", [" ", "-"])
def test_an_app_password_is_known_by_its_groups(said: str, between: str) -> None:
    password = between.join(("qwxz", "pamk", "ebvi", "ytre"))
    assert redact(said.format(password)) == said.format("[REDACTED:password]")


@pytest.mark.parametrize(
    "text",
    [
        "app password: xxxx xxxx xxxx xxxx",
        "The app password: make sure your code works",
        "smtp password: abcd-efgh-ijkl-mnop",
    ],
)
def test_words_of_four_letters_are_no_app_password(text: str) -> None:
    assert scan(text) == ()


def test_a_letter_and_a_colon_before_a_line_are_no_drive() -> None:
    password = made(10) + "!7aB"
    assert redact(f"User A:\\npwd={password}") == "User A:\\npwd=[REDACTED:password]"
    assert scan(r"see C:\new\token_list.txt and D:\temp\nothing") == ()


def test_a_client_token_that_is_no_uuid_is_a_token() -> None:
    assert redact(f"client_token: {made(32)}") == "client_token: [REDACTED:token]"


SAID = {
    "uuid": (
        "The client secret is {}.", "The API key is {}.", "The Atlas private key is {}.",
        "consul acl token: SecretID: {}", "yarn config set npmAuthToken {}",
    ),
    "hex": ("The token for the staging API is {}", "The API key for the weather service is {}", "wandb login {}"),
    "token": (
        "bearer={}", "x-honeycomb-team: {}", "session cookie: {}", "PHPSESSID={}", "cookie _gh_sess={}",
        "connect.sid=s%3A{}", "https://a.io/;jsessionid={}", "gh secret set NPM_TOKEN --body {}",
        "doctl auth init -t {}", "La clé API est {}", "clé API : {}", "API-ключ: {}", "Токен для деплоя: {}",
        "API密钥：{}", "APIキー: {}", "clave API: {}", "chiave API: {}", "chave de API: {}", "WLAN-Schlüssel: {}",
    ),
    "password": (
        "The credentials for staging are admin / {}", ': PSK "{}"', 'gh secret set DB_PASS -b"{}"',
        "aws ssm put-parameter --name /db/password --value {} --type SecureString", "cqlsh -u cassandra -p {}",
        "cypher-shell -u neo4j -p {}", "mosquitto_pub -h mq -u dev -P {} -t a", "ipmitool -H b -U ADMIN -P {} power",
        "htpasswd -nb ana {}", "composer config http-basic.repo.acme.io ana {}", "poetry config http-basic.a ana {}",
        "bundle config gems.acme.io ana:{}", "echo '{}' | passwd --stdin ana", "racadm -u root -p {} getsysinfo",
        "rdesktop -u ana -p {} h", "knife bootstrap -x root -P {} h", "snmpwalk -v3 -u ana -A {} h",
        "unrar x -p{} a.rar", "rar a -hp{} a.rar", "heslo: {}", "Adgangskode: {}", "salasana: {}", "jelszó: {}",
        "parolă: {}", "κωδικός: {}",
    ),
}  # fmt: skip
MADE = {"uuid": UUID, "hex": made(40, HEX), "token": f"{made(30)}7aB4", "password": f"K{made(6)}!7aB"}


@pytest.mark.parametrize(("kind", "said"), [(kind, said) for kind, several in SAID.items() for said in several])
def test_a_secret_is_found_in_forms_that_people_write(kind: str, said: str) -> None:
    before, _, behind = redact(said.format(MADE[kind])).partition("[REDACTED:")

    assert before == said.partition("{}")[0]
    assert behind.partition("]")[2] == said.partition("{}")[2]


@pytest.mark.parametrize(
    "text",
    [
        "password manager KeePassXC-2.7.9", "Password service runs on auth-7d9f8b6c5d-x2k4q",
        "The password test is test_login_2FA_ok.", f"USDC token: 0x{made(40, HEX)}",
        f"The UNI token is 0x{made(40, HEX)}.",
        f"key: v1-deps-{made(32, HEX)}", f"The primary key is {UUID}.", f"The idempotency key is {UUID}",
        f"The request token is {UUID}", "The app password page uses http with json body.",
        "mail password form http post data", "gh secret set NPM_TOKEN --body-file token.txt",
        'gh secret set X --body "$TOKEN"', "aws ssm put-parameter --name x --value $V", "heslo je v trezoru",
        "snmpwalk -v3 -u ana -A $AUTH h", "clé API : voir le coffre", "bundle config set path vendor/bundle",
        f"sessionid={UUID}", "the recovery code is built-in well-known", "backup codes: see the vault",
        "https://hooks.zapier.com/hooks/catch/", 'dockerconfigjson: "${DOCKER_CONFIG}"',
        r"credentials to (?:s3|https?|gs)://", r"the password is (?P<value>\w{8,12})",
    ],
)  # fmt: skip
def test_what_only_looks_like_such_a_form_is_left_alone(text: str) -> None:
    assert scan(text) == ()
