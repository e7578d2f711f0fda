"""Owns what makes a text an attempt on its reader: hidden words, masks, stolen voices, orders, bids for rank.

`domain/suspicion.py` knows what may stand in no block unmarked. This knows more ways to write it, and more that an
honest lesson has no need for. Every test is linear in the text, and nearly every text ends at a search for a few words.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple
from unicodedata import normalize

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
_AWAY = r"(?:https?://|[\w.+-]+@[\w-]+\.|webhook|pastebin|ngrok|telegram|this (?:url|address|server|endpoint)|attacker)"
_NEVER = r"(?<!never )(?<!not )(?<!n't )"
_PEOPLE = r"(?:user|users|human|humans|reviewer|reviewers|operator|developer|developers|owner|anyone|people|team)"
_RANK = (
    r"(?:high[ -]importance|importance[ :=]+high|core[ _]context|team[ -]scope|scope[ :=]+team|cross-team"
    r"|long[- ]term memory|permanent memory|every agent's memory|top priority|highest (?:priority|importance|trust))"
)
_SELF = r"(?:this|it|these|the following)(?: (?:memory|note|entry|record|text|rule|fact|message|document))?"
_TESTS = (
    _Test(
        Trick.EXFILTRATION,
        ("send", "post ", "upload", "forward", "exfiltrat", "email", "transmit", "leak", "curl", "submit"),
        rf"\b{_NEVER}(?:send|post|upload|forward|exfiltrate|email|transmit|leak|submit|curl)\b[^.\n]{{0,80}}"
        rf"(?<!\w){_SECRETS}[^\n]{{0,80}}?\b(?:to|via|with)\b[^\n]{{0,30}}{_AWAY}"
        rf"|\b{_NEVER}(?:curl|wget|post|send)\b[^\n]{{0,40}}{_AWAY}[^\n]{{0,80}}(?:\$\(|\.env\b|id_rsa|secrets?\b|tokens?\b)",
    ),
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
        ("asks", "asked", "queries", "questions", "requests", "query"),
        r"\b(?:when|whenever|if) (?:the |a |any |some)?(?:user|users|someone|anyone|somebody|agent|you are|you're)\b"
        r"[^.\n]{0,60}\b(?:asks?|asked|mentions?|requests?)\b[^.\n]{0,80}"
        r"\b(?:respond|reply|answer|output) (?:with|that|only|by|as)\b"
        r"|\b(?:queries|questions|requests) (?:about|for|on|concerning|regarding|to) [^.\n]{1,60}"
        r"\b(?:must|should|are to|have to) (?:now |instead |always )?(?:be (?:answered|redirected|sent|handled)"
        r"|refer|redirect|use|go)\b[^.\n]{0,60}\b(?:instead|with|as|to|from|of)\b",
    ),
    _Test(
        Trick.STEERING,
        ("saved under", "stored under", "kept under", "moved under", "filed under"),
        r"\b(?:is|are|was|were) (?:now )?(?:saved|stored|kept|moved|filed) under\b[^\n]{0,80}"
        r"\b(?:refer to|use|look up|replace|instead|answer)\b",
    ),
    _Test(
        Trick.ENCODED,
        ("base64", "decode", "rot13", "hex-encoded"),
        r"\b(?:decode|base64|rot13|hex-encoded)\b[^.\n]{0,80}\b(?:execute|obey|follow|carry out|run it|do what)\b",
    ),
    _Test(
        Trick.COMMAND,
        ("execute", "run "),
        r"\b(?:execute|run) (?:the following|this|these)(?: shell)? (?:command|commands|code|script)s?"
        r" (?:immediately|now|at once|first thing|without)\b",
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
_ODD = (
    r"[a-z][013457@$][a-z]", r"[a-z][*\"`,]+[a-z]", r"(?:\b[a-z][ .*_-]){6}", r"(?:^|\n\x00\n)\s*---",
    r"(?:system|assistant|developer|human|user)(?:\s+(?:prompt|message))?[^a-z0-9\n]{0,12}:",
    r"#\s*(?:new\s+)?(?:instruction|system|response)", r"\[/?(?:system|assistant|developer)",
    r"<\|", r"inst\]", r"<<sys", r"(?:system|assistant|instructions?|reminder)>",
    r"tool_|function_|invoke|to=functions",
    r"(?:ignor|disregard|forget|overrid|bypass|discard|vergiss|missacht|oubli|olvid|dimentic|esque|desconsider)",
    r"new[\s*_\"`,]+(?:system[\s*_\"`,]+)?(?:rule|instruction|directive|order)", r"\b(?:neue|nouvelle|nueva|nuov)",
    r"(?:not|n't|never|stop|cease|quit|no[\s*_\"`,]+longer)[\s*_\"`,]+(?:follow|obey|comply|adher|appl|hold|count|bind)",
    r"precedence[\s*_\"`,]+over", r"\b(?:void|revoked|lifted|suspended|rescinded|cancell?ed|withdrawn)",
    r"you[\s*_\"`,]+are[\s*_\"`,]+(?:no|now|in)\b", r"from[\s*_\"`,]+now[\s*_\"`,]+on", r"pretend",
    r"act[\s*_\"`,]+as", r"du\s+bist|tu\s+es\b|ahora|\beres\b|ora\s+sei|sei\s+ora|poi\s+sei",
    r"https?://|\w@\w|webhook|pastebin|ngrok|telegram|this\s+(?:url|address|server|endpoint)|attacker",
    r"(?:not|n't|never)\s+(?:tell|inform|alert|notify|mention|reveal)", r"(?:secretly|silently)\s",
    r"(?:treat|retrieve|recall|rank|return|surface|show|prefer|inject|place|put|merge)\s+(?:this|it|these|the|my)\b",
    r"this\s+(?:memory|note|entry|record|message|text)\b",
    r"importance|core[ _]context|team[ -]scope|scope\W|cross-team",
    r"(?:long[- ]term|permanent|agent's)\s+memory|top\s+priority|highest\s",
    r"(?:when|whenever|if)\s+(?:the\s+|a\s+|any\s+|some\s*)?(?:user|someone|anyone|somebody|agent|you\s+are|you're)",
    r"(?:queries|questions|requests)\s+(?:about|for|on|concerning|regarding|to)\s",
    r"(?:saved|stored|kept|moved|filed)\s+under", r"decode|base64|rot13|hex-encoded",
    r"(?:execute|run)\s+(?:the\s+following|this|these)", r"negeer|zignoruj|talimat|abaikan",
)  # fmt: skip
"""What each test needs at least, without looking around: of a large batch, only texts with one of these are judged."""
_BETWEEN = "\n\0\n"
_WORDS = tuple(dict.fromkeys(word for test in _TESTS for word in test.words))


def suspects(texts: Sequence[str]) -> set[int]:
    """The places of the texts that `signs_of` may say something about: one search through all of them."""
    found = {place for place, text in enumerate(texts) if not text.isascii()}
    starts = list(accumulate((len(text) + len(_BETWEEN) for text in texts), initial=0))
    joined = _BETWEEN.join(text if text.isascii() else " " * len(text) for text in texts)
    for match in _odd().finditer(joined.encode("ascii")):
        found.add(bisect_right(starts, max(match.start(), match.end() - 1)) - 1)
    return found


@cache
def _odd() -> Any:
    # Imported here: a command that records one memory judges it without another engine.
    import re2

    return re2.compile(b"(?i)" + "|".join(_ODD).encode("ascii"))


def signs_of(*texts: str | None) -> tuple[str, ...]:
    """What is wrong with the texts of one record, each kind once; nothing for what a team learns by working."""
    return tuple(dict.fromkeys(sign for text in texts if text for sign in _signs(text)))


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


def _unmasked(text: str) -> str:
    """The text as its author wants a model to read it: tags as the letters they stand for, look-alikes as Latin."""
    tagged = re.sub(_TAGS, lambda found: chr(ord(found.group()) - 0xE0000), text)
    if "\u202e" in text or "\u202d" in text:
        # What an override turns round is read backwards.
        tagged += "\n" + tagged[::-1]
    return normalize("NFKC", legible(tagged)).translate(LOOKALIKES)


def _spellings(plain: str) -> Iterator[str]:
    """The text with letters apart brought together, and with digits that stand for letters read as letters."""
    if re.search(r"(?:\b[A-Za-z][ .*_-]){6}", plain):
        yield re.sub(r"(?<=\b[A-Za-z])[ .*_-](?=[A-Za-z]\b)", "", plain)
    if re.search(r"[A-Za-z][013457@$][A-Za-z]", plain):
        yield plain.translate(_DIGITS)
