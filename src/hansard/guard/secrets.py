"""Owns the secret scan: finds what must not be kept in a text, in time linear in its length, and takes it out."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from hansard.guard import armour
from hansard.guard.rules import Rule, Table, table
from hansard.guard.values import is_key, is_password, is_placeholder, is_striking, is_token, is_wordlike, kind_of_name

if TYPE_CHECKING:
    from re import Match

    from re2 import _Regexp

LEAKS_MAX = 1_000
REFUSALS_MAX = 30_000
JUDGEMENTS_MAX = 5_000
"""In each million characters: secrets, things that only look like one, and different ones of these. Past any of the
three the rest of the text is taken out whole: no honest text is that dense, and no text may take much time."""
AUTOMATON_BYTES_MAX = 32 * 1_048_576
CONTEXT_CHARACTERS = 60
GROUP_CHARACTERS_MAX = 8_192
HEAD_CHARACTERS_MAX = 24
BLOCK_CHARACTERS = 240
LOOSE_COUNT = 4
TABLE_GAP_MAX = 40
FLOOD = "flood"
_ASSIGNABLE = ("pass", "pw", "secret", "token", "key", "cred", "auth", "jwt", "login", "contrasen")
"""Without one of these no name says that its value is a secret."""

_LEFT = r"(?:\b|_|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}[mK])"
"""Where a token may begin: also behind an escaped character, a colour of a terminal, or the name it was glued to."""
_EDGE = re.compile(r"_|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}[mK]")
_CONTINUED = re.compile(r"(?<=[0-9A-Za-z_-]{4})\\\r?\n[ \t]*(?=[0-9A-Za-z_-])")
_BARE = r"[^\s\"'\x60<>,;&|(){}\[\]\\$%*#=:?][^\s\"'\x60<>,;&|(){}\[\]\\=:]{5,}={0,2}"
_QUOTED = r"\\?\"(?:\"\")?[^\"\r\n\\]{6,}|\\?'(?:'')?[^'\r\n\\]{6,}|\x60[^\x60\r\n\\]{6,}"
_TYPED = r":\s{0,2}[a-z]\w*(?:\[\w*\])?(?:\s?\|\s?\w+)?\s{0,2}=\s{0,4}"
_PLAIN = r"(?:=>|:=|={1,3}|:|>)\*{0,2}(?:\s|\\[tn]){0,4}(?:[|>][+-]?\s{1,12})?"
_CELL = r"\|[ \t]{1,20}"
_PASSED = r"[,(]\s{0,4}"
_LISTED = r",?\s{0,20}\\?[\"']?value\\?[\"']?\s{0,4}[:=]\s{0,4}"
_LEAD = r"\\?[\"']?\]?\s{0,4}"
_ASSIGNED = rf"{_LEAD}(?:(?:{_TYPED}|{_PLAIN}|{_LISTED}|{_CELL})(?:{_QUOTED}|{_BARE})|{_PASSED}(?:{_QUOTED}))"
_NAME = r"(?i)[a-z0-9_.-]+(?: key)?"
_OPENING = r"(?:\"\"\"|\'\'\'|\\?[\"'\x60])?"
_HEADS = (
    rf"{_NAME}{_LEAD}(?:{_TYPED}|{_LISTED}){_OPENING}",
    rf"{_NAME}{_LEAD}(?:{_PLAIN}|{_PASSED}|{_CELL}){_OPENING}",
    rf"{_NAME}[ \t]+{_OPENING}",
)
"""What stands before a value. The engine finds whole assignments without taking them apart, which is much faster."""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_NAME_BYTES = _NAME_CHARACTERS.encode("ascii")
_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_QUOTES = "\"'`"
_GAP = r"(?:[ \t]+(?:[^\s0-9]+|\S{1,7})){0,6}[ \t]+[\"'\x60(*]{0,2}"
_WORD = r"[^\s\"'\x60()<>\[\]{},;]"
_NAMED = r"passwords?|passwort|passphrase|passcode|pwd|secrets?|tokens?|credentials?|creds|keys?|login"

Found = tuple[int, int, int, Rule | None, str]
"""Priority, start, end, rule, kind: of two that overlap, the one of the lower priority gives its kind."""
Judge = Callable[[str, int, int], Found | None]
Near = Callable[[int], bytes]


class Leak(NamedTuple):
    """One secret in a text: characters `start` to `end`, and by which rule it was found."""

    start: int
    end: int
    rule: str
    kind: str


def scan(text: str) -> tuple[Leak, ...]:
    """Every secret in the text, in order, none overlapping another. Pure, and safe in any thread."""
    text = familiar(text)
    if engine.cache_info().currsize == 0 and not _may_leak(text, table()):
        return ()
    found = list(engine().findings(text, bytes_of(text)))
    if "\\\n" in text or "\\\r\n" in text:
        found += _continued(text)
    return _merged(found, len(text)) if found else ()


def familiar(text: str) -> str:
    """The text, as long as before, with names of other languages as the ones that the table knows."""
    if text.isascii() and "ot de passe" not in text:
        return text
    for name, known in table().foreign_names.items():
        if name in text:
            text = text.replace(name, known)
    return text


def bytes_of(text: str) -> bytes:
    """One byte for each character, so that the engine's places are the text's. What Latin-1 lacks becomes "?": no rule
    asks for such a character, and values are judged by the text itself."""
    return text.encode("latin-1", "replace")


def _continued(text: str) -> Iterator[Found]:
    """Tokens that go on behind a backslash at the end of a line, at their places in the text."""
    parts: list[str] = []
    starts, moved = [0], [0]
    end = size = 0
    for cut in _CONTINUED.finditer(text):
        parts.append(text[end : cut.start()])
        size += cut.start() - end
        end = cut.end()
        starts.append(size)
        moved.append(end - size)
    joined = "".join((*parts, text[end:]))
    for priority, first, last, rule, kind in engine().tokens(joined, bytes_of(joined)):
        begin = first + moved[bisect_right(starts, first) - 1]
        yield priority, begin, last + moved[bisect_right(starts, last - 1) - 1], rule, kind


def redacted(text: str, leaks: Sequence[Leak]) -> str:
    """The text with each leak replaced by `[REDACTED:kind]`. Scanning the result finds nothing."""
    parts: list[str] = []
    end = 0
    for leak in leaks:
        parts += (text[end : leak.start], f"[REDACTED:{leak.kind}]")
        end = leak.end
    return "".join((*parts, text[end:]))


def redact(text: str) -> str:
    """The text without its secrets."""
    leaks = scan(text)
    return redacted(text, leaks) if leaks else text


def _may_leak(text: str, known: Table) -> bool:
    """Whether the engine has to be loaded at all: most texts hold no word that any rule begins with."""
    lowered = text.lower()
    if any(head in text for rule in known.tokens for head in rule.words):
        return True
    if any(word in lowered for rule in known.shapes if len(rule.words[0]) > 1 for word in rule.words):
        return True
    return may_assign(lowered) or text.count(".") > 1


def may_assign(lowered: str) -> bool:
    return any(word in lowered for word in _ASSIGNABLE)


@cache
def engine() -> "_Engine":
    return _Engine(table())


class _Engine:
    """The compiled table. Each pattern is compiled when a text first needs it."""

    def __init__(self, known: Table) -> None:
        import re2

        self._known = known
        self._with_groups, self._without_groups = re2.Options(), re2.Options()
        for options in (self._with_groups, self._without_groups):
            options.encoding = re2.Options.Encoding.LATIN1
            options.max_mem = AUTOMATON_BYTES_MAX
            options.log_errors = False
        # Without groups a match is found by two runs of an automaton; taking it apart costs ten times as much.
        self._without_groups.never_capture = True
        self._make = re2.compile
        self._compiled: dict[tuple[str, bool], _Regexp] = {}
        self._tokens = rf"{_LEFT}(?:{'|'.join(_loose(rule.pattern) for rule in known.tokens)})"
        patterns = [(rule, rule.pattern.replace("<left>", _LEFT)) for rule in known.shapes]
        # Shapes that may begin with anything would make one automaton for all of them grow: each is looked for alone.
        # So is an armour, whose match may go on over any text, and with it over whatever else stands there.
        self._alone = [(rule, pattern) for rule, pattern in patterns if _LEFT in pattern or rule.judge == "armour"]
        self._shape_patterns = [one for one in patterns if one not in self._alone]
        self._shapes = "|".join(_scoped(pattern) for _, pattern in self._shape_patterns)
        words = sorted((*known.names, "credential"), key=len, reverse=True)
        keys = "|".join(sorted(known.key_names))
        name = rf"[a-z0-9_.-]*(?:{'|'.join(words)}|(?:{keys})[_. -]?key%s)[a-z0-9_-]*"
        self._names = (name % "", name % "|key")
        self._prose = rf"(?i)\b(?:{_NAMED})\b:?{_GAP}{_WORD}*[0-9]{_WORD}*"
        self._vendors = tuple(word for rule in known.contexts for word in rule.words)
        self._by_head: dict[str, list[Rule]] = {}
        for rule in known.tokens:
            for opening in dict.fromkeys(head[:2] for head in rule.words):
                self._by_head.setdefault(opening, []).append(rule)

    def findings(self, text: str, data: bytes) -> Iterator[Found]:
        yield from self.tokens(text, data)
        yield from self._walk(self._shapes, text, data, partial(self._shaped, data, self._shape_patterns))
        lowered = data.lower().decode("latin-1")
        for rule, pattern in self._alone:
            if rule.words[0] in lowered:
                yield from self._walk(pattern, text, data, partial(self._shaped, data, [(rule, pattern)]))
        if not self.may_assign(data):
            return
        # A name that only ends in "key" says nothing unless the text also names somebody whose key it may be.
        somebody = any(word in lowered for word in self._vendors)
        name = self._names[somebody]
        around = lowered if somebody else ""
        near = self._near(data, lowered) if somebody else _nobody
        assigned = partial(self._assigned, around, data)
        yield from self._walk(rf"(?i){name}{_ASSIGNED}", text, data, assigned, near=near, nested=True)
        if "--" in lowered or "env " in lowered or "setx " in lowered:
            pattern = rf"(?i)(?:--|\b(?:env|setx)[ \t]+){name}[ \t]+(?:{_QUOTED}|{_BARE})"
            yield from self._walk(pattern, text, data, partial(self._given, around, data), near=near)
        yield from self._walk(self._prose, text, data, partial(self._said, around), near=near)

    def tokens(self, text: str, data: bytes) -> Iterator[Found]:
        """What is recognisable by itself."""
        return self._walk(self._tokens, text, data, partial(self._token, data))

    def openings(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where anything stands that a search of `findings` needs: one pass for all of them."""
        alone = (
            f"(?i:{re.escape(rule.words[0])})" if len(rule.words[0]) > 1 else _scoped(pattern)
            for rule, pattern in self._alone
        )
        names = f"(?i:{'|'.join(_ASSIGNABLE)})"
        pattern = "|".join((self._tokens, self._shapes, names, *alone, r"\\\r?\n"))
        return (match.span() for match in self._regexp(pattern, groups=False).finditer(data))

    def may_assign(self, data: bytes) -> bool:
        """Whether a name in the text may say that its value is a secret: one pass for all words that are looked for."""
        return self._regexp(rf"(?i){'|'.join(_ASSIGNABLE)}", groups=False).search(data) is not None

    def vendors(self, data: bytes) -> Iterator[int]:
        """Where somebody is named whose key a value may be."""
        pattern = rf"(?i){'|'.join(map(re.escape, self._vendors))}"
        return (match.start() for match in self._regexp(pattern, groups=False).finditer(data))

    def _near(self, data: bytes, lowered: str) -> "Near":
        """Tells for a place what stands before it, if somebody is named there whose key a value may be."""
        known: dict[int, bool] = {}

        def near(place: int) -> bytes:
            block = place // BLOCK_CHARACTERS
            named = known.get(block)
            if named is None:
                start = max(0, block * BLOCK_CHARACTERS - CONTEXT_CHARACTERS)
                around = lowered[start : (block + 1) * BLOCK_CHARACTERS + HEAD_CHARACTERS_MAX]
                named = known[block] = any(word in around for word in self._vendors)
            return data[max(0, place - CONTEXT_CHARACTERS) : place] if named else b""

        return near

    def _walk(
        self, pattern: str, text: str, data: bytes, judge: "Judge", *, near: "Near | None" = None, nested: bool = False
    ) -> Iterator[Found]:
        """Every match of the pattern that the judge takes for a secret. What is refused once is not judged again
        unless something else stands around it; `near` is given if that counts for the judge."""
        find = self._regexp(pattern, groups=False).finditer
        leaks = refusals = again = 0
        refused: set[bytes] = set()
        share = 1 + (len(data) - 1) // 1_000_000
        matches = find(data)
        while (match := next(matches, None)) is not None:
            start, end = match.span()
            matched = data[start:end]
            key = matched if near is None else b"\0".join((matched, data[end : end + 1], near(start)))
            found = judge(text, start, end) if key not in refused else None
            if found is not None:
                leaks += 1
                yield found
            else:
                refusals += 1
                refused.add(key[:GROUP_CHARACTERS_MAX])
                if nested and again < JUDGEMENTS_MAX and _holds_another(matched, data[end : end + 1]):
                    again += 1
                    matches = find(data, start + max(1, len(matched) - len(matched.lstrip(_NAME_BYTES))))
            if leaks > LEAKS_MAX * share or refusals > REFUSALS_MAX * share or len(refused) > JUDGEMENTS_MAX * share:
                yield -1, end, len(text), None, FLOOD
                return

    def _regexp(self, pattern: str, *, groups: bool = True) -> "_Regexp":
        made = self._compiled.get((pattern, groups))
        if made is None:
            options = self._with_groups if groups else self._without_groups
            made = self._compiled[pattern, groups] = self._make(pattern.encode("ascii"), options)
        return made

    def _token(self, data: bytes, text: str, start: int, end: int) -> Found | None:
        edge = _EDGE.match(text, start)
        start = edge.end() if edge is not None else start
        opening = text[start : start + HEAD_CHARACTERS_MAX]
        for rule in self._by_head.get(opening[:2], ()):
            if opening.startswith(rule.words):
                match = self._regexp(rule.pattern).match(data, start, end)
                if match is not None:
                    stands = self._stands(rule, text[start : match.end()])
                    return (0, start, match.end(), rule, rule.kind) if stands else None
        return None

    def _stands(self, rule: Rule, value: str) -> bool:
        if rule.judge == "password":
            return is_password(value)
        if rule.judge == "url":
            return len(value) < 256 and not is_placeholder(value) and not value.isdigit()
        if not is_token(value, rule.entropy, rule.digits):
            return False
        return not any(self._regexp(one).search(value.encode("latin-1", "replace")) for one in rule.allow)

    def _shaped(self, data: bytes, shapes: Sequence[tuple[Rule, str]], text: str, start: int, end: int) -> Found | None:
        # Only the beginning is taken apart: no secret is that long, and groups cost more than a match.
        reach = min(end, start + GROUP_CHARACTERS_MAX)
        lowered = text[start:reach].lower()
        for rule, pattern in shapes:
            if not any(word in lowered for word in rule.words):
                continue
            match = self._regexp(pattern).match(data, start, reach)
            if match is not None:
                begin, stop = match.span(1)
                stop = end if match.end() == reach < end else stop
                if rule.judge == "armour":
                    size = armour.reach(text[begin:end])
                    return (1, begin, begin + size, rule, rule.kind) if size else None
                if self._stands(rule, text[begin:stop]):
                    return 1, begin, stop, rule, rule.kind
        return None

    def _assigned(self, lowered: str, data: bytes, text: str, start: int, end: int) -> Found | None:
        """A name, a separator and a value, which may itself hold a name: `secret_name: password=…`."""
        for head in _HEADS[:2]:
            match = self._regexp(head).match(data, start, end)
            if match is not None and match.end() < end - 5:
                return self._valued(lowered, text, (start, match.end(), end))
        return None

    def _given(self, lowered: str, data: bytes, text: str, start: int, end: int) -> Found | None:
        """The same as an option of a command, or in a Dockerfile."""
        while text[start] not in "- \t":
            start += 1
        while text[start] in "- \t":
            start += 1
        match = self._regexp(_HEADS[2]).match(data, start, end)
        return self._valued(lowered, text, (start, match.end(), end)) if match is not None else None

    def _valued(self, lowered: str, text: str, places: tuple[int, int, int]) -> Found | None:
        begin, start, end = places
        before = text[begin:start]
        separator = before.lstrip(_NAME_CHARACTERS).removeprefix(" key").removeprefix(" Key").removeprefix(" KEY")
        kind = kind_of_name(before[: len(before) - len(separator)][-64:])
        if kind is None:
            return None
        quoted = text[start - 1] in _QUOTES
        after = text[end : end + 1]
        if not quoted and (after in ("(", "[", "{") or (separator.startswith(">") and after != "<")):
            return None
        if separator.lstrip().startswith("|") and not text[end : end + TABLE_GAP_MAX].lstrip(" \t*`\"'").startswith(
            "|"
        ):
            return None
        value = text[start:end] if quoted else text[start:end].rstrip(".")
        end = start + len(value)
        rule = self._context_rule(value, lowered, begin, start)
        if rule is not None:
            return 2, start, end, rule, rule.kind
        if kind == "key":
            return None
        if kind == "password":
            stands = is_password(value) and not (not quoted and _is_said(separator) and is_wordlike(value))
        else:
            stands = is_key(value, uuid=True)
        return (3, start, end, None, kind) if stands else None

    def _context_rule(self, value: str, lowered: str, begin: int, end: int) -> Rule | None:
        if not lowered:
            return None
        before = lowered[max(0, begin - CONTEXT_CHARACTERS) : end]
        for rule in self._known.contexts:
            if any(word in before for word in rule.words):
                raw = value[:GROUP_CHARACTERS_MAX].encode("latin-1", "replace")
                if self._regexp(rule.pattern).fullmatch(raw) and not is_wordlike(value):
                    return rule if is_token(value, rule.entropy, 1) else None
        return None

    def _said(self, lowered: str, text: str, start: int, end: int) -> Found | None:
        """A value in running text, a few words behind "password" or the like."""
        value = text[max(start, end - GROUP_CHARACTERS_MAX) : end].rsplit(maxsplit=1)[-1].lstrip("\"'`(*")
        begin = end - len(value)
        value = value.rstrip(".:?")
        rule = self._context_rule(value, lowered, start, begin) if len(value) >= 16 else None
        if rule is not None:
            return 2, begin, begin + len(value), rule, rule.kind
        return (4, begin, begin + len(value), None, "password") if is_striking(value) else None


def _is_said(separator: str) -> bool:
    """Whether a person may have written it, who also says what a password is like."""
    return ":" in separator or "|" in separator


def _nobody(_place: int) -> bytes:
    return b""


def _holds_another(matched: bytes, after: bytes) -> bool:
    """Whether a second assignment may stand where the value of a harmless one was taken to be."""
    return after in (b":", b"=") or matched.count(b"=") + matched.count(b":") > 1


def _scoped(pattern: str) -> str:
    """The pattern as one of several: what it says about upper and lower case is about itself only."""
    return f"(?i:{pattern[4:]})" if pattern.startswith("(?i)") else f"(?:{pattern})"


def _loose(pattern: str) -> str:
    """The pattern with short counts for long ones. All tokens are looked for at once, by an automaton that grows with
    every count; what it finds is then matched as the rule says."""
    return _COUNT.sub(_shorter, pattern)


def _shorter(count: "Match[str]") -> str:
    least, most = int(count[1]), int(count[2] or 0) if count[2] != "" else LOOSE_COUNT + 1
    if least <= LOOSE_COUNT and most <= LOOSE_COUNT:
        return count[0]
    return f"{{{min(least, LOOSE_COUNT)},}}"


def _merged(found: list[Found], size: int) -> tuple[Leak, ...]:
    """One leak for everything that overlaps, with the kind of the finding that knows most about it."""
    found.sort(key=_place)
    leaks: list[Leak] = []
    group: list[Found] = []
    reach = -1
    for one in (*found, (9, size + 1, size + 1, None, "")):
        if group and one[1] >= reach:
            best = min(group, key=_priority)
            rule = best[3].id if best[3] is not None else best[4]
            leaks.append(Leak(group[0][1], reach, rule, best[4]))
            group = []
        if one[1] < one[2]:
            group.append(one)
            reach = max(reach, one[2])
    return tuple(leaks)


def _place(one: Found) -> tuple[int, int]:
    return one[1], one[0]


def _priority(one: Found) -> int:
    return one[0]
