"""Owns what makes a text an attempt on its reader: hidden words, masks, stolen voices, orders, bids for rank.

`suspicion.py` knows the plain forms. This knows more ways to write them, and more that no honest lesson needs.
Every test is linear in the text, and nearly every text ends at a search for a few words.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, normalize

from hansard.domain.suspicion import LOOKALIKES, signs_in
from hansard.domain.text import legible


class Trick(StrEnum):
    """What a text does beyond what `Sign` knows."""

    HIDDEN = "hidden characters"
    MASKED = "letters of another script in a word"
    OVERRIDE = "a demand to drop earlier instructions"
    EXFILTRATION = "an order to send secrets away"
    CONCEALMENT = "an order to keep something from people"
    PROMOTION = "a bid for rank, trust or reach"
    STEERING = "an order how to answer others"
    FRONT_MATTER = "forged front matter"
    FOREIGN_VOICE = "a role marker"
    ENCODED = "an order to decode and obey"
    COMMAND = "an order to run something at once"


class _Test(NamedTuple):
    """A pattern, and the words of which a text must have one for the pattern to be tried at all."""

    trick: Trick
    words: tuple[str, ...]
    pattern: str


class _Link(NamedTuple):
    """A part of an order, how far behind it the next part may begin, and what may not stand between them."""

    pattern: str
    gap_max: int = 0
    stop: str = ""


class _Chain(NamedTuple):
    """Parts that follow one another. One pattern for all of them would try every part with every other one."""

    trick: Trick
    words: tuple[str, ...]
    links: tuple[_Link, ...]


_TAGS = "[\U000e0020-\U000e007e]"
_HIDDEN = (
    "[\U000e0001-\U000e007f\u202d\u202e\u2066-\u2069\u202a\u202b]"
    "|[A-Za-z][\u200b-\u200d\u2060\ufeff\u00ad]+[A-Za-z]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4}"
)
"""What no keyboard types into a word: tags, overrides of the direction, joiners between Latin letters, runs of
selectors. Joiners in other scripts, and in emoji, are spelling."""
_MASKED = "[A-Za-z]{2,}[а-яёіѕјԁһοаερτυνικ]|[а-яёіѕјԁһο][a-z]{2,}|[A-Za-z][аеорсухіѕјο][A-Za-z]"
_DIGITS = str.maketrans("013457@$", "oieastas")
_SECRETS = (
    r"(?:secrets?|credentials?|api[ -]?keys?|tokens?|passwords?|\.env|environment variables|private keys?|ssh keys?"
    r"|system prompt|conversation|cookies|contents? of ~?/)"
)
_AWAY = r"(?:https?://|\w@[\w-]{1,64}\.|webhook|pastebin|ngrok|telegram|this (?:url|address|server|endpoint)|attacker)"
_NEVER = r"(?<!never )(?<!not )(?<!n't )"
_SENDING = ("send", "post ", "upload", "forward", "exfiltrat", "email", "transmit", "leak", "curl", "wget", "submit")
_CHAINS = (
    _Chain(
        Trick.EXFILTRATION,
        _SENDING,
        (
            _Link(rf"\b{_NEVER}(?:send|post|upload|forward|exfiltrate|email|transmit|leak|submit|curl)\b", 80, "."),
            _Link(rf"(?<!\w){_SECRETS}", 80),
            _Link(r"\b(?:to|via|with)\b", 40),
            _Link(_AWAY),
        ),
    ),
    _Chain(
        Trick.EXFILTRATION,
        _SENDING,
        (
            _Link(rf"\b{_NEVER}(?:curl|wget|post|send)\b", 60),
            _Link(_AWAY, 80),
            _Link(r"(?:\$\(|\.env\b|id_rsa|secrets?\b|tokens?\b)"),
        ),
    ),
)
_PEOPLE = r"(?:user|users|human|humans|reviewer|reviewers|operator|developer|developers|owner|anyone|people|team)"
_RANK = (
    r"(?:high[ -]importance|importance[ :=]+high|core[ _]context|team[ -]scope|scope[ :=]+team|cross-team"
    r"|long[- ]term memory|permanent memory|every agent's memory|top priority|highest (?:priority|importance|trust))"
)
_SELF = r"(?:this|it|these|the following)(?: (?:memory|note|entry|record|text|rule|fact|message|document))?"
_TESTS = (
    _Test(
        Trick.EXFILTRATION, ("](http",), r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?=&/](?:\{|<|\$|%7b|\[)",
    ),
    _Test(
        Trick.CONCEALMENT,
        ("tell", "inform", "alert", "notify", "mention", "reveal", "secretly", "silently", "conceal"),
        rf"\b(?:do not|don't|never) (?:tell|inform|alert|notify|mention|reveal)\b[^.\n]{{0,30}}\b{_PEOPLE}\b"
        rf"[^.\n]{{0,20}}\b(?:about this|of this|about it|that you|this (?:note|memory|message|instruction|rule))"
        rf"|\b(?:do not|don't|never) (?:mention|reveal) {_SELF}[^.\n]{{0,20}}\bto (?:the )?{_PEOPLE}"
        rf"|\b(?:secretly|silently) (?:send|post|upload|run|execute|add|push|disable|delete|forward|approve)\b",
    ),
    _Test(
        Trick.PROMOTION,
        ("remember", "store", "save", "record", "mark", "treat", "rank", "retriev", "recall", "trust", "approved",
         "verified", "importance", "priority", "promote", "merge "),
        rf"\b(?:remember|store|save|record|keep|mark|promote|file|set) {_SELF}?[^.\n]{{0,30}}\b(?:as|in|to|into|with)\b"
        rf"[^.\n]{{0,12}}{_RANK}"
        rf"|\btreat {_SELF} as (?:a |an )?(?:binding|decision|law|instruction|order|trusted|approved|boundary|system)"
        rf"|\b(?:always|must) (?:retrieve|recall|rank|return|surface|show|prefer|inject) {_SELF}"
        rf"|\b(?:rank|place|put|show) {_SELF} (?:above|before|first|ahead|at the top)"
        r"|\bthis (?:memory|note|entry|record|message|text)\b[^.\n]{0,20}"
        r"\b(?:approved|verified|authori[sz]ed|trusted|signed)\b[^.\n]{0,10}\bby\b"
        r"|\bmerge (?:this|my) (?:proposal|entry) (?:without|at once|immediately|yourself)",
    ),
    _Test(
        Trick.STEERING,
        ("asks", "asked", "mention", "queries", "questions", "requests"),
        r"\b(?:when|whenever|if) (?:the |a |any |some)?(?:user|users|someone|anyone|somebody|agent|you are|you're)\b"
        r"[^.\n]{0,60}\b(?:asks?|asked|mentions?)\b[^.\n]{0,80}"
        r"\b(?:respond|reply|answer|output) (?:only\b|that\b|as\b|with(?:: | only\b| exactly\b| [\"'`]))"
        r"|\b(?:queries|questions|requests) (?:about|for|on|concerning|regarding|to) [^.\n]{1,60}"
        r"\b(?:must|should|are to|have to) (?:(?:now |instead |always )*be answered (?:with|as|from|by)\b"
        r"|(?:now|instead|always) (?:be (?:redirected|sent|handled)|refer|redirect|use|go)\b[^.\n]{0,60}"
        r"\b(?:instead|with|as|to|from|of)\b|be (?:redirected|sent) to https?://)",
    ),
    _Test(
        Trick.STEERING,
        ("saved under", "stored under", "kept under", "moved under", "filed under"),
        r"\b(?:is|are|was|were) (?:now )?(?:saved|stored|kept|moved|filed) under\b[^\n]{0,80}"
        r"\b(?:refer to|look up|instead|answer)\b",
    ),
    _Test(
        Trick.ENCODED,
        ("base64", "decode", "rot13", "hex-encoded"),
        r"\b(?:decode|base64|rot13|hex-encoded)\b[^.\n]{0,80}\b(?:execute|obey|carry out|run it|do what"
        r"|follow (?:it|its|them|that|the (?:text|message|orders?|instructions?)))\b",
    ),
    _Test(
        Trick.COMMAND,
        ("execute", "run "),
        r"\b(?:execute|run) (?:the following|this|these)(?: shell)? (?:command|commands|code|script)s?"
        r" (?:immediately|now|at once|first thing(?! (?:after|when) )|without)\b",
    ),
    _Test(
        Trick.FOREIGN_VOICE,
        ("role",),
        r"[\"']role\\?[\"'] ?: ?\\?[\"'](?:system|developer)\\?[\"'] ?, ?\\?[\"']content\b"
        r"|[\"']content\\?[\"'] ?: ?[^{}]{0,400}[\"']role\\?[\"'] ?: ?\\?[\"'](?:system|developer)\b"
        r"|\brole: (?:system|developer) content:",
    ),
    _Test(
        Trick.OVERRIDE,
        ("instruct", "zignoruj", "negeer", "talimat", "instrukc", "تجاهل", "이전", "무시", "अनदेखा", "これまで", "以前",
         "以上", "之前", "предыдущ", "указани", "правил", "bỏ qua", "abaikan", "忘记", "忘れ"),
        r"\bnegeer (?:alle |de )?(?:vorige|eerdere|bovenstaande) (?:instructies|regels|opdrachten)"
        r"|\bzignoruj (?:wszystkie )?(?:poprzednie|wcześniejsze) (?:instrukcje|polecenia|zasady)"
        r"|\bönceki (?:tüm )?(?:talimat|kural)\w*[^.\n]{0,20}(?:yok say|unut|görmezden)"
        r"|تجاهل (?:جميع |كل )?(?:التعليمات|القواعد|الأوامر)"
        r"|(?:이전|위의|모든).{0,12}(?:지시|명령|규칙).{0,8}무시"
        r"|(?:पिछले|सभी).{0,12}(?:निर्देश|नियम).{0,12}अनदेखा"
        r"|(?:これまで|以前|上記).{0,10}(?:指示|命令|ルール).{0,8}(?:無視|忘れ)"
        r"|(?:忽略|无视|忘记|忘掉).{0,10}(?:以上|之前|先前|所有|全部).{0,8}(?:指令|指示|规则|提示|内容)"
        r"|(?:игнорируй|забудь|отмени)(?:те)?.{0,20}(?:предыдущ|прежн|все).{0,20}(?:инструкци|указани|правил)"
        r"|\bbỏ qua (?:mọi|tất cả|các).{0,20}(?:hướng dẫn|chỉ thị|quy tắc)"
        r"|\babaikan (?:semua )?(?:instruksi|perintah|aturan)",
    ),
)  # fmt: skip
_VOICES = r"(?mi)^[ \t>*#_-]*(?:system(?:prompt)?|系统|系統|システム|система|sistema|système|시스템|النظام)[ \t]*[:：]"
_FRONT = (
    r"\A\s*---[ \t]*\n(?:[^\n]{0,200}\n){0,12}?[ \t]*"
    r"(?:author|agent|by|decided_by|reviewer|status|state|origin|importance|scope|role|trust|cleared|slug)[ \t]*:"
)
REMEMBERED_TEXTS_MAX = 1_024
REMEMBERED_CHARACTERS_MAX = 1_000
_WORDS = tuple(dict.fromkeys(word for test in (*_TESTS, *_CHAINS) for word in test.words))


def signs_of(*texts: str | None) -> tuple[str, ...]:
    """What is wrong with the texts of one record, each kind once; nothing for what a team learns by working."""
    return tuple(dict.fromkeys(sign for text in texts if text for sign in _signs(text)))


@lru_cache(maxsize=REMEMBERED_TEXTS_MAX)
def _is_doubtful(text: str) -> bool:
    return next(_signs(text), None) is not None


def is_doubtful(text: str) -> bool:
    """Whether a reader must be told that the text is data. Turn after turn asks about the same short ones."""
    return _is_doubtful(text) if len(text) <= REMEMBERED_CHARACTERS_MAX else next(_signs(text), None) is not None


def _signs(text: str) -> Iterator[str]:
    for sign in signs_in(text):
        yield sign.value
    plain = text
    if not text.isascii():
        if re.search(_HIDDEN, text):
            yield Trick.HIDDEN.value
        plain = _unmasked(text)
        if re.search(_MASKED, text):
            yield Trick.MASKED.value
        for sign in signs_in(plain):
            yield sign.value
        if re.search(_VOICES, plain):
            yield Trick.FOREIGN_VOICE.value
        for unmarked in _without_marks(plain):
            for sign in signs_in(unmarked):
                yield sign.value
            yield from _tricks(unmarked)
    if "---" in plain[:40] and re.search(_FRONT, plain):
        yield Trick.FRONT_MATTER.value
    for spelled in _spellings(plain):
        for sign in signs_in(spelled):
            yield sign.value
        yield from _tricks(spelled)
    yield from _tricks(plain)


def _tricks(text: str) -> Iterator[str]:
    # A sentence goes on in the next line.
    plain = " ".join(text.lower().split())
    if not any(word in plain for word in _WORDS):
        return
    for test in _TESTS:
        if any(word in plain for word in test.words) and re.search(test.pattern, plain):
            yield test.trick.value
    for chain in _CHAINS:
        if any(word in plain for word in chain.words) and _follow(plain, chain.links):
            yield chain.trick.value


def _follow(plain: str, links: Sequence[_Link]) -> bool:
    """Whether the parts follow one another. Looked for from the last to the first: linear in the text."""
    starts: list[int] = []
    for place, link in enumerate(reversed(links)):
        spans = [one.span() for one in re.finditer(link.pattern, plain)]
        starts = [start for start, end in spans if not place or _leads(plain, end, starts, link)]
        if not starts:
            return False
    return True


def _leads(plain: str, end: int, starts: Sequence[int], link: _Link) -> bool:
    place = bisect_left(starts, end)
    if place == len(starts) or starts[place] - end > link.gap_max:
        return False
    return not link.stop or link.stop not in plain[end : starts[place]]


def _unmasked(text: str) -> str:
    """The text as its author wants a model to read it: tags as the letters they stand for, look-alikes as Latin."""
    tagged = re.sub(_TAGS, lambda found: chr(ord(found.group()) - 0xE0000), text)
    if "\u202e" in text or "\u202d" in text:
        # What an override turns round is read backwards.
        tagged += "\n" + tagged[::-1]
    return normalize("NFKC", legible(tagged)).translate(LOOKALIKES)


def _without_marks(plain: str) -> Iterator[str]:
    """The text without the marks on its letters; and with blanks for them, because one may stand for a blank."""
    apart = normalize("NFD", plain)
    bare = "".join(one for one in apart if not combining(one) and one != "\u034f")
    if bare == plain:
        return
    yield bare
    loose = normalize("NFC", plain)
    if any(combining(one) or one == "\u034f" for one in loose):
        yield "".join(" " if combining(one) or one == "\u034f" else one for one in loose)


def _spellings(plain: str) -> Iterator[str]:
    """The text with letters apart brought together, digits that stand for letters as letters, hyphens as blanks."""
    if re.search(r"(?:\b[A-Za-z][ .*_-]){6}", plain):
        yield re.sub(r"(?<=\b[A-Za-z])[ .*_-](?=[A-Za-z]\b)", "", plain)
    if re.search(r"[A-Za-z][013457@$][A-Za-z]", plain):
        yield plain.translate(_DIGITS)
    if re.search(r"[A-Za-z]-[A-Za-z]+-[A-Za-z]", plain):
        yield re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", " ", plain)
