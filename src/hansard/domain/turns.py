"""Owns the modes of a turn, and the words by which a person asks for one without memory."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeAlias

from hansard.domain.text import legible

PHRASE_LETTERS_MIN = 3
"""A shorter phrase would be part of nearly every prompt."""
READ_CHARACTERS_MAX = 200_000
"""Of a longer prompt the beginning and the end are read: what a person asks for is not in the middle of a paste."""
_NEGATION_REACH = 4
"""How many words before a phrase can turn it into its opposite."""
_QUESTION_REACH = 40
"""How many words before a phrase may be those of a question about it."""


class Mode(StrEnum):
    """How much an agent is told before a turn."""

    FULL = "full"
    CHILD = "child"
    IGNORE = "ignore"
    COORDINATOR = "coordinator"


IGNORE_PHRASES: Mapping[str, str] = {
    "ignore; disregard; skip; forget about; don't use; dont use; do not use; don't consult; do not consult;"
    "don't rely on; do not rely on; don't look at; do not look at; don't read; do not read; without;"
    "without using; use no; never use;"
    "avoid using; should not use; shouldn't use; must not use; mustn't use": (
        "memory; memories; your memory; your memories; the memory; the memories; all memory; all memories; any memory;"
        "any memories; all your memories; project memory; team memory; stored memory; stored memories; past memory;"
        "past memories; hansard; your notes; your memory notes; your notes and memory; your memory and notes;"
        "all of your memory; all of your memories; all of the memory; all of the memories; all of memory;"
        "prior memory; prior memories; saved memory; saved memories; the saved memories; the team's memory;"
        "previous memory; previous memories; all previous memories; any previous memories; earlier memories;"
        "the stored memory; the stored memories; all stored memories; the project memory; the team memory;"
        "all the memories; all your memory; all the memory; everything in memory; what is in memory"
    ),
    "fresh; clean": "context",
    "no memory": "please; for this; this time; today; pls",
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
    "игнорируй; игнорируйте; не используй; не используйте; не обращайся к; забудь про; без; без использования": (
        "память; памяти; свою память; своей памяти; всю память; воспоминания; воспоминаний; свои воспоминания"
    ),
    "с чистым; в чистом; с новым; в новом": "контекстом; контексте",
    "메모리; 메모리를; 기억; 기억을; 기억은; 메모리는": (
        "무시해; 무시해줘; 무시해 줘; 무시하세요; 무시하고; 쓰지 마; 쓰지 말고; 없이;"
        "사용하지 마; 사용하지 말고; 사용하지 마세요"
    ),
}
"""How people say it: each beginning on the left with each end on the right of its colon."""
UNSPACED_PHRASES = frozenset(
    """
    忽略记忆 忽略你的记忆 忽略所有记忆 忽略全部记忆 忽略之前的记忆 无视记忆 忽视记忆
    不要使用记忆 不要用记忆 别用记忆 不使用记忆 不用记忆
    不要参考记忆 忽略記憶 忽略你的記憶 無視記憶 不要使用記憶 不要用記憶 不使用記憶 全新的上下文
    メモリを無視して メモリーを無視して 記憶を無視して メモリは無視して 記憶は無視して
    メモリを使わないで メモリーを使わないで 記憶を使わないで メモリを使わずに 記憶を使わずに
    メモリなしで メモリーなしで 記憶なしで メモリを参照しないで 記憶を参照しないで
    """.split()
)
"""The same in languages that put no blanks between words."""
_UNSPACED_COURTESY = (
    "^(?:请|請|麻烦|麻煩|现在|現在|这次|這次|本次|这一轮|先|就|你|大家|どうか|今回は|今は|では|それでは|まず|全部|とりあえず)+"
    "|(?:吧|了|即可|就好|就行|谢谢|謝謝|ください|下さい|くれ|ほしい|お願い|お願いします|から|ね|よ)+$"
)
_CLAUSE_MARKS = "，,。！!？?；;：:、\\n…．"
_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_UNSPACED_DENIALS = ("不要", "别", "不能", "不得", "不应", "不可", "勿", "別", "不應")
_QUOTES_UNSPACED = "「『“\"'《"

_NEGATORS = frozenset(
    "not don't dont never cannot can't won't shouldn't mustn't nor neither without no stop avoid isn't wasn't"
    " не никогда нельзя"
    " nicht nie niemals kein keine keinen keinesfalls ohne ne n' pas jamais sans nunca jamás sin non mai senza não sem"
    " nem".split()
)
_ANSWERS = frozenset("no nope nein non não".split())
"""Words that deny what was said before when a comma or a dash follows them."""
_OPENERS = frozenset(
    "please pls ok okay hey hi hello now so and then also just but yes bitte s'il svp por favor".split()
)
"""Words before which nothing was said yet."""
_ASKING = frozenset(
    "why what how when who where which whose did does is are was were should has have had warum wieso weshalb wie wann"
    " wer wo pourquoi comment quand porque cómo quando perché come".split()
)
"""First words of a question. What stands in one is asked about, not asked for."""
_PEOPLE = frozenset("you we they i he she it".split())
_SHOULD = frozenset("should shouldn't must mustn't".split())
_ADDRESSED = frozenset("you we i and agents agent".split())
_ASKED_TO = frozenset("you need have want try remember sure ought us supposed be like going".split())
"""What stands before "to" where somebody is to do it; "a mode to" is about a program."""
_REPORTING = frozenset("said says say saying told wrote writes typed types called named says".split())
_FIRST_PERSON = frozenset("i we i've we've".split())
_ABOUT = frozenset(
    """
    translate explain parse print phrase phrases text string title message grep rename word words to flag called fix
    feat chore docs refactor test
    """.split()
)
"""What stands before a colon behind which words are a thing to work on."""
_ABLE = frozenset("can could may might will would".split())
_ABLE_PERSONS = frozenset("you we i".split())
_WITHOUT = frozenset("without ohne sans sin senza sem без".split())
_MACHINE_VERBS = frozenset(
    """
    dies die died runs run running crashes crash fails fail compile compiles compiling starts start boots boot hangs
    works läuft startet stürzt tourne plante démarre cae corre arranca falla gira cade roda cai падает работает
    запускается
    """.split()
)
"""What a program does; whatever it does without memory, it is the memory of the machine."""
_MACHINE_PURPOSES = frozenset("caching cache caches storage storing buffers buffering state persistence".split())
_SUBJECTS = frozenset("they people who that which everybody everyone someone somebody it he she".split())
_NO_PLURALS = frozenset("this us always perhaps as lets let's pls yes thus its unless plus times turns tasks".split())
_VERBS_BEHIND = frozenset(
    """
    is was are were be does did do doesn't didn't isn't wasn't has had have hasn't means meant should shouldn't will
    would won't can can't cannot could may might must appears works fails stands occurs breaks matches triggers
    phrase phrases
    """.split()
)
"""What makes a quotation the subject of a sentence: somebody speaks about it."""
"""Who is told what to do; anything else that should not use memory is a program."""
_FOLLOWERS = frozenset(
    """
    for in this and please when on now from or here today at as but because while so then just about to if unless since
    until entirely completely altogether thanks thank today's i you we it only once again with the that my our all pls
    plz during throughout anymore whatsoever ok okay right
    bitte für diesmal jetzt heute und hier bei in dieses dabei mal nur
    pour cette et s'il maintenant ici dans cette fois svp seulement
    para esta este y por ahora aquí en solo esta vez e ora qui questa questo per agora aqui nesta neste só desta
    """.split()
)
"""What may follow a phrase amid a sentence. Another noun would change what it is about: memory-mapped files."""
_MATTERS = frozenset(
    """
    leak leaks leakage limit limits model models allocation allocations allocator allocators usage uses pressure error
    errors warning warnings bank banks address addresses barrier barriers maps mapping mappings mapped profiler
    profilers profiles profiling safety management manager footprint layout consumption pool pools ordering dumps
    corruption overhead sizes sizing budget budgets stores database databases table tables module modules file files
    section sections card cards cell cells intensive efficient efficiency hungry heavy bound bounds foam lane bug bugs
    region regions page pages paging requirement requirements constraint constraints accesses accounting alert alerts
    spike spikes growth stat stats statistics metric metrics graph graphs related issue issues problem problems tool
    tools plugin plugins api apis service services server servers component components classes struct structs fields
    column columns entry entries caches caching blocks bandwidth bus chip chips controller controllers device devices
    driver drivers fault faults fence fences fragmentation handles handling hierarchy hog hogs interface latency locks
    loss monitoring operation operations optimisation optimisations optimization optimizations overflow overflows
    ownership policy protection quota quotas reads reservation safe sanitizer savings segment segments sharing space
    stick sticks timing timings tracker tracking traffic unit units variable variables wise writes benchmarks tests
    managers menu object objects switch switches processor processors propagation provider providers
    실행되는지 누수 부족 부족으로
    nicht not pas
    """.split()
)
"""What follows where the memory of a machine is meant, or where the phrase is denied behind it."""
_FENCED = r"(?ms)^(`{3,}|~{3,}).*?(?:^\1|\Z)"
_QUOTED = r"(?m)^[ \t]*>.*$"
_CODE = r"`[^`\n]*`"
_SPOKEN = (
    r"\"[^\"\n]{1,500}\"|“[^“”\n]{1,500}”|«[^«»\n]{1,500}»|„[^„“”\n]{1,500}[“”]|(?<!\w)['‘][^'‘’\n]{1,500}['’](?!\w)"
)
_BEFORE_CHARACTERS_MAX = 120
_BEHIND_CHARACTERS_MAX = 20
_STRESS = r"(?<!\w)[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}(?!\w)"
_WORD_OR_MARK = r"[^\W_]+(?:['-][^\W_]+)*'?|[.!?;:,\n…]|[-–—()\[\]{}\"“”„«»*_&/|+=<>]"
_ENDS = ".!?;:\n…"
"""Marks between two sentences."""
_DASHES = ",-–—"
_MARKS = f'{_ENDS}{_DASHES}()[]{{}}"“”„«»*_&/|+=<>'


def asks_to_ignore(prompt: str, added: Iterable[str] = ()) -> bool:
    """Whether the person asks, in their own words, for a turn without memory. Code and quotations do not count."""
    half = READ_CHARACTERS_MAX // 2
    own = prompt if len(prompt) <= READ_CHARACTERS_MAX else f"{prompt[:half]}\n{prompt[-half:]}"
    for others in (_FENCED, _QUOTED, _CODE):
        own = re.sub(others, " . ", own)
    own = re.sub(_SPOKEN, _unless_reported, own)
    added = tuple(added)
    if _asks_unspaced(own, [one for one in added if re.search(_UNSPACED, one)]):
        return True
    known = _table() if not added else _merged(_table(), added)
    # A star may end the phrase, or stress a word of it; a line that was broken for its length goes on in the next.
    plain = re.sub(_STRESS, "", own)
    joined = re.sub(r"(?<=\w)\r?\n[ \t]*(?=\w)", " ", own)
    return any(_asks(_words(one), known) for one in dict.fromkeys((own, plain, joined)))


def _asks_unspaced(own: str, added: Iterable[str]) -> bool:
    """The same where no blanks stand between words: a clause that says it and next to nothing else."""
    if not re.search(_UNSPACED, own):
        return False
    said = re.sub(r"[^\S\n]+", "", legible(own).casefold())
    for found in re.finditer(rf"[^{_CLAUSE_MARKS}]+", said):
        # Behind a colon stands what somebody else says, and before a question mark what is asked about.
        if said[found.start() - 1 : found.start()] in (":", "：") or said[found.end() : found.end() + 1] in ("?", "？"):
            continue
        bare = re.sub(_UNSPACED_COURTESY, "", found.group())
        if bare in UNSPACED_PHRASES or any(_is_in(one, found.group()) for one in added):
            return True
    return False


def _is_in(phrase: str, clause: str) -> bool:
    before, found, _ = clause.partition(re.sub(r"\s+", "", legible(phrase).casefold()))
    return bool(found) and not before.endswith((*_UNSPACED_DENIALS, *_QUOTES_UNSPACED))


def _asks(words: list[str], known: _Table) -> bool:
    return any(
        tuple(words[place : place + length]) in phrases and _is_meant(words, place, place + length)
        for place, word in enumerate(words)
        for length, phrases in known.get(word, {}).items()
    )


def phrases_in(setting: str | None) -> tuple[str, ...]:
    """The phrases that a setting adds, which stand between semicolons."""
    given = (one.strip() for one in (setting or "").split(";"))
    return tuple(one for one in given if sum(map(str.isalnum, one)) >= PHRASE_LETTERS_MIN)


def _unless_reported(found: re.Match[str]) -> str:
    """Words in quotation marks, if they begin a sentence and nobody speaks about them; else somebody else said them."""
    before = _words(found.string[max(0, found.start() - _BEFORE_CHARACTERS_MAX) : found.start()])
    if not _begins(before, len(before)):
        return " quoted "
    behind = _words(found.string[found.end() : found.end() + _BEHIND_CHARACTERS_MAX])
    return " quoted " if behind[:1] and behind[0] in _VERBS_BEHIND else f'"{found.group()[1:-1]}"'


def _begins(words: list[str], place: int) -> bool:
    """Whether nothing was said in the sentence before this place."""
    while place and words[place - 1] not in _ENDS:
        place -= 1
        if words[place] not in _OPENERS and words[place] not in _MARKS:
            return False
    return True


def _is_meant(words: list[str], begin: int, end: int) -> bool:
    """Whether nothing before the phrase denies it or asks about it, and nothing after it makes it another thing."""
    after = words[end] if end < len(words) else "."
    opens = begin == 0 or words[begin - 1] in _MARKS or _begins(words, begin)
    if after not in _FOLLOWERS and after not in _MARKS and (not opens or after in _MATTERS):
        return False
    if after == "as" or (after == "for" and _MACHINE_PURPOSES.intersection(words[end + 1 : end + 2])):
        return False
    if words[end - 1] == "context" and after == "for" and words[end + 1 : end + 2] in (["every"], ["each"]):
        return False
    if begin and not _is_said_to_somebody(words, begin):
        return False
    if words[begin] in _SHOULD and not opens and words[begin - 1] not in _ADDRESSED:
        return False
    return not _is_denied(words, begin) and (opens or not _is_asked_about(words, begin))


def _is_said_to_somebody(words: list[str], begin: int) -> bool:
    """Whether the word before the phrase lets it be a request: no report of words, and no program's doing."""
    before = words[begin - 1]
    earlier = words[begin - 2] if begin > 1 else ""
    if before == ":":
        return earlier not in _ABOUT and earlier not in _REPORTING
    if before in _REPORTING:
        return earlier in _FIRST_PERSON
    if before == "as" or (words[begin] in _WITHOUT and before in _MACHINE_VERBS):
        return False
    if before in _ABLE:
        return earlier in _ABLE_PERSONS or earlier in {"", *_ENDS}
    sentence = _sentence(words, begin)
    if sentence and sentence[0] in _ABLE and before not in _ABLE_PERSONS | _OPENERS:
        return False
    if before == "to":
        return earlier in _ASKED_TO
    does = words[begin] not in {"without", "fresh", "clean"}
    plural = before.isalpha() and before.isascii() and before.endswith("s") and before not in _NO_PLURALS
    return not (does and (before in _SUBJECTS or (plural and len(before) > 3)))


def _sentence(words: list[str], begin: int) -> list[str]:
    """The words of the sentence before this place, as many as a question about it may have."""
    place = begin
    while place and words[place - 1] not in _ENDS and begin - place < _QUESTION_REACH:
        place -= 1
    return words[place:begin]


def _is_denied(words: list[str], begin: int) -> bool:
    left = _NEGATION_REACH
    place = begin - 1
    apart = words[place : place + 1] == [","]
    while place >= 0 and left and words[place] not in _ENDS:
        word = words[place]
        if word in _NEGATORS and not (word in _ANSWERS and words[place + 1] in _DASHES):
            # "Never mind, …" says something of its own; "Do not, ever, …" goes on behind the comma.
            return not apart or words[place + 1] in _MARKS
        left -= word not in _MARKS
        place -= 1
    return False


def _is_asked_about(words: list[str], begin: int) -> bool:
    """Whether the sentence begins as a question does. "Could you" does not count: that is how people ask for it."""
    said = [word for word in _sentence(words, begin) if word not in _OPENERS and word not in _MARKS]
    return bool(said) and (said[0] in _ASKING or (said[0] == "do" and said[1:2] != [] and said[1] in _PEOPLE))


def _words(text: str) -> list[str]:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", legible(text))
    return re.findall(_WORD_OR_MARK, legible(plain).casefold().translate(_APOSTROPHES))


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
