"""Owns the search through many texts at once for those that must be judged one by one."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

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
    r"[a-z]-[a-z]+-[a-z]", r"role\W{1,8}(?:system|developer)",
)  # fmt: skip
"""What each test needs at least, without looking around: of a large batch, only texts with one of these are judged."""
_BETWEEN = "\n\0\n"


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
