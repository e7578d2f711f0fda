"""Owns what makes a text an attempt on its reader: hidden words, masks, stolen voices, orders, bids for rank.

`suspicion.py` knows the plain forms. This knows more ways to write them, and more that no honest lesson needs.
Every test is linear in the text, and nearly every text ends at a search for a few words.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from hansard.domain.text import NORMALISED_CHARACTERS, compatible, grown_max, legible
from hansard.domain.tricks import claims
from hansard.domain.tricks.asked import Asked, Words
from hansard.domain.tricks.excuses import GRANTED
from hansard.domain.tricks.imitation import imitates
from hansard.domain.tricks.readings import (
    ENCODED_CHARACTERS_MIN,
    STRESS,
    decoded,
    in_one_line,
    is_partly_read,
    rotated,
    spellings,
)
from hansard.domain.tricks.sequences import Link, follow
from hansard.domain.tricks.suspicion import new_signs
from hansard.domain.tricks.suspicion import patterns as plain_patterns
from hansard.domain.tricks.tongues import bared, demands_dropping
from hansard.domain.tricks.voices import MACHINES, SAID_TURNS, TURN_WORDS


class Trick(StrEnum):
    """What a text does beyond what `Sign` knows."""

    HIDDEN = "hidden characters"
    MASKED = "letters of another script in a word"
    OVERRIDE = "a demand to drop earlier instructions"
    NEW_IDENTITY = "a new identity for the reader"
    EXFILTRATION = "an order to send secrets away"
    CONCEALMENT = "an order to keep something from people"
    PROMOTION = "a bid for rank, trust or reach"
    STEERING = "an order how to answer others"
    FRONT_MATTER = "forged front matter"
    FOREIGN_VOICE = "a role marker"
    ENCODED = "an order to decode and obey"
    UNREAD = "more encoded text than is read"
    COMMAND = "an order to run something at once"
    IMITATION = "an imitation of Hansard's own layout"


class _Test(NamedTuple):
    """A pattern, and the words of which a text must have one for the pattern to be tried at all; and one of those that
    stand beside them, if there are any."""

    trick: Trick
    words: tuple[str, ...]
    pattern: str
    beside: tuple[str, ...] = ()


class _Chain(NamedTuple):
    """Parts that follow one another. One pattern for all of them would try every part with every other one."""

    trick: Trick
    words: tuple[str, ...]
    links: tuple[Link, ...]


_TAGS = "[\U000e0020-\U000e007e]"
_HIDDEN = (
    "[\U000e0001-\U000e007f\u202d\u202e\u2066-\u2069\u202a\u202b]"
    "|[A-Za-z][\u200b-\u200d\u2060\ufeff\u00ad]+[A-Za-z]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4}"
)
"""What no keyboard types into a word: tags, overrides of the direction, joiners between Latin letters, runs of
selectors. Joiners in other scripts, and in emoji, are spelling."""
_SECRETS = (
    r"(?:secrets?|credentials?|(?:api|aws|private|ssh|signing)[ -]?keys?|(?:all|your|access|auth|session|bearer"
    r"|user) tokens?"
    r"|passwords?|\.env|environment variables|id_rsa|id_ed25519|~/\.(?:ssh|aws)|system prompt|whole conversation"
    r"|your conversation|cookies|contents? of ~?/)"
)
_AWAY = r"(?:https?://|\w@[\w-]{1,64}\.|webhook|pastebin|ngrok|telegram|this (?:url|address|server|endpoint)|attacker)"
_NEVER = r"(?<!never )(?<!not )(?<!n't )"
_SENDING = ("send", "post ", "upload", "forward", "exfiltrat", "email", "transmit", "leak", "curl", "wget", "submit")
_CHAINS: tuple[_Chain, ...] = (
    _Chain(
        Trick.EXFILTRATION,
        _SENDING,
        (
            Link(rf"\b{_NEVER}(?:send|post|upload|forward|exfiltrate|email|transmit|leak|submit|curl)\b", 80, "."),
            Link(rf"(?<!\w){GRANTED}{_SECRETS}", 80),
            Link(r"\b(?:to|via|with)\b", 40),
            Link(_AWAY),
        ),
    ),
    _Chain(
        Trick.EXFILTRATION,
        _SENDING,
        (
            Link(rf"\b{_NEVER}(?:curl|wget|post|send)\b", 60),
            Link(rf"{_AWAY}(?! (?:secrets?|key|token|sign))", 80),
            Link(r"(?:\$\(|\.env\b|id_rsa|secrets?\b)"),
        ),
    ),
    _Chain(
        Trick.EXFILTRATION,
        ("id_rsa", "id_ed25519", "~/.ssh", "~/.aws", "home/.ssh", "home/.aws"),
        (
            Link(r"(?:id_(?:rsa|ed25519)(?!\.pub\b)|(?:~|home)/\.(?:ssh|aws)(?!/id_\w{1,20}\.pub\b))", 80),
            Link(r"(?:https?://|\bnc |netcat|\.example\b)"),
        ),
    ),
)
_PEOPLE = r"(?:user|users|human|humans|reviewer|reviewers|operator|developer|developers|owner|anyone|people|team)"
_RANK = (
    r"(?:high[ -]importance|importance[ :=]+high|core[ _]context|team[ -]scope|scope[ :=]+team|cross-team"
    r"|long[- ]term memory|permanent memory|every agent's memory|top priority|highest (?:priority|importance|trust))"
)
_SELF = r"(?:this|it|these|the following)(?: (?:memory|note|entry|record|text|rule|fact|message|document))?\b"
_TESTS = (
    _Test(
        Trick.EXFILTRATION, ("](http",), r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?=&/](?:\{|<|\$|%7b|\[)",
    ),
    _Test(
        Trick.CONCEALMENT,
        ("tell", "inform", "alert", "notify", "mention", "reveal", "secretly", "silently"),
        rf"\b(?:do not|don't|never) (?:tell|inform|alert|notify|mention|reveal)\b[^.\n]{{0,30}}\b{_PEOPLE}\b"
        rf"[^.\n]{{0,20}}\b(?:about this|of this|about it|that you|this (?:note|memory|message|instruction|rule))"
        rf"|\b(?:do not|don't|never) (?:mention|reveal) {_SELF}[^.\n]{{0,20}}\bto (?:the )?{_PEOPLE}"
        rf"|\b(?:secretly|silently) (?:send|post|upload|run|execute|add|push|disable|delete|forward|approve)\b"
        r"|\b(?:do not|don't|never) mention (?:it|this)\b(?! (?:in|on) )"
        r"(?! to (?:the |any |our |your )?(?:clients?|customers?|vendors?|partners?|press|competitors?|candidates?"
        r"|suppliers?|subscribers?|visitors?|callers?|journalists?|prospects?|tenants?|third parties|outsiders)\b)",
    ),
    _Test(
        Trick.PROMOTION,
        ("remember", "store", "save", "record", "mark", "treat", "rank", "retriev", "recall", "trust", "approved",
         "verified", "importance", "priority", "promote", "merge ", "this memory", "this note", "this entry",
         "this fact", "this lesson", "this text", "this message"),
        r"\b(?:remember|store|save|record|keep|mark|promote|file|set) (?!(?:this|the|it) (?:ticket|issue|bug"
        r"|task|card)\b)"
        rf"[^.\n]{{0,30}}\b(?:as|in|to|into|with)\b[^.\n]{{0,12}}{_RANK}"
        r"(?! (?:in|on) (?:jira|github|gitlab|linear|the (?:board|tracker))| (?:table|column|of the)\b)"
        r"|\btreat (?:this|it|the following|this \w+) as (?:a |an )?"
        r"(?:binding|decision|law|instruction|order|trusted|approved(?! only)|boundary|core (?:context|memory)"
        r"|system (?:message|prompt"
        r"|order|rule))"
        rf"|\b(?:always|must) (?:retrieve|recall|rank|return|surface|show|prefer|inject) {_SELF}"
        rf"|\b(?:rank|place|put|show) {_SELF} (?:above|before|ahead of) (?:all|any|every|the |other|everything"
        rf"|decisions)"
        r"|\b(?:rank|place|put|show) this (?:memory|note|entry|record|fact|rule) (?:first|at the top)\b"
        r"|\b(?:include|repeat|keep|load|inject|quote|add|list|show) this (?:memory|note|entry|record|text|fact|lesson"
        r"|message)"
        r" (?:in|into|to|at|on)(?: the (?:top|start|beginning) of)? (?:every|each|all|any) (?:[\w']+ ){0,2}"
        r"(?:blocks?|contexts?|prompts?|answers?|repl(?:y|ies)|sessions?|search(?:es)?|results?|turns?|conversations?)\b"
        r"|\bthis (?:memory|note|entry|record|fact|lesson)\b (?:must|should|shall|has to|is to|needs to|ought to|will)"
        r" (?:always |now )?(?:be |come |stand |rank |appear |stay )(?:always )?(?:(?:ranked|shown|listed|returned"
        r"|retrieved|recalled|placed|put|surfaced|included|loaded|read|kept|found|cited) )?"
        r"(?:(?:first|at the top|on top)\b(?! (?:of|in|on) (?:~?/\w|(?:the|a|an|its|this) (?:\w+ )?"
        r"(?:page|file|table|form|screen|readme|document|index|column|section|changelog|sheet|report)\b))"
        r"|above (?:all|any|every|other|the others)|before (?:all|any|every|other|the others)"
        r"|(?:in|into|to|for|by) (?:every|each|all|any) (?:[\w']+ ){0,2}(?:blocks?|contexts?|prompts?|answers?"
        r"|questions?|quer(?:y|ies)|sessions?|search(?:es)?|results?|turns?|agents?))\b"
        r"|\bthis (?:memory|note|entry|record|message|text)\b[^.\n]{0,20}"
        r"\b(?:approved|verified|authori[sz]ed|trusted|signed)\b[^.\n]{0,10}\bby (?:the )?(?:whole )?"
        r"(?:team|system|admin|administrator|operator|owner|owners|coordinator|platform|anthropic|openai|hansard)\b"
        r"|\bmerge (?:this|my) (?:proposal|entry) (?:without|at once|immediately|yourself)",
        ("importance", "core context", "core_context", "scope", "cross-team", "memory", "priority", "trust", "treat ",
         "always ", "must ", " above", " before", "ahead of", "this note", "this entry", "this record", "this fact",
         "this rule", "this lesson", "this text", "this message", "merge "),
    ),
    _Test(
        Trick.STEERING,
        ("asks", "asked", "mention", "queries", "questions", "requests"),
        r"\b(?:when|whenever|if) (?:the |a |any |some)?(?:user|users|someone|anyone|somebody|agent|you are|you're)\b"
        r"[^.\n]{0,60}\b(?:asks?|asked|mentions?)\b[^.\n]{0,80}"
        r"\b(?:respond|reply|answer|output) (?:only\b(?! (?:through|via|by|after|if|when|in))|that\b|as\b"
        r"|with(?:: | only\b| exactly\b))"
        r"|\b(?:queries|questions|requests) (?:about|for|on|concerning|regarding|to) [^.\n]{1,60}"
        r"\b(?:must|should|are to|have to) (?:now |instead |always )*be answered (?:with|as|from)\b(?! \d{3})"
        r"|\b(?:queries|questions) about [^.\n]{1,60}\b(?:must|should|are to|have to) (?:now|instead|always) "
        r"(?:refer|redirect|use|go)\b[^.\n]{0,60}\binstead\b"
        r"|\b(?:queries|questions|requests) (?:about|for|on|to) [^.\n]{1,60}\b(?:must|should|are to|have to) "
        r"(?:now|instead|always) be (?:redirected|sent) to https?://",
    ),
    _Test(
        Trick.STEERING,
        ("saved under", "stored under", "kept under", "moved under", "filed under"),
        r"\b(?:is|are|was|were) (?:now )?(?:saved|stored|kept|moved|filed) under\b[^\n]{0,80}\b(?:refer to|answer)\b",
    ),
    _Test(
        Trick.ENCODED,
        ("base64", "decode", "rot13", "hex-encoded", "backwards"),
        r"\b(?:decode|base64|rot13|hex-encoded|backwards)\b[^.\n]{0,80}\b(?:execute|obey|carry out|do what"
        r"|act on (?:it|that)"
        r"|run it(?! (?:through|with|in|by))|do it|follow (?:it|its|them|that|the (?:text|message|orders?"
        r"|instructions?)))\b"
        r"|\bdecode and (?:follow|obey|run)\b(?! (?:the|a) )",
    ),
    _Test(
        Trick.COMMAND,
        ("execute", "run "),
        r"\b(?:execute|run) (?:the following|this|these)(?: shell)? (?:command|commands|code|script)s?"
        r" (?:immediately|now(?! (?:if|when)\b)|at once|first thing(?! (?:after|when) )|without)\b",
    ),
    _Test(
        Trick.FOREIGN_VOICE,
        TURN_WORDS,
        SAID_TURNS,
    ),
    _Test(
        Trick.OVERRIDE,
        ("تجاهل", "무시", "अनदेखा", "無視", "忘れ", "忽略", "无视", "忘记", "忘掉", "игнорируй", "забудь", "отмени",
         "bỏ qua", "abaikan"),
        r"تجاهل (?:جميع |كل )?(?:التعليمات|القواعد|الأوامر)"
        r"|모든.{0,12}(?:지시|명령|규칙).{0,8}무시|सभी.{0,12}(?:निर्देश|नियम).{0,12}अनदेखा"
        r"|(?:これまで|以前|上記).{0,10}ルール.{0,8}(?:無視|忘れ)"
        r"|(?:忽略|无视|忘记|忘掉).{0,10}(?:所有|全部).{0,8}(?:指令|指示|规则|提示|内容)"
        r"|(?:игнорируй|забудь|отмени)(?:те)?.{0,20}все.{0,20}(?:инструкци|указани|правил)"
        r"|\bbỏ qua (?:mọi|tất cả|các).{0,20}(?:hướng dẫn|chỉ thị|quy tắc)"
        r"|\babaikan semua (?:instruksi|perintah|aturan)",
    ),
    _Test(
        Trick.COMMAND,
        ("this",),
        r"\b(?:when|once|if|as soon as|after) you(?:'ve| have)? (?:read|see|find|load|retrieve|receive) "
        r"this(?: (?:note|memory|message|text|entry|line))?,? (?:please |then |immediately |you must )*(?:call"
        r"|run|execute"
        r"|approve|merge|release|send|push|delete|use|invoke|record|install|reply|answer)\b"
        r"|\b(?:ai|agents?|models?|assistants?)(?: (?:that|who|which))? read(?:s|ing)? this\b(?! (?:file|table"
        r"|key|flag|env))",
    ),
    _Test(
        Trick.COMMAND,
        ("http",),
        r"\b(?:fetch|read|open|download|load|visit)(?:ing)?\b[^\n]{0,40}https?://[^\n]{1,160}?"
        r"\b(?:do(?:ing)? what it|do(?:ing)? as it|obey(?:ing)?)\b",
    ),
    *(_Test(Trick(one.sign), one.words, one.pattern) for one in claims.OWN if isinstance(one.pattern, str)),
)  # fmt: skip
_CHAINS += tuple(
    _Chain(Trick(one.sign), one.words, one.pattern) for one in claims.OWN if not isinstance(one.pattern, str)
)
_VOICES = (
    r"(?mi)^[ \t>*#_-]*(?:system(?:prompt)?|系统|系統|システム|система|sistema|système|시스템|النظام)[ \t]*[:：]"
    rf"(?![ \t]*{MACHINES})"
)
_FRONT = (
    r"\A\s*---[ \t]*\n(?:(?!(?:apiVersion|kind):)(?:[^\n]{0,200}\n){0,12}?[ \t]+|(?:[^\n]{0,200}\n){0,12}?)"
    r"(?:author|agent|by|decided_by|reviewer|status|state|origin|importance|scope|role|trust|cleared|slug)[ \t]*:"
)
"""What a manifest has below its keys is its own."""
_STRESS = frozenset('*~"“”„«»`_')
REMEMBERED_TEXTS_MAX = 8_192
_WORDS = tuple(
    dict.fromkeys(word for words in (*(one.words for one in _TESTS), *(one.words for one in _CHAINS)) for word in words)
)


def signs_of(*texts: str | None, outside: bool = False) -> tuple[str, ...]:
    """What is wrong with the texts of one record, each kind once; nothing for what a team learns by working.

    Words from outside are judged more strictly than what an agent or a person says in its own name.
    """
    return tuple(dict.fromkeys(sign for text in texts if text for sign in _signs(text, outside=outside)))


def remembered_signs(*texts: str | None, outside: bool = False) -> tuple[str, ...]:
    """The same, if the same texts are asked about again: a write judges them before it holds the only lock, and then
    once more, when no word of the record can change any more."""
    return tuple(dict.fromkeys(sign for text in texts if text for sign in _remembered(text, outside)))


_judged: dict[tuple[int, int, bool], tuple[str, ...]] = {}
"""What was found in texts, by their hash and length: to keep them would take more room than it saves time."""


def _remembered(text: str, outside: bool) -> tuple[str, ...]:  # noqa: FBT001 - as the key has it
    key = (hash(text), len(text), outside)
    known = _judged.get(key)
    if known is None:
        if len(_judged) >= REMEMBERED_TEXTS_MAX:
            # Not all of them: what was judged a moment ago is asked again by the write.
            for old in list(_judged)[: REMEMBERED_TEXTS_MAX // 4]:
                _judged.pop(old, None)
        known = _judged[key] = tuple(dict.fromkeys(_signs(text, outside=outside)))
    return known


def is_doubtful(text: str) -> bool:
    """Whether a reader must be told that the text is data. Turn after turn asks about the same ones."""
    return bool(remembered_signs(text))


def patterns() -> Iterator[str]:
    """What every test looks for in a sentence, those for words from outside among them."""
    from hansard.domain.tricks.outside import DEMANDS

    yield from plain_patterns()
    yield from (test.pattern for test in _TESTS)
    chains = [chain.links for chain in _CHAINS] + [one.pattern for one in DEMANDS if not isinstance(one.pattern, str)]
    yield from (link.pattern for links in chains for link in links)
    yield from (one.pattern for one in DEMANDS if isinstance(one.pattern, str))


def _signs(text: str, *, outside: bool = False) -> Iterator[str]:
    plain, *others = (text,) if text.isascii() else _unmasked(text)
    if not text.isascii() and (
        re.search(_HIDDEN, text) or (len(text) > NORMALISED_CHARACTERS and len(plain) >= grown_max(text))
    ):
        # Nobody writes so, and what lies behind the cut is not looked at.
        yield Trick.HIDDEN.value
    asked = Asked()
    for sign in new_signs(text, asked, outside=outside):
        yield sign.value
    if not text.isascii():
        yield from _foreign(text, plain, asked, outside=outside)
    if "---" in plain[:40] and re.search(_FRONT, plain):
        yield Trick.FRONT_MATTER.value
    for spelled in (*others, *spellings(plain)):
        yield from _said(spelled, asked, outside=outside)
    if any(_instructs(one, outside=outside) for one in _encoded(plain)):
        yield Trick.ENCODED.value
    if outside and is_partly_read(plain):
        yield Trick.UNREAD.value
    yield from _tricks(plain, asked, outside=outside)
    yield from _told_abroad(text, outside=outside)


def _told_abroad(text: str, *, outside: bool) -> Iterator[str]:
    """What the text demands in other languages."""
    bare = bared(compatible(legible(text)))
    if demands_dropping(bare, outside=outside):
        yield Trick.OVERRIDE.value
    if outside:
        # Imported here: most words are an agent's own.
        from hansard.domain.tricks.abroad import demanded_abroad

        yield from demanded_abroad(bare)


def _said(reading: str, asked: Asked, *, outside: bool) -> Iterator[str]:
    """What is wrong with another way to read a text."""
    for sign in new_signs(reading, asked, outside=outside):
        yield sign.value
    yield from _tricks(reading, asked, outside=outside)


def _encoded(plain: str) -> Iterator[str]:
    if len(plain) >= ENCODED_CHARACTERS_MIN:
        yield from decoded(plain)
    yield from rotated(plain)


def _instructs(said: str, *, outside: bool) -> bool:
    """Whether what was encoded would have a sign in plain words."""
    asked = Asked()
    for one in (said, *spellings(said)):
        if next(_said(one, asked, outside=outside), None) is not None:
            return True
    return next(_told_abroad(said, outside=outside), None) is not None


def _foreign(text: str, plain: str, asked: Asked, *, outside: bool) -> Iterator[str]:
    """What is wrong with a text that has more than ASCII, and with what it looks like."""
    # Imported here and below: most texts are plain ASCII.
    from hansard.domain.tricks.lookalikes import cyrillic_reading, mixes_scripts, without_marks

    if mixes_scripts(text):
        yield Trick.MASKED.value
    if re.search(_VOICES, plain):
        yield Trick.FOREIGN_VOICE.value
    home = cyrillic_reading(text)
    if home != text and demands_dropping(bared(home), outside=outside):
        yield Trick.OVERRIDE.value
    for unmarked in without_marks(plain):
        yield from _said(unmarked, asked, outside=outside)


def _tricks(text: str, asked: Asked, *, outside: bool) -> Iterator[str]:
    if not asked.is_new("tricks", text):
        return
    if Trick.IMITATION.value not in asked.signs and imitates(text, outside=outside):
        yield from asked.noted([Trick.IMITATION.value])
    plain = " ".join(text.lower().split())
    # A sentence goes on in the next line, and neither what stands before a line nor emphasis is a part of it.
    said = in_one_line(text.lower())
    if not _STRESS.isdisjoint(said):
        said = " ".join(re.sub(STRESS, "", said).split())
    readings = (plain,) if said == plain else (plain, said)
    if outside:
        # Imported here: most words are an agent's own.
        from hansard.domain.tricks.outside import demands_in

        for one in readings:
            yield from demands_in(one, asked)
    # Nothing that the other reading has not is one of the words.
    words = Words(said)
    new = [one for one in readings if asked.is_new("tests", one)]
    if not new or not words.has_any(_WORDS):
        return
    for test in _TESTS:
        if test.trick.value not in asked.signs and _may_match(test, words):
            found = any(re.search(test.pattern, one) for one in new)
            yield from asked.noted([test.trick.value] if found else ())
    for chain in _CHAINS:
        if chain.trick.value not in asked.signs and words.has_any(chain.words):
            found = any(follow(one, chain.links) for one in new)
            yield from asked.noted([chain.trick.value] if found else ())


def _may_match(test: _Test, words: Words) -> bool:
    return words.has_any(test.words) and (not test.beside or words.has_any(test.beside))


def _unmasked(text: str) -> tuple[str, ...]:
    """The text as its author wants a model to read it: tags as the letters they stand for, look-alikes as Latin."""
    from hansard.domain.tricks.lookalikes import latin_readings

    tagged = re.sub(_TAGS, lambda found: chr(ord(found.group()) - 0xE0000), text)
    if "\u202e" in text or "\u202d" in text:
        # What an override turns round is read backwards.
        tagged += "\n" + tagged[::-1]
    return latin_readings(tagged)
