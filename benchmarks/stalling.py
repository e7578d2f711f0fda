"""Texts that are made to stall a scan: noise, repeated beginnings, floods of near misses, mixtures of everything."""

import random
import string
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle

from benchmarks.leaks import fakes
from benchmarks.lookalikes import lookalikes
from hansard.guard.rules import table

MIXTURES = 12
STREWN = 0.1
"""How many texts of everything, and how much of each is no repetition."""
ROUNDS, ROUND_PIECES = 8, 80
"""How many texts that say the same again and again with other values, and of how many pieces each time."""
PEM = "-----BEGIN" + " PRIVATE KEY"
NAMES = ("password", "token", "secret", "api_key", "key", "login")
NOISE = {
    "base64": string.ascii_letters + string.digits + "+/",
    "URL-safe base64": string.ascii_letters + string.digits + "-_",
    "hexadecimal": "0123456789abcdef",
    "printable": string.printable,
    "any character": "".join(map(chr, range(1, 0x250))),
}
REPEATED = (
    "a", "\n", " ", "{", "[", "ghp_", "sk-", "AKIA", "eyJ", "eyJaaaaaaaaaaa.", "xoxb-", "password=", "password:",
    "password: ", 'password="', "passwords=", "pwd=changeme ", '"token": "placeholder", ', "key 1 ",
    "key a1b2c3d4 ", f"{PEM}-----", f"{PEM}-----\n-", "http://a:bcd@", "a://b:c", "cookie: a=b; ",
    "bearer ", "Bearer aaaaaaaaaaaaaaaa ", "authorization: ", "Basic AAAAAAAAAAAAAAAAAAAA ", "seed: abc ", "a.b.",
    "M" * 24 + ".", "[REDACTED:", "12345678:AA", "<password>", '{"a":', "AKIAAAAAAAAAAAAAAAAA ", "пароль ", "😀",
    "curl sshpass -p secret( ", "psexec -u a:secret( ", "wifi:p:a;t:x://u:changeme@h;", "cookie=x://u:changeme@h; ",
    "token=a/" + "abcdefgh" * 5 + "9!x ", "password=abc" + ".a_a" * 60 + "!7Kq#Zx9$T ",
)  # fmt: skip
COUNTED = (
    "token: some-thing-that-is-long-and-words-{}", "token: {:08x}-aaaa", "password: foo-bar-{}", "api_key: foo-bar-{}",
    "secret: foo/bar-{}", "token: foo-bar-{}", "aws token: some-thing-that-is-long-{}", "password: Get" + "{}(User.Id)",
    "Bearer some-thing-{}-that-is-long", "service --token foo-bar-{}", "the api key of a is some-thing-{}",
    "postgres://app:Get" + "{}(User.Id)@db", "token: a:b:c-{}",
    "author: Jane{}x Doe-and-others", "tokens: {} in, 12k out, 4 s", "auth{}x: foo-bar",
    "token: a{}.JwtPayloadOAuth2SecretTokenKeyMap<", "password: Foo{}AbcStringTokenMapSetKeyIntRefBox[",
    "secret::a{}::Bc(x",
    "const db_pass" + 'word: string = "Get{}(User.Id)";', "The pass" + "word is glUniform{}ui64v.",
)  # fmt: skip
"""Lines of which each has another value that is none: all of them have to be judged."""
TOGETHER = (
    "{1}: Get{0}(User.Id) --{1} Foo{0}.Bar(x) the {1} is foo-Bar{0}(x) http://a:changeme{0}@h {2} Bar{0}(x.y) "
    'token, err := "foo-bar-{0}" azure api_key{0}=foo-bar-{0}-baz-qux Bearer a1-b{0}.cdefghijkl\n'
    "| token | Foo{0}(x) |\n"
)
"""One such value for each search, and some that are secrets: around them everything is searched once more."""
AMONG_VALUES = {
    "vendors": ("cloudflare ", "app", "password=", "azure "),
    "headers": ("authorization: ", "key", 'psk "', "qtTv669lHbFuMJaMq0lppfJUVqHqrVjQc1sTrUgb"),
    "headers in another script": ("密码", "MNO.", "=", "JdzGUaYQmggiC7dA", "authorization: "),
    "sessions and lines that go on": ("#", "Bearer ", "pass", "seed phrase: ", "\\\n"),
}
"""What stands beside nearly every value, and is now and then one itself: each leads an automaton somewhere else."""
CHANGING = (
    "foo-bar-{}", "a{}/b+c", "x{}Y9z!q", "Ab3{}_kPlm", "foo.bar({})", "aB{}cD.eF{}gH", "p@{}!ss", "glUniform{}ui64v",
    "Get{}(User.Id)",
)  # fmt: skip
"""Values of which the next one is another."""
JOINTS = (
    "=", ": ", " -p ", " -u ", "://", "\\n", "\u200b", " is ", "'", '"', "\t", "\xa0", "$", "/", ".a_a1-", "?",
)  # fmt: skip


def stalling(size: int) -> Mapping[str, str]:
    """Texts of this size by what they are."""
    chance = random.Random(3)
    made = {f"{part!r} repeated": part * (size // len(part) + 1) for part in REPEATED}
    for several in (drawn(chance, size), values(chance, size), lists(size), of_each_rule(chance, size)):
        made |= several
    return {name: text[:size] for name, text in (made | dict(mixtures(size)) | dict(rounds(size))).items()}


def drawn(chance: random.Random, size: int) -> Mapping[str, str]:
    heads = [head for rule in table().tokens for head in rule.words]
    parts = {
        "beginnings of tokens": heads,
        "beginnings and ends": [*heads, "-", "_", " ", ".", "a", "0"],
        "names and signs": [*NAMES, " ", "=", ":", '"', "'", "\n"],
        "names and words": [*NAMES, " a", " 1", " b2 ", "\n"],
    }
    openings = {
        "cookies": ["cookie=", "x-cookie=", "a=", "-"],
        "codes of networks": ["wifi:p:", "wifi:t:", "-", "a", "p:"],
        "first letters of a token": ["-M", "-a", "aa", "-N", "_O"],
    }
    made = {f"random {name}": mixed(chance, letters, size) for name, letters in (NOISE | parts).items()}
    return made | {
        f"random beginnings of {name}": f"{mixed(chance, parts, size - 1)}." for name, parts in openings.items()
    }


def values(chance: random.Random, size: int) -> Mapping[str, str]:
    """Values without end, by the thousand, beside vendors and among harmless ones."""
    harmless, secrets = list(lookalikes()), [one.text for one in fakes()]
    notes = [chance.choice(secrets if not number % 11 else harmless) for number in range(size // 20)]
    among = {f"random values among {name}": strewn(chance, units, size) for name, units in AMONG_VALUES.items()}
    return among | {
        "random keys": "".join(f"key: {mixed(chance, NOISE['base64'], 42)} " for _ in range(size // 42)),
        "different placeholders": " ".join(f"pwd=changeme{number}" for number in range(size // 14)),
        "a dump of passwords": " ".join(f"pwd=h!{number:06d}x" for number in range(size // 13)),
        "ten harmless look-alikes to a secret": "\n".join(notes),
        "marks in one value": 'password="' + "[REDACTED:x]" * (size // 12),
        "one endless cookie": "cookie: " + "a=b; " * (size // 5),
        "folders before a sign": "\\n" + "A:\\\\" * (size // 4 - 1) + "=",
    }


def lists(size: int) -> Mapping[str, str]:
    rows = "".join(f"u,h!{number:06d}x\n" for number in range(size // 12))
    made = {
        "a table of passwords": "user,password\n" + rows,
        "a table in Markdown": "| user | password |\n|---|---|\n" + rows.replace(",", "|").replace("\n", "|\n|"),
        "a table of names": "user,token\n" + rows.replace("h!", "name-"),
    }
    for line in COUNTED:
        made[f"a count in {line!r}"] = "\n".join(line.format(number) for number in range(size // len(line) + 1))
    together = "".join(TOGETHER.format(number, "password", "sshpass -p") for number in range(size // len(TOGETHER) + 1))
    made["a count in all of them at once"] = together
    made["the same behind marks that show nothing"] = together.replace(" ", " \u200b")
    made["the same, and one command for the rest"] = together[: size // 16] + "redis-cli -a foo-bar x\n" * (size // 24)
    return made


def of_each_rule(chance: random.Random, size: int) -> Mapping[str, str]:
    """One word of each rule, so that each is searched for, and then what is dear for some of them."""
    words = " ".join(rule.words[0] for rule in table().shapes) + "\n"
    headings = (";".join(["api key;pass;token;a1"] * 10) + "\nx\n") * (size // 210 + 1)
    noise = mixed(chance, NOISE["base64"], size)
    made = {
        "a word of each rule and random base64": words + noise,
        "a word of each rule and headings": words + headings,
        "a word of each rule, base64 and headings": f"{words}{noise[: size // 2]}\n{headings}",
        "a word of each rule and lines that go on": words + "aaaa\\\n" * (size // 6),
    }
    commands = " ".join(rule.words[0].strip() for rule in table().shapes if rule.judge == "password")
    for option in ("-p Get{}(User.Id)", "-a foo-bar-{}", "-p {0} -a {0} -k {0} -u a:{0} -P {0} -w {0} -N {0} /p:{0}"):
        lines = (f"{commands} {option.format(number)}" for number in range(size // len(commands) + 1))
        made[f"every command with {option!r}"] = "\n".join(lines)
    return made


def mixtures(size: int) -> Iterator[tuple[str, str]]:
    """Every word that any rule is looked up by, strewn over a few pieces that come again and again."""
    known, chance = table(), random.Random(7)
    words = [word for rule in (*known.tokens, *known.shapes, *known.contexts) for word in rule.words]
    words += known.foreign_names
    for number in range(MIXTURES):
        noise = mixed(chance, string.printable, 12)
        units = ["".join(chance.choices([*words, *JOINTS, *JOINTS, noise], k=chance.randint(2, 6))) for _ in range(3)]
        parts: list[str] = []
        length = 0
        while length < size:
            parts.append(chance.choice(words) if chance.random() < STREWN else chance.choice(units))
            length += len(parts[-1])
        yield f"mixture {number}", "".join(parts)


def rounds(size: int) -> Iterator[tuple[str, str]]:
    """Names of many languages, words of rules and signs in the same order again and again, each time with other values:
    many secrets of each form, hardly anything that was refused before, and around each secret all of it again."""
    known, chance = table(), random.Random(11)
    words = [word for rule in (*known.tokens, *known.shapes) for word in rule.words]
    drawn = [*NOISE.values()]
    for number in range(ROUNDS):
        kinds = (words, [*known.foreign_names], [*NAMES, *JOINTS, "😀"], CHANGING, drawn)
        chosen = chance.choices(kinds, k=ROUND_PIECES)
        units = [(chance.choice(kind), kind is drawn, chance.choice((3, 8, 16, 32, 64, 200))) for kind in chosen]
        parts: list[str] = []
        length = 0
        while length < size:
            for unit, is_drawn, long in units:
                parts.append(mixed(chance, unit, long) if is_drawn else unit.replace("{}", str(len(parts))))
                length += len(parts[-1])
        yield f"round {number}", "".join(parts)


def strewn(chance: random.Random, units: Sequence[str], size: int) -> str:
    """The units in turn, every fifth a random value instead."""
    letters = string.ascii_letters + string.digits + "!_-"
    parts: list[str] = []
    for unit in cycle(units):
        parts.append(mixed(chance, letters, chance.choice((4, 12, 20))) if chance.random() < 0.2 else unit)
        size -= len(parts[-1])
        if size <= 0:
            return "".join(parts)
    return ""


def mixed(chance: random.Random, parts: Sequence[str], size: int) -> str:
    return "".join(chance.choices(parts, k=size))[:size]
