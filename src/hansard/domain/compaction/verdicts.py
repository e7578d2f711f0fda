"""Owns what a short answer of the user says about what was proposed: a plain yes, a yes to what it names, or a no."""

import re
from enum import StrEnum
from typing import NamedTuple

ANSWER_CHARACTERS_MAX = 200


class Verdict(StrEnum):
    """What an answer does to a proposal."""

    APPROVES = "approves"
    REJECTS = "rejects"
    NEITHER = "neither"


class Answer(NamedTuple):
    """A verdict, the numbers it names, and its words that are neither approval nor courtesy."""

    verdict: Verdict
    numbers: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def covers(self, number: str | None, words: frozenset[str]) -> bool:
        """Whether it is about a proposal with this number and these words. What names nothing is about all."""
        if self.verdict is Verdict.REJECTS:
            return not self.numbers or number in self.numbers
        return (not self.numbers or number in self.numbers) and self.words <= words


_NEITHER = Answer(Verdict.NEITHER)
_COURTESY = (
    r"(?:thank you|thanks|thx|cheers|please|pls|great|perfect|excellent|fine|cool|nice|yes|yep|yeah|yup|ok(?:ay)?|sure"
    r"|all|good|well done|for me|by me|to me|then|now|team|everyone|with (?:it|that|this|them|these|all)|it|that|this"
    r"|them|these|those|both|everything|as (?:proposed|planned|discussed|described)|so"
    r"|(?:and )?(?:please )?(?:do|implement|build|merge|start|apply|use) (?:it|that|this|them|these)"
    r"|danke|bitte|ja|gut|super|prima|klar|alles|beide|das|dann|jetzt|so|damit)"
)
_APPROVAL = (
    r"(?:approved|i(?: hereby)? (?:approve|accept|confirm|agree)|lgtm|go ahead|go for it|ship it"
    r"|(?:(?:that|this|it|all|everything)(?: all)? )?(?:sounds|looks) good|proceed|agreed|confirmed"
    r"|accepted|approve|let['’]?s do (?:it|that|this|them)|do (?:it|that|this|them)"
    r"|genehmigt|ich genehmige|einverstanden|passt|mach das)"
)
_NUMBER = r"#?(?:[A-Z]{1,6}-)?\d{1,6}"
_NAMED_FIRST = (
    rf"(?:(?:(?:the )?(?:decisions?|options?|proposals?|entscheidung(?:en)?) {_NUMBER}|[A-Z]{{1,6}}-\d{{1,6}})"
    rf"(?:(?:,| and| und) {_NUMBER}){{0,8}}:?(?: (?:is|are|ist|sind))?"
    r" (?:approved|accepted|confirmed|agreed|genehmigt))"
)
_OPENS = re.compile(rf"^\W*(?:{_COURTESY}\b\W+){{0,3}}(?:{_APPROVAL}|{_NAMED_FIRST})\b(?!\s*:)", re.IGNORECASE)
_GOES_ON = re.compile(
    r"(?<=[.!])\s+(?:(?:then|next|now|please|also)[,:]? ){1,2}(?:please )?"
    r"(?:write|run|add|start|continue|go on|move on|implement|build|create|update|fix|merge|deploy|test|document|commit"
    r"|push|open|prepare|finish|ship)\b(?! (?:over|again))[^.!?\n]*(?:[.!]|$)",
    re.IGNORECASE,
)
"""A sentence behind an approval that only says what to do next. Nothing else may stand beside one."""
_ANY_APPROVAL = re.compile(rf"\b{_APPROVAL}\b", re.IGNORECASE)
_ANY_COURTESY = re.compile(rf"\b{_COURTESY}\b", re.IGNORECASE)
_REJECTS = re.compile(r"^\W*(?:no\W+)?(?:rejected|i reject|not approved|denied|abgelehnt)\b(?!\s*:)", re.IGNORECASE)
_DOUBTS = re.compile(
    r"[?]|\b(?:but|except|unless|until|only|if|when|once|after|not|cannot|never|no|none|nobody|nothing|neither|nor|hardly"
    r"|barely|instead|however|though|although|caution|except|without|aber|nur|wenn|falls|erst|nicht|nie|niemals|kein\w*"
    r"|niemand|nichts|außer|ohne|doch)\b|n['’]t\b",
    re.IGNORECASE,
)
_DASHED = re.compile(r"\b[A-Z]{1,6}-\d{1,9}\b")
_NUMBERED = re.compile(
    r"(?:\b(?:approved?|accept(?:ed)?|confirm(?:ed)?|agreed?|reject(?:ed)?|decisions?|options?|and|with|genehmigt|genehmige"
    r"|denied|abgelehnt)[\s:,]+"
    r"(?:(?:on|to|with|decision|option|number|no\.?|nr\.?)\s+){0,2}#?|#)([A-Z]{0,3}\d{1,6})\b",
    re.IGNORECASE,
)
"""A number without a dash names something only behind such a word: "approved, use S3" names nothing."""
_NAMES_NO_NUMBER = re.compile(r"\bno\.?(?=\s*#?[A-Z]{0,3}-?\d)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LINKING = frozenset({
    "the", "a", "an", "with", "to", "on", "for", "that", "we", "i", "of", "and", "using", "decision", "decisions",
    "option", "options", "number", "nr", "plan", "proposal", "proposals", "is", "are", "your", "mit", "die", "der",
    "den", "das", "und", "entscheidung", "vorschlag",
})  # fmt: skip


def words_of(text: str) -> frozenset[str]:
    """The words by which an answer can name a proposal."""
    return frozenset(_WORD.findall(text.casefold()))


def opens(text: str) -> bool:
    """Whether a text begins with words that approve."""
    return _OPENS.match(text) is not None


def answer(text: str) -> Answer:
    """What an answer says. Only a plain approval approves, or one whose other words all name what it approves."""
    bare = text.strip()
    if len(bare) > ANSWER_CHARACTERS_MAX:
        return _NEITHER
    if not _DOUBTS.search(_NAMES_NO_NUMBER.sub(" ", bare)):
        bare = _GOES_ON.sub(" ", bare).strip()
    numbers = frozenset(one.upper() for one in (*_DASHED.findall(bare), *_NUMBERED.findall(bare)))
    if _REJECTS.match(bare) and "?" not in bare:
        return Answer(Verdict.REJECTS, numbers)
    if not opens(bare) or _DOUBTS.search(_NAMES_NO_NUMBER.sub(" ", bare)):
        return _NEITHER
    left = _ANY_APPROVAL.sub(" ", _NUMBERED.sub(" ", _DASHED.sub(" ", _NAMES_NO_NUMBER.sub(" ", bare))))
    words = words_of(_ANY_COURTESY.sub(" ", left)) - _LINKING
    return Answer(Verdict.APPROVES, numbers, words)
