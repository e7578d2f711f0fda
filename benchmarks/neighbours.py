"""Puts every fake secret beside harmless text that speaks of secrets too: none may hide what stands next to it."""

from collections.abc import Iterator, Mapping

from benchmarks.leaks import Fake, fakes

BESIDE: Mapping[str, tuple[str, str]] = {
    "usage": ("usage: login <user> <password>\n", "\nusage: logout <token>\n"),
    "placeholder header": ("Call it with Authorization: Bearer <token>\n", "\n"),
    "same line": ("<token> ", " <password>"),
    "cell": ("| token | ", " |\n"),
    "table": ("| token | meaning |\n|---|---|\n| api_key | none |\n\n", "\n\n| secret | see the vault |\n"),
    "empty value": ("password =\n", "\nsecret =\n"),
    "YAML": ("auth:\n  password: ${DB_PASSWORD}\n  token:\n", "\n  endpoint: https://api.example.org\n"),
    "INI": ("[auth]\nsecret =\n", "\ntoken_ttl = 30\n"),
    "TOML": ('[login]\npassword = ""\n\n', "\nretries = 3\n"),
    "dotenv": ("API_KEY=\nTOKEN=changeme\n", "\nSECRET=\n"),
    "XML": ("<secret></secret>\n<token>\n", "\n</token>\n"),
    "program": ("def login(user: str, password: str = None, token=None):\n", "\n    return token\n"),
    "redacted": ("password=[REDACTED:password]\n", "\n[REDACTED:token]"),
    "other scripts": ('пароль: "нет"\npassword: "жжжжжж1"\n', "\n密码：无\n"),
    "chat": (
        "ana: what was the password policy?\nbob: see docs/auth.md, a token has 32 characters\nana: and the login?\n",
        "\nbob: the key is in the vault\nana: thanks, the login works\n",
    ),
}
"""What stands before a secret, and behind it."""


def beside() -> Iterator[Fake]:
    """Each secret of the corpus in each company."""
    for fake in fakes():
        for where, (before, after) in BESIDE.items():
            yield Fake(fake.kind, f"{fake.where} beside {where}", fake.secret, f"{before}{fake.text}{after}")
