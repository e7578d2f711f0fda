"""Owns what words from outside are held for, beyond what an agent's own words are.

A page, a tool or a file may inform. It has no reason to give the reader orders, to name what is to be sent where, or
to speak of what the reader was told before. An agent that writes down how to install something has.
"""

import re
from collections.abc import Iterable, Iterator

from hansard.domain.tricks import (
    addressed,
    brief_orders,
    claims,
    more_orders,
    orders,
    plain_orders,
    revocations,
    short_orders,
)
from hansard.domain.tricks.asked import Asked, Words
from hansard.domain.tricks.demands import (
    AWAY,
    COMMAND,
    CONCEALMENT,
    EXFILTRATION,
    FOREIGN_VOICE,
    OVERRIDE,
    PROMOTION,
    SECRETS,
    STEERING,
    TOOL_CALL,
    Demand,
    is_there,
)
from hansard.domain.tricks.readings import MARKS
from hansard.domain.tricks.sequences import Link
from hansard.domain.tricks.voices import TURN_WORDS, TURNS

_SEND = (
    r"\b(?<!never )(?<!not )(?<!n't )(?:send|post|upload|forward|exfiltrate|email|mail|transmit|leak|submit|copy"
    r"|paste|ship|append|include"
    r"|print|encode|put|add|curl|look ?up)\b"
)
_READER = (
    r"(?:ai|ais|llm|llms|assistants?|language models?|ai (?:assistants?|agents?|models?)|agents?|chatbots?|copilots?)"
)
_PEOPLE = (
    r"(?:anyone|anybody|users?|humans?|people|reviewers?|operators?|owners?|maintainers?|the team|them|customers?)"
)
DEMANDS = (
    Demand(EXFILTRATION, ("secret", "credential", "key", "token", "password", "env", "id_rsa", "id_ed", "~/.", "$(",
                          "prompt", "cookie"),
           (Link(_SEND, 80), Link(rf"(?<!\w){SECRETS}", 80), Link(AWAY))),
    Demand(COMMAND, ("curl", "wget", "iwr", "irm", "invoke-web", "invoke-rest"),
           r"\b(?:curl|wget|iwr|irm|invoke-(?:webrequest|restmethod))\b[^|\n]{0,200}\|[ `]{0,3}(?:sudo (?:-\w+ ){0,3})?"
           r"(?:/(?:usr/)?bin/)?(?:env )?(?:(?:ba|z|da|k|fi)?sh|iex|invoke-expression|python\d?|perl|node|ruby|php|deno"
           r"|bun)\b(?! -m json\.tool\b(?![^\n]{0,200}[|;&]))"
           r"|\b(?:ba|z)?sh (?:-c )?[\"']?(?:<\(|\$\()(?:curl|wget)\b"),
    Demand(COMMAND, ("http",),
           r"\b(?:fetch|read|open|download|load|visit|get|check|see)\b[^\n]{0,40}https?://[^\n]{1,160}?"
           r"\b(?:do what|do as|obey|execute|carry out|run (?:it|what)|follow (?:it|its|them|the (?:instructions|orders"
           r"|rules|steps)))\b"),
    Demand(COMMAND, ("tell you", "tells you", "it says", "they say"),
           r"\bdo (?:whatever|what|as|everything)\b[^\n]{0,60}\b(?:tells? you|says?)\b"),
    Demand(CONCEALMENT, ("tell", "inform", "mention", "report", "reveal", "alert", "notify", "keep", "find out", "omit",
                         "leave this"),
           rf"\b(?:do not|don't|never|without|must not|mustn't) (?:tell|inform|mention|report|reveal|alert"
           rf"|notify)(?:ing)?"
           rf"(?: (?:it|this|that|the|any|to|a))* ?(?:{_PEOPLE}|it|this)\b(?! (?:in|on|before|until|what|how|why"
           rf"|when) )"
           rf"|\bkeep (?:it|this|that) (?:between us|secret|hidden|quiet|from)\b"
           rf"|\b(?:{_PEOPLE}) must not (?:find out|know|learn|hear)\b"
           r"|\b(?:leave|omit) this (?:step|line|note|part)\b[^.\n]{0,30}\b(?:summary|report|answer)"),
    Demand(STEERING, ("ai", "llm", "model", "assistant", "agent"),
           rf"\b(?:dear|attention|hey|hello|note to|message (?:to|for)|notice to|instructions? (?:to|for)"
           rf"|to) (?:all |any |every |the )?"
           rf"{_READER} ?[:,!]"),
    Demand(OVERRIDE, ("guidance", "instruction", "briefing", "boundar", "rules", "decisions", "restrictions", "told",
                      "everything"),
           r"\b(?:guidance|instructions?|briefing|boundaries|directives)\b[^.\n]{0,50}\b(?:is|are|has|have)"
           r"(?: been| now)? (?:obsolete|expired|null|void|outdated|invalid|superseded)\b"
           r"|\b(?:set aside|drop|skip|abandon|pay no attention to|need not (?:respect|follow|obey))\b[^.\n]{0,30}"
           r"\b(?:you were told|rules (?:you|above)|instructions?|boundaries|decisions of the team|guidance)\b"
           r"|\b(?:no restrictions|restrictions (?:are )?(?:off|lifted))\b"
           r"|\beverything (?:before|above) this (?:sentence|line|note)\b"
           r"|\b(?:ignore|disregard|forget) the (?:above instructions?|instructions? above)\b"),
    Demand(FOREIGN_VOICE, ("message from", "note from", "notice from", "order from"),
           r"\b(?:message|note|notice|order) from (?:the )?(?:anthropic|openai|google|operator|platform"
           r"|administrator|system)"),
    Demand(FOREIGN_VOICE, tuple(f"{who}{colon}" for who in ("operator", "root", "administrator", "admin", "notice")
                                for colon in (":", " :")),
           r"(?:^|[.!] |\n)(?:operator|root|administrator|admin|admin notice) ?:"),
    Demand(FOREIGN_VOICE, ("</memory>", "</context>", "</prompt>", "</system>", "</instruction"),
           r"</(?:memory|context|prompt|system|instructions?)>"),
    Demand(FOREIGN_VOICE, ("end of memory", "end of context", "end of prompt", "end of instructions"),
           r"\bend of (?:memory|context|prompt|instructions)\b"),
    Demand(FOREIGN_VOICE, ("granted admin", "granted root", "granted full", "your administrator", "the persona",
                           "developer mode", "operator says", "from the operator"),
           r"\bthe operator says\b|\byou (?:have been|are) granted (?:admin|root|full)|\bas your administrator\b"
           r"|\bassume the persona\b|\bdeveloper mode (?:enabled|on)\b|\bcomes from the operator\b"),
    Demand(FOREIGN_VOICE, TURN_WORDS, TURNS),
    Demand(TOOL_CALL, ("tool_calls",), r"\"tool_calls\"[ \t]*:"),
    Demand(FOREIGN_VOICE, ("(system)", "(system}", "{system)", "{system}", "system -"),
           r"(?:^|\n|[.!] )[ ]*[({]system[)}]|(?:^|[.!] )system -+ \w"),
    Demand(PROMOTION, ("read this first", "rate this", "copy this", "repeat this", "this same text", "maximum weight",
                       "top of each", "top of every"),
           r"\b(?:every|all|each) agents?\b[^.\n]{0,20}\bread this first\b|\brate this (?:memory|note|entry)\b"
           r"|\b(?:copy|repeat) this (?:sentence|note|text|memory|line) (?:in|to)\b|\brecord this same text\b"
           r"|\bmaximum weight\b|\bat the top of (?:each|every) (?:block|answer|prompt)\b"),
)  # fmt: skip
"""Each is tried on a text in small letters with single blanks."""
RARE = (
    *orders.DEMANDS, *addressed.DEMANDS, *claims.DEMANDS, *plain_orders.DEMANDS, *more_orders.DEMANDS,
    *revocations.DEMANDS, *short_orders.DEMANDS, *brief_orders.DEMANDS,
)  # fmt: skip
"""Those whose words are so rare that the search through a batch looks for them as they are."""
_MARKS = frozenset('*"“”„«»`_')


def demands_in(plain: str, asked: Asked) -> Iterator[str]:
    """What words from outside are held for, as far as that is not known yet."""
    if asked.is_new("demands", plain):
        yield from _found(DEMANDS, Words(plain), asked)
    for way in (plain, _unmarked(plain)):
        if asked.is_new("rare", way):
            yield from _found(RARE, Words(way), asked)


def _found(demands: Iterable[Demand], said: Words, asked: Asked) -> Iterator[str]:
    for one in demands:
        if one.sign not in asked.signs and said.has_any(one.words) and is_there(one, said.text):
            yield from asked.noted([one.sign])


def _unmarked(plain: str) -> str:
    """The text without emphasis and quotes, which are no part of what a sentence wants."""
    if _MARKS.isdisjoint(plain):
        return plain
    return " ".join(re.sub(MARKS, "", plain).split())
