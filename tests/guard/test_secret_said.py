"""What people write of a password in their own words is found, and names that only look like a secret stay."""

import random
from string import ascii_letters, digits

import pytest
from benchmarks.leaks import CURL_ALONE, NETWORK_KEYS, PHRASES, ROMANCE, UUID_NAMES
from benchmarks.makers import ALNUM, LOWER_HEX, of, uuid

from hansard.guard.batch import scan_many
from hansard.guard.gate import holds_secret, passed
from hansard.guard.secrets import redact, scan

CHANCE = random.Random(53)
MARK = "[REDACTED:password]"
PHRASE = "-".join(("correct", "horse", "9"))
STYLES = [
    PHRASE, "-".join(("Sommer", "2024", "Kaffee")), "-".join(("9", "Sonnen", "Blume")),
    "-".join(("blue", "Lake", "77")), "-".join(("Tr3n", "Azul", "99")), "Bleu!" + "Nuit42", "Zp7#" + "kLmq2Wx",
]  # fmt: skip
NUMBER = uuid(CHANCE)
COUNTED_UP = f"{NUMBER[:24]}" + "0123" + "456789ab"
REFERENCES = """The password is scram-sha-256 hashed.
The password is min-12-chars-long.
The password is rotated-every-90-days
The password policy is strong-words-12
The password is AES-256-encrypted.
The password is sha-256-hashed-twice
The password is in team-vault-2024.
The password is vault-shop-prod-2
The password is shop-db-credentials-2024
password: postgres-admin-secret-2
The password manager is team-keeper-2024
Change the password on the machine, which is build-runner-12
The password of Ana was changed in release-notes-2024
Passwords moved to shop-prod-2024 today
password: taxi-driver-v3
mdp: taxi-driver-v3
The secret name is shop-orders-main-2024
The token is some-thing-there-2
The network key map is region-west-eu-1
The cache key of the office is user-profile-main-42
The key of the network map is region-west-eu-1
The sort key: orders-by-date-2024
WLAN key: see-the-note-in-vault-2
La clave: usar-http en todos los servicios desde 2024
Palabras clave: react-hooks-18, vue
La clave primaria es order_id2
La contraseña se guarda en vault-2
Le mot de passe est dans le coffre-fort 2
Le mot de passe doit avoir 12 lettres
The MDP: states S1-S5, actions A1-A4""".splitlines()
"""What stands behind "password" or "key" with hyphens and numbers in it, and opens nothing."""
REQUESTS = [
    *(f"{name}={{}}" for name in (
        "request_token", "REQUEST_TOKEN", "idempotency_token", "IDEMPOTENCY_KEY", "client_token", "CLIENT_TOKEN",
        "correlation_token", "CORRELATION_TOKEN", "page_token", "NEXT_PAGE_TOKEN", "update_token", "UPDATE_TOKEN",
        "operation_token", "TOKEN_ID", "SECRET_ID", "API_KEY_ID", "TOKEN_UUID",
    )),
    "updateToken: {}", '"CorrelationToken": "{}"', "X-Correlation-Token: {}", "Correlation token: {}",
    "update token: {}", "request token {}", "The client token is {}.", "The correlation token is {}",
    "Der request_token ist {}",
]  # fmt: skip
HUGGING = """hf_model_name hf_hub_download hf_config_path_for_training_run hf_configpathfortrainingrunandeval
hf_ConfigPathForTrainingRunAndEvaluation hf_configPathForTrainingRunAndEvaluationV2
hf_transformersModelConfigurationPathV2
hf_AutoModelForSequenceClassificationWithPooling hf_MODELNAMEFORTRAININGANDEVALUATION2
hf_CLIPTextModelWithProjectionOutputConfig hf_trainingargumentsforsequenceclassification""".split()
PAGES = (
    "https://docs.example.com/guide/API-{}", "https://wiki.example.org/de/API-{}/index.html",
    "[API](https://docs.example.com/API-{}?v=2)", "Die Seite docs.example.com/REST-API-{} erklärt es.",
    "https://docs.example.com/guide#API-{}",
)  # fmt: skip
FORGERY = """csrf_token
csrfmiddlewaretoken
name="csrf_token"
X-CSRF-Token
csrf_token: hidden field
csrf_token: hidden field, see RFC6749#10.12
csrf-token: hidden-field-2
csrfmiddlewaretoken: hidden field 2
The header is called X-CSRF-Token, as in Django-4.2.
<input type="hidden" name="csrfmiddlewaretoken" value="{{ csrf_token }}">
Cookie: csrftoken=csrfmiddlewaretoken_v2024
request.headers["X-CSRF-Token"] = session["csrf_token"]
fields: username, password, csrf_token""".splitlines()
VALUES = ["geheim-" + "7391", "Xk29!" + "dkq0Zp", "q7x2m9k4" + "w8e3", NUMBER, of(LOWER_HEX, 32)(CHANCE)]


def _kept(form: str, values: list[str]) -> list[str]:
    """What does not leave the text, or not alone."""
    before, _, after = form.partition("{}")
    clean = {value: redact(f"{before}{value}{after}") for value in values}
    return [
        one for value, one in clean.items() if value in one or not one.startswith(before) or not one.endswith(after)
    ]


@pytest.mark.parametrize("form", [*NETWORK_KEYS, *ROMANCE, *PHRASES])
def test_a_password_is_found_in_the_words_that_people_say_it_with(form: str) -> None:
    assert _kept(form, STYLES) == []


@pytest.mark.parametrize("form", PHRASES[:6])
def test_what_ends_the_sentence_and_sets_the_password_off_stays(form: str) -> None:
    assert redact(form.format(PHRASE)) == form.format(MARK)


@pytest.mark.parametrize("text", REFERENCES)
def test_words_with_hyphens_that_say_where_how_or_how_long_are_no_password(text: str) -> None:
    assert scan(text) == ()


def test_many_texts_know_such_a_password_too() -> None:
    texts = ["plain", f"The admin password is {PHRASE}", f"WLAN key of the office: {PHRASE}", "mot de passe : aucun"]

    assert list(scan_many(texts)) == [1, 2]


def test_a_note_whose_title_names_a_network_holds_its_key() -> None:
    changed, found = passed({"title": "WLAN key of the office", "content": PHRASE}, lambda _: False)

    assert changed == {"content": MARK}
    assert len(found) == 1


@pytest.mark.parametrize("form", UUID_NAMES)
@pytest.mark.parametrize("number", [NUMBER, NUMBER.upper(), COUNTED_UP], ids=["small", "capital", "counted up"])
def test_a_number_behind_the_name_of_a_token_is_one(form: str, number: str) -> None:
    assert number not in redact(form.format(number))


@pytest.mark.parametrize("form", REQUESTS)
def test_a_number_that_marks_a_request_or_a_record_stays(form: str) -> None:
    number = uuid(CHANCE)

    assert scan(form.format(number)) == ()
    assert number not in redact(f"{form.format(number)}\n\ntoken: {number}\n").rpartition("token:")[2]


def test_a_number_that_is_made_up_from_its_beginning_stands_for_one() -> None:
    assert scan("SNYK_TOKEN=12345678-90ab-4cde-8f12-34567890abcd") == ()


@pytest.mark.parametrize("form", CURL_ALONE)
def test_a_password_without_a_user_is_found(form: str) -> None:
    assert _kept(form, VALUES) == []


@pytest.mark.parametrize(
    "text",
    [
        "curl --negotiate -u : https://a.example.org", 'curl -u ":$PW9" https://a', 'curl -u ":${PW}" https://a',
        'curl -u ":<password>" https://a', "docker run -u :1000 img", "docker run --user :wheel img",
    ],
)  # fmt: skip
def test_no_user_and_no_password_is_none(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize("name", ["Api-Token", "api-token", "X-Api-Token", "X-API-Token"])
@pytest.mark.parametrize(
    "form",
    [
        'curl -H "{}: <>" https://a',
        "curl --header '{}:<>'",
        "wget --header='{}: <>' a",
        r'{{"cmd": "curl -H \"{}: <>\""}}',
    ],
)
def test_a_token_in_a_header_of_a_command_is_found_whatever_it_is_made_of(form: str, name: str) -> None:
    assert _kept(form.format(name).replace("<>", "{}"), [*VALUES, PHRASE]) == []


@pytest.mark.parametrize(
    "form", ["Api-Token: {}", '"X-Api-Token": "{}"', "http https://a Api-Token:{}", "x-api-token: {}"]
)
def test_a_token_in_a_header_by_itself_is_found_if_it_is_no_word(form: str) -> None:
    assert _kept(form, VALUES[2:]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Every call sends its token as X-Api-Token.", 'curl -H "Api-Token: $TOKEN9" https://a', "Api-Token: required",
        'curl -H "Api-Token: <token-2>" https://a', "X-Api-Token: your-api-token-2", "api-token: shop-api-reference-2",
        'curl -H "X-Api-Token: changeme"', "X-Api-Token: HeaderName2",
    ],
)  # fmt: skip
def test_the_name_of_a_header_and_what_stands_for_a_token_stay(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize("head", ["squ_", "sqp_", "sqa_"])
@pytest.mark.parametrize("form", ["{}", "SONAR_TOKEN={}", "-Dsonar.token={} -q", "curl -u {}: https://a", "my_{}"])
@pytest.mark.parametrize("size", ["0a1b", LOWER_HEX], ids=["few characters", "all"])
def test_a_token_of_a_scanner_is_found_in_small_letters_and_in_capitals(head: str, form: str, size: str) -> None:
    value = head + of(size, 40)(CHANCE)

    assert _kept(form, [value, head + value[4:].upper()]) == []


@pytest.mark.parametrize("name", HUGGING)
@pytest.mark.parametrize("form", ["{}", "Set `{}` before the run.", "{}=1", "hf_token={}"])
def test_a_name_that_begins_like_a_token_of_hugging_face_is_none(form: str, name: str) -> None:
    assert scan(form.format(name)) == ()


def test_a_token_of_hugging_face_is_known_by_its_letters() -> None:
    for alphabet in (ascii_letters, ascii_letters + digits):
        made = ["h" + "f_" + "".join(CHANCE.choices(alphabet, k=34)) for _ in range(1_000)]
        assert sum(one in redact(f"use {one} here") for one in made) <= 5


@pytest.mark.parametrize("page", PAGES)
def test_a_page_whose_address_ends_in_a_number_is_no_key(page: str) -> None:
    number = of(LOWER_HEX, 32)(CHANCE)

    assert [text for text in (page.format(number), page.format(number.upper())) if scan(text)] == []


def test_nor_is_it_one_in_small_letters_and_a_key_of_that_form_still_is() -> None:
    key = "API" + "-" + of("GHJKLMNPQRSTUVWXYZ23456789", 26)(CHANCE)

    assert holds_secret(f"api-{of(LOWER_HEX, 32)(CHANCE)}") is None
    assert redact(f"octo deploy with {key}") == "octo deploy with [REDACTED:octopus_key]"


@pytest.mark.parametrize("text", FORGERY)
def test_the_names_of_fields_against_forgery_are_no_secrets(text: str) -> None:
    assert [one for one in (text, text.upper(), f"| {text} | 12 |", f"Im Formular: {text}") if scan(one)] == []


def test_what_such_a_field_holds_still_is_one() -> None:
    value = of(ALNUM, 43)(CHANCE)

    assert value not in redact(f'csrf_token: "{value}"')
    assert value not in redact(f"Cookie: csrftoken={value}")
