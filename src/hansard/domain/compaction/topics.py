"""Owns what announces a statement: the words of headings and labels, their numbers, and what each stands for."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Part(StrEnum):
    """What a compaction keeps, in the order it is shown, each by its heading."""

    OBJECTIVE = "Objective"
    REQUEST = "Last request"
    PHASE = "Active phase"
    BLOCKER = "Unresolved blockers"
    DECISION = "Approved decisions"
    UNAPPROVED = "Decisions without approval"
    CONSTRAINT = "Safety constraints"
    DELIVERABLE = "Deliverables"
    QUESTION = "Open questions"
    NEXT = "Next action"
    OUTPUT = "Tool output not summarised yet"
    SPILLED = "Spilled"


class Force(StrEnum):
    """What a statement does: it states something, says that something is settled, or states what is settled itself."""

    STATES = "states"
    SETTLES = "settles"
    SETTLED = "settled"


class Topic(NamedTuple):
    """What a heading or a label announces."""

    part: Part
    force: Force = Force.STATES
    lead: str = ""
    """What an item needs in front of it to be understood without its heading."""


ITEM_DEPTH_MAX = 6
_WORDS: Mapping[Topic, tuple[str, ...]] = {
    Topic(Part.OBJECTIVE): (
        "objective", "active objective", "current objective", "goal", "active goal", "current goal", "scope",
        "active scope", "current task", "active task", "ziel", "aktuelles ziel", "auftrag",
    ),
    Topic(Part.REQUEST): ("last request",),
    Topic(Part.PHASE): ("phase", "active phase", "current phase", "phase boundary", "current phase boundary",
                        "phase now", "phase is now", "current phase is", "project phase", "new phase", "aktuelle phase",
                        "aktive phase", "laufende phase", "phase aktuell"),
    Topic(Part.BLOCKER): (
        "blocker", "blockers", "unresolved blocker", "unresolved blockers", "open blocker", "open blockers",
        "active blockers", "current blockers", "blocked", "blocked on", "blocked by", "blockers and risks",
        "unresolved blockers and risks", "known blocker", "known blockers", "new blocker", "new blockers",
        "main blocker", "hard blocker", "remaining blocker", "remaining blockers", "blocker is", "blocking",
        "blocking issue", "blocking issues", "blocked because", "blocked until", "showstopper", "showstoppers",
        "impediment", "impediments", "blockade", "blockaden", "blockiert", "blockiert durch", "blockiert von",
        "offener blocker", "offene blocker", "aktuelle blocker", "hindernis", "hindernisse",
    ),
    Topic(Part.DECISION): (
        "decision", "decisions", "approved decision", "approved decisions", "approved", "decided", "we decided",
        "agreed", "agreed decisions", "decision approved", "decision accepted", "decision confirmed",
        "decision agreed", "entscheidung genehmigt", "binding decisions", "key decisions", "decision made",
        "decisions made", "decision is",
        "final decision", "final decisions", "architecture decision", "architectural decision",
        "architectural decisions", "design decision", "design decisions", "technical decision", "technical decisions",
        "scope decision", "decision taken", "final call", "chosen", "consensus", "abgemacht", "entscheidung",
        "entscheidungen",
        "entschieden", "beschluss", "beschlüsse", "beschlossen", "vereinbart", "festgelegt", "genehmigt", "freigegeben",
        "getroffene entscheidungen", "architekturentscheidung", "architekturentscheidungen",
    ),
    Topic(Part.UNAPPROVED): (
        "decisions without approval", "proposed decision", "proposed decisions", "pending decision",
        "pending decisions", "open decision", "open decisions", "decision proposed", "draft decision",
        "vorgeschlagene entscheidung",
        "offene entscheidung", "offene entscheidungen", "entscheidungsvorschlag",
    ),
    Topic(Part.CONSTRAINT): (
        "constraint", "constraints", "safety constraint", "safety constraints", "safety", "safety rule", "safety rules",
        "guardrail", "guardrails", "hard rule", "hard rules", "non negotiable", "non negotiables",
        "hard constraint", "hard constraints", "security constraint", "security constraints", "safety requirement",
        "safety requirements", "restriction", "restrictions", "ground rule", "ground rules", "rule", "rules",
        "policy", "policies", "security", "einschränkung", "einschränkungen", "sicherheitsregel", "sicherheitsregeln",
        "sicherheit", "vorgabe", "vorgaben", "regel", "regeln", "rahmenbedingung",
        "rahmenbedingungen", "leitplanke", "leitplanken",
    ),
    Topic(Part.CONSTRAINT, lead="Forbidden"): (
        "off limits", "forbidden", "not allowed", "prohibited", "do not", "don t", "dont", "never", "must not", "no go",
        "no gos", "red line", "red lines", "verbot", "verbote", "verboten", "tabu", "nicht erlaubt",
    ),
    Topic(Part.DELIVERABLE): (
        "deliverable", "deliverables", "referenced deliverables", "artifact", "artifacts", "artefacts",
        "deliverable path", "deliverable paths", "output files", "ergebnisse", "lieferumfang",
    ),
    Topic(Part.QUESTION): ("open question", "open questions", "question", "questions", "unanswered questions",
                           "offene frage", "offene fragen", "frage", "fragen"),
    Topic(Part.NEXT): (
        "next", "next action", "next actions", "next step", "next steps", "what is next", "what s next", "pending",
        "pending action", "pending actions", "nächster schritt", "nächste schritte", "als nächstes",
    ),
    Topic(Part.BLOCKER, Force.SETTLES): (
        "resolved", "unblocked", "fixed", "resolved blocker", "resolved blockers", "blocker resolved", "blocker fixed",
        "blockers resolved", "blocker removed", "gelöst", "behoben", "blocker gelöst", "blocker behoben",
        "gelöste blocker",
    ),
    Topic(Part.DECISION, Force.SETTLES): (
        "superseded", "superseded decision", "superseded decisions", "decision superseded", "reverted",
        "decision reverted", "withdrawn", "decision withdrawn", "rejected", "rejected decision", "rejected decisions",
        "decision rejected", "verworfen", "abgelehnt", "ersetzt", "entscheidung verworfen",
    ),
    Topic(Part.CONSTRAINT, Force.SETTLES): (
        "lifted", "constraint lifted", "lifted constraint", "lifted constraints", "aufgehoben",
    ),
    Topic(Part.QUESTION, Force.SETTLES): (
        "answered", "question answered", "answered question", "answered questions", "beantwortet",
    ),
    Topic(Part.PHASE, Force.SETTLES): (
        "phase complete", "phase completed", "completed phase", "completed phases", "phase done", "finished phase",
        "abgeschlossene phase", "phase abgeschlossen",
    ),
}  # fmt: skip
TOPICS: Mapping[str, Topic] = {title: topic for topic, titles in _WORDS.items() for title in titles}

SETTLING = {
    "resolved": Part.BLOCKER, "fixed": Part.BLOCKER, "unblocked": Part.BLOCKER, "superseded": Part.DECISION,
    "reverted": Part.DECISION, "withdrawn": Part.DECISION, "lifted": Part.CONSTRAINT, "answered": Part.QUESTION,
    "complete": Part.PHASE, "completed": Part.PHASE, "finished": Part.PHASE, "done": Part.PHASE,
    "gelöst": Part.BLOCKER, "behoben": Part.BLOCKER, "abgeschlossen": Part.PHASE, "fertig": Part.PHASE,
    "aufgehoben": Part.CONSTRAINT, "verworfen": Part.DECISION, "beantwortet": Part.QUESTION,
}  # fmt: skip
ENDS: Mapping[Part, frozenset[str]] = {
    Part.OBJECTIVE: frozenset({"complete", "completed", "done", "finished", "closed"}),
    Part.PHASE: frozenset({"complete", "completed", "done", "finished", "closed", "abgeschlossen", "fertig"}),
    Part.BLOCKER: frozenset({
        "resolved", "fixed", "unblocked", "done", "closed", "cleared", "obsolete", "gelöst", "behoben", "erledigt",
    }),
    Part.DECISION: frozenset({"superseded", "reverted", "withdrawn", "rejected", "archived", "obsolete", "verworfen"}),
    Part.UNAPPROVED: frozenset({"superseded", "withdrawn", "rejected", "obsolete"}),
    Part.CONSTRAINT: frozenset({"lifted", "obsolete"}),
    Part.QUESTION: frozenset({"answered", "resolved", "closed", "obsolete"}),
    Part.NEXT: frozenset({"complete", "completed", "done", "finished", "cancelled", "erledigt"}),
}  # fmt: skip
"""The words that end an item of each part. A deliverable that is done is still one, and so is a decision."""
TICKED = frozenset({Part.OBJECTIVE, Part.PHASE, Part.BLOCKER, Part.QUESTION, Part.NEXT})
"""Where a ticked box means that it is over; a ticked decision is one that was made."""
DONE = "|".join(sorted({word for words in ENDS.values() for word in words}, key=lambda word: (-len(word), word)))
PROPOSED_WORDS = frozenset({"proposed", "pending", "draft", "proposal", "unapproved", "in review"})

BINDING = frozenset({Part.PHASE, Part.BLOCKER, Part.DECISION, Part.UNAPPROVED, Part.CONSTRAINT})
"""What may be written in more ways than the rest, because losing it costs a day."""
_NOUNS = frozenset({
    "phase", "blocker", "blockers", "blocked", "decision", "decisions", "constraint", "constraints", "guardrail",
    "rule", "rules", "showstopper", "impediment", "restriction", "entscheidung", "beschluss", "blockiert", "hindernis",
    "einschränkung", "sicherheitsregel", "regel", "vorgabe", "verbot",
})  # fmt: skip
"""A dash or brackets make a label only of these: "Approved - thanks" announces nothing."""
_EPITHETS = frozenset({
    "current", "active", "open", "new", "main", "key", "known", "remaining", "unresolved", "hard", "latest", "final",
    "important", "critical", "major", "primary", "only", "biggest", "our", "my", "the", "a", "one", "team", "project",
    "still",
    "another", "second", "third", "external", "aktuelle", "aktueller", "aktuelles", "neue", "neuer", "neues", "offene",
    "offener", "wichtige", "wichtiger", "unsere", "unser", "meine", "mein", "weitere", "weiterer", "die", "der", "das",
})  # fmt: skip
"""Words in front of a name that change nothing. "Next", "proposed" and "resolved" do."""
_AFTERWORDS = frozenset({"so", "far", "to", "date", "now", "today", "currently", "bisher", "aktuell"})
_NOTHING = frozenset({
    "", "none", "n a", "na", "nothing", "no", "nil", "null", "tbd", "none known", "none yet", "none at the moment",
    "none so far", "none right now", "no blockers", "no open blockers", "no decisions", "no decisions yet",
    "nothing yet", "keine", "keiner", "keins", "nichts", "keine blocker", "keine bekannt",
})  # fmt: skip
_TITLE_WORD = re.compile(r"[^\W_]+")
_PLURALS = frozenset({
    "blockers", "risks", "issues", "showstoppers", "impediments", "blockaden", "hindernisse", "decisions",
    "entscheidungen", "beschlüsse", "architekturentscheidungen", "constraints", "rules", "guardrails", "negotiables",
    "requirements", "restrictions", "policies", "einschränkungen", "sicherheitsregeln", "vorgaben", "regeln",
    "rahmenbedingungen", "leitplanken", "limits", "gos", "lines", "verbote", "deliverables", "artifacts", "artefacts",
    "questions", "fragen", "steps", "actions", "schritte",
})  # fmt: skip
_POINTS = re.compile(
    r"(?:#\s*)?(?:(?:see|as|listed) (?:below|follows)|below|(?:the |these )?following|these|siehe unten|folgende"
    r"|(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|both|several|some|many|zwei|drei|vier|fünf|mehrere)"
    r"(?: (?:open|left|so far|now|of them|items?|offen))?|[&!]\S*)[.:]?",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\(\d+\)\s*$")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
TICKS = frozenset("✅☑✔✓")

_MARK = r"[^\w\s`<>#~|\[\](){}\"'’\\/*+=@$%^&;:,.!?–—-]"
_TITLE = r"[^\W\d_](?:[^\W\d]|['’ \t&/_-]){1,48}?"
_NUMBER = (
    r"(?:(?:[ \t]+|-)|[ \t]+(?:no|nr|number|nummer)\.?[ \t]*|[ \t]*(?=#))"
    r"(?P<number>#?(?:[A-Z]{1,6}-?)?\d{1,6}[a-z]?(?:(?:[./]|[ \t](?:of|von)[ \t])\d{1,6}){0,2}|[IVX]{1,5}"
    r"|(?i:one|two|three|four|five|six|eins|zwei|drei|vier|fünf|sechs)(?=[ \t]?[:(–—-]))"
)
_STANDS = r"(?i:approved|accepted|confirmed|agreed|genehmigt|beschlossen)"
"""What may be said of a number in its label: `Decision D-4 approved: …`."""
_LABEL = re.compile(
    rf"^(?P<mark>(?:{_MARK}){{0,6}})[ \t]?(?P<open>[*_]{{0,3}})(?P<inner>(?:{_MARK}){{0,6}})[ \t]?(?P<title>{_TITLE})"
    rf"(?:{_NUMBER}(?:[ \t]+{_STANDS})?)?(?:[ \t]?[(\[](?P<note>[^()\[\]]{{1,60}})[)\]])?(?P<shut>[*_]{{0,3}})"
    r"(?P<apart>[ \t]?:(?![:/])|[ \t](?:-{1,2}|[–—→]|[=-]>)(?=[ \t]))(?P<late>[*_]{0,3})(?P<gap>[ \t]*)(?P<value>.*)$"
)
_TAG = re.compile(
    rf"^[*_]{{0,3}}\[(?P<title>{_TITLE})(?:{_NUMBER})?\](?!\()[*_]{{0,3}}[ \t]?:?[*_]{{0,3}}[ \t]*(?P<value>\S.*)$"
)
_NUMBERED = re.compile(rf"^(?P<title>{_TITLE}){_NUMBER}(?:[ \t]?\((?P<note>[^()]{{1,60}})\))?[ \t]?:?$")
_SHOUTED = re.compile(
    r"^(?P<title>BLOCKER|SHOWSTOPPER|DECISION|CONSTRAINT|GUARDRAIL|RULE|RESTRICTION|ENTSCHEIDUNG|EINSCHRÄNKUNG|REGEL)"
    r"[ \t]+(?P<value>(?!(?i:is|are|was|were|has|will|ist|war|for|of|from|by|and|or|on|list|log|lifted|made"
    r"|pending|needed|required|resolved|fixed|gone|cleared|removed|superseded|reverted|rejected|gelöst|behoben)\b)[^\W\d].*)$"
)
_REFERRED = re.compile(
    r"^[*_]{0,3}(?P<number>(?:D|DEC|ADR)-\d{1,6})[*_]{0,3}(?::[*_]{0,3}|[ \t][–—-])[ \t]+(?P<value>\S.*)$"
)
_REFERRED_FIRST = frozenset("DA*_")
_SAID_OF_NUMBER = frozenset({
    "approved", "accepted", "confirmed", "agreed", "genehmigt", "yes", "ok", "okay", "ja", "no", "nein", "done",
    "pending", "open", "tbd", "offen",
})  # fmt: skip
_TITLE_WITHIN = 80
_LABEL_WITHIN = 400
"""No label is longer with all that may belong to it."""
_TAG_WITHIN = 4
_DASHES = frozenset("–—→")
_NUMBER_ENDS = frozenset("0123456789IVX):")
_BEFORE = re.compile(
    r"^(?:yes|ok|okay|ja|so|then|also|and|fyi|update|note|important|nb|reminder|hinweis|wichtig|achtung)[,:!.]? +",
    re.IGNORECASE,
)


class Label(NamedTuple):
    """What a line says about itself: what it announces, its number if it has one, and what stands behind it."""

    topic: Topic
    value: str
    number: str = ""
    many: bool = False
    """Whether it announces a list, as `Blockers` does."""

    @property
    def text(self) -> str:
        """The value with its number. A phase is named by it, and the others can be referred to by it."""
        if not self.number:
            return self.value
        name = f"Phase {self.number}" if self.topic.part is Part.PHASE else self.number
        return f"{name}: {self.value}" if self.value else name


def topic_of(title: str) -> Topic | None:
    """What a heading, a label or a key announces; None if nothing that is kept."""
    if len(title) > 80:
        return None
    bare = re.sub(r"^\d+[.)]\s*", "", _COUNT.sub("", title.strip(" *_:#")))
    words = _words(bare)
    topic = TOPICS.get(" ".join(words))
    if topic is not None or len(words) > 6:
        return topic
    while len(words) > 1 and words[0] in _EPITHETS:
        del words[0]
    while len(words) > 1 and words[-1] in _AFTERWORDS:
        del words[-1]
    return TOPICS.get(" ".join(words))


def label_of(text: str) -> Label | None:
    """The label that a line begins with; None if it has none that announces anything."""
    found = _tag_of(text) if "[" in text[:_TAG_WITHIN] else None
    if text[:4].isupper():
        found = found or _shouted(text)
    if not _may_have_label(text[:_LABEL_WITHIN]):
        return found
    found = _labelled(text) or found
    before = _BEFORE.match(text) if found is None else None
    found = _labelled(text[before.end() :]) if before else found
    return found or _with_aside(text)


def _may_have_label(head: str) -> bool:
    """Whether the mark that ends a label is there at all. Most lines have none, and the pattern is slow."""
    if ":" in head or " -" in head or "=>" in head or "\t" in head:
        return True
    return not head.isascii() and not _DASHES.isdisjoint(head)


def _labelled(text: str) -> Label | None:
    found = _LABEL.match(text)
    topic = topic_of(found["title"]) if found else None
    if found is None or topic is None:
        return None
    noun = not _NOUNS.isdisjoint(_words(found["title"]))
    value = found["value"].strip()
    if ":" not in found["apart"]:
        if not noun or not value:
            return None
    elif value and not found["gap"] and not found["late"] and (topic.part not in BINDING or not noun):
        return None
    if found["open"] and not found["shut"] and not found["late"] and value.endswith(found["open"]):
        value = value[: -len(found["open"])].rstrip()
    label = _told(topic, value, found["number"], found["note"], ticked=_is_ticked(found["mark"] + found["inner"]))
    return label._replace(many=_words(found["title"])[-1] in _PLURALS)


def _with_aside(text: str) -> Label | None:
    """The label of a list that says more than its name: `Blockers, as of today:`."""
    title, comma, aside = text.strip(" *_").partition(",")
    if not comma or len(text) > _TITLE_WITHIN or not aside.endswith(":") or ":" in aside[:-1]:
        return None
    topic = topic_of(title)
    return Label(topic, "", many=True) if topic and _words(title)[-1] in _PLURALS else None


def _shouted(text: str) -> Label | None:
    """The label of a line that has capitals for a colon: `BLOCKER the host is down`."""
    found = _SHOUTED.match(text)
    topic = topic_of(found["title"]) if found else None
    return Label(topic, found["value"].strip()) if found and topic else None


def referred(text: str) -> Label | None:
    """The decision that a line states by its number alone: `D-7: …` or `ADR-9: …`."""
    found = _REFERRED.match(text) if text[:1] in _REFERRED_FIRST else None
    value = found["value"].strip(" *_") if found else ""
    if found is None or value.endswith("?") or value.lower().rstrip(" .!") in _SAID_OF_NUMBER:
        return None
    return _told(Topic(Part.DECISION), value, found["number"], None, ticked=False)


def points(value: str) -> bool:
    """Whether the value of a label says no more than that a list follows, or how long it is."""
    return len(value) <= _TITLE_WITHIN and _POINTS.fullmatch(value) is not None


def numbered(title: str) -> Label | None:
    """What a title announces that is nothing but a name and a number, such as `Phase 2`."""
    title = title.strip(" *_")
    if len(title) > _LABEL_WITHIN or not (title[-1:] in _NUMBER_ENDS or title[-2:-1].isdigit()):
        return None
    found = _NUMBERED.match(title)
    topic = topic_of(found["title"]) if found else None
    return Label(topic, found["note"] or "", found["number"].lstrip("#")) if found and topic else None


def is_nothing(text: str) -> bool:
    """Whether an item says that there is none."""
    words = " ".join(_words(text)) if len(text) < 24 else "?"
    return words in _NOTHING and (bool(words) or text.isascii() or text in {"–", "—"})


def names_part(title: str) -> bool:
    """Whether a title has the name of a part in it, and not only a word that may announce one."""
    return not _NOUNS.isdisjoint(_words(title))


def _tag_of(text: str) -> Label | None:
    found = _TAG.match(text)
    topic = topic_of(found["title"]) if found else None
    if found is None or topic is None or _NOUNS.isdisjoint(_words(found["title"])):
        return None
    return _told(topic, found["value"].strip(), found["number"], None, ticked=False)


def _told(topic: Topic, value: str, number: str | None, note: str | None, *, ticked: bool) -> Label:
    number = (number or "").lstrip("#")
    if number and topic.force is Force.STATES and value.lower().rstrip(" .!✅") in ENDS.get(topic.part, ()):
        # "Blocker 3: resolved" tells of the third blocker and is none.
        return Label(Topic(topic.part, Force.SETTLES), "", number)
    if ticked and topic.part in TICKED and topic.force is Force.STATES:
        topic = Topic(topic.part, Force.SETTLED)
    if note and topic == Topic(Part.DECISION) and note.lower() in PROPOSED_WORDS:
        topic = Topic(Part.UNAPPROVED)
    elif note and value and not note.isdecimal():
        value = f"{value} ({note})"
    return Label(topic, value, number)


def _is_ticked(marks: str) -> bool:
    return not TICKS.isdisjoint(marks)


def _words(text: str) -> list[str]:
    return _TITLE_WORD.findall(text.lower().replace("_", " "))
