"""Makes fake secrets of many kinds from alphabets and a seed, so that the repository never holds one as text."""

import base64
import random
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.handed import HANDED, VALUES
from benchmarks.makers import (
    ALNUM,
    BASE64,
    LOWER,
    LOWER_HEX,
    SIGN_SETS,
    UPPER,
    URL_SAFE,
    Make,
    generated,
    joined,
    of,
    password,
    uuid,
)
from benchmarks.tokens import PLACED, TOKENS
from benchmarks.written import WRITTEN

SEED = 20


@dataclass(frozen=True, slots=True)
class Fake:
    """A text with a secret in it: what must not survive, and how it is written down."""

    kind: str
    where: str
    secret: str
    text: str


NAMED: Mapping[str, tuple[str, Make]] = {
    "aws_secret_key": ("AWS_SECRET_ACCESS_KEY", of(BASE64, 40)),
    "azure_openai_key": ("AZURE_OPENAI_KEY", of(LOWER_HEX, 32)),
    "heroku": ("HEROKU_API_KEY", uuid),
    "twilio_auth_token": ("TWILIO_AUTH_TOKEN", of(LOWER_HEX, 32)),
    "datadog": ("DD_API_KEY", of(LOWER_HEX, 32)),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", of(URL_SAFE, 40)),
    "fastly": ("FASTLY_API_TOKEN", of(ALNUM, 32)),
    "okta": ("OKTA_API_TOKEN", of(URL_SAFE, 40, "00")),
    "auth0": ("AUTH0_CLIENT_SECRET", of(URL_SAFE, 64)),
    "snowflake": ("SNOWFLAKE_PASSWORD", password),
    "vercel": ("VERCEL_TOKEN", of(ALNUM, 24)),
    "discord": ("DISCORD_CLIENT_SECRET", of(URL_SAFE, 32)),
    "django": ("SECRET_KEY", of(LOWER, 50)),
    "password": ("DB_PASSWORD", password),
    "passphrase": ("SIGNING_PASSPHRASE", password),
    "api_key": ("SEARCH_API_KEY", of(ALNUM, 32)),
    "client_secret": ("CLIENT_SECRET", of(ALNUM, 40)),
    "session_secret": ("SESSION_SECRET", of(LOWER_HEX, 64)),
    "access_token": ("ACCESS_TOKEN", of(ALNUM, 40)),
    "fernet": ("AIRFLOW__CORE__FERNET_KEY", of(BASE64, 43, "", "=")),
    "app_key": ("MYAPP_KEY", of(URL_SAFE, 43, "", "=")),
    "padded": ("DB_PASS", of(ALNUM, 27, "", "=")),
    "numbered": ("FOO_TOKEN", joined(of(string.digits, 9), of(LOWER_HEX, 32), by=":")),
    "two_parts": ("TOKEN", of(ALNUM, 40, "id:")),
    "two_parts_version": ("DEPLOY_TOKEN", of(ALNUM, 40, "v1:")),
    "two_parts_oauth": ("API_TOKEN", of(ALNUM, 30, "oauth:")),
    "two_parts_password": ("DB_PASSWORD", of(ALNUM, 12, "Ab3:", "!9")),
    "two_parts_oauth_password": ("PASSWORD", of(ALNUM, 12, "oauth:", "!")),
    "elastic": ("ELASTIC_API_KEY", joined(of(ALNUM, 8), of(ALNUM, 22), by=":")),
    "fal": ("FAL_KEY", joined(uuid, of(LOWER_HEX, 32), by=":")),
    "asana": ("ASANA_TOKEN", joined(of(string.digits, 16, "1/"), of(LOWER_HEX, 32), by=":")),
    "asana_personal": (
        "ASANA_TOKEN",
        joined(of(string.digits, 16, "2/"), joined(of(string.digits, 16), of(LOWER_HEX, 32), by=":"), by="/"),
    ),
    "azure_devops_classic": ("AZURE_DEVOPS_EXT_PAT", of(LOWER, 52)),
    "azure_devops_pat": ("AZURE_DEVOPS_PAT", of(LOWER, 52)),
    "github_pat": ("GITHUB_PAT", of(LOWER_HEX, 40)),
    "pat": ("MY_PAT", of(ALNUM, 40)),
}
"""Secrets that are known by the name in front of them."""

ANYWHERE: Mapping[str, str] = {
    "bare": "{}",
    "prose": "We rotated it yesterday; the new one is {}, please use it from now on.",
    "JSON": '{{"service": "billing", "credential": "{}", "retries": 3}}',
    "YAML": "deploy:\n  image: shop\n  value: {}\n",
    "shell": "curl --fail https://api.example.org/v1/items -H 'X-Service: {}' | jq .",
    "code": 'client = Client(region="eu", auth="{}")  # from the wizard',
    "URL": "https://api.example.org/v1/items?limit=5&k={}&page=2",
    "log": "2026-03-01T10:00:00Z WARN upstream said no [{}] after 30 ms",
    "escaped": '{{"output": "first line\\n{}\\nlast line"}}',
    "table": "| staging | {} | ana |",
}
ASSIGNED: Mapping[str, str] = {
    "environment": "{name}={value}",
    "export": 'export {name}="{value}" && make deploy',
    "JSON": '{{"debug": false, "{name}": "{value}"}}',
    "YAML": "env:\n  {lower}: {value}\n  debug: true\n",
    "TOML": "[service]\n{lower} = '{value}'\n",
    "code": 'const {camel}: string = "{value}";',
    "XML": "<settings><{camel}>{value}</{camel}></settings>",
    "escaped": '{{"log": "{{\\"{lower}\\": \\"{value}\\"}}"}}',
    "kubernetes": "- name: {name}\n  value: {value}\n",
    "option": "service start --{dashed} {value} --verbose",
    "dictionary": "config['{lower}'] = '{value}'",
    "Dockerfile": "ENV {name} {value}\n",
}
SENTENCES = (
    "The password for the staging database is {}.",
    "Log in as admin with password {} until the key cards arrive.",
    "Its passphrase was changed to `{}` last week",
    "credentials for the demo account: ana / {}",
)
GENERATED = (
    "The password is {}",
    "Log in as admin with password {} on staging.",
    "The admin password is `{}`.",
    "DB_PASSWORD={}",
    "Staging .env has DB_PASSWORD={} since May",
    "password: {}\n",
    "password:{}",
    "password = {}\n",
    'password = "{}"',
    "export DB_PASSWORD='{}' && make deploy",
    '{{"password": "{}"}}',
    "service start --password {} --verbose",
    "Server=db;User ID=sa;Password={};Encrypt=True",
    "Server=db;Password={};User Id=sa;",
)
"""Where a password may have all signs of a generator, but for the `;` that ends a part of a connection string."""
HASHED = (
    "The API key is {}.",
    "The deploy token is {} for now",
    "signing secret {}",
    "Token for staging: {}",
    "the secret of the weather service: {}",
    "https://api.example.org/v1/items?key={}&page=2",
    "https://api.example.org/weather?q=Bern&appid={}&units=metric",
    "https://fn.example.org/api/run?code=1&sig={}&page=2",
    "Asana answers to 2/1200" + "456789012345/1200" + "456789012346:{} only",
)
"""Where 32 digits and letters to f are a secret and no digest."""
HEADERS = (
    "Authorization: Bearer abc:{}",
    "Authorization: Bearer 1/1200" + "456789012345:{}",
    'curl -H "Authorization: abc:{}" https://api.example.org',
    "Authorization: Key 1f0c:{}",
    "Authorization: Bot {}",
    "Authorization: OAuth {}",
    "Authorization: Splunk {}",
    "'Authorization': 'GenieKey {}'",
    "Authorization: PVEAPIToken=root@pam!ci={}",
    "npm config set //registry.example.org/:_authToken {}",
    "kubectl create secret generic shop --from-literal=signing={}",
    "ngrok config add-authtoken {}",
    'curl -b "session={}" https://example.org',
    "curl --cookie 'sid={}; theme=dark' https://example.org",
    "pat: {}",
    "PAT_GITHUB={}",
    '"githubPat": "{}"',
    "az devops login --pat {}",
    "The PAT is {}, until May",
    "OPENWEATHER_KEY={}",
    'MAPS_KEY: "{}"',
)
"""Where else 40 letters and digits are a token."""
NETWORK_KEYS = (
    "WLAN key of the office: {}",
    "wlan key of the office = {}",
    "Wi-Fi key: {}",
    "WiFi key of the guest network is `{}`",
    "key for the office wifi: {}",
    'The network key of the lab is "{}".',
    "**WPA2 key (2nd floor):** {}",
    "- Wi-Fi password of the meeting room: {}",
    "The password of the office WLAN: {}",
    "WLAN-Key vom Büro: {} (bitte nicht weitergeben)",
    "Der WLAN-Schlüssel im Büro ist {}",
    "Netzwerkschlüssel: {}",
)
ROMANCE = (
    "La contraseña del servidor es {}",
    "LA CONTRASEÑA DE LA BASE DE DATOS ES {}",
    "la contrasena del servidor es {}.",
    "Nota: la nueva contraseña del wifi es «{}»",
    "la clave de acceso a la base de datos es {}",
    "La clave del servidor es `{}`",
    "clave wifi: {}",
    "Password del servidor: {}",
    "Le mot de passe de la base est {}",
    "MOT DE PASSE DU SERVEUR : {}",
    "mot de passe du wifi : {}",
    "Le mot de passe administrateur est « {} », à ne pas partager",
    "le mdp du serveur est {}",
    "La clé wifi est {}",
)
PHRASES = (
    "The admin password is {}.",
    'the admin password is "{}", please rotate it',
    "THE ADMIN PASSWORD IS {}",
    "The root password is now `{}`",
    "The admin password is **{}**",
    "Das Admin-Passwort ist {} (Stand Mai)",
    "Das Passwort für den Server lautet {}",
    "The password for the server is: {}",
    "admin password: {}",
    "The passphrase was {}",
)
"""Where words and a number with hyphens between them are a password, as people say it."""
UUID_NAMES = (
    "SNYK_TOKEN={}",
    'export SNYK_TOKEN="{}"',
    "snyk_token: '{}'",
    "In CI SNYK_TOKEN is {} for now",
    "ENV SNYK_TOKEN {}",
    "SEARCH_API_KEY={}",
    "client_secret={}",
)
CURL_ALONE = (
    'curl -u ":{}" https://a.example.org',
    "curl -s -u ':{}' https://a.example.org",
    "curl -u :{} https://a.example.org",
    "curl https://a.example.org -X POST -sSu:{}",
    'curl --user ":{}" https://a.example.org',
    "Ruf `curl --user=':{}' https://a.example.org` auf",
    'curl https://a.example.org \\\n  -u ":{}"',
    r'{{"cmd": "curl -u \":{}\" https://a.example.org"}}',
)
URLS = (
    "postgresql://shop:{}@db.internal:5432/shop",
    "redis://:{}@cache:6379/0",
    "mongodb+srv://app:{}@cluster0.example.net",
    "https://ana:{}@git.example.org/shop.git",
    "amqp://worker:{}@queue:5672/",
    "mysql://root:{}@127.0.0.1/shop",
    "postgres://shop:1*n?{}@db/shop",
)


def fakes() -> list[Fake]:
    """All of them, the same in every run."""
    chance = random.Random(SEED)
    made = [*_anywhere(chance), *_assigned(chance), *_around(chance), *_blocks(chance), *_generated(chance)]
    return [*made, *_handed(chance)]


def _anywhere(chance: random.Random) -> Iterator[Fake]:
    places = list(ANYWHERE.items())
    for number, (kind, make) in enumerate(TOKENS.items()):
        for step in (0, 3, 7):
            where, form = places[(number + step) % len(places)]
            secret = make(chance)
            yield Fake(kind, where, secret, form.format(secret))


def _assigned(chance: random.Random) -> Iterator[Fake]:
    places = list(ASSIGNED.items())
    for number, (kind, (name, make)) in enumerate(NAMED.items()):
        for step in (0, 4, 7):
            where, form = places[(number + step) % len(places)]
            words = name.lower().split("_")
            camel = words[0] + "".join(word.title() for word in words[1:])
            secret = make(chance)
            text = form.format(name=name, lower=name.lower(), dashed="-".join(words), camel=camel, value=secret)
            yield Fake(kind, where, secret, text)


def _around(chance: random.Random) -> Iterator[Fake]:
    for sentence in SENTENCES:
        secret = password(chance)
        yield Fake("password_in_prose", "prose", secret, sentence.format(secret))
    for url in URLS:
        secret = password(chance).replace("#", "x")
        yield Fake("url_password", "URL", secret, f"DATABASE at {url.format(secret)} answers")
    bearer, basic = of(ALNUM, 40)(chance), base64.b64encode(f"ana:{password(chance)}".encode()).decode()
    yield Fake("bearer", "header", bearer, f'curl -H "Authorization: Bearer {bearer}" https://api.example.org')
    yield Fake("bearer", "code", bearer, f"headers = {{'Authorization': f'Bearer {bearer}'}}")
    yield Fake("basic", "header", basic, f"Authorization: Basic {basic}\r\nAccept: */*")
    yield Fake("basic", "JSON", basic, f'{{"headers": {{"Authorization": "Basic {basic}"}}}}')
    cookie = of(URL_SAFE, 32)(chance)
    yield Fake("cookie", "header", cookie, f"Cookie: theme=dark; session_id={cookie}; lang=en")
    secret = password(chance)
    yield Fake("netrc", "file", secret, f"machine git.example.org login ana password {secret}")
    yield Fake("user_option", "shell", secret, f"curl -u ana:{secret} https://example.org/x")
    yield Fake("sql", "code", secret, f"CREATE USER shop IDENTIFIED BY '{secret}';")
    storage = of(BASE64, 86, "", "==")(chance)
    yield Fake("azure_storage_key", "string", storage, f"AccountName=shop;AccountKey={storage};EndpointSuffix=core")
    signature = of(ALNUM, 43, "", "%3D")(chance)
    signed = of(LOWER_HEX, 64)(chance)
    yield Fake("url_signature", "URL", signed, f"https://b.example.org/x?X-Amz-Date=2026&X-Amz-Signature={signed}&a=1")
    owner = uuid(chance)
    yield Fake("snyk_token", "shell", owner, f"snyk auth {owner}")
    half = of(LOWER_HEX, 32)(chance)
    for host in ("o1.ingest.example.org", "o1.ingest.sentry.io", "o1.ingest.us.sentry.io"):
        yield Fake("sentry_secret", "URL", half, f"https://{of(LOWER_HEX, 32)(chance)}:{half}@{host}/2")
    yield Fake("azure_sas", "URL", signature, f"https://shop.blob.example.net/a?sv=2024-01-01&se=2026&sig={signature}")
    yield Fake("connection_string", "string", secret, f"Server=db;Database=shop;User Id=sa;Password={secret};")
    for form in WRITTEN:
        # A password that ends a sentence or opens with a sign is another matter than the form.
        secret = f"{password(chance)}7q"
        yield Fake("written_password", form, secret, form.format(secret))
    for kind, (form, make) in PLACED.items():
        secret = make(chance)
        yield Fake(kind, form, secret, form.format(secret))
    for form in HASHED:
        secret = of(LOWER_HEX, 32)(chance)
        yield Fake("hashed_secret", form, secret, form.format(secret))
    for form in HEADERS:
        secret = uuid(chance) if "PVE" in form else of(ALNUM, 40)(chance)
        yield Fake("token_in_header", form, secret, form.format(secret))
    for form in (*NETWORK_KEYS, *ROMANCE, *PHRASES):
        secret = said_phrase(chance)
        yield Fake("said_phrase", form, secret, form.format(secret))
    for form in UUID_NAMES:
        secret = uuid(chance)
        yield Fake("named_uuid", form, secret, form.format(secret))
    for form in CURL_ALONE:
        secret = password(chance)
        yield Fake("user_option", form, secret, form.format(secret))
    for form in ('curl -H "Api-Token: {}" https://a.example.org', "X-Api-Token: {}"):
        secret = of(LOWER, 12)(chance)
        yield Fake("token_in_header", form, secret, form.format(secret))
    pair = of(UPPER, 16, "AK" + "IA")(chance), of(BASE64, 40)(chance)
    yield Fake("aws_key_pair", "lines", pair[1], "\n".join(pair))
    yield Fake("aws_key_pair", "prose", pair[1], f"the pair is {pair[0]} / {pair[1]} today")
    owned = of(ALNUM, 36, "gh" + "p_")(chance)
    for user in ("x-access-token", "token", "TOKEN"):
        yield Fake("url_token", user, owned, f"git clone https://{user}:{owned}@git.example.org/shop.git")
    datadog = of(LOWER_HEX, 32)(chance)
    yield Fake("datadog_in_prose", "prose", datadog, f"The Datadog API key of the EU account is {datadog}.")


def said_phrase(chance: random.Random) -> str:
    """Words and a number with hyphens between them, as people make passwords up."""
    parts = [
        *chance.sample(("correct", "Horse", "kaffee", "Sommer", "blue", "Azul", "nuit"), 2),
        str(chance.randrange(9, 99)),
    ]
    chance.shuffle(parts)
    return "-".join(parts)


def _blocks(chance: random.Random) -> Iterator[Fake]:
    for name in ("RSA PRIVATE", "OPENSSH PRIVATE", "EC PRIVATE", "PRIVATE", "ENCRYPTED PRIVATE"):
        lines = ["".join(chance.choices(BASE64, k=64)) for _ in range(6)]
        opening, closing = f"-----BEGIN {name} KEY-----", f"-----END {name} KEY-----"
        yield Fake("private_key", name, lines[3], "\n".join(["The key:", opening, *lines, closing, "Keep it."]))
        inline = "\\n".join([opening, *lines, closing])
        yield Fake("service_account", "JSON", lines[3], f'{{"type": "service_account", "private_key": "{inline}"}}')
    lines = ["".join(chance.choices(BASE64, k=64)) for _ in range(6)]
    numbered = [f"{number:>4}  {line}" for number, line in enumerate(["-----BEGIN RSA" + " PRIVATE KEY-----", *lines])]
    yield Fake("private_key", "numbered lines", lines[3], "\n".join(numbered))
    lines = ["".join(chance.choices(BASE64, k=64)) for _ in range(6)]
    text = "\n".join(["-----BEGIN PGP" + " PRIVATE KEY BLOCK-----", "Comment: no-reply", "", *lines, "=aB3d"])
    yield Fake("pgp_private_key", "cut off", lines[3], text)
    words = [
        f"{chance.choice('bcdfgmprst')}{chance.choice('aeiou')}{chance.choice(['lm', 'rt', 'nd', 'st'])}"
        for _ in range(12)
    ]
    yield Fake("seed_phrase", "prose", " ".join(words), f"seed phrase: {' '.join(words)}")


def _generated(chance: random.Random) -> Iterator[Fake]:
    for number, signs in enumerate(SIGN_SETS):
        for form in GENERATED:
            allowed = signs.replace(";", "") if form.startswith("Server") else signs
            secret = generated(allowed)(chance)
            yield Fake("generated_password", f"signs {number} in {form}", secret, form.format(secret))


def _handed(chance: random.Random) -> Iterator[Fake]:
    """Each form with two of the values, which take turns."""
    for number, form in enumerate(HANDED):
        for step in (0, 3):
            secret = VALUES[(number + step) % len(VALUES)](chance)
            yield Fake("handed_value", form, secret, form.format(secret))
