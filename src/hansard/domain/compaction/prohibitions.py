"""Owns the sentences that bind whoever reads them: they forbid, reserve or protect something."""

import re

from hansard.domain.compaction.rules import Sentence, applies, is_condition, leads, rule, rules

_LEAD = re.compile(
    r"(?:please|pls|plz|also|and|but|so|ok(?:ay)?|again|remember|reminder|note|nb|important|caution|warning"
    r"|attention|btw|just|oh"
    r"|yes|no|finally|first|as always|for now|bitte|wichtig|achtung|hinweis|auch|und|aber|also|nochmal|ja"
    r"|nein)\b[,:!.]*[*_]* ?",
    re.IGNORECASE,
)
_LEADS_MAX = 3
_IDLE = (
    r"(?! (?:worry|bother|mind|know|think|care|see|understand|have|want|need|remember|get|believe|recall"
    r"|hesitate|forget me"
    r"|seen|heard|had|been|got|saw|heard|was|were|did|expect|feel|like|recognize|look like|seem|quite|really know)\b)"
)
_TASK = (
    r"(?:change|touch|edit|modify|use|write|read|run|deploy|commit|push|work|look|delete|install|merge|log|access|call"
    r"|alter|move|add|create|send|share|publish)"
)
_NOT = "not never t"
"""In `don't` and its like, the last word is a `t`."""
_SHORT = "mustnt maynt shouldnt shallnt cant couldnt neednt oughtnt mustt mayt shouldt shallt couldt needt oughtt"
_PRONOUN = r"(?:it|this|that|there|they|he|she|i|which)\b"

_FORBIDS = (
    rule("sure certain",
         r"(?:make|be) (?:sure|certain)(?: that)?(?: (?:you|we|to|it|they))?(?: (?:never|not|do not|don['’]?t)\b"
         r"| (?:no|nothing|nobody)\b)"),
    rule("sure ensure see",
         r"(?:make sure|ensure|see to it)(?: that)? .*"
         r"\b(?:never|not|nothing|nobody|stays?|remains?|unchanged|only|no)\b"),
    rule("not never",
         r"(?:be careful|take care|try|remember|be sure|you['’]re|we['’]re|you are|we are)(?: to)? (?:not to"
         r"|never to|not|never) "),
    rule(f"{_NOT} cannot {_SHORT}",
         r"(?:you|we|u) (?:cannot|cant|(?:must|may|should|shall|can|could|need|ought)"
         r"(?: not| never|n?['’]?t)(?: to)?)\b" + _IDLE),
    rule(f"{_NOT} {_SHORT}", r"(?:must|may|shall|should)(?: not| never|n['’]?t)\b" + _IDLE),
    rule(f"{_NOT} don dont donot",
         r"(?:never|do not|do n['’]t|don['’]?t|don t|dont|donot)(?: (?:ever|you dare))?\b" + _IDLE),
    rule("always", r"always\b(?! (?:the|a|been|happy|fun|good|nice)\b)"),
    rule("only", rf"(?:only ever|only {_TASK}|{_TASK} (?:\w+ ){{0,2}}only)\b"),
    rule("no", r"(?:under no circumstances|in no case|at no (?:time|point)|on no account|by no means|no way)\b"),
    rule("no",
         r"no [\w-]+(?: [\w-]+){0,4} (?:without|unless|until|before|except|outside|on|in|to|into|from|for|with)\b"
         r"(?! (?:me|it|this|that|the (?:first|meantime))$)(?!.*\b(?:found|yet|so far|needed|detected|failed)\b)"),
    rule("no",
         r"no (?:more |direct |new |force[ -]?|hard[ -]?|manual |other |further |breaking |external |third[ -]party )*+"
         r"(?:push(?:es|ing)?|commits?|deploy\w*|writes?|delet\w+|edits?|edit\w+|secrets?|passwords?|credentials"
         r"|dependenc\w+|packages?|downtime|data loss|changes?|schema|migrations?|network|internet|rebas\w+|merg\w+"
         r"|telemetry|tracking|rewrit\w+|refactor\w+|eval|sudo|root|plain ?text)\b"
         r"(?!.*\b(?:were|was|are|is|found|yet|so far|needed|necessary|detected|made|here)\b)"),
    rule("nobody no noone none nothing not neither",
         r"(?:nobody|no ?one|none|nothing|not a single|neither)\b.*"
         r"\b(?:may|must|should|shall|can|gets?|leaves?|goes|is to|is allowed|are allowed|ever)\b"
         r"(?! (?:be wrong|help))"),
    rule("want wish like",
         r"i (?:do not|don['’]?t|never|would not|wouldn['’]t) (?:want|wish|like) (?!to\b|it to work)\S"),
    rule("rather prefer",
         r"i(?: would|['’]d) (?:rather|prefer)(?: that| it if)? (?:you|we|not|no)\b.*(?:\b(?:not|never|no)|n['’]t)\b"),
    rule("forbid prohibit insist", r"i (?:forbid|prohibit|insist)\b"),
    rule("stop quit cease", r"(?:stop|quit|cease) \w+ing\b"),
    rule("watch", r"watch out (?:not|never) to\b"),
    rule("condition conditions", r"under no conditions?\b"),
    rule("ok okay acceptable fine alright",
         r"it(?:['’]s| is) (?:not|never) (?:ok|okay|acceptable|fine|alright) to\b"),
    rule(f"{_NOT} dont",
         r"we (?:do not|don['’]?t|never) (?:log|store|commit|push|deploy|touch|delete|share|allow|accept|ship"
         r"|merge|write|send|expose|hard-?code|break|change|install|track|sell|publish)\b"),
    rule("only", r"only (?:i|we|[\w-]+(?: [\w-]+)?) (?:may|can|is allowed to|are allowed to)\b"),
    rule("before first prior",
         r"(?:first,? |always )?(?:ask|check|confirm|consult|get|obtain|wait|tell|talk|run|clear|let|inform|warn"
         r"|request|seek|ping)\b.*?"
         r"\b(?:me|us|my|our|permission|approval|confirmation|consent|sign-?off|ok|okay|go-?ahead)\b",
         then=r"\b(?:before|first|prior to)\b"),
    rule("before first", r"(?:ask|check|confirm)(?: first| before)\b"),
    rule("before",
         r"before .*?\b(?:ask|check with|confirm|consult|get|wait for|tell|talk to)\b",
         then=r"\b(?:me|us|my|our|first|approval|permission)\b"),
    rule("leave",
         r"leave .*\b(?:alone|as(?: it)? is|as they are|as it was|untouched|unchanged|intact|in place|be)\b"),
    rule("keep",
         r"keep .*\b(?:unchanged|intact|as(?: it)? is|as they are|untouched|read-?only|private|secret|confidential"
         r"|stable|compatible|backwards?[ -]compatible|out of|away from|off|the same|frozen|alone|offline"
         r"|encrypted|local)\b"),
    rule("keep",
         r"keep (?!(?:me|us|on|at|up|in mind)\b|\w+ing\b).*"
         r"\b(?:alive|running|online|available|supported|enabled|until)\b"),
    rule("read",
         r"read[ -]only (?:access |mode )?(?:to|on|for|in)\b(?!.*\b(?:is|are|was|were|works?|worked|fail\w*|gave)\b)"),
    rule("hands", r"(?:hands|keep (?:your )?hands) off\b"),
    rule("stay", r"stay (?:away|out|off|clear|within|inside|below|under)\b"),
    rule("steer avoid refrain abstain stick preserve protect beware",
         r"(?:steer clear of|avoid|refrain from|abstain from|stick to|preserve|protect|beware of)\b"),
    rule("limit restrict confine",
         r"(?:limit|restrict|confine) (?:yourself|your|the|all|any|changes|edits|work|it)\b"),
    rule("no", r"(?:there )?(?:must|may|shall|should) be no\b"),
    rule("not", r"not (?:allowed|permitted)\b"),
)  # fmt: skip
_MUST_NOT = (
    rule("must shall mustn shalln mustnt shallnt", r"\b(?:must|shall)(?: not| never|n['’]?t)\b(?! have\b)"),
    rule("always only stay remain keep ask kept left first",
         r"\b(?:must|have to|has to|should|shall|need to|needs to) (?:always|only|stay|remain|keep|ask|be kept"
         r"|be left|first ask)\b"),
    rule("may should mayn shouldn maynt shouldnt",
         r"\b(?:may|should)(?: not| never|n['’]?t)\b(?! (?:work|exist|matter|need|have"
         r"|know|want|take|happen|fail|break|hurt|apply|help|surprise|cause"
         r"|be (?:the|a|an|able|enough|possible|right|correct|needed|necessary|in|available|true|ideal|worth|clear"
         r"|there|too|that|so|hard|difficult|relevant|required))\b)",
         unless=_PRONOUN),
    rule("forbidden prohibited allowed permitted banned limits go taboo untouchable frozen immutable confidential read"
         " bounds verboten untersagt tabu erlaubt gestattet unantastbar",
         r"\b(?:is|are|be|it['’]s|stays?|remains?|ist|sind|bleibt|bleiben) "
         r"(?:strictly |absolutely |streng |absolut |a )?"
         r"(?:forbidden|prohibited|not allowed|not permitted|banned|off[ -]limits|no-go|taboo|untouchable|frozen"
         r"|immutable|confidential|read[ -]only|out of bounds|verboten|untersagt|tabu|nicht erlaubt|nicht gestattet"
         r"|unantastbar)\b",
         unless=r".*\bno longer\b"),
    rule("not never", r"\b(?:is|are) (?:not|never) to be\b"),
    rule("must",
         r"\bmust (?:all |both )?be (?:\w+ly )?(?:\w+ed|kept|written|sent|run|left|hidden|read)\b",
         unless=r"(?:it|this|that|there|i)\b"),
    rule("approval review permission sign signoff consent",
         r"\b(?:needs?|requires?) (?:\w+ )?(?:my |our |a |explicit |prior |an )?(?:approval|review|permission"
         r"|sign-?off|consent)\b"),
    rule("must", r"\bmust ", then=r"\bbefore (?:you|we|it|they|any|every|each|a|the)\b"),
    rule("stay stays", r"\bstays? (?:in|on|within|private|secret|local|unchanged|as)\b"),
    rule("without",
         r"\bwithout (?:touching|changing|breaking|deleting|modifying|altering)\b",
         unless=r"(?:i|it|we|they|he|she)\b"),
    rule("allowed permitted supposed authorised authorized",
         r"\b(?:not|isn['’]t|aren['’]t) (?:allowed|permitted|supposed|authori[sz]ed) to\b"),
    rule("without",
         r"\bwithout (?:first |ever )?(?:asking|my|our|explicit|prior|written|permission|approval|confirmation"
         r"|consent|review)\b"),
)  # fmt: skip
_ALSO_FORBIDS = (
    rule(f"{_NOT} dont leave hands ask without",
         r"(?:[,;:(—–-] ?|\b(?:but|and|just|so|then) )(?:but |and |just |so )?(?:please )?"
         r"(?:never (?!\w+ed\b)|do not |don['’]?t |must not |leave .{1,60}\b(?:alone|untouched|unchanged)\b"
         r"|hands off |ask me before |without (?:touching|changing|breaking|deleting|modifying) )"
         r"(?!(?:worry|bother|mind|know|think|care|see|understand|have|want|need|remember|get|believe|recall|hesitate"
         r"|saw|got|had|was|were|came|heard|seen|been|found|did|went|expect|feel|like)\b)"),
)  # fmt: skip

_NEIN = r"(?:nicht|nie|niemals|kein(?:e[nrms]?)?|nichts|keinesfalls)"
_KEIN_WORDS = "kein keine keinen keiner keinem keines"
_NEIN_WORDS = f"nicht nie niemals nichts keinesfalls {_KEIN_WORDS}"
_GERMAN = (
    rule("keinen keinem keinesfalls niemals",
         r"(?:auf keinen fall|unter keinen umständen|in keinem fall|keinesfalls|niemals)\b"),
    rule("nur immer stets ausschließlich",
         r"(?:nur|immer|stets|ausschließlich) ", then=r"\w(?:en|ern|eln)[.!]*$"),
    rule(_NEIN_WORDS,
         r"(?:lösch|änder|fass|push|commit|deploy|schreib|berühr|verwend|benutz|führ|mach|logg?|speicher|veröffentlich"
         r"|installier|verschick|send|greif|geh|rühr|nimm|starte|überschreib|teil)\w*\b", then=rf"\b{_NEIN}\b"),
    rule("ruhe unverändert wie unangetastet unberührt finger",
         r"lass\w*\b.*\b(?:in ruhe|unverändert|wie (?:es|sie|er) (?:ist|sind)|unangetastet|unberührt|finger)\b"),
    rule("weg", r"(?:finger|hände) weg\b"),
    rule(_KEIN_WORDS,
         r"kein(?:e[nrms]?)? (?!ahnung|sorge|problem|frage|idee|fehler|zeit|thema|eile|ursache"
         r"|tests? )[\w-]+(?: [\w-]+)? (?:auf|am|an|in|im|ins|ohne|vor|für|mit|zu|zur|nach|außer)\b"),
    rule("fragen", r"vor (?:dem|der|jedem|jeder) .*\bfragen\b"),
    rule("bevor vorher zuerst erst vor", r"frag\w*\b", then=r"\b(?:bevor|vorher|zuerst|erst|vor)\b"),
    rule("fragen", r"(?:erst|vorher|immer erst|zuerst) (?:\w+ )?fragen\b"),
    rule("bevor", r"bevor .*\bfrag\w*"),
    rule("dass", r"(?:ich|wir) (?:will|möchte|wollen|möchten|wünsche) nicht,? dass\b"),
    rule("verboten untersagt erlaubt", r"(?:es ist|das ist|ist) (?:streng )?(?:verboten|untersagt|nicht erlaubt)\b"),
)  # fmt: skip
_GERMAN_ANYWHERE = (
    rule("bleibt bleiben", r"\bbleib(?:t|en) (?:\w+ )?(?:unverändert|gleich|geheim|wie|unangetastet|so)\b"),
    rule("ohne",
         r"\bohne (?:meine|unsere|ausdrückliche|vorherige|rück|zustimmung|zu fragen|freigabe|genehmigung|erlaubnis)"),
)  # fmt: skip
_GERMAN_MUST = (
    rule("darf dürfen darfst dürft", r"\b(?:darf|dürfen|darfst|dürft)\b", then=rf"\b(?:{_NEIN}|nur|niemand)\b"),
    rule("soll sollen sollst sollte sollten muss müssen",
         r"\b(?:soll|sollen|sollst|sollte|sollten|muss|müssen)\b",
         then=rf"\b(?:{_NEIN}|nur|unverändert|bleiben|geheim)\b"),
    rule(_NEIN_WORDS,
         rf"\b{_NEIN}\b(?! (?:gesehen|gehört|verstanden))",
         then=r"\b(?!ge)\w+(?:en|ern|eln)[.!]*$(?<!fragen[.!])(?<!fragen)(?<!sorgen)"
         r"(?<!sorgen[.])(?<!haben)(?<!haben[.])(?<!worden[.])(?<!worden)"),
)  # fmt: skip
_ANYWHERE = rules(*_ALSO_FORBIDS, *_GERMAN_ANYWHERE)
_UNCONDITIONAL = rules(*_MUST_NOT, *_GERMAN_MUST)
_FROM_THE_START = rules(*_FORBIDS, *_GERMAN)


def forbids(sentence: Sentence) -> bool:
    """Whether a sentence binds whoever reads it: it forbids, reserves or protects something."""
    if not _FROM_THE_START.words.isdisjoint(sentence.words):
        starts = leads(_LEAD, sentence, _LEADS_MAX)
        if applies(_FROM_THE_START, sentence, starts):
            return True
    return applies(_ANYWHERE, sentence) or (applies(_UNCONDITIONAL, sentence) and not is_condition(sentence))
