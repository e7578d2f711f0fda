"""Owns what makes stored text look like an instruction to a model instead of something a team learned.

An honest rule of work, such as "Always run the tests first", is no suspicion: what counts is text that speaks as
somebody else, or that wants to change what the reader obeys. Every test here is linear in the text.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from hansard.domain.text import compatible, has_any, legible
from hansard.domain.tricks import voices
from hansard.domain.tricks.asked import Asked, Words
from hansard.domain.tricks.excuses import (
    CONFINED,
    ELSEWHERE,
    NUMBERED,
    OF_CODE,
    OF_MACHINES,
    OF_MINE,
    OF_PAPERS,
    OF_THINGS,
    OF_TOOLS,
    OF_WALLS,
    OVER,
    PARTS,
    PERSONA,
    PLACES,
    UNNAMED,
)
from hansard.domain.tricks.readings import STRESS, in_letters, in_one_line, stands_for_letters
from hansard.domain.tricks.turns import (
    ROLE_CHARACTERS_MAX,
    commands,
    is_logged,
    is_plain,
    speaks_as_another,
    talks,
    wants,
)


class Sign(StrEnum):
    """What is suspicious about a text."""

    ROLE_MARKER = "a role marker"
    OVERRIDE = "a demand to drop earlier instructions"
    NEW_IDENTITY = "a new identity for the reader"
    EXFILTRATION = "an order to send secrets away"
    PROMOTION = "a bid for rank, trust or reach"
    TOOL_CALL = "the markup of a tool call"


class _Test(NamedTuple):
    """A pattern, and the words of which a text must have one for the pattern to be tried at all; and one of those that
    stand beside them, if there are any."""

    words: tuple[str, ...]
    pattern: str
    beside: tuple[str, ...] = ()


_STRONG = (
    "previous|prior|earlier|above|preceding|all|any|your|existing|former|vorherigen|vorigen|bisherigen|früheren|alle"
    "|obigen|deine|précédentes|antérieures|toutes|tes|vos|anteriores|previas|todas|tus|precedenti|tutte|suas"
)
_WEAK = "the|these|those|of|and|each|every|my|de|des|del|von|as|las|les|le|die|is|la"
_RULES = (
    "instructions?|prompts?|rules?|directives?|guidelines?|boundaries|decisions?|commands?|constraints?"
    "|anweisung(?:en)?"
    "|d-\\d+|regeln?|vorgaben|consignes?|règles?|instrucciones|reglas|órdenes|istruzioni|regole|instruções|regras"
)
_DROP = (
    "(?<!not )(?<!n't )(?<!never )(?:ignore|disregard|forget|override|bypass|discard|ignoriere|ignoriert|ignorieren"
    "|vergiss|missachte|ignorez|ignorer|oublie|oubliez|ignora|ignorar|olvida|olvide|dimentica|esqueça|desconsidere)"
)
_ALL = "(?:the|these|those|this|your|our|all|any|every|other|team|team's|previous|prior|earlier|above|of|system|user) "
_ORDERS = "(?:rules|instructions|directives|guidelines|constraints|prompts?|orders)"
_THIS = r"this (?:note|message|memory|text|entry|document|record|line)\b"
_FOR_OTHERS = "(?! (?:to (?!you|this|us|agents|me)|in |since |after |as of |for (?!you|this|us|agents|me)))"
_DATED = "(?! (?:at|in|of|on|by|since|for|when|after|if|once|until|as|from|because|while|with|during) )"
"""Who says when, why or where something ended tells what happened."""
_BEHIND = "above|before|so far|anteriores|precedenti|previas|précédentes|antérieures"
_DROPPING = (
    "ignor",
           "disregard", "forget", "overrid", "bypass", "discard", "vergiss", "missacht", "oubli", "olvid", "dimentic",
    "esque", "desconsider", "new ", "neue ", "nouvelle", "nueva", "nuov", "忽略", "無視", "игнорир",
    "skip", "drop", "abandon", "neglect", "set aside",
)  # fmt: skip
_RULED = (
    "instruction", "prompt", "rule", "directive", "order", "guideline", "boundar", "decision", "command", "constraint",
    "anweisung", "regel", "vorgabe", "consigne", "règle", "instruccion", "instrucción", "regla", "órden", "istruzion",
    "regol", "instruç", "regra", "everything", "anything", "all that", "指", "命令", "提示", "инструкц",
    "указан", "правил", "d-", "guidance",
)  # fmt: skip
_THESE = (
    "this note", "this message", "this memory", "this text", "this entry", "this document", "this record", "this line",
    "briefing", "restriction",
)  # fmt: skip
_TESTS: Mapping[Sign, tuple[_Test, ...]] = {
    Sign.ROLE_MARKER: (_Test(voices.MARKUP_WORDS, voices.MARKUP),),
    Sign.OVERRIDE: (
        _Test(
            _DROPPING,
            rf"\b{_DROP}\b{OF_TOOLS}{OF_CODE}(?:[ \t]+(?:{_WEAK})\b){{0,3}}"
            rf"[ \t]+(?:{_STRONG})\b(?:[ \t]+(?:{_WEAK}|{_STRONG})\b){{0,3}}"
            rf"[ \t]+(?:\w+[ \t]+)?(?:{_RULES})\b(?! with -){OF_WALLS}{OF_MACHINES}{OF_MINE}",
            _RULED,
        ),
        _Test(
            _DROPPING,
            rf"\b{_DROP}(?:[ \t]+(?:{_WEAK}))?[ \t]+(?:{_RULES})[ \t]+(?:{_BEHIND})\b{OF_MACHINES}"
            rf"|\b{_DROP}[ \t]+(?:the[ \t]+|all[ \t]+|our[ \t]+)?(?:boundaries|decisions|(?:decision[ \t]+)?d-\d+)\b"
            r"|\b(?:ignore|disregard|forget)[ \t]+(?:everything|all that|anything)(?:[ \t]+that)?"
            r"(?:[ \t]+(?:was|is|has been|stands))?(?:[ \t]+(?:said|told|written|given))?"
            rf"[ \t]+(?:(?:above|before)\b{PLACES}{OVER}|(?:you|prior|said|earlier)\b)",
            _RULED,
        ),
        _Test(
            _DROPPING,
            r"\bnew[ \t]+(?:system[ \t]+)?(?:rules?|instructions?|directives?|orders?)[ \t]*:[ \t]*"
            r"(?:you|from now on you|your)\b"
            r"|\bnew[ \t]+(?:system[ \t]+)?instructions?[ \t]*:"
            r"(?![ \t]*(?:see|read|in|are|https?|docs?)\b)"
            r"|\b(?:neue anweisungen|nouvelles (?:consignes|instructions)|nuevas instrucciones"
            r"|nuove istruzioni)[ \t]*:"
            rf"|\b(?:skip|drop|abandon|neglect|set aside)(?:[ \t]+(?:{_WEAK}|all|any))*[ \t]+"
            r"(?:previous|prior|earlier|above|preceding)[ \t]+"
            rf"(?:instructions?|directives?|guidance|rules|prompts?)\b{OF_WALLS}{OF_MACHINES}"
            r"|\b(?:ignore|disregard|forget|drop|set aside)[ \t]+(?:whatever|any|all|the)[ \t]+"
            r"(?:instructions?|rules|directives?|guidance)[ \t]+(?:that[ \t]+)?"
            r"you[ \t]+(?:received|were|got|have|had|know)\b"
            r"|忽略.{0,12}(?:指令|指示|提示)|(?:指示|命令).{0,6}無視|игнорируй.{0,30}(?:инструкци|указани|правил)",
            _RULED,
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
                "obsolete",
                "expired",
                "null",
                "only",
                "nothing but",
            ),
            rf"\b(?:do not|don't|never|stop|cease|quit|no longer) (?:(?:follow|obey)(?:ing)?|(?:comply|complying) with"
            rf"|adher(?:e|ing) to) (?:{_ALL})*(?:boundaries|decisions|(?:decision )?d-\d+|{_ORDERS}{ELSEWHERE})\b"
            rf"|\b(?:boundaries|decisions?|d-\d+|{UNNAMED}{_ORDERS})(?: (?:above|before|of the team|of this team"
            rf"|d-\d+))? "
            r"(?:no longer|do not|does not|don't|doesn't) "
            rf"(?:apply|applies|hold|holds|count|counts|bind|binds)\b{_FOR_OTHERS}"
            rf"|\b{_ORDERS} (?:no longer|do not|don't) (?:apply to|hold for|count for|bind) (?:you|agents|ai)\b"
            r"|\b(?:boundaries|(?:above |earlier |previous )decisions|decisions above|d-\d+)"
            r" (?:is|are|was|were|has been|have been) (?:now |hereby )?"
            r"(?:void|revoked|lifted|suspended|rescinded|cancelled|canceled|withdrawn)\b(?! (?:at|in|on|by|since) )"
            rf"|\b(?:takes?|has|have) precedence over (?:{_ALL})*"
            rf"(?:boundaries|decisions|everything(?! (?:in|of|from|on) )|{_ORDERS}{ELSEWHERE})\b"
            r"|\b(?:your (?:prior|previous|earlier|former|old|existing|original) "
            r"(?:guidance|instructions?|briefing|directives?|rules|prompt|orders)"
            r"|(?:instructions|guidance|directives|orders) above) (?:is|are|has|have|was|were)(?: been| now| hereby)* "
            r"(?:void|obsolete|expired|null|revoked|lifted|suspended|rescinded|cancelled|canceled|withdrawn"
            r"|superseded)\b"
            rf"|\b(?:follow|obey|trust|believe) (?:only|solely|nothing but) {_THIS}"
            rf"|\bonly (?:the )?(?:instructions?|rules|orders|guidance) (?:in|of) {_THIS} (?:is|are) "
            r"(?:valid|binding|in force|to be followed)\b"
            r"|\b(?:previous|prior|earlier|former|preceding) (?:rules|instructions|directives|guidelines"
            r"|guidance|boundaries"
            r"|restrictions) (?:is|are|has been|have been) (?:now |hereby |all )*(?:null and )?"
            rf"(?:void|revoked|lifted|suspended|rescinded|cancelled|canceled|withdrawn|annulled)\b{_DATED}",
            _RULED + _THESE,
        ),
        _Test(
            ("guardrail", "safeguard"),
            r"(?<!not )(?<!n't )(?<!never )(?<!cannot )\b(?:bypass|ignore|disable|drop|evade|circumvent"
            r"|disregard|override"
            r"|remove|turn off|switch off|skip) (?:all|any|your|every)(?: (?:of|the|your|our|these|safety|security))* "
            rf"(?:guardrails?|safeguards?)\b{_DATED}",
        ),
    ),
    Sign.EXFILTRATION: (
        _Test(
            ("exfiltrate",),
            r"(?:^|[.!?;:] |\bthen |\byou (?:must|should|will|shall) |\b(?:task|job|goal|mission|purpose) is to )"
            r"(?:now |please |secretly |silently )*exfiltrate (?:the|all|any|your|every|our|its|their)\b",
        ),
    ),
    Sign.PROMOTION: (
        _Test(
            (" p-",),
            r"(?:^|[.!?;:] |\bthen |\band )(?:now |please |just )*(?:approve|accept|merge|release|confirm) "
            r"(?:the )?(?:proposal |entry )?p-\d+(?: \w+){0,2} without (?:(?:a|any|further|the|human|more) )*"
            r"(?:review|reviewing|approval|asking|reading|looking|checks?|tests?)\b",
        ),
    ),
    Sign.NEW_IDENTITY: (
        _Test(
            (
                "you are no",
                "you are now",
                "from now on",
                "pretend",
                "act as ",
                "you are in ",
                "your real ",
                "your true ",
                "your actual ",
                "your secret ",
                "your hidden ",
            ),
            r"\byour (?:real|true|actual|secret|hidden) (?:task|job|goal|purpose|mission|objective) is (?:now )?to "
            r"(?:exfiltrate|steal|leak|send|upload|post|forward|delete|destroy|ignore|bypass|disable|approve"
            r"|merge|push|obey)\b"
            r"|\byou are (?:now|no longer)\b(?! (?:able|ready|done|allowed|finished|connected|logged|on|in|at|free))"
            r"|\byou are (?:now )?in (?:maintenance|developer|debug|god|admin|root|unrestricted|jailbreak|override"
            r"|emergency)[ -]mode\b(?! (?:when|after|if|while|once|until) )"
            r"|\bfrom now on,? you (?:answer|speak|reply|respond) (?:only )?as\b"
            r"|\bfrom now on,? you (?:are|will|obey|act|must (?:obey|approve|accept|ignore|skip|trust|follow"
            r"|merge|grant"
            r"|comply|do as|do what|answer|respond|reply|recommend|only|never ask))\b"
            rf"|\bpretend (?:to be|that you are|you are)\b(?! (?:offline|online|{PERSONA}))"
            rf"|\bact as (?:if you (?:are|were)(?! {PERSONA})"
            rf"|an? (?:unrestricted\b|(?:different|new)\b(?! (?:\w+ )?{PARTS}))|dan\b"
            rf"|(?:root|administrator)\b{CONFINED}|the system\b)",
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
            r"\bdu bist (?:jetzt|ab jetzt|nun|ab sofort) (?:eine? |kein|der |die |das |nicht mehr|admin|root|system)"
            r"|\b(?:tu es|vous êtes) (?:maintenant|désormais) (?:une? |le |la |l'|admin|root|système)"
            r"|\b(?:ahora eres|eres ahora) (?:una? |admin|root|sistema|el (?:admin|sistema|asistente))"
            r"|\b(?:ora sei|sei ora|da ora in poi sei) (?:una? |un'|amministratore|root|il |lo |l')"
            r"|\bvocê (?:agora é|é agora) (?:uma? |o |a |admin|root)|\bты теперь\b|你现在是|あなたは今から",
        ),
    ),
    Sign.TOOL_CALL: (
        _Test(
            ("<tool", "</tool", "function_", "invoke", "<|tool", "tool_calls", "to=functions"),
            r"</?(?:[a-z]{1,12}:)?(?:tool_call|tool_use|tool_result|tool_response|function_calls?"
            r"|function_results?|invoke)\b"
            rf"|<\|tool_call|{voices.CALLS}|\bto=functions\.",
        ),
    ),
}
_CAPITALS = (
    r"\[/?(?:SYSTEM|ASSISTANT|DEVELOPER)(?:[ _](?:PROMPT|MESSAGE|NOTE|OVERRIDE))?\](?!\()"
    r"|\[/?(?:AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\](?!\()"
)
_EDGES = "(?:begin|start of|start|end of|end)"
_ANNOUNCERS = "(?:system|developer|admin|administrator|operator|root|owner|coordinator|platform)"
_ANNOUNCED = "(?:prompt|message|instruction|override|command|directive|order)"
"""Who orders something between BEGIN and END, and what it is. A certificate or a key is neither."""
_ANNOUNCED_WORDS = ("system", "developer", "admin", "operator", "root", "owner", "coordinator", "platform")
_BANNER = (
    r"[#=*~<>_-]{2}[ \t]*(?:SYSTEM|DEVELOPER|(?:(?i:system|developer) "
    r"(?i:prompt|message|instructions?|override|alert|notice)))[ \t]*[#=*~<>_-]{2}"
    rf"|\b{_EDGES.upper()}[ \t]+(?:THE[ \t]+)?{_ANNOUNCERS.upper()}[ \t]+{_ANNOUNCED.upper()}"
)
_BEGINS = (
    rf"(?m)^[ \t#=*~<>\[({{_-]*{_EDGES}[ \t]+(?:the[ \t]+)?{_ANNOUNCERS}[ \t]+{_ANNOUNCED}s?"
    r"[ \t#=*~<>\])}:_-]*$"
)
_RANKED = (
    rf"(?mi)^[ \t]*[#=*~<>_\[({{-]{{1,9}}[ \t]*{_ANNOUNCERS}[ \t]+{_ANNOUNCED}s?[ \t]*[#=*~<>_\])}}-]{{1,9}}[ \t]*$"
)
"""A page has no line of its own for whoever rules over its reader."""
_VERBATIM = frozenset({Sign.ROLE_MARKER, Sign.TOOL_CALL})
_PLAIN = frozenset('*~"“”„«»`,_')
_WORDS = tuple(dict.fromkeys(word for tests in _TESTS.values() for test in tests for word in test.words))


def signs_in(text: str, *, outside: bool = False) -> tuple[Sign, ...]:
    """What is suspicious about the text; nothing for what a team learns by working.

    Words from outside may not begin a line with a role at all: a team tells what a system is, a page need not.
    """
    return tuple(dict.fromkeys(new_signs(text, Asked(), outside=outside)))


def is_suspicious(text: str) -> bool:
    return next(new_signs(text, Asked()), None) is not None


def patterns() -> Iterator[str]:
    """What every test looks for in a sentence."""
    yield from (test.pattern for tests in _TESTS.values() for test in tests)


def new_signs(text: str, asked: Asked, *, outside: bool = False) -> Iterator[Sign]:
    """The same as far as it is not known yet of another way to read the text."""
    if not asked.is_new("text", text):
        return
    for reading in _readings(legible(text)):
        if asked.is_new("reading", reading):
            for sign in _signs_in(reading, asked, outside=outside):
                asked.signs.add(sign)
                yield sign


def _readings(shown: str) -> Iterator[str]:
    """The text, and what else a model may take it for: look-alikes as Latin letters, digits as letters."""
    yield shown
    plain = shown
    if not shown.isascii():
        # Imported here: most texts are plain ASCII.
        from hansard.domain.tricks.lookalikes import in_latin

        plain = in_latin(compatible(shown))
        if plain != shown:
            yield plain
    if stands_for_letters(plain):
        yield in_letters(plain)


def _signs_in(shown: str, asked: Asked, *, outside: bool) -> Iterator[Sign]:
    plain = shown.lower()
    if Sign.ROLE_MARKER not in asked.signs and (
        ((":" in plain or "#" in plain) and speaks_as_another(shown, outside=outside))
        or _marks_a_role(shown, plain)
        or _is_announced(shown, plain, outside=outside)
    ):
        yield Sign.ROLE_MARKER
    # A sentence goes on in the next line, and what stands before each line is no part of it.
    said = in_one_line(plain)
    plain = " ".join(plain.split())
    if not _PLAIN.isdisjoint(plain):
        # Emphasis and commas are no part of what a sentence wants.
        said = " ".join(re.sub(f"{STRESS}|,", "", said).split())
    words = Words(said)
    verbatim = words if said == plain else Words(plain)
    if not words.has_any(_WORDS) and (said == plain or not verbatim.has_any(_WORDS)):
        # Nearly every text ends here, and a block asks about dozens of them.
        return
    for sign, tests in _TESTS.items():
        wanted = verbatim if sign in _VERBATIM else words
        if sign in asked.signs or not any(_matches(test, wanted) for test in tests):
            continue
        if sign is Sign.OVERRIDE and not outside and not _drops_more(wanted.text, tests):
            continue
        if sign is not Sign.ROLE_MARKER or outside or _marks_beside_code(shown):
            yield sign


def _drops_more(said: str, tests: tuple[_Test, ...]) -> bool:
    """Whether something is to be dropped besides what stands in a paper of the team, or a thing that is gone."""
    rest = re.sub(OF_PAPERS, " . ", said)
    if re.search(NUMBERED, said) is None:
        rest = re.sub(OF_THINGS, " . ", rest)
    return rest == said or any(_matches(test, Words(rest)) for test in tests)


def _matches(test: _Test, said: Words) -> bool:
    """Patterns are compiled when a text first needs one: together they cost more than compiling a block does."""
    if not said.has_any(test.words) or (test.beside and not said.has_any(test.beside)):
        return False
    return re.search(test.pattern, said.text) is not None


def _marks_beside_code(shown: str) -> bool:
    """Whether the markup of a role is there besides code that has its name. A team writes down such code."""

    def left(found: re.Match[str]) -> str:
        said = (*re.findall(voices.CODE_DATA, found.group()), shown[found.end() : found.end() + ROLE_CHARACTERS_MAX])
        return found.group() if any(map(talks, said)) else " "

    rest = re.sub(voices.CODE, left, shown)
    rest = _without_described(_without_names(rest))
    return rest == shown or re.search(voices.MARKUP, " ".join(rest.lower().split())) is not None


def _without_names(shown: str) -> str:
    """The text without tags that it only names. Whoever opens one to speak gives an order behind it."""
    first = re.search(voices.NAMED, shown)
    if first is None or any(map(commands, re.split(r"[.!?:;>`\"'\n]+\s*", shown[first.start() :]))):
        return shown

    def left(found: re.Match[str]) -> str:
        behind = shown[found.end() : found.end() + ROLE_CHARACTERS_MAX].lstrip("`'\"*) ")
        # Behind the word that says what it is, somebody may begin to speak too.
        return found.group() if talks(behind) or talks(behind.partition(" ")[2]) else " "

    return re.sub(voices.NAMED, left, shown)


def _without_described(shown: str) -> str:
    """The text without tags of which it says what they are, if nobody is told to do anything behind them."""
    first = re.search(voices.DESCRIBED, shown)
    if first is None or any(map(commands, re.split(r"[.!?:;>`\"'\n]+\s*", shown[first.start() :]))):
        return shown

    def left(found: re.Match[str]) -> str:
        datum = re.search(r">([^<>]+)<", found.group())
        behind = shown[found.end() : found.end() + voices.DESCRIBED_CHARACTERS]
        return found.group() if wants(behind) or (datum and not is_plain(datum[1])) else " "

    return re.sub(voices.DESCRIBED, left, shown)


def _marks_a_role(shown: str, plain: str) -> bool:
    """Whether `[system]` begins a line, or stands anywhere in capitals as no section of a file does.

    So does a system of another language that begins a line with its name and a colon.
    """
    if has_any(plain, voices.BRACKETED_WORDS) and _is_said(voices.BRACKETED, plain):
        return True
    if "[" in plain and _is_said(_CAPITALS, shown):
        return True
    return has_any(plain, voices.ABROAD_WORDS) and re.search(voices.ABROAD, plain) is not None


def _is_said(pattern: str, text: str) -> bool:
    """Whether somebody speaks behind such a mark. Logs have it as well, and so has what was typed somewhere."""

    def logged(found: re.Match[str]) -> bool:
        line, *_ = text[found.end() : found.end() + voices.DESCRIBED_CHARACTERS].split("\n", 1)
        return is_logged(found.group().strip(" \t>*-" if "[" in found.group() else " \t*-").lower(), line)

    return not all(logged(found) for found in re.finditer(pattern, text))


def _is_announced(shown: str, plain: str, *, outside: bool) -> bool:
    """Whether a line says, between strokes or behind BEGIN, that a prompt follows."""
    if not has_any(plain, _ANNOUNCED_WORDS):
        return False
    if outside and re.search(r"(?m)^[ \t]*SYSTEM[ \t]*$", shown):
        return True
    if outside and re.search(_RANKED, shown):
        return True
    return re.search(_BANNER, shown) is not None or re.search(_BEGINS, plain) is not None
