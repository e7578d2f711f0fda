"""Judges a run of characters by how mixed it is, and says where it ends: a password that a generator made."""

import re
from math import inf

from hansard.guard.mixture import ODD, PAIRS, score
from hansard.guard.values import MARK_OPEN, is_address, is_stand_in, is_worded

RUN = r"[!#-&(-\[\]-_a-~]"
"""What a generator puts into a password: all of ASCII that shows, without the quotes and the backslash."""
RUN_CHARACTERS_MIN = 8
RUN_CHARACTERS_MAX = 128
LONG_CHARACTERS_MIN = 12
LONG_SCORE_MIN = -1.5
NAMELESS_SCORE_MIN = 0.5
SHORT_SCORE_MIN = 1.5
STAND_IN_SCORE_MIN = 2.5
CODE_SCORE_MIN = 4.5
"""A random password of sixteen characters with the usual signs has less than the first in one case of a thousand. What
is not called a password, is short, opens like a variable or looks like a piece of a program needs more."""
_RUN = re.compile(rf"{RUN}{{1,{RUN_CHARACTERS_MAX}}}")
_NAME = r"(?:[a-z]{2,}[a-z0-9_.-]*|[A-Z][A-Z_]{2,}[0-9]*|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]{2,})"
_NEXT = re.compile(
    rf"[;&,]{_NAME}=|,[a-z]{{3,}}:|(?:&&|\|\|)(?:[a-z][a-z_.-]{{2,}})?$|;[a-z]{{3,}}$|</[A-Za-z]+>|<[a-z]{{2,}}/?>|\*\*$"
)
"""Behind a value: another assignment, another command, a tag, the end of what is set in bold."""
_PARAMETER = re.compile(r"&[A-Za-z0-9_.-]+=|#")
_SETTING = re.compile(r";[A-Z][a-z]+$")
_SETTING_GOES_ON = re.compile(r"(?: [A-Z][A-Za-z]*){1,2} ?=")
_DIGITS = frozenset("0123456789")
_ENDS = ".,;:?|"
_ENCLOSED = re.compile(r"<.*>|\{.*\}|\[.*\]|\(.*\)|%[A-Za-z_]\w*%", re.DOTALL)
_NEVER = re.compile(
    r"a-z|A-Z|0-9a-f|a-f0-9|0-9A-F|A-F0-9|\]\{[0-9]+(?:,[0-9]*)?\}|\(\?[:P<=!]|://|\w\(\)|&#x?[0-9A-Fa-f]+;|&(?:lt|gt|amp|quot|nbsp);|(?:%[0-9A-F]{2}){2}"
    r"|null[!=)]|[a-z]\?[.][a-z]{2}|return|\{[a-z_]{3,}(?::[^{}]*)?\}|^\w{1,11}\($"
)
"""In patterns, addresses, calls and pages, and by chance in hardly any password."""
_TEMPLATE = re.compile(
    r"\$\{[A-Za-z_]{2,}[}:]|\{\{[A-Za-z_.]{2,}|\$\([a-z_]{2,}|%\([a-z_]+\)|#\{[a-z_.]{2,}|<%=|<[a-z][a-z_-]{2,}>|"
    r"\{[a-z_][A-Za-z_.]{2,}\}|\[\^[^\]]+\]"
)
"""What is filled in later, or matched: a variable, a template, a set of characters."""
_CALLED = re.compile(
    r"[$@&*!(]*(?:(?:[a-z]{3,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]+|_[a-z0-9]+|[.][A-Za-z_]\w*+)*+|[A-Z][A-Z_]{3,})"
    r"(?:[(\[{<]|->|::|=>|[!=]=)"
)
_MAIL = re.compile(r"[\w.+-]+@(?:[A-Za-z0-9-]+[.])+[a-z]{2,}(?:[:/].*)?|[\w.-]+@\d+(?:[.]\d+)+\S*")
_STRONG = frozenset("!@#$%^&*?~|;<>,()[]{}")


def reach(text: str, start: int) -> int:
    """Where the run of characters ends that begins at a place: before a quote, a blank or the next assignment, and
    without what closes the sentence or the bracket around it. What is redacted already is no part of it."""
    run = _RUN.match(text, start)
    if run is None or text.startswith(MARK_OPEN[1:], start):
        return start
    before_mark, marked, _ = run[0].partition(MARK_OPEN)
    if marked:
        return start + len(before_mark)
    end = run.end()
    before = text[start - 1 : start]
    if before in ("'", '"', "`") and text.startswith(before, end):
        return end
    if _SETTING.search(text, start, end) and _SETTING_GOES_ON.match(text, end):
        end = text.rindex(";", start, end)
    # What is left of it has to be long enough to be one: else the sign is a part of it.
    cut = _NEXT.search(text, start + RUN_CHARACTERS_MIN, end)
    end = cut.start() if cut is not None else end
    head = text[max(0, start - RUN_CHARACTERS_MAX) : start].rsplit(maxsplit=1)[-1:]
    if head and "?" in head[0]:
        cut = _PARAMETER.search(text, start, end)
        end = cut.start() if cut is not None else end
    return _trimmed(text, start, end)


def may_begin(text: str, start: int) -> bool:
    """Whether the run of characters at a place may be generated at all, wherever it ends. Most are words, and to find
    out where one ends takes longer than to see that."""
    run = _RUN.match(text, start)
    return run is not None and _is_mixed(run[0], named=True)


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start:
        last = text[end - 1]
        pair = PAIRS.get(last)
        if pair is None and last not in _ENDS:
            break
        if pair is not None and text.count(pair, start, end) >= text.count(last, start, end):
            break
        end -= 1
    return end


def is_generated(value: str, *, named: bool) -> bool:
    """Whether it is so mixed that nobody writes it as a word, a path or a piece of a program. `named` says that what
    is behind its name is called a password; a token may be many things that look like one."""
    if len(value) < RUN_CHARACTERS_MIN or _RUN.fullmatch(value) is None or MARK_OPEN in value:
        return False
    if not _is_mixed(value, named=named) or _NEVER.search(value) or _MAIL.fullmatch(value):
        return False
    # The words of the table are asked last: to look for each of them costs more than all the rest.
    return score(value) >= _least(value, named=named) and not is_address(value) and not is_worded(value)


def _least(value: str, *, named: bool) -> float:
    if _ENCLOSED.fullmatch(value) or _TEMPLATE.search(value) or _CALLED.match(value):
        return CODE_SCORE_MIN
    if is_stand_in(value):
        return STAND_IN_SCORE_MIN
    if len(value) < LONG_CHARACTERS_MIN:
        return SHORT_SCORE_MIN if ODD.search(value) is not None else inf
    return LONG_SCORE_MIN if named else NAMELESS_SCORE_MIN


def _is_mixed(value: str, *, named: bool) -> bool:
    if _DIGITS.isdisjoint(value) or value.isalnum():
        return False
    strong = sum(map(_STRONG.__contains__, value))
    if value.lower() != value and value.upper() != value:
        return strong > 0 or named
    return strong > 2 and len(value) >= LONG_CHARACTERS_MIN and value.upper() != value.lower()
