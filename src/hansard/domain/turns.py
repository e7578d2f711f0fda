"""Owns the modes of a turn, and the words by which a person asks for one without memory."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeAlias

PHRASE_LETTERS_MIN = 3
"""A shorter phrase would be part of nearly every prompt."""
READ_CHARACTERS_MAX = 200_000
"""Of a longer prompt the beginning and the end are read: what a person asks for is not in the middle of a paste."""
_NEGATION_REACH = 4
"""How many words before a phrase can turn it into its opposite."""


class Mode(StrEnum):
    """How much an agent is told before a turn."""

    FULL = "full"
    CHILD = "child"
    IGNORE = "ignore"
    COORDINATOR = "coordinator"


IGNORE_PHRASES: Mapping[str, str] = {
    "ignore; disregard; forget about; don't use; dont use; do not use; don't consult; do not consult; don't rely on;"
    "do not rely on; don't look at; do not look at; don't read; do not read; without; without using": (
        "memory; memories; your memory; your memories; the memory; the memories; all memory; all memories; any memory;"
        "any memories; all your memories; project memory; team memory; stored memory; stored memories; past memory;"
        "past memories; hansard"
    ),
    "fresh; clean": "context",
    "ignoriere; ignorier; ignorieren sie; ohne; nutze nicht; benutze nicht; verwende nicht; vergiss": (
        "das gedächtnis; dein gedächtnis; gedächtnis; die erinnerungen; deine erinnerungen; erinnerungen"
    ),
    "nutze; benutze; verwende": (
        "kein gedächtnis; keine erinnerungen; das gedächtnis nicht; dein gedächtnis nicht; gedächtnis nicht"
    ),
    "frischer; frischen; frischem; neuer; neuem": "kontext",
    "ignore; ignorez; ignorer; n'utilise pas; n'utilisez pas; ne pas utiliser; sans; sans utiliser": (
        "la mémoire; ta mémoire; votre mémoire; mémoire; les souvenirs; tes souvenirs"
    ),
    "contexte": "vierge; neuf",
    "ignora; ignore; ignorar; no uses; no use; no usar; sin; sin usar": (
        "la memoria; tu memoria; su memoria; memoria; los recuerdos; tus recuerdos"
    ),
    "contexto": "nuevo; limpio; fresco; novo; limpo",
    "ignora; ignorate; non usare; non usate; senza; senza usare": (
        "la memoria; la tua memoria; memoria; le memorie; i ricordi"
    ),
    "contesto": "nuovo; pulito",
    "ignore; ignora; ignorar; não use; não uses; não usar; sem; sem usar": (
        "a memória; sua memória; tua memória; a sua memória; memória; as memórias"
    ),
}
"""How people say it: each beginning on the left with each end on the right of its colon."""

_NEGATORS = frozenset(
    "not don't dont never cannot can't won't shouldn't mustn't nor neither without no stop avoid isn't wasn't"
    " nicht nie niemals kein keine keinen keinesfalls ohne ne n' pas jamais sans nunca jamás sin non mai senza não sem"
    " nem".split()
)
_ANSWERS = frozenset("no nope nein non não".split())
"""Words that deny what was said before when a comma follows them."""
_FOLLOWERS = frozenset(
    """
    for in this and please when on now from or here today at as but because while so then just about to if unless since
    until entirely completely altogether thanks thank today's i you we it only once again with the that my our all
    bitte für diesmal jetzt heute und hier bei in dieses dabei mal nur
    pour cette et s'il maintenant ici dans cette fois svp seulement
    para esta este y por ahora aquí en solo esta vez e ora qui questa questo per agora aqui nesta neste só desta
    """.split()
)
"""What may follow a phrase. Another noun would change what it is about: memory leaks, memory-mapped files."""
_FENCED = r"(?ms)^(`{3,}|~{3,}).*?(?:^\1|\Z)"
_QUOTED = r"(?m)^[ \t]*>.*$"
_CODE = r"`[^`\n]*`"
_HIDDEN = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
_WORD_OR_MARK = r"[^\W_]+(?:['-][^\W_]+)*'?|[.!?;:,\n…]"
_MARKS = ".!?;:,\n…"


def asks_to_ignore(prompt: str, added: Iterable[str] = ()) -> bool:
    """Whether the person asks, in their own words, for a turn without memory. Code and quotations do not count."""
    half = READ_CHARACTERS_MAX // 2
    own = prompt if len(prompt) <= READ_CHARACTERS_MAX else f"{prompt[:half]}\n{prompt[-half:]}"
    for others in (_FENCED, _QUOTED, _CODE):
        own = re.sub(others, " . ", own)
    words = _words(own)
    known = _table() if not added else _merged(_table(), added)
    return any(
        tuple(words[place : place + length]) in phrases and _is_meant(words, place, place + length)
        for place, word in enumerate(words)
        for length, phrases in known.get(word, {}).items()
    )


def phrases_in(setting: str | None) -> tuple[str, ...]:
    """The phrases that a setting adds, which stand between semicolons."""
    given = (one.strip() for one in (setting or "").split(";"))
    return tuple(one for one in given if sum(map(str.isalnum, one)) >= PHRASE_LETTERS_MIN)


def _is_meant(words: list[str], begin: int, end: int) -> bool:
    """Whether nothing before the phrase denies it, and nothing after it makes it about something else."""
    after = words[end] if end < len(words) else "."
    if after not in _FOLLOWERS and after not in _MARKS:
        return False
    for place in range(begin - 1, max(-1, begin - 1 - _NEGATION_REACH), -1):
        word = words[place]
        if word != "," and word in _MARKS:
            return True
        if word in _NEGATORS and not (word in _ANSWERS and words[place + 1] == ","):
            return False
    return True


def _words(text: str) -> list[str]:
    return re.findall(_WORD_OR_MARK, re.sub(_HIDDEN, "", text).casefold().translate(_APOSTROPHES))


_APOSTROPHES = {ord(one): "'" for one in "’‘‛ʼ＇´"}
_Table: TypeAlias = dict[str, dict[int, set[tuple[str, ...]]]]
"""Phrases as words, by their first one and by how many there are."""
_tables: list[_Table] = []


def _table() -> _Table:
    """The phrases that everybody has. Made when a prompt first needs it."""
    if not _tables:
        spelled = (
            f"{begin} {end}"
            for begins, ends in IGNORE_PHRASES.items()
            for begin in begins.split(";")
            for end in ends.split(";")
        )
        _tables.append(_merged({}, spelled))
    return _tables[0]


def _merged(table: _Table, phrases: Iterable[str]) -> _Table:
    made = {word: {length: set(some) for length, some in known.items()} for word, known in table.items()}
    for phrase in phrases:
        words = tuple(_words(phrase))
        if words:
            made.setdefault(words[0], {}).setdefault(len(words), set()).add(words)
    return made
