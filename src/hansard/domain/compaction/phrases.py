"""Owns the sentences that say by their own words what they are: a phase, a blocker or a decision."""

import re
from collections.abc import Iterator

from hansard.domain.compaction.rules import (
    SENTENCE_CHARACTERS_MAX,
    UNLESS,
    Sentence,
    applies,
    is_condition,
    leads,
    rule,
    rules,
)
from hansard.domain.compaction.topics import SETTLING, Part


def _any(*choices: str) -> str:
    return "(?:" + "|".join(choices) + ")"


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_IS_SETTLED = _pattern(
    r" (?:(?:is|are|was|were|has been|have been|got|ist|sind|wurde|wurden) )?(?:now |jetzt )?"
    rf"({'|'.join(SETTLING)})(?= ?(?:$|[.,;:(!—–-]|by\b|in\b|with\b|via\b|now\b|since\b|thanks\b))"
)
_SETTLES = _pattern(
    r"^(?:(?:i|we)(?:['’]ve)? )?(?:have )?(resolved|fixed|unblocked|superseded|reverted|lifted|answered) "
)

_ENTERS = _pattern(
    r"^(?:ok(?:ay)?,? |so,? |now,? |great[,.!]? )?"
    + _any(
        r"(?:we|i)(?: (?:are|am)|['’](?:re|m)) (?:now |currently |still |already )?(?:in|at|on|entering|starting) ",
        r"(?:now |currently |still )?"
        r"(?:start(?:ing|ed|s)?|enter(?:ing|ed)?|begin(?:ning)?|began|resum(?:e|ing)|continu(?:e|ing) with) ",
        r"(?:let['’]?s |we |i )?(?:now )?(?:start|begin|enter|kick off|go|move|proceed|switch|continue|moved|switched)"
        r"(?: on| over)?(?: to| with| into| in)? ",
        r"(?:moving|switching|proceeding|transitioning|going|on|over)(?: on| over)?(?: to| with| into) ",
        r"(?:currently |now |still )(?:in|at|on) ",
        r"working on ",
        r"(?:we|i)(?:['’]ve| have)(?: now| just)? (?:entered|started|begun|moved (?:on )?to|switched to|reached) ",
        r"(?:now )?starting with ",
        r"jetzt kommt ",
        r"wir (?:sind|befinden uns|starten|beginnen|stehen)(?: jetzt| nun| aktuell| noch| gerade)?(?: in| mit| bei)? ",
        r"(?:ich )?(?:starte|beginne|weiter|jetzt|nun|aktuell)(?: jetzt| nun)?(?: mit| in| zu)? ",
    )
    + r"(?:the |die |der )?(phase\b.*)$"
)
_NAMED_PHASE = _pattern(
    r"^(?:we|i|wir)(?: (?:are|am|sind)|['’](?:re|m)) (?:now |currently |still |jetzt |noch )?in (?:the |der )?"
    r"((?:[\w-]+ ){1,3}?phase\b.*|[\w-]+phase\b.*)$"
)
_IN_PHASE = _pattern(
    r"^(?:now |jetzt )?in (?!.*[\w),;] (?:we|i|you|they|he|she|it|was|were|had|wir|ich|sie|war|waren)\b)"
    r"(phase [\w.#-]+ ?(?:$|[.:;(!—–-].*))"
)
"""What was seen in a phase is told of any phase, and "In phase 1: analysis we saw x" enters none."""
_PHASE_IS = _pattern(
    r"^(?:the |our |die )?(?:(?:current|active|present|aktuelle|aktive|new|neue) phase|phase) (?:is|ist)(?: now"
    r"| jetzt)?:? "
    r"(?!(?:done|complete|completed|finished|over|closed|not|unclear|hard|long|fertig|abgeschlossen)\b)(.*)$"
)
_PHASE_BEGINS = _pattern(
    r"^(phase (?:#?\d[\w./]*|[ivx]+)\b(?:(?! (?:is|has|was|will|of|ist|hat)\b).){0,80}?) "
    r"(?:(?:has |is |hat )?(?:now |jetzt )?(?:started|begun|underway|under way|active|in progress|ongoing"
    r"|begonnen|aktiv)"
    r"|starts(?: now| today)?|begins(?: now| today)?|beginnt(?: jetzt)?|startet(?: jetzt)?|läuft)[.!]?$"
)

_BLOCKED = _pattern(
    r"^(?:(?:we|i|wir|ich)(?: (?:are|am|remain|sind|bin)|['’](?:re|m)) (?:(?:still|now|currently|also|noch|aktuell) )?"
    r"(?:blocked|blockiert) (?:by|on|durch|von) |(?:still )?(?:blocked by|blocked on|blockiert durch|blockiert von) |"
    r"(?:the |our |my |der |unser )?(?:only |main |biggest |current |remaining |one |einzige )?blocker"
    r" (?:is|ist|remains):? (?!(?:resolved|fixed|gone|no|not|cleared|gelöst|behoben|weg|kein)\b)(?:that |dass )?|"
    r"there(?:['’]s| is) (?:a|one|another|still a)(?: new| hard)? blocker:? (?:with |in |on )?|"
    r"es gibt (?:einen|noch einen)(?: neuen)? blocker:? )"
)
_BLOCKS = _pattern(
    rf"^{UNLESS}"
    + _any(
        r".*\b(?:is|are|was|remains|got|ist|sind|steht|still) (?:still |now |currently |noch |derzeit )?"
        r"(?:blocked|blockiert),? (?:by|on|until|because|waiting|pending|durch|von|bis|weil)\b",
        r"(?:we|i|wir|ich)(?: (?:are|am|remain|sind|bin)|['’](?:re|m)) (?:still |now |currently |noch )?"
        r"(?:blocked|blockiert)\b",
        r"(?:still )?blocked (?:until|because|since|waiting|pending)\b",
        r".*\b(?:is|are|remains?|ist|sind|bleibt) (?:still |now |noch )?(?:a|an|our|my|the|ein|unser|der)"
        r"(?: \w+)? (?:blocker|showstopper|hindernis)\b",
        r".*\b(?:(?:is|are) (?:still |currently )?(?:blocking|holding up)|blocks?|blockiert|blockieren) "
        r"(?:us|me|uns|mich|the (?:release|deploy\w*|merge|work|task|rollout|migration|build|launch)"
        r"|das release|den merge|das deployment|die arbeit|die migration)\b",
    )
)
_UNBLOCKED = _pattern(r"(?:\b(?:no|not|never|nicht|kein|keine|nothing|nichts|longer|mehr)\b|n['’]t).{0,30}block")
_STUCK = rules(
    rule("stuck waiting",
         r"(?:we|i)(?: (?:are|am)|['’](?:re|m)) (?:still |now |currently )?(?:stuck|waiting) "
         r"(?:on|with|at|because|until)\b"),
    rule("waiting",
         r"(?:we|i)(?: (?:are|am)|['’](?:re|m)) (?:still |now |currently )?waiting for .*"
         r"\b(?:access|approval|credentials?|permissions?|keys?|tokens?|certificates?|licen[cs]es?|answer|reply|review)\b"),
    rule("cannot can cant unable",
         r"(?:we |i )?(?:still )?(?:cannot|can['’]?t|can not|unable to) "
         r"(?:proceed|continue|go on|move on|move forward|finish|start|deploy|merge|release)\b.*"
         r"\b(?:until|without|because|before|as long as|unless|since)\b"),
    rule("cannot can cant",
         r"(?:we |i )?(?:cannot|can['’]?t|can not) (?:proceed|continue|go on|move on|move forward) ?[:—–-]"),
    rule("nicht", r"(?:ich|wir) (?:kommen?|kann|können) (?:hier |so )?nicht (?:weiter|fortfahren)\b"),
    rule("hänge hängen warte warten", r"(?:ich|wir) (?:hängen?|warten?) (?:noch |immer noch )?(?:an|fest|auf)\b"),
    rule("hängt", r"es hängt an\b"),
    rule("waiting",
         r"(?:still )?waiting (?:on|for) .*\b(?:access|approval|credentials?|permissions?|certificates?"
         r"|licen[cs]es?|sign-?off)\b"),
    rule("hold", r"(?:\w+ ){0,3}on hold (?:until|because|pending)\b"),
    rule("before",
         r"(?:still )?needs? .*\bbefore (?:i|we) can (?:continue|proceed|go on|start|finish)\b"),
    rule("nicht", r"wir können (?:so |hier )?nicht (?:weitermachen|weiterarbeiten|fortfahren|starten)\b"),
    rule("fehlt",
         r"es fehlt(?: noch| uns| mir)? (?:der zugang|die freigabe|das zertifikat|der schlüssel|das passwort)\b"),
)  # fmt: skip
_MUST_FIRST = rules(rule("must", r"\bmust ", then=r"\bbefore (?:i|we) can (?:continue|proceed|go on|start|finish)\b"))

_AGREED_WORDS = frozenset(
    (
        "agreed decided resolved settled opted chosen elected voted chose picked selected decision entschieden"
        " beschlossen geeinigt vereinbart festgelegt entscheidung"
    ).split()
)
_AGREED = _pattern(
    r"^(?:ok(?:ay)?,? |so,? |then,? |as discussed,? |after (?:some |long )?discussion,? )?"
    + _any(
        r"(?:we|the team|i|everyone|both|they)(?: have| had|['’]ve| has)?(?: (?:all|now|finally|both|just))?"
        r" (?:agreed|decided|resolved|settled|opted|chosen|elected|voted)"
        r" (?!that (?:it|this|that|these|those|they|there) (?:is|was|are|were|looks?|sounds?|seems?|feels?)\b)"
        r"(?:to|that|on|upon|against|for|not to|in favou?r)\b",
        r"(?:we|the team|i)(?: have|['’]ve| has)?(?: now| finally)? (?:chose|chosen|picked|selected)\b",
        r"it (?:was|is|has been)(?: now| finally)? (?:decided|agreed|settled)\b(?! (?:yet|later|by whether))",
        r"it['’]s (?:decided|agreed|settled)\b",
        r"(?:finally )?(?:decided|agreed|settled|opted) (?:to|on|against|for|not to|upon)\b",
        r"(?:finally )?decided that\b",
        r"(?:finally )?agreed that (?=.*\b(?:we|should|will|shall|must|stays?|remains?|uses?|gets?)\b)"
        r"(?!(?:it|this|that|these|those|they|there) (?:is|was|are|were)\b)",
        r"(?:the|my|our|final|the final|our final|my final) decision (?:is|was) (?:to|that|not to|against|for"
        r"|in favou?r|final)\b",
        r"wir haben (?:uns )?(?:(?!noch|nicht|nichts)[\w.,-]+ ){0,8}?(?:entschieden|beschlossen|geeinigt|vereinbart"
        r"|festgelegt)\b",
        r"ich habe (?:mich )?(?:(?!noch|nicht|nichts)[\w.,-]+ ){0,8}?(?:entschieden|beschlossen|festgelegt)\b",
        r"es (?:wurde|ist|wird) (?:(?!noch|nicht|nichts)[\w.,-]+ ){0,4}?(?:entschieden|beschlossen|vereinbart"
        r"|festgelegt)\b",
        r"(?:die|meine|unsere) entscheidung (?:ist|lautet|fiel)\b(?! (?:offen|noch|nicht))",
    )
)
_SO = _pattern(r"(?:ok(?:ay)?|so|then|yes|ja|gut),? ")
_WE = "we|we['’]ll|we will|we shall|let['’]?s"
_PRAISED = r"of (?:you|your|his|her|their|our|how)\b(?! (?:decision|plan|proposal|choice|idea|suggestion|approach)\b)"
"""Who approves of somebody's honesty decides nothing."""
_CHOSEN = rules(*(
    rule(words, rf"{pattern}(?! (?:not|yet|nothing|noch|nicht)\b)")
    for words, pattern in (
        ("going sticking", r"(?:i['’]m|i am) (?:going|sticking) with\b"),
        ("it", r"[\w.+-]+(?: [\w.+-]+){0,3} it is[.!]?$"),
        ("decided settled final agreed",
         r".*\b(?:that|this|it)(?:['’]s| is) (?:decided|settled|final|agreed)[.!]?$(?<!not decided)"),
        ("beschlossen", r"beschlossen (?:ist|wurde|haben wir)\b"),
        ("approve accept confirm authorise authorize",
         rf"i(?: hereby)? (?:approve|accept|confirm|authori[sz]e) (?!(?:that|it|this|everything)\b|{_PRAISED})\S"),
        ("approved", r"approved[:,]? (?:option |plan |proposal |decision |variant )?#?[a-z]{0,3}-?\d+\b"),
        ("with",
         rf"(?:{_WE}|we['’]re going to|we are going to) (?:go|stick|stay|run|proceed) with\b(?! (?:the flow|phase))"),
        ("with", r"(?:we['’]re|we are) (?:going|sticking|staying) with\b"),
        ("use adopt using standardise standardize switch migrate",
         rf"(?:{_WE}) (?:use|adopt|keep using|standardi[sz]e on|switch to|migrate to)\b"),
        ("with", r"(?:go|stick) with (?:option|plan|variant|the|a|an)\b"),
        ("genehmige bestätige gebe", r"ich (?:genehmige|bestätige|gebe frei)\b"),
        ("nehmen verwenden nutzen benutzen bleiben setzen machen wechseln",
         r"wir (?:nehmen|verwenden|nutzen|benutzen|bleiben bei|setzen auf|machen es mit|wechseln zu)\b"),
        ("nimm", r"nimm (?:option|variante|plan)\b"),
    )
))  # fmt: skip
_STOP_WORDS = ("block", "showstopper", "hindernis", "holding up")
"""Without one of these no such pattern can match, and to look for them is faster."""


def settled(sentence: Sentence) -> Iterator[tuple[Part, str]]:
    """What a sentence says is over, if its words are those of something open."""
    if SETTLING.keys().isdisjoint(sentence.words):
        return
    begins = _SETTLES.match(sentence.text)
    if begins:
        yield SETTLING[begins.group(1).lower()], sentence.text[begins.end() :]
    ends = _IS_SETTLED.search(sentence.text)
    if ends and ends.start():
        yield SETTLING[ends.group(1).lower()], sentence.text[: ends.start()]


def phase_in(sentence: Sentence) -> str | None:
    """The phase that a sentence says is entered, or is the one of now."""
    if "phase" not in sentence.folded:
        return None
    for pattern in (_ENTERS, _NAMED_PHASE, _IN_PHASE, _PHASE_IS, _PHASE_BEGINS):
        found = pattern.match(sentence.early)
        if found:
            late = sentence.text[SENTENCE_CHARACTERS_MAX:] if found.end() == len(sentence.early) else ""
            said = found.group(1) + late
            return said[:1].upper() + said[1:]
    return None


def blocker_in(sentence: Sentence) -> str | None:
    """What a sentence says is in the way."""
    early, text = sentence.early, sentence.text
    stops = any(word in sentence.folded for word in _STOP_WORDS)
    if stops:
        if _UNBLOCKED.search(early):
            return None
        found = _BLOCKED.match(early)
        if found and text[found.end() :].strip():
            return text[found.end() :]
        if _BLOCKS.match(early):
            return text
    if (applies(_STUCK, sentence, (0,)) or applies(_MUST_FIRST, sentence)) and not is_condition(sentence):
        return text
    return None


def decides(sentence: Sentence, *, commands: bool) -> bool:
    """Whether a sentence tells a decision. Only of somebody who may command, "we use" is one and not a plan."""
    if not _AGREED_WORDS.isdisjoint(sentence.words) and _AGREED.match(sentence.early):
        return True
    if not commands or _CHOSEN.words.isdisjoint(sentence.words):
        return False
    return applies(_CHOSEN, sentence, leads(_SO, sentence, 1))
