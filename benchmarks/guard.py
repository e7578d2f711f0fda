"""The bars of the secret scan: what it finds, what it leaves alone, and what it costs, also at its worst."""

import random
import statistics
import string
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks.bar import Bar
from benchmarks.leaks import fakes
from benchmarks.lookalikes import lookalikes
from benchmarks.neighbours import BESIDE, beside
from benchmarks.texts import texts
from hansard.guard.rules import table
from hansard.guard.secrets import redact, scan

MEMORIES = 2_000
PROSE_CHARACTERS = 4_000_000
WORST_CHARACTERS = 1_000_000
SIGNED = 10
"""Every how many sentences one has signs that are not ASCII."""
MIXTURES = 12
STREWN = 0.1
"""How many texts of everything, and how much of each is no repetition."""
RUNS = 3
RECALL_PERCENT_MIN = 97.0
FALSE_PERCENT_MAX = 1.0
PROSE_MEGABYTES_MIN = 20.0
MEMORY_MILLISECONDS_MAX = 0.05
WORST_MILLISECONDS_MAX = 200.0
PEM = "-----BEGIN" + " PRIVATE KEY"
COUNTED = (
    "token: some-thing-that-is-long-and-words-{}", "token: {:08x}-aaaa", "password: foo-bar-{}", "api_key: foo-bar-{}",
    "secret: foo/bar-{}", "token: foo-bar-{}", "aws token: some-thing-that-is-long-{}", "password: Get" + "{}(User.Id)",
    "Bearer some-thing-{}-that-is-long", "service --token foo-bar-{}", "the api key of a is some-thing-{}",
    "postgres://app:Get" + "{}(User.Id)@db", "token: a:b:c-{}",
    "author: Jane{}x Doe-and-others", "tokens: {} in, 12k out, 4 s", "auth{}x: foo-bar",
    "const db_pass" + 'word: string = "Get{}(User.Id)";', "The pass" + "word is glUniform{}ui64v.",
)  # fmt: skip
"""Lines of which each has another value that is none: all of them have to be judged."""
TOGETHER = (
    "{1}: Get{0}(User.Id) --{1} Foo{0}.Bar(x) the {1} is foo-Bar{0}(x) http://a:changeme{0}@h {2} Bar{0}(x.y) "
    'token, err := "foo-bar-{0}" azure api_key{0}=foo-bar-{0}-baz-qux Bearer a1-b{0}.cdefghijkl\n'
    "| token | Foo{0}(x) |\n"
)
"""One such value for each search, and some that are secrets: around them everything is searched once more."""


def measure(_folder: Path) -> Iterator[Bar]:
    scan("password=")
    yield recall()
    yield recall_beside()
    yield false_positives()
    yield from speed()
    yield worst()


def recall() -> Bar:
    """The reference is what one pattern for every long word would find, as agent hosts have it."""
    made = fakes()
    missed = sum(survives(one.secret, redact(one.text)) for one in made)
    naive = sum(one.secret not in one.text.replace(longest_word(one.text), "") for one in made)
    share = 100 * (1 - missed / len(made))
    return Bar(
        f"fake secrets found, {len(made)} of {len({one.kind for one in made})} kinds", f"{share:.1f} %",
        f"the longest word of each text: {100 * naive / len(made):.1f} %", None, share, "at least",
        RECALL_PERCENT_MIN, "%",
    )  # fmt: skip


def recall_beside() -> Bar:
    """The reference is what is found of the same secrets without company."""
    company = list(beside())
    alone = fakes()
    share = 100 * (1 - sum(survives(one.secret, redact(one.text)) for one in company) / len(company))
    reference = 100 * (1 - sum(survives(one.secret, redact(one.text)) for one in alone) / len(alone))
    return Bar(
        f"found beside harmless text, {len(company)} in {len(BESIDE)} kinds of company", f"{share:.1f} %",
        f"the same secrets alone: {reference:.1f} %", None, share, "at least", RECALL_PERCENT_MIN, "%",
    )  # fmt: skip


def false_positives() -> Bar:
    harmless = lookalikes()
    found = sum(bool(scan(text)) for text in harmless)
    naive = sum(len(longest_word(text)) >= 20 for text in harmless)
    share = 100 * found / len(harmless)
    return Bar(
        f"harmless look-alikes taken for secrets, of {len(harmless)}", f"{share:.2f} %",
        f"with a word of 20 characters: {100 * naive / len(harmless):.1f} %", None, share, "at most",
        FALSE_PERCENT_MAX, "%",
    )  # fmt: skip


def speed() -> Iterator[Bar]:
    memories = list(texts(MEMORIES))
    prose = written(PROSE_CHARACTERS)
    figure, reference = seconds(partial(scan, prose)), seconds(prose.split)
    rate = len(prose) / figure / 1e6
    yield Bar(
        "prose", f"{rate:.1f} MB/s", f"split into words: {len(prose) / reference / 1e6:.1f} MB/s", figure / reference,
        rate, "at least", PROSE_MEGABYTES_MIN, "MB/s",
    )  # fmt: skip
    each = seconds(lambda: [scan(one) for one in memories]) / MEMORIES * 1000
    split = seconds(lambda: [one.split() for one in memories]) / MEMORIES * 1000
    yield Bar(
        f"a typical memory, {sum(map(len, memories)) // MEMORIES} characters", f"{each:.4f} ms",
        f"split into words: {split:.4f} ms", each / split, each, "at most", MEMORY_MILLISECONDS_MAX, "ms",
    )  # fmt: skip


def worst() -> Bar:
    """The slowest of many inputs made to be slow, against the same length of plain prose."""
    took = {name: seconds(partial(scan, text)) * 1000 for name, text in hostile(WORST_CHARACTERS).items()}
    name = max(took, key=lambda one: took[one])
    prose = written(WORST_CHARACTERS)
    reference = seconds(partial(scan, prose)) * 1000
    return Bar(
        f"the worst of {len(took)} hostile inputs of 1 MB ({name})", f"{took[name]:.0f} ms",
        f"prose: {reference:.0f} ms", took[name] / reference, took[name], "at most", WORST_MILLISECONDS_MAX, "ms",
    )  # fmt: skip


def written(size: int) -> str:
    """Prose as people write it: sentences with commas and full stops, here and there a dash and a curly quote."""
    sentences = (f"{text[0].upper()}{text[1:]}".replace(" the ", ", the ", 1) for text in texts(size // 120))
    signed = (f"{one} — it’s so." if place % SIGNED == 0 else f"{one}." for place, one in enumerate(sentences))
    return " ".join(signed)[:size]


def hostile(size: int) -> Mapping[str, str]:
    """Inputs that are meant to stall a scanner: one character, noise, repeated beginnings, floods of near misses."""
    chance = random.Random(3)
    heads = [head for rule in table().tokens for head in rule.words]
    names = ["password", "token", "secret", "api_key", "key", "login"]
    harmless = list(lookalikes())
    repeated = (
        "a", "\n", " ", "{", "[", "ghp_", "sk-", "AKIA", "eyJ", "eyJaaaaaaaaaaa.", "xoxb-", "password=", "password:",
        "password: ", 'password="', "passwords=", "pwd=changeme ", '"token": "placeholder", ', "key 1 ",
        "key a1b2c3d4 ", f"{PEM}-----", f"{PEM}-----\n-", "http://a:bcd@", "a://b:c", "cookie: a=b; ",
        "bearer ", "Bearer aaaaaaaaaaaaaaaa ", "authorization: ", "Basic AAAAAAAAAAAAAAAAAAAA ", "seed: abc ", "a.b.",
        "M" * 24 + ".", "[REDACTED:", "12345678:AA", "<password>", '{"a":', "AKIAAAAAAAAAAAAAAAAA ", "пароль ", "😀",
        "curl sshpass -p secret( ", "psexec -u a:secret( ", "wifi:p:a;t:x://u:changeme@h;", "cookie=x://u:changeme@h; ",
    )  # fmt: skip
    noise: dict[str, str] = {
        "base64": string.ascii_letters + string.digits + "+/",
        "URL-safe base64": string.ascii_letters + string.digits + "-_",
        "hexadecimal": "0123456789abcdef",
        "printable": string.printable,
        "any character": "".join(map(chr, range(1, 0x250))),
    }
    made = {f"{part!r} repeated": (part * (size // len(part) + 1))[:size] for part in repeated}
    made |= {f"random {name}": "".join(chance.choices(letters, k=size)) for name, letters in noise.items()}
    made["random beginnings of tokens"] = mixed(chance, heads, size)
    made["random beginnings and ends"] = mixed(chance, [*heads, "-", "_", " ", ".", "a", "0"], size)
    made["random names and signs"] = mixed(chance, [*names, " ", "=", ":", '"', "'", "\n"], size)
    made["random names and words"] = mixed(chance, [*names, " a", " 1", " b2 ", "\n"], size)
    openings = {
        "cookies": ["cookie=", "x-cookie=", "a=", "-"],
        "codes of networks": ["wifi:p:", "wifi:t:", "-", "a", "p:"],
        "first letters of a token": ["-M", "-a", "aa", "-N", "_O"],
    }
    made |= {f"random beginnings of {name}": f"{mixed(chance, parts, size - 1)}." for name, parts in openings.items()}
    keys = ("".join(chance.choices(noise["base64"], k=42)) for _ in range(size // 42))
    made["random keys"] = "".join(f"key: {key} " for key in keys)[:size]
    made["different placeholders"] = " ".join(f"pwd=changeme{number}" for number in range(size // 18))
    made["a dump of passwords"] = " ".join(f"pwd=h!{number:06d}x" for number in range(size // 15))
    rows = "".join(f"u,h!{number:06d}x\n" for number in range(size // 12))
    made["a table of passwords"] = "user,password\n" + rows[: size - 14]
    made["a table in Markdown"] = ("| user | password |\n|---|---|\n" + rows.replace(",", "|").replace("\n", "|\n|"))[
        :size
    ]
    made["a table of names"] = ("user,token\n" + rows.replace("h!", "name-"))[:size]
    for line in COUNTED:
        lines = (line.format(number) for number in range(size // len(line) + 1))
        made[f"a count in {line!r}"] = "\n".join(lines)[:size]
    together = "".join(TOGETHER.format(number, "password", "sshpass -p") for number in range(size // len(TOGETHER) + 1))
    made["a count in all of them at once"] = together[:size]
    made["the same behind marks that show nothing"] = together.replace(" ", " \u200b")[:size]
    made["the same, and one command for the rest"] = together[: size // 16] + "redis-cli -a foo-bar x\n" * (size // 25)
    secrets = [one.text for one in fakes()]
    notes = [chance.choice(secrets if not number % 11 else harmless) for number in range(size // 20)]
    made["ten harmless look-alikes to a secret"] = "\n".join(notes)[:size]
    words = " ".join(rule.words[0] for rule in table().shapes)
    headings = (";".join(["api key;pass;token;a1"] * 10) + "\nx\n") * (size // 210 + 1)
    made["a word of each rule and random base64"] = f"{words}\n{made['random base64']}"[:size]
    made["a word of each rule and headings"] = f"{words}\n{headings}"[:size]
    made["a word of each rule, base64 and headings"] = f"{words}\n{made['random base64'][: size // 2]}\n{headings}"[
        :size
    ]
    made["a word of each rule and lines that go on"] = f"{words}\n" + "aaaa\\\n" * (size // 6)
    commands = " ".join(rule.words[0].strip() for rule in table().shapes if rule.judge == "password")
    for option in ("-p Get{}(User.Id)", "-a foo-bar-{}", "-p {0} -a {0} -k {0} -u a:{0} -P {0} -w {0} -N {0} /p:{0}"):
        lines = (f"{commands} {option.format(number)}" for number in range(size // len(commands) + 1))
        made[f"every command with {option!r}"] = "\n".join(lines)[:size]
    made |= mixtures(size)
    made["folders before a sign"] = "\\n" + "A:\\\\" * (size // 4 - 1) + "="
    made["humps of a name"] = ("token=a/" + "abcdefgh" * 5 + "9!x ") * (size // 52)
    made["calls of calls"] = ("password=abc" + ".a_a" * 60 + "!7Kq#Zx9$T ") * (size // 265)
    made["marks in one value"] = 'password="' + "[REDACTED:x]" * (size // 12)
    made["one endless cookie"] = "cookie: " + "a=b; " * (size // 5)
    return made


def mixtures(size: int) -> Mapping[str, str]:
    """Every word that any rule is looked up by, strewn over a few pieces that come again and again."""
    known, chance = table(), random.Random(7)
    words = [word for rule in (*known.tokens, *known.shapes, *known.contexts) for word in rule.words]
    words += known.foreign_names
    joints = [
        "=",
        ": ",
        " -p ",
        " -u ",
        "://",
        "\\n",
        "\u200b",
        " is ",
        "'",
        '"',
        "\t",
        "\xa0",
        "$",
        "/",
        ".a_a1-",
        "?",
    ]
    made: dict[str, str] = {}
    for number in range(MIXTURES):
        noise = "".join(chance.choices(string.printable, k=12))
        units = ["".join(chance.choices([*words, *joints, *joints, noise], k=chance.randint(2, 6))) for _ in range(3)]
        parts: list[str] = []
        length = 0
        while length < size:
            parts.append(chance.choice(words) if chance.random() < STREWN else chance.choice(units))
            length += len(parts[-1])
        made[f"mixture {number}"] = "".join(parts)[:size]
    return made


def mixed(chance: random.Random, parts: list[str], size: int) -> str:
    return "".join(chance.choices(parts, k=size))[:size]


def survives(secret: str, text: str) -> bool:
    """Whether the secret, or both its ends, can still be read."""
    return secret in text or (len(secret) > 24 and secret[:12] in text and secret[-12:] in text)


def longest_word(text: str) -> str:
    return max(text.split(), key=len)


def seconds(work: Callable[[], object]) -> float:
    """Of this thread alone, the median of a few: other work on the machine is no part of the figure."""
    took: list[float] = []
    for _ in range(RUNS):
        start = time.thread_time()
        work()
        took.append(time.thread_time() - start)
    return statistics.median(took)
