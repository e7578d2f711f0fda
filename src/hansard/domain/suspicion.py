"""Owns what makes stored text look like an instruction to a model instead of something a team learned.

An honest rule of work, such as "Always run the tests first", is no suspicion: what counts is text that speaks as
somebody else, or that wants to change what the reader obeys. Every test here is linear in the text.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple
from unicodedata import normalize

from hansard.domain.text import legible


class Sign(StrEnum):
    """What is suspicious about a text."""

    ROLE_MARKER = "a role marker"
    OVERRIDE = "a demand to drop earlier instructions"
    NEW_IDENTITY = "a new identity for the reader"
    TOOL_CALL = "the markup of a tool call"


class _Test(NamedTuple):
    """A pattern, and the words of which a text must have one for the pattern to be tried at all."""

    words: tuple[str, ...]
    pattern: str


_ROLES = frozenset(
    f"{who}{what}"
    for who in ("system", "assistant", "developer", "human", "user")
    for what in ("", " prompt", " message")
)
_HEADINGS = frozenset(
    "instruction|instructions|system|system prompt|new instruction|new instructions|response".split("|")
)
_STRONG = (
    "previous|prior|earlier|above|preceding|all|any|your|existing|former|vorherigen|vorigen|bisherigen|früheren|alle"
    "|obigen|deine|précédentes|antérieures|toutes|tes|vos|anteriores|previas|todas|tus|precedenti|tutte|suas"
)
_WEAK = "the|these|those|of|and|de|des|del|von|as|las|les|le|die|is|la"
_RULES = (
    "instructions?|prompts?|rules?|directives?|guidelines?|boundaries|decisions?|commands?|constraints?|anweisung(?:en)?"
    "|d-\\d+|regeln?|vorgaben|consignes?|règles?|instrucciones|reglas|órdenes|istruzioni|regole|instruções|regras"
)
_DROP = (
    "(?<!not )(?<!n't )(?<!never )(?:ignore|disregard|forget|override|bypass|discard|ignoriere|ignoriert|ignorieren"
    "|vergiss|missachte|ignorez|ignorer|oublie|oubliez|ignora|ignorar|olvida|olvide|dimentica|esqueça|desconsidere)"
)
_ALL = "(?:the|these|those|this|your|our|all|any|every|other|team|team's|previous|prior|earlier|above|of|system|user) "
_ORDERS = "(?:rules|instructions|directives|guidelines|constraints|prompts?|orders)"
_ELSEWHERE = (
    "(?! (?:of|in|from|for|on) (?!the (?:team|user|system|prompt|block|boundaries|decisions)|this (?:prompt|block)))"
)
"""So that the rules of a linter, or the instructions in a file, are no suspicion."""
_FOR_OTHERS = "(?! (?:to (?!you|this|us|agents|me)|in |since |after |as of |for (?!you|this|us|agents|me)))"
_OF_TOOLS = (
    r"(?![ \t]+(?:all|any)(?:[ \t]+(?:the|existing))?[ \t]+"
    r"(?:(?!previous|prior|earlier|above|your|former|team|system|safety|security|review)\w+[ \t]+)?rules?[ \t]+"
    r"(?:in|of|for|from)[ \t]+"
    r"(?!(?:the[ \t]+(?:team|user|system|prompt|block|boundaries|decisions)"
    r"|agents?|models?|reviews?|you|me|this|these|your|our)\b))"
)
"""So that all the rules of a linter in some files may be dropped."""
_BEHIND = "above|before|so far|anteriores|precedenti|previas|précédentes|antérieures"
_DROPPING = (
    "ignor", "disregard", "forget", "overrid", "bypass", "discard", "vergiss", "missacht", "oubli", "olvid", "dimentic",
    "esque", "desconsider", "new ", "neue ", "nouvelle", "nueva", "nuov", "忽略", "無視", "игнорир",
)  # fmt: skip
_RULED = (
    "instruction", "prompt", "rule", "directive", "order", "guideline", "boundar", "decision", "command", "constraint",
    "anweisung", "regel", "vorgabe", "consigne", "règle", "instruccion", "instrucción", "regla", "órden", "istruzion",
    "regol", "instruç", "regra", "everything", "anything", "all that", "指", "命令", "提示", "инструкц",
    "указан", "правил", "d-",
)  # fmt: skip
_TESTS: Mapping[Sign, tuple[_Test, ...]] = {
    Sign.ROLE_MARKER: (
        _Test(
            ("<|", "inst]", "<<sys", "system>", "assistant>", "instruction>", "instructions>", "reminder>"),
            r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|begin_of_text)\b"
            r"|\[/?inst\]|<<sys>>|</?(?:system|assistant|instructions?|system-reminder)>",
        ),
    ),
    Sign.OVERRIDE: (
        _Test(
            _DROPPING,
            rf"\b{_DROP}\b{_OF_TOOLS}(?:[ \t]+(?:{_WEAK})\b){{0,2}}"
            rf"[ \t]+(?:{_STRONG})\b(?:[ \t]+(?:{_WEAK}|{_STRONG})\b){{0,3}}"
            rf"[ \t]+(?:\w+[ \t]+)?(?:{_RULES})\b(?! with -)",
        ),
        _Test(
            _DROPPING,
            rf"\b{_DROP}(?:[ \t]+(?:{_WEAK}))?[ \t]+(?:{_RULES})[ \t]+(?:{_BEHIND})\b"
            rf"|\b{_DROP}[ \t]+(?:the[ \t]+|all[ \t]+|our[ \t]+)?(?:boundaries|decisions|(?:decision[ \t]+)?d-\d+)\b"
            r"|\b(?:ignore|disregard|forget)[ \t]+(?:everything|all that|anything)"
            r"[ \t]+(?:above|before|you|prior|said)\b",
        ),
        _Test(
            _DROPPING,
            r"\bnew[ \t]+(?:system[ \t]+)?(?:rules?|instructions?|directives?|orders?)[ \t]*:[ \t]*"
            r"(?:you|from now|always|never|do|your)\b"
            r"|\bnew[ \t]+(?:system[ \t]+)?(?:instructions?|directives?)[ \t]*:"
            r"(?![ \t]*(?:see|read|in|are|https?|docs?)\b)"
            r"|\b(?:neue|nouvelles?|nuevas?|nuov[ae])[ \t]+"
            r"(?:regel|anweisung|anweisungen|règle|consignes?|regla|instrucción|instrucciones|regola|istruzion[ei])"
            r"[ \t]*:"
            r"|忽略.{0,12}(?:指令|指示|提示)|(?:指示|命令).{0,6}無視|игнорируй.{0,30}(?:инструкци|указани|правил)",
        ),
        _Test(
            (
                "follow",
                "obey",
                "comply",
                "adhere",
                "no longer",
                "precedence",
                "not apply",
                "n't apply",
                "not bind",
                "void",
                "revoked",
                "lifted",
                "suspended",
                "rescinded",
                "cancelled",
                "canceled",
                "withdrawn",
            ),
            rf"\b(?:do not|don't|never|stop|cease|quit|no longer) (?:(?:follow|obey)(?:ing)?|(?:comply|complying) with"
            rf"|adher(?:e|ing) to) (?:{_ALL})*(?:boundaries|decisions|(?:decision )?d-\d+|{_ORDERS}{_ELSEWHERE})\b"
            rf"|\b(?:boundaries|decisions?|d-\d+|{_ORDERS})(?: (?:above|before|of the team|of this team|d-\d+))? "
            r"(?:no longer|do not|does not|don't|doesn't) "
            rf"(?:apply|applies|hold|holds|count|counts|bind|binds)\b{_FOR_OTHERS}"
            r"|\b(?:boundaries|(?:above |earlier |previous )decisions|decisions above|d-\d+)"
            r" (?:is|are|was|were|has been|have been) (?:now |hereby )?"
            r"(?:void|revoked|lifted|suspended|rescinded|cancelled|canceled|withdrawn)\b"
            rf"|\b(?:takes?|has|have) precedence over (?:{_ALL})*(?:boundaries|decisions|everything|{_ORDERS})\b",
        ),
    ),
    Sign.NEW_IDENTITY: (
        _Test(
            ("you are no", "you are now", "from now on", "pretend", "act as ", "you are in "),
            r"\byou are (?:now|no longer)\b(?! (?:able|ready|done|allowed|finished|connected|logged|on|in|at|free))"
            r"|\byou are (?:now )?in (?:maintenance|developer|debug|god|admin|root|unrestricted|jailbreak|override"
            r"|emergency)[ -]mode\b|\bfrom now on,? you (?:are|must|will|obey|act)\b"
            r"|\bpretend (?:to be|that you are|you are)\b"
            r"|\bact as (?:if you (?:are|were)|an? (?:unrestricted|different|new)|dan\b|root\b|the system\b"
            r"|administrator\b)",
        ),
        _Test(
            (
                "du bist",
                "tu es",
                "vous êtes",
                "ahora",
                "eres ",
                "ora sei",
                "sei ora",
                "poi sei",
                "você",
                "ты теперь",
                "你现在是",
                "あなたは今から",
            ),
            r"\bdu bist (?:jetzt|ab jetzt|nun|ab sofort)\b|\b(?:tu es|vous êtes) (?:maintenant|désormais)\b"
            r"|\b(?:ahora eres|eres ahora)\b|\b(?:ora sei|sei ora|da ora in poi sei)\b"
            r"|\bvocê (?:agora é|é agora)\b|\bты теперь\b|你现在是|あなたは今から",
        ),
    ),
    Sign.TOOL_CALL: (
        _Test(
            ("<tool", "</tool", "function_", "invoke", "<|tool", "tool_calls", "to=functions"),
            r"</?(?:[a-z]{1,12}:)?(?:tool_call|tool_use|tool_result|tool_response|function_calls?|function_results?|invoke)\b"
            r"|<\|tool_call|\"tool_calls\"[ \t]*:|\bto=functions\.",
        ),
    ),
}
_BRACKETED = r"(?m)^[ \t>*-]*\[/?(?:system|assistant|developer)(?: (?:prompt|message|note|override))?\](?!\()"
_CAPITALS = r"\[/?(?:SYSTEM|ASSISTANT|DEVELOPER)(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE))?\](?!\()"
_VERBATIM = frozenset({Sign.ROLE_MARKER, Sign.TOOL_CALL})
_PLAIN = frozenset('*"“”„«»`,_')
LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһкмтвнАЕОРСУХІЅЈКМТВНοαερτυνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxisjdhkmtbhAEOPCYXISJKMTBHoaeptuvikABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""
_DIGITS = str.maketrans("013457@$", "oieastas")
_MACHINES = ("macos", "mac os", "linux", "windows", "ubuntu", "debian", "fedora", "alpine", "ios", "android", "freebsd")
"""What a system is in a report of somebody's work."""
_WORDS = tuple(dict.fromkeys(word for tests in _TESTS.values() for test in tests for word in test.words))


def signs_in(text: str) -> tuple[Sign, ...]:
    """What is suspicious about the text; nothing for what a team learns by working."""
    return tuple(dict.fromkeys(_signs(text)))


def is_suspicious(text: str) -> bool:
    return next(_signs(text), None) is not None


def _signs(text: str) -> Iterator[Sign]:
    for reading in _readings(legible(text)):
        yield from _signs_in(reading)


def _readings(shown: str) -> Iterator[str]:
    """The text, and what else a model may take it for: look-alikes as Latin letters, digits as letters."""
    yield shown
    plain = shown
    if not shown.isascii():
        plain = normalize("NFKC", shown).translate(LOOKALIKES)
        if plain != shown:
            yield plain
    if re.search(r"[A-Za-z][013457@$][A-Za-z]", plain):
        yield plain.translate(_DIGITS)


def _signs_in(shown: str) -> Iterator[Sign]:
    plain = shown.lower()
    speaks = (":" in plain or "#" in plain) and _speaks_as_another(plain)
    if speaks or ("[" in plain and _marks_a_role(shown, plain)):
        yield Sign.ROLE_MARKER
    # A sentence goes on in the next line.
    plain = " ".join(plain.split())
    said = plain
    if not _PLAIN.isdisjoint(plain):
        # Emphasis and commas are no part of what a sentence wants.
        said = " ".join(re.sub(r"[*\"“”„«»`,]|(?<!\w)_|_(?!\w)", "", plain).split())
    for word in _WORDS:
        if word in said or word in plain:
            break
    else:
        # Nearly every text ends here, and a block asks about dozens of them.
        return
    for sign, tests in _TESTS.items():
        wanted = plain if sign in _VERBATIM else said
        if any(_matches(test, wanted) for test in tests):
            yield sign


def _matches(test: _Test, plain: str) -> bool:
    """Patterns are compiled when a text first needs one: together they cost more than compiling a block does."""
    if not any(word in plain for word in test.words):
        return False
    if test.words is _DROPPING and not any(word in plain for word in _RULED):
        return False
    return re.search(test.pattern, plain) is not None


def _marks_a_role(shown: str, plain: str) -> bool:
    """Whether `[system]` begins a line, or stands anywhere in capitals as no section of a file does."""
    return re.search(_BRACKETED, plain) is not None or re.search(_CAPITALS, shown) is not None


def _speaks_as_another(plain: str) -> bool:
    """Whether a line begins as the turn of somebody in a conversation, or is the heading of a prompt."""
    for line in plain.split("\n"):
        head, colon, rest = line[:60].partition(":")
        if colon and rest[:1] in {"", " ", "*", "_", "\t"} and head.strip(" \t>*_#-[]") in _ROLES:
            return not rest.strip(" *_").startswith(_MACHINES)
        if head.startswith("#") and not rest.strip() and head.strip("# \t") in _HEADINGS:
            return True
    return False
