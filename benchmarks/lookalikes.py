"""Makes harmless texts that look like secrets: identifiers, digests, public keys, placeholders, code, sentences."""

import base64
import random
from collections.abc import Iterator
from itertools import product

from benchmarks.leaks import ALNUM, BASE64, LOWER_HEX, SEED, UPPER, uuid

IDENTIFIERS = """keyboardShortcuts task_management_system skillsDirectoryPath tokenization_budget
disk-usage-monitor markdown-frontmatter risk-assessment-matrix-2024 desk-booking-service-v2
keyStoreProvider2 TokenBucketRateLimiter3
org.springframework.security.oauth2.provider.token.DefaultTokenServices
com.example.shop.auth.PasswordEncoderFactoryBean2 AbstractAuthenticationTokenProcessingFilter2
secret_santa_2024_participants passwordResetTokenGenerator3 sk-learn-compatible-estimators
pk_column_name_for_orders_2024 api_key_rotation_schedule_2025 hf_transfer_enabled
npm_config_registry ghp_style_prefix src/hansard/interfaces/cli/token_budget_2.py
node_modules/jsonwebtoken/lib/JsonWebTokenError.js /run/secrets/db_password
./config/keys/public_key_2024.pem ~/.ssh/id_ed25519.pub tests/auth/test_token_expiry_3.py
docs/adr/0003-token-budget.md secrets-manager-rotation-lambda-2 HANSARD_TOKEN_BUDGET_MAX_2
xoxb-prefix glpat-prefix sk-ant-prefix AKIA-prefix hvs.prefix eyJ-header
key-value-store-benchmark-results pat-na1-region api-gateway-timeout-2024-rollout
sdk-generation-pipeline-v2-rollback EAAA-test SG.prefix rnd_seed_value dapi-schema whsec_prefix
r8_compiler""".split()

SENTENCES = """The API needs a Bearer prefix.
The token is passed in the header.
Bearer authentication is required for every call.
Basic authentication is disabled on the new gateway.
A token is 32 characters long and expires after 3600 seconds.
The password is hashed with bcrypt, cost 12, since release 2.4.1.
Tokens are signed with ES256 and checked by the gateway.
The secret is stored in AWS Secrets Manager under prod/shop/db-password-v2.
Passwords need at least 12 characters, one digit and one symbol.
Ask ana for the password of the staging database, or reset it in Okta.
The key of the cache is user:42:profile:v3.
The primary key is order_id2 and the sort key is created_at.
The access token is refreshed 60 seconds before it expires.
Token budget is 4,000 per block; see issue #1234.
The password policy changed on 2026-03-01T10:00:00Z.
The secret name is shop-db-credentials-2024 in namespace prod-eu-1.
Use the key bindings Ctrl+Shift+P and Cmd+K Cmd+S.
The login page is at https://example.org/login?next=/orders/2024.
Our credentials are read from ~/.aws/credentials with profile prod-2024.
The token limit of gpt-4o-2024-08-06 is 128000 tokens.
The token comes from parseOAuth2Response in client.py.
Public keys are published at https://example.org/.well-known/jwks.json.
Password reset mails come from no-reply2@example.org.
The tokenizer is sentencepiece-0.2.0 and its vocabulary has 32000 tokens.
Secrets are mounted at /run/secrets/db_password2 in every container.
The token was minted in commit 9fceb02d0ae598e95dc970b74767f19372d61af8.
Key findings: p95 fell from 120ms to 35ms after PR-1542.
Log in with SSO; passwords were retired in Q3-2025.
The key is base64-encoded and the secret is UTF-8.
JWTs have three parts: header.payload.signature.
Set password to null in test fixtures, the login is mocked there.
The password field has id user_password_2 and type=password.
Token refresh is handled by src/auth/refresh_token2.ts:120.
Basic understanding of Kubernetes1.29 is enough.
Every API key starts with two letters and is sent as X-Api-Key.
The seed is 42 and the recovery point is five minutes.
Secret scanning took 35ms for 1.2MB on an m5.large2 machine.
The passphrase prompt appears twice on macOS-14 runners.
We keep keys in 1Password and tokens in Vault-1.15.
Authorization: Bearer <token> is what the proxy expects.""".splitlines()

PLACEHOLDERS = """${VAR}|$DB_PASSWORD|<your-password>|<password>|{{ vault_password }}|%(password)s|changeme
CHANGE_ME|********|xxxxxxxxxxxx|your-api-key-here|YOUR_TOKEN_HERE|example-secret-key
placeholder|$(pass show db/prod)|os.environ["API_KEY"]|process.env.API_KEY2
settings.DB_PASSWORD|getpass.getpass()|config.get("password2")|None|null|string|required|!vault
{env:DB_PASSWORD2}|${{secrets.DEPLOY_TOKEN}}|secretsmanager:prod/db|[hidden]|...|str
Optional[str]|hunter2|read from stdin|self.token_for(user2)|Field(default=None)|(unset)
base64-encoded""".replace("\n", "|").split("|")
NAMES = ("password", "DB_PASSWORD", "api_key", "client_secret", "accessToken")
FORMS = ("{}={}", '"{}": "{}"', "{}: {}")
HARMLESS_FIELDS = """password_file=/run/secrets/db2 token_url=https://auth.example.org/oauth2/token
secret_name="shop-db-2024-credentials" password_min_length=12
token_expires_at="2026-03-01T10:00:00Z" max_tokens=128000 tokenCount: 4096
key_id="8f14e45fceea167a5a36dedd4bea2543" secretRef: shop-credentials-v2 token_type="Bearer2"
public_key="MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE" passwordPolicy: strong-12-chars
keyboard="qwerty-us-intl-2" primaryKey="order_id_2024" cache_key="user:42:profile:v3"
sort_key=created_at_2024 partitionKey: tenant#42 compass=north2024 passenger_name=Maria2024
tokenizer="cl100k_base" author=ana2024 authority=ca-root-2024 bypass=true2024
monkey="banana2024" hotkey="ctrl+shift+p" turkey=istanbul2024 secretary=bob2024
tokens_per_second=1532.7 password_hash_algorithm=argon2id""".split()
LOCKS = ("integrity sha512-{}==", '"resolved": "https://registry.example.org/a/-/a-1.2.3.tgz#{}"', "--hash=sha256:{}",
         'sha256 "{}"', "image: shop@sha256:{}", 'ETag: "{}"', "commit {}", "md5: {}", "Merge {} into main",
         'checksum = "{}"', "object {} (blob)", "trace_id={} span_id=00f067aa0ba902b7")  # fmt: skip
REMOTES = ("git@github.com:shop/web.git", "https://github.com/shop/web.git", "ssh://git@example.org:2222/shop.git",
           "postgresql://user:password@host:5432/db", "postgres://postgres:postgres@localhost/test", "redis://localhost:6379/0",
           "https://user:pass@example.org/", "mysql://${DB_USER}:${DB_PASS}@db/shop", "amqp://guest:guest@localhost:5672/",
           "http://localhost:8080/a@b", "https://example.org/@ana/posts:42", "mongodb://<user>:<password>@cluster0/shop",
           "ftp://ftp.example.org:21/pub", "postgresql://shop@db.internal/shop", "https://example.org:8443/x?y=a:b@c",
           "docker run -u 1000:1000 shop", "sftp://{user}:{password}@host/x", "mailto:ana@example.org")  # fmt: skip


def lookalikes() -> list[str]:
    """All of them, the same in every run."""
    return list(dict.fromkeys(_texts(random.Random(SEED))))


def _texts(chance: random.Random) -> Iterator[str]:
    yield from SENTENCES
    for name in IDENTIFIERS:
        yield name
        yield f"Rename `{name}` before the release, it says too little."
    for value, (name, form) in product(PLACEHOLDERS, product(NAMES, FORMS)):
        if chance.random() < 0.7:
            yield form.format(name, value)
    yield from HARMLESS_FIELDS
    yield from (f"remote origin is {one} since Monday" for one in REMOTES)
    for form in LOCKS:
        for size in (32, 40, 64):
            yield form.format(_some(chance, LOWER_HEX, size))
    for _ in range(12):
        yield f"integrity: sha512-{_some(chance, BASE64, 86)}=="
        yield f"Run {uuid(chance)} failed on node {chance.randrange(99)}, token usage {chance.randrange(9999)}"
        yield f"id 01{_some(chance, UPPER.replace('I', 'J').replace('L', 'M').replace('O', 'P').replace('U', 'V'), 24)}"
        yield f"#{_some(chance, LOWER_HEX, 6)}; background: #{_some(chance, LOWER_HEX, 8)}; key color"
        yield f"v{chance.randrange(9)}.{chance.randrange(30)}.7-rc.{chance.randrange(9)}+{_some(chance, LOWER_HEX, 7)}"
    yield from _blobs(chance)


def _blobs(chance: random.Random) -> Iterator[str]:
    """What is long and random and public: images, certificates, public keys."""
    for size in (200, 900, 4_000):
        coded = base64.b64encode(chance.randbytes(size)).decode()
        yield f"![logo](data:image/png;base64,{coded})"
        yield f"url(data:font/woff2;base64,{coded})"
        yield f"ssh-rsa AAAAB3NzaC1yc2E{coded} ana@laptop"
        lines = "\n".join(coded[at : at + 64] for at in range(0, len(coded), 64))
        yield f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----"
        yield f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----"
        yield f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{lines}\n-----END PGP PUBLIC KEY BLOCK-----"
        yield f"-----BEGIN PGP SIGNATURE-----\n\n{lines}\n-----END PGP SIGNATURE-----"
        yield f"stored as {coded} in the attachment"
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{_some(chance, BASE64, 43)} deploy key of the mirror"
    yield f"age1{_some(chance, UPPER.lower(), 58)} is the public recipient"
    yield f"pk_{'live'}_{_some(chance, ALNUM, 24)} is the publishable half and meant for browsers"
    yield "AKIA" + "IOSFODNN7" + "EXAMPLE and wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY are Amazon's examples"
    yield "ghp_" + "x" * 36 + " is how such a token looks"


def _some(chance: random.Random, alphabet: str, size: int) -> str:
    return "".join(chance.choices(alphabet, k=size))
