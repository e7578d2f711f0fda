"""A value in quotes is judged by all of it, not by the sign or the word it begins with."""

from base64 import b64encode
from hashlib import sha512

import pytest

from hansard.guard.secrets import redact

FORMS = ('password = "{}"', '{{"password": "{}"}}', "token: '{}'", 'export API_KEY="{}"')
RANDOM = "Kq!9z" + "zTT77wLp"
DIGEST = sha512(b"hansard").digest()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("opening", ["#", "%", "$", "*", "0x", "0x7ffe", "md5", "sha1", "sha256", "data:", "urn:"])
def test_a_password_may_open_like_a_variable_a_colour_or_a_digest(form: str, opening: str) -> None:
    value = opening + RANDOM

    assert value not in redact(form.format(value))
    assert "[REDACTED:" in redact(form.format(value))


def test_a_sign_inside_of_a_password_makes_no_variable_of_it() -> None:
    value = "$uper$3" + "cretPw9!"

    assert value not in redact(f'password = "{value}"')
    assert value not in redact(f"postgres://app:{value}@db.internal/x")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "value",
    [
        "$VAR_NAME", "$DB_PASSWORD2", "$K8S_S3_TOKEN", "$k8sToken", "$env:DB_PASS", "$this->password2", "${VAR}9ab",
        "$(pass show db9)", "$12.50/month", "$1,200.50", "%VAR_9%", "%DB_PASSWORD%/9", "%(name)s-9ab", "%s-secret-9",
        "%Y-%m-%dT%H", "#ffffff", "#ff00aa99", "#{name.of9}", "#/components/schemas/Password1", "#password-input-2",
        "*secret*", "********1a2b", "***REMOVED9***", "{{name}}abc9", "0x7ffe12ab99", "0xdeadbeefdeadbeef",
        "data:image/png;base64,iVBORw0KGgo9", "data:,Hello%20World9", "urn:uuid:12ab-9", "sha256WithRSAEncryption",
        "$2b$12$" + b64encode(DIGEST)[:40].decode(), "$argon2id$v=19$m=65536$" + DIGEST[:9].hex(),
        f"sha1:{DIGEST[:20].hex()}", f"sha1$salt${DIGEST[:20].hex()}", f"blake2b:{DIGEST[:20].hex()}",
        f"sha1-{b64encode(DIGEST[:20]).decode()}", f"sha512-{b64encode(DIGEST).decode()}", "md5:9abc1234",
    ],
)  # fmt: skip
def test_what_stands_for_a_value_or_sums_one_up_stays(form: str, value: str) -> None:
    assert redact(form.format(value)) == form.format(value)


@pytest.mark.parametrize("word", ["$36/year", "#1234-fix2", "%20name9ab"])
def test_a_sign_in_a_sentence_about_passwords_makes_no_password(word: str) -> None:
    assert redact(f"The password manager costs or is called {word} now.") == (
        f"The password manager costs or is called {word} now."
    )
