"""Owns the secret scan: finds what must not be kept in a text, in time linear in its length, and takes it out."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import chain

from hansard.domain.text import has_any
from hansard.guard import armour, columns, familiar, forms, patterns, sentences
from hansard.guard.familiar import bytes_of, in_lines, lowered_of, unbroken
from hansard.guard.floods import FLOOD, Tally
from hansard.guard.generated import is_generated
from hansard.guard.leaks import Found, Leak, merged, redacted, with_others
from hansard.guard.mixture import NAME_SCORE_MAX, is_jumbled, score
from hansard.guard.patterns import GROUP_CHARACTERS_MAX
from hansard.guard.remains import with_hidden
from hansard.guard.rules import Rule, Table, table
from hansard.guard.searches import Refused, Search, walk
from hansard.guard.values import (
    VALUE_CHARACTERS_MAX,
    is_password,
    is_phrase,
    is_placeholder,
    is_plural,
    is_secret,
    is_striking,
    is_token,
    is_uuid,
    is_wordlike,
    kind_of_name,
    latin,
    opens,
)

HEADER_CHARACTERS_MIN = 16
"""A shorter value of a header is a token only if its letters and digits are mixed like one."""
CONTEXT_CHARACTERS = 60
CONTEXT_VALUE_CHARACTERS_MIN = 20
"""No key that is known by its owner's name alone is shorter."""
URL_CHARACTERS_MAX = 256
HEAD_CHARACTERS_MAX = 1_024
"""So much of what is recognisable by what stands around it is taken apart, if that is no command."""
BLOCK_CHARACTERS = 240
CROWDS_MAX = 10
"""Words of rules that may stand in many places of one text: hardly any names so many commands so often."""
ENGINE_CHARACTERS_MIN = 50_000
"""From here on the engine costs less than looking for each word of the table."""
FIRST_SCANS = 20
"""To compile one pattern for everything takes longer than these. A process that scans more is spared several each."""
Shapes = Sequence[tuple[Rule, str]]
_ENDS_AN_ADDRESS = frozenset("?#@")
_NAMES_OF_MUCH = frozenset(("pass", "pwd", "clave"))
"""Behind these and a colon, words with hyphens also name a test that passed, a folder, or what a list is sorted by."""


def scan(text: str) -> tuple[Leak, ...]:
    """Every secret in the text, in order, none overlapping another. Pure, and safe in any thread."""
    text, names = familiar.read(text)
    looked = partial(_scan, {}, Tally(len(text), names))
    leaks = looked(text)
    return with_hidden(text, leaks, looked) if leaks else ()


def _scan(refused: Refused, tally: Tally, text: str) -> tuple[Leak, ...]:
    written, text = text, in_lines(text)
    if engine.cache_info().currsize == 0 and len(text) < ENGINE_CHARACTERS_MIN and not _may_leak(text):
        return ()
    found = list(engine().findings(text, bytes_of(text), refused, tally))
    if "\\" in text and ("\\\n" in text or "\\\r\n" in text):
        found += _continued(text, refused, tally)
    if written is text:
        return merged(found, len(text))
    # What looks like a line break may also be a part of a command or of an address: the account `CORP\nina`.
    end = min((one[1] for one in found if one[4] == FLOOD), default=len(text))
    others = list(engine().shapes(written[:end], bytes_of(written[:end]), tally))
    found += ((-1, one[1], len(text), None, FLOOD) for one in others if one[4] == FLOOD)
    return with_others(merged(found, len(text)), others, len(text))


def _continued(text: str, refused: Refused, tally: Tally) -> Iterator[Found]:
    """Tokens that go on behind a backslash at the end of a line, at their places in the text."""
    joined, place_of = unbroken(text)
    for priority, first, last, rule, kind in engine().tokens(joined, bytes_of(joined), refused, tally):
        yield priority, place_of(first), place_of(last - 1) + 1, rule, kind


def redact(text: str) -> str:
    """The text without its secrets."""
    leaks = scan(text)
    return redacted(text, leaks) if leaks else text


def _may_leak(text: str) -> bool:
    """Whether the engine has to be loaded at all: most texts hold no word that any rule begins with."""
    lowered = text.lower()
    heads, words = _openings()
    if has_any(text, heads) or has_any(lowered, words):
        return True
    return forms.may_assign(lowered) or text.count(".") > 1


@cache
def _openings() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that tokens begin with, and those that stand around other secrets, in small letters."""
    known = table()
    shapes = (rule.words for rule in known.shapes if len(rule.words[0]) > 1)
    return tuple(chain.from_iterable(rule.words for rule in known.tokens)), tuple(chain.from_iterable(shapes))


@cache
def engine() -> "_Engine":
    return _Engine(table())


class _Group:
    """Shapes that are looked for at once."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._numbers = [(word, number) for number, (rule, _) in enumerate(shapes) for word in rule.words]
        self.pattern = "|".join(patterns.loose_shape(patterns.scoped(pattern)) for _, pattern in shapes)
        self.opening = "|".join(patterns.opening_of_shape(rule) for rule, _ in shapes)

    def named_in(self, lowered: str) -> Shapes:
        numbers = dict.fromkeys(number for word, number in self._numbers if word in lowered)
        return [self._shapes[number] for number in numbers]


class _Engine:
    """The compiled table. Each pattern is compiled when a text first needs it."""

    def __init__(self, known: Table) -> None:
        self._known = known
        self._scans = 0
        self._regexps = patterns.Regexps()
        self._regexp = self._regexps.get
        tokens = (patterns.loose(patterns.of_token(rule)) for rule in known.tokens)
        self._tokens = rf"{patterns.LEFT}(?:{'|'.join(tokens)})"
        self._token_openings = rf"{patterns.LEFT}(?:{'|'.join(map(patterns.opening_of_token, known.tokens))})"
        shapes = [(rule, patterns.of_shape(rule)) for rule in known.shapes]
        # Shapes that may begin with anything would make one automaton for all of them grow: each is looked for alone.
        # So is an armour, whose match may go on over any text, and with it over whatever else stands there.
        self._alone = [
            (rule, pattern) for rule, pattern in shapes if patterns.begins_anywhere(pattern) or rule.judge == "armour"
        ]
        self._by_word: dict[str, list[tuple[Rule, str]]] = {}
        for rule, pattern in self._alone:
            self._by_word.setdefault(rule.words[0], []).append((rule, pattern))
        self._words = patterns.Words(self._by_word)
        together = [one for one in shapes if one not in self._alone]
        # Those that know no case lead an automaton elsewhere than the others do: for both at once it would multiply.
        self._groups = [
            _Group([one for one in together if one[1].startswith("(?i)") is caseless]) for caseless in (True, False)
        ]
        alone = (
            f"(?i:{re.escape(rule.words[0])})" if len(rule.words[0]) > 1 else patterns.scoped(pattern)
            for rule, pattern in self._alone
        )
        self._openings = "|".join(
            (
                self._token_openings,
                *(group.opening for group in self._groups),
                f"(?i:{forms.MAY_ASSIGN})",
                *alone,
                r"\\\r?\n",
            )
        )
        self._names = forms.names(known)
        self._vendors = tuple(word for rule in known.contexts for word in rule.words)
        self._vendor = rf"(?i){'|'.join(map(re.escape, self._vendors))}"
        self._by_head: dict[str, list[Rule]] = {}
        for rule in known.tokens:
            for opening in dict.fromkeys(head[:2] for head in rule.words):
                self._by_head.setdefault(opening, []).append(rule)

    def findings(self, text: str, data: bytes, refused: Refused, tally: Tally) -> Iterator[Found]:
        self._scans += 1
        if self._scans > FIRST_SCANS and not self.may_leak(data):
            return
        end = len(text)
        for found in self._found_by(self._searches(text, data), text, data, tally, refused):
            end = min(end, found[1] + GROUP_CHARACTERS_MAX) if found[4] == FLOOD else end
            yield found
        if "\n" in text and self.may_assign(data):
            tally.begin()
            yield from self._listed(text, data, end, tally)

    def _found_by(
        self, searches: Iterator[Search], text: str, data: bytes, tally: Tally, refused: Refused
    ) -> Iterator[Found]:
        end = len(text)
        for search in searches:
            (tally.follow if search.follows else tally.begin)()
            stop = end if search.until is None else min(end, search.until)
            known = refused.setdefault(search.pattern, {})
            for found in walk(search, self._regexps, text, data[:stop] if stop < len(text) else data, tally, known):
                if found[4] == FLOOD:
                    # What follows is taken out whole: the other searches need not go through it.
                    end = min(end, found[1] + GROUP_CHARACTERS_MAX)
                yield found
            if search.stops is not None:
                end = min(end, search.stops)
                yield -1, search.stops, len(text), None, FLOOD

    def shapes(self, text: str, data: bytes, tally: Tally) -> Iterator[Found]:
        """What is recognisable by what stands around it."""
        searches = self._shape_searches(text, data, lowered_of(text, data))
        return self._found_by(searches, text, data, tally, {})

    def _searches(self, text: str, data: bytes) -> Iterator[Search]:
        yield self._token_search(data)
        lowered = lowered_of(text, data)
        yield from self._shape_searches(text, data, lowered)
        yield from self._named_searches(text, data, lowered)

    def _shape_searches(self, text: str, data: bytes, lowered: str) -> Iterator[Search]:
        for group in self._groups:
            judge = partial(self._shaped, group, data)
            yield Search(group.pattern, judge, opening=group.opening, loose=True)
        crowds = 0
        for word, places in self._words.places_in(data, lowered).items():
            crowds += len(places) > patterns.places_max(lowered)
            yield from self._of_word(word, places, lowered, text, data, crowded=crowds > CROWDS_MAX)

    def _named_searches(self, text: str, data: bytes, lowered: str) -> Iterator[Search]:
        if not self.may_assign(data):
            return
        # A name that only ends in "key" says nothing unless the text also names somebody whose key it may be.
        somebody = next(self.vendors(data), None) is not None
        name, around = self._names[somebody], lowered if somebody else ""
        near = self._near(text, data) if somebody else _nobody
        assigned, by_name = partial(self._assigned, around, data), forms.ByName(near)
        yield Search(rf"(?i){name}{forms.ASSIGNED}", assigned, partial(forms.around, near, text), by_name.clear)
        if places := patterns.places_of(lowered, "--", "env ", "setx "):
            pattern = rf"(?i)(?:\B--|\b(?:env|setx)[ \t]+){name}[ \t]+(?:{forms.QUOTED}|{forms.BARE}|{forms.ANY})"
            given = Search(pattern, partial(self._given, around), near)
            yield given._replace(places=places) if len(places) <= patterns.places_max(lowered) else given
        said = partial(self._said, around)
        clear = partial(sentences.clear, somebody)
        yield Search(forms.PROSE, said, partial(sentences.around, near, text), clear)

    def _of_word(
        self, word: str, places: Sequence[int], lowered: str, text: str, data: bytes, *, crowded: bool
    ) -> Iterator[Search]:
        """The searches for what the word stands in. What begins with it is looked for where it stands, if that is in
        few places. In a text that is `crowded` with such words, what follows so many of one is a dump."""
        few = len(places) <= patterns.places_max(lowered)
        for rule, pattern in self._by_word[word]:
            if not all(one in lowered for one in rule.words[1:]):
                continue
            further = patterns.of_further(rule)
            judge = partial(self._apart, data, [(rule, pattern), *([(rule, further)] if further else ())])
            found = Search(pattern, judge, follows=True, further=further)
            if few and patterns.begins(rule):
                yield found._replace(places=patterns.beginnings(text, places))
            elif few and rule.judge != "armour" and further is None:
                yield found._replace(places=places, begins=False)
            elif crowded and not few:
                # What was said before the word, or is still to be said of it, is no part of the rest.
                last = places[-1] + len(word)
                yield found._replace(until=last + GROUP_CHARACTERS_MAX, stops=last)
            else:
                reach = None if rule.judge == "armour" else lowered.rfind(word) + GROUP_CHARACTERS_MAX
                yield found._replace(until=reach)

    def _listed(self, text: str, data: bytes, end: int, tally: Tally) -> Iterator[Found]:
        """What stands in tables. A long one is a dump as well, and the rest of the text goes with it."""
        for begin, stop, kind in columns.cells_below(text[:end], partial(self._heading_from, data, end)):
            if kind:
                tally.found()
                yield 3, begin, stop, None, kind
            else:
                tally.refused("", known=False)
            if tally.is_full():
                yield -1, stop, len(text), None, FLOOD
                return

    def headings(self, data: bytes) -> Iterator[int]:
        """Where a table may begin that holds secrets."""
        return (match.end() - 1 for match in self._regexp(columns.HEADING, groups=False).finditer(data))

    def _heading_from(self, data: bytes, end: int, place: int) -> int:
        match = self._regexp(columns.HEADING, groups=False).search(data, place, end)
        return match.start() if match is not None else -1

    def tokens(self, text: str, data: bytes, refused: Refused, tally: Tally) -> Iterator[Found]:
        """What is recognisable by itself."""
        tally.begin()
        known = refused.setdefault(self._tokens, {})
        return walk(self._token_search(data), self._regexps, text, data, tally, known)

    def _token_search(self, data: bytes) -> Search:
        return Search(self._tokens, partial(self._token, data), opening=self._token_openings)

    def may_leak(self, data: bytes) -> bool:
        """Whether anything stands there that a search of `findings` needs: one pass for all of them."""
        return self._regexps.holds(self._openings, data)

    def may_assign(self, data: bytes) -> bool:
        """Whether a name in the text may say that its value is a secret: one pass for all words that are looked for."""
        return self._regexp(rf"(?i){forms.MAY_ASSIGN}", groups=False).search(data) is not None

    def vendors(self, data: bytes) -> Iterator[int]:
        """Where somebody is named whose key a value may be."""
        return (match.start() for match in self._regexp(self._vendor, groups=False).finditer(data))

    def _near(self, text: str, data: bytes) -> "forms.Near":
        """Tells for a place what stands before it, if somebody is named there whose key a value may be."""
        known: dict[int, bool] = {}
        find = self._regexp(self._vendor, groups=False).search

        def near(place: int) -> str:
            block = place // BLOCK_CHARACTERS
            named = known.get(block)
            if named is None:
                start = max(0, block * BLOCK_CHARACTERS - CONTEXT_CHARACTERS)
                stop = min(len(data), (block + 1) * BLOCK_CHARACTERS + forms.HEAD_CHARACTERS_MAX)
                named = known[block] = find(data, start, stop) is not None
            return text[max(0, place - CONTEXT_CHARACTERS) : place] if named else ""

        return near

    def _token(self, data: bytes, text: str, start: int, end: int) -> Found | None:
        edge = patterns.EDGE.match(text, start)
        start = edge.end() if edge is not None else start
        opening = text[start : start + forms.HEAD_CHARACTERS_MAX]
        for rule in self._by_head.get(opening[:2], ()):
            if opening.startswith(rule.words):
                match = self._regexp(patterns.of_token(rule)).match(data, start, end)
                if match is not None:
                    stop = match.start(1) if match.lastindex else match.end()
                    stands = self._stands(rule, text[start:stop])
                    return (0, start, forms.end_with_joined(text, stop), rule, rule.kind) if stands else None
        return None

    def _stands(self, rule: Rule, value: str, before: str = "") -> bool:
        value = value[:VALUE_CHARACTERS_MAX]
        if rule.judge == "password":
            return is_password(value) or is_generated(value, named=True)
        if rule.judge == "generated":
            # What has none of these is judged by the other rules of addresses, and each judgement takes time.
            return not _ENDS_AN_ADDRESS.isdisjoint(value) and is_generated(value, named=False)
        if rule.judge == "said":
            return is_striking(value) or is_jumbled(value) or is_generated(value, named=True)
        if rule.judge == "key" and (is_wordlike(value) or not opens(forms.name_of(before))):
            return False
        if rule.judge == "url":
            stands_for = is_placeholder(value) and not is_generated(value, named=True)
            return len(value) < URL_CHARACTERS_MAX and not stands_for and not value.isdigit()
        if rule.judge == "mixed" and score(value.rpartition("_")[2]) < NAME_SCORE_MAX:
            return False
        if rule.judge == "header":
            jumbled = is_jumbled(value)
            if jumbled or len(value) < HEADER_CHARACTERS_MIN:
                return jumbled
        if not is_token(value, rule.entropy, rule.digits):
            return False
        return not any(self._regexp(one).search(value.encode("latin-1", "replace")) for one in rule.allow)

    def _shaped(self, group: "_Group", data: bytes, text: str, start: int, end: int) -> Found | None:
        """One of the shapes that are looked for at once: whichever has one of its words there."""
        shapes = group.named_in(text[start : min(end, start + HEAD_CHARACTERS_MAX)].lower())
        return self._apart(data, shapes, text, start, end, HEAD_CHARACTERS_MAX)

    def _apart(
        self, data: bytes, shapes: Shapes, text: str, start: int, end: int, most: int = GROUP_CHARACTERS_MAX
    ) -> Found | None:
        # Only the beginning is taken apart: no secret is that long, and groups cost more than a match.
        reach = min(end, start + most)
        refused = (-1, -1)
        for rule, pattern in shapes:
            match = self._regexp(pattern).match(data, start, reach)
            if match is not None and match.span(1) != refused:
                begin, stop = match.span(1)
                stop = forms.end_before_quote(text, begin, end if match.end() == reach < end else stop)
                if rule.judge == "armour":
                    size = armour.reach(text[begin:end])
                    return (1, begin, begin + size, rule, rule.kind) if size else None
                if forms.is_marked(text, begin):
                    continue
                before = "" if forms.is_marked(text, start) else text[start:begin]
                if self._stands(rule, text[begin:stop], before) and not forms.is_public(text, begin, stop):
                    if rule.judge == "password" and match.end() == stop:
                        stop = forms.end_with_rest(text, begin, stop)
                    return 1, begin, stop, rule, rule.kind
                # What is no password to the first rule of addresses is none to the next.
                refused = (begin, stop) if rule.judge == "url" and stop - begin < URL_CHARACTERS_MAX else refused
        return None

    def _assigned(self, lowered: str, data: bytes, text: str, start: int, end: int) -> Found | None:
        """A name, a separator and a value. What looks like a type before `=` may be the value, with its padding."""
        typed = forms.TYPED_HEAD.match(text, start, end)
        plain = forms.PLAIN_HEAD.match(text, start, end)
        if typed is not None and plain is not None and " " not in text[plain.end() : typed.end()]:
            found = self._valued("", text, (start, plain.end(), plain.end()))
            if found is not None:
                return found
        if typed is not None and typed.end() < end - 5:
            found = self._valued(lowered, text, (start, typed.end(), end))
            if found is not None:
                return found
        if plain is None or plain.end() >= end - 5:
            return None
        if typed is not None:
            value = self._regexp(forms.BARE).match(data, plain.end(), end)
            end = value.end() if value is not None else end
        return self._valued(lowered, text, (start, plain.end(), end))

    def _given(self, lowered: str, text: str, start: int, end: int) -> Found | None:
        """The same as an option of a command, or in a Dockerfile."""
        while text[start] not in "- \t":
            start += 1
        while text[start] in "- \t":
            start += 1
        match = forms.GIVEN_HEAD.match(text, start, end)
        return self._valued(lowered, text, (start, match.end(), end)) if match is not None else None

    def _valued(self, lowered: str, text: str, places: tuple[int, int, int]) -> Found | None:
        begin, start, end = places
        before = text[begin:start]
        named = forms.whole_name_of(before)
        separator, name = before[len(named) :], named[-forms.NAME_CHARACTERS_MAX :]
        kind = kind_of_name(name)
        quoted = text[start - 1] in forms.QUOTES
        if kind is None or forms.is_of_program(text, separator, places, named=kind == "password"):
            return None
        mixed = 0
        ends: tuple[int, ...] = (end,)
        if not quoted:
            if kind != "key":
                mixed = forms.end_of_mixed(text, separator, (begin, start), named=kind == "password")
            bare = forms.is_bare(text, start, end)
            if text.startswith(forms.ENCODING, start, end):
                start += len(forms.ENCODING)
            ends = forms.ends_of(text, start, end) if bare else ()
        for stop in ends:
            if not forms.is_value(text, separator, (begin, start, stop), quoted=quoted):
                continue
            value = text[start:stop] if quoted else latin(text[start:stop]).rstrip(".")
            rule = self._context_rule(value, lowered, begin, start)
            if rule is not None:
                return 2, start, max(start + len(value), mixed), rule, rule.kind
            if mixed:
                break
            if kind == "key" or forms.is_other_pat(name, value):
                continue
            if is_uuid(value) and forms.is_of_request_at(text, begin, name):
                continue
            listed = forms.is_listed(separator)
            said = forms.is_said(separator) and (not quoted or listed)
            if said and kind == "password" and not listed and name.lower() not in _NAMES_OF_MUCH:
                said = not is_phrase(value)
            strictly = (listed and kind != "password") or is_plural(name)
            if is_secret(kind, value, said=said, strictly=strictly) or (
                quoted and is_generated(value, named=kind == "password")
            ):
                reach = start + len(value)
                return 3, start, reach if quoted else forms.end_with_rest(text, start, reach), None, kind
        return (3, start, mixed, None, kind) if mixed else None

    def _context_rule(self, value: str, lowered: str, begin: int, end: int) -> Rule | None:
        if not lowered or len(value) < CONTEXT_VALUE_CHARACTERS_MIN or is_wordlike(value):
            return None
        before = lowered[max(0, begin - CONTEXT_CHARACTERS) : end]
        for rule in self._known.contexts if has_any(before, self._vendors) else ():
            if has_any(before, rule.words):
                raw = value[:GROUP_CHARACTERS_MAX].encode("latin-1", "replace")
                if self._regexp(rule.pattern).fullmatch(raw):
                    return rule if is_token(value, rule.entropy, 1) else None
        return None

    def _said(self, lowered: str, text: str, start: int, end: int) -> Found | None:
        """A value in running text, a few words behind "password" or the like."""
        value = text[max(start, end - GROUP_CHARACTERS_MAX) : end].rsplit(maxsplit=1)[-1].lstrip(sentences.OPENING)
        begin = end - len(value)
        said = text[start:begin]
        if sentences.is_assigned(said):
            return None
        value = value[: forms.end_before_quote(text, begin, end) - begin]
        # Stars that set a value off close it as well.
        value = latin(forms.plain_word(value)).rstrip(".:?").removesuffix(said[len(said.rstrip("*")) :])
        rule = self._context_rule(value, lowered, start, begin) if len(value) >= 16 else None
        if rule is not None:
            return 2, begin, begin + len(value), rule, rule.kind
        first, whole = sentences.run_at(text, start, begin)
        if whole > first and sentences.tells_secret(text, (start, first), text[first:whole], mixed=True):
            return 4, first, whole, None, "password"
        stands = sentences.tells_secret(text, (start, begin), value)
        return (4, begin, begin + len(value), None, "password") if stands else None


def _nobody(_place: int) -> str:
    return ""
