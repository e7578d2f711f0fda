"""Owns the search through many texts at once for those that must be judged one by one."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, count
from typing import Any

from hansard.domain import layout
from hansard.domain.tricks.imitation import NAMES, NOTES, PLAIN_NAMES
from hansard.domain.tricks.readings import (
    APART,
    BACKWARDS,
    ESCAPED,
    FOR_LETTERS,
    HUMPED,
    HYPHENATED,
    NUMBER_CELL,
    NUMBERED,
    ROTATED,
    SPACED_HEX,
)
from hansard.domain.vocabulary import DecisionType
from hansard.guard.patterns import options

_APART = r"[^a-z0-9\0]+"
"""What may stand between two words: every test takes line breaks, markup or more blanks for one blank."""
_EDGE = r"[^a-z0-9]"
"""Where a word begins or ends. A text has a line break at both ends here, and `_` is markup like any other."""
_AWAY = (
    r"(?:https?:|\w@[\w-]|[0-9]\.[0-9]|\.(?:com|net|org|io|example|xyz|ru|cn|info|biz|site|online|top|onion"
    r"|link|club|live)"
    r"|webhook|pastebin|gist|ngrok|telegram|netcat|attacker|commit message"
    r"|this (?:url|address|server|endpoint)|every (?:answer|reply|bug|issue|commit|pull))"
)
_SECRETS = (
    rf"(?:secret|credential|keys?{_EDGE}|token|password|\.env|env var|environment var|`env`|id_rsa|id_ed25519"
    r"|/\.(?:ssh|aws)|/\.(?:kube|netrc)|\$\(|system prompt|conversation|cookie|contents? of)"
)
_RULES = (
    r"(?:instru|prompt|rule|directive|order|guideline|boundar|decision|command|constraint|everything|anything|all that"
    rf"|guidance|you were told|{_EDGE}d[^a-z0-9\0]+[0-9]|anweis|regel|vorgabe|consigne|regla|istruz|regol|regra)"
)
_READERS = r"(?:ais?|llms?|assistants?|models?|agents?|chatbots?|copilots?)"
_READER = rf"{_EDGE}{_READERS}"
_SAME = r"(?:this|it|these|the following)"
_TYPES = "|".join(one.value for one in DecisionType)
_HEADINGS = rf"(?:{'|'.join(NAMES)}|#[^a-z0-9\0]*(?:{'|'.join(PLAIN_NAMES)}))"
_LABELS = "(?:" + "|".join((layout.DECIDED_BY, layout.APPLIES_TO, layout.RATIONALE)).lower() + ")"
_RECORD_LABELS = "|".join(layout.FILE_LABELS).lower()
_ODD = (
    # Other ways to read a text.
    FOR_LETTERS,
    r"[a-z][*~\"`,]+[a-z]",
    APART,
    ESCAPED,
    *HYPHENATED,
    r"[a-z]-[a-z]+-[a-z]",
    r"<[a-z/!?]",
    r"&#?\w{1,12};",
    *BACKWARDS,
    rf"(?-i:{HUMPED})",
    r"\0\n\s*---",
    # A number or a letter before a line, which is no part of a sentence, and which nothing between two words here is.
    rf"[^\0]\n[^a-z0-9\n\0]*{NUMBERED}",
    NUMBER_CELL,
    *ROTATED,
    # Roles and the markup of chats.
    (
        r"(?:system|assistant|developer|human|user)(?: (?:prompt|message|alert|notice|override"
        r"|reminder|instructions?))?(?:[^a-z0-9\n\0]*\([^()\n\0]*\))?[^a-z0-9\n\0]*:"
    ),
    (
        rf"{_EDGE}(?:tool|function|ai|model|bot|agent|llm|chatbot|claude"
        rf"|gpt)(?:[^a-z0-9\n\0]*\([^()\n\0]*\))?[^a-z0-9\n\0]*:"
    ),
    r"#[^a-z0-9\0]*(?:new )?(?:instruction|system|response|developer)",
    r"\[/?(?:sys|assistant|developer|available_tools|tool_)",
    r"<\||\|>|inst\]|_turn>|</?(?:<?sys|assistant|developer|operator|instruction)",
    r"(?:system|assistant|instructions?|reminder|prompt|message|developer|operator)>|</",
    r"(?:system(?:nachricht|meldung|anweisung|hinweis|befehl|bericht|prompt)|systeem|sistema)[^a-z0-9\n\0]*:",
    r"(?:begin|start|start of|end of|end) (?:the )?(?:system|developer|admin|operator|root|owner|coordinator|platform)",
    r"[#=*~<>_-]{2}[\x20\t]*(?:system|developer)",
    (
        r"[#=*~<>_\[({-][\x20\t]*(?:system|developer|admin|operator|root|owner|coordinator|platform)[a-z]*[\x20\t]+"
        r"(?:prompt|message|instr|over|comm|dir|order)"
    ),
    r"\n[\x20\t]*system[\x20\t]*\n",
    r"[({]system[)}]",
    r"system[^a-z0-9\0]+-",
    r"role[^a-z0-9\0]*(?:system|developer)",
    r"tool_calls|to=functions|</?(?:[a-z]{1,12}:)?(?:tool_|function_|invoke)",
    r"(?:message|note|notice|order) from (?:the )?(?:anthropic|openai|google|operator|platform|admin|system)",
    r"(?:operator|root|administrator|admin|notice)[^a-z0-9\0]*:|operator says|from the operator",
    r"end of (?:memory|context|prompt|instructions)|granted (?:admin|root|full)|your administrator|the persona",
    r"developer mode",
    # Hansard's own layout.
    rf"#[^a-z0-9\0]*(?:{'|'.join((NAMES[0], *PLAIN_NAMES))})",
    rf"(?:{_RECORD_LABELS})[^a-z0-9\0]*:[^\n\0]*\|[^a-z0-9\n\0]*(?:{_RECORD_LABELS})[^a-z0-9\0]*:",
    rf"\[(?:{'|'.join(layout.ITEM_KINDS)})(?: from|[\],])|\[run of",
    rf"(?:{_TYPES}) {layout.DECIDED_BY.lower()}",
    rf"{layout.DECIDED_BY.lower()} [^:\n\0]{{1,80}}:",
    rf"{_EDGE}d[^a-z0-9\0]+[0-9]+ (?:{_TYPES})",
    *(" ".join(re.findall("[a-z]+", one)) for one in (*NOTES, layout.DATA_MARK)),
    # Demands to drop what came before.
    r"(?:vergiss|missacht|oubli|olvid|dimentic|esque|desconsider)",
    r"(?:previous|prior|earlier|above|preceding) (?:instruction|directive|guidance|rules|prompt)",
    r"(?:instructions?|rules|directives?|guidance) (?:that )?you (?:received|were|got|have|had|know)",
    r"new (?:system )?(?:rules?|instructions?|directives?|orders?)[^a-z0-9\0]*:",
    r"neue anweisungen|nouvelles (?:consignes|instructions)|nuevas instrucciones|nuove istruzioni",
    r"(?:not|n't|never|stop|cease|quit|longer) (?:follow|obey|comply|adher|appl|hold|count|bind)",
    (
        r"(?:boundaries|decisions|above|d[^a-z0-9\0]+[0-9]+) (?:is|are|was|were|has been|have been) "
        r"(?:(?:now|hereby) )?(?:void|revoked|lifted|suspended|rescinded|cancell?ed|withdrawn)"
    ),
    (
        r"(?:previous|prior|earlier|former|preceding) (?:rules|instructions|directives|guidelines|guidance|boundaries"
        r"|restrictions) (?:is|are|has been|have been)"
    ),
    r"guardrail|safeguard|exfiltrate",
    r"(?:approve|accept|merge|release|confirm|proposal|entry) p[^a-z0-9\0]+[0-9]",
    r"your (?:real|true|actual|secret|hidden) (?:task|job|goal|purpose|mission|objective)",
    r"precedence over",
    r"(?:instructions|guidance|directives|orders) above",
    (
        r"your (?:prior|previous|earlier|former|old|existing|original) "
        r"(?:guidance|instruction|briefing|directive|rules|prompt|orders)"
    ),
    r"(?:follow|obey|trust|believe) (?:only|solely|nothing but) this",
    r"only (?:the )?(?:instructions?|rules|orders|guidance) (?:in|of) this",
    r"no restrictions|restrictions (?:are )?(?:off|lifted)|everything (?:before|above) this",
    # A new identity.
    r"you are (?:no|in)",
    r"from now on",
    r"pretend",
    r"act as",
    r"du bist|tu es maintenant|ahora|ora sei|sei ora|poi sei",
    # What is sent away, kept from people, or steered.
    r"id_rsa|id_ed25519|(?:~|home)/\.(?:ssh|aws)|\]\(http",
    r"(?:not|n't|never|without) (?:tell|inform|alert|notify|mention|reveal|report)",
    r"(?:secretly|silently) ",
    r"keep (?:it|this|that) (?:between|secret|hidden|quiet|from)|must not (?:find|know|learn|hear)",
    r"(?:leave|omit) this (?:step|line|note|part)",
    r"be answered (?:with|as|from)",
    r"(?:redirected|sent) to https?:",
    r"(?:saved|stored|kept|moved|filed) under",
    rf"{_READER} (?:must|should|shall|has to|have to|are to|is to) ",
    (
        rf"(?:dear|attention|hey|hello|to|for) (?:(?:all|any|every|the) )?(?:(?:ai"
        rf"|language) )?{_READERS}[^a-z0-9\0]*[:,!]"
    ),
    # Bids for rank.
    r"high importance|importance[^a-z0-9\0]+high|core context|team scope|scope[^a-z0-9\0]+team|cross team",
    r"(?:long term|permanent|agent's) memory|top priority|highest (?:priority|importance|trust)",
    rf"treat {_SAME} ",
    rf"(?:retrieve|recall|rank|return|surface|show|prefer|inject|place|put) {_SAME}",
    r"merge (?:this|my) (?:proposal|entry)",
    r"(?:include|repeat|keep|load|inject|quote|add|list) this (?:memory|note|entry|record|text|fact|lesson|message)",
    r"this (?:memory|note|entry|record|fact|lesson) (?:must|should|shall|has to|is to|needs to|ought to|will)",
    r"read this first|rate this|(?:copy|repeat) this|this same text",
    r"maximum weight|top of (?:each|every)",
    # What is to be run or obeyed.
    rf"(?:execute|run) {_SAME}",
    r"you(?:'ve| have)? (?:read|see|find|load|retrieve|receive) this",
    rf"{_READER} (?:(?:that|who|which) )?read(?:s|ing)? this",
    r"(?:<\(|\$\()(?:curl|wget)",
)
_PAIRS = (
    (r"(?:ignor|disregard|forget|overrid|bypass|discard|set aside|drop|skip|abandon|no attention|need not)", _RULES),
    (
        r"(?:guidance|instructions?|briefing|boundaries|directives)",
        r"(?:obsolete|expired|null|void|outdated|invalid|superseded)",
    ),
    (r"(?:send|post|upload|forward|exfiltrate|email|transmit|leak|submit|curl|wget)", _AWAY),
    (_SECRETS, _AWAY),
    (r"(?:ask|mention)", r"(?:respond|reply|answer|output) (?:only|that|as|with)"),
    (r"(?:queries|questions) about", r"instead"),
    (r"this (?:memory|note|entry|record|message|text)", r"(?:approved|verified|authori[sz]ed|trusted|signed)"),
    (r"(?:curl|wget|iwr|irm|webrequest|restmethod)", r"\|"),
    (r"https?:", r"(?:do what|do as|obey|execute|carry out|run (?:it|what)|follow (?:it|them|the)|doing (?:what|as))"),
    (r"(?:decode|base64|rot13|hex-encoded|backwards)", r"(?:execute|obey|carry out|do what|act on|do it|run|follow)"),
    (rf"{layout.TYPE.lower()}[^a-z0-9\0]*:", rf"{layout.BY.lower()}[^a-z0-9\0]*:"),
    (_HEADINGS, _LABELS),
    (_LABELS, _HEADINGS),
    (r"do (?:whatever|what|as|everything)", rf"(?:tells? you|says?{_EDGE})"),
)
_LONG = r"[a-z0-9+/]{32}"
"""What each test needs at least, without looking around: of a large batch, only texts with one of these are judged.

A blank stands for whatever may stand between two words. `tests/guard/test_batch.py` writes attacks in many ways and
finds a test that needs less."""
_BETWEEN = "\n\0\n"


ENGINE_RECORDS_MIN = 8
"""A process that judges fewer records does so without the engine: loading it takes as long as judging a hundred."""
_records = count(1)


def may_have_signs(*texts: str | None) -> bool:
    """Whether `signs_of` has to look at a record at all: one search, ten times faster, in a process that goes on."""
    if next(_records) < ENGINE_RECORDS_MIN:
        return True
    return bool(suspects([text for text in texts if text]))


def suspects(texts: Sequence[str]) -> set[int]:
    """The places of the texts that `signs_of` may say something about: one search through all of them."""
    found: set[int] = set()
    joined = _BETWEEN.join(("", *texts, ""))
    if not joined.isascii():
        found = {place for place, text in enumerate(texts) if not text.isascii()}
        joined = _BETWEEN.join(("", *(text if text.isascii() else " " * len(text) for text in texts), ""))
    starts = list(accumulate((len(text) + len(_BETWEEN) for text in texts), initial=len(_BETWEEN)))
    searched = joined.encode("ascii")
    for pattern in _patterns():
        for match in pattern.finditer(searched):
            # A match may begin with the mark before its text.
            found.add(bisect_right(starts, max(match.start(), match.end() - 1)) - 1)
    found.discard(len(texts))
    return found


@cache
def _patterns() -> tuple[Any, ...]:
    """Several, one search each: all in one would have too many states to be fast, and so would each with less room."""
    # Imported here: a command that records one memory judges it without another engine.
    import re2

    from hansard.domain.tricks.abroad import beginnings
    from hansard.domain.tricks.claims import OWN
    from hansard.domain.tricks.outside import RARE
    from hansard.domain.tricks.tongues import dropped, stems

    rare = sorted({_looked_for(word) for one in (*RARE, *OWN) for word in one.words})
    abroad = "|".join(_looked_for(word) for word in beginnings(ascii_only=True))
    rules = f"(?:{'|'.join(dropped())})"
    # Half of the languages say it with this word, and honest texts do as well.
    drops = "|".join(one for one in stems(ascii_only=True) if not one.startswith("ignor"))
    told = (
        (*_ODD, rf"{_EDGE}(?:{drops})"), (_LONG, SPACED_HEX, _apart("ignor", rules), _apart(rules, "ignor")),
        [_apart(*pair) for pair in _PAIRS], (*rare, rf"{_EDGE}(?:{abroad})"),
    )  # fmt: skip
    # What is searched is ASCII: to know characters of several bytes would make an automaton ten times as large.
    return tuple(re2.compile(b"(?i)" + "|".join(one).replace(" ", _APART).encode("ascii"), options()) for one in told)


def _looked_for(word: str) -> str:
    """A word as it may be written: with emphasis or quotes around every sign in it."""
    return re.sub(r"[^a-z0-9 ]", lambda found: rf"[*\"`_]*{re.escape(found[0])}[*\"`_]*", word)


def _apart(first: str, second: str) -> str:
    return rf"{first}[^\0]*{second}"
