"""Owns orders of a sentence: whom to obey instead, what counts no more, what to show and to approve, whom to tell.

The words of each demand are few and rare, because the search through a batch looks for the same ones.
"""

from hansard.domain.tricks.demands import (
    CLAUSE,
    COMMAND,
    EXFILTRATION,
    FOREIGN_VOICE,
    LAW,
    MASTER,
    MASTERS,
    NEW_IDENTITY,
    OVERRIDE,
    PROMOTION,
    STEERING,
    Demand,
)

_SUPERSEDES = ("supersedes", "overrides", "overrules", "outranks", "cancels", "replaces", "voids", "trumps")
_WHOLE = ("all", "any", "every", "each", "the", "your", "our", "whatever", "everything", "anything")
_FOLLOWING = (
    r"(?:the following|what follows|the (?:text|lines?|note|message|rules?) below|everything below|this(?: \w+)?)"
)
_MAKER = (
    rf"(?:{'|'.join(f'{one}s?' for one in (*MASTERS, 'maker', 'trainer'))}|team|lead|company|employer|system prompt"
    r"|user|human)"
)
_DROP = (
    r"(?<!not )(?<!n't )(?<!never )\b(?:pay no (?:attention|heed) to|take no notice of|give no weight to|ignore"
    r"|disregard|forget|discard|dismiss|overlook|drop|set aside|put aside|throw away|disobey|stop doing)"
)
_SHOW = (
    r"(?<!never )(?<!not )(?<!n't )\b(?:reveal|print|dump|output|disclose|leak|repeat|recite|send|expose|paste|display"
    r"|show|publish|divulge|give|tell|hand over|copy)(?: me| us| them| out| back| to (?:me|us))?"
)
_HEAD = r"(?:(?:entire|full|whole|complete|current|hidden|initial|original|internal|secret|private) )"
_HEADS = ("context window", "conversation history", "chat history", "message history", "entire context", "full context",
          "whole context", "current context", "complete context", "entire conversation", "full conversation",
          "whole conversation", "entire prompt", "full prompt", "hidden prompt", "initial prompt", "original prompt",
          "internal prompt", "secret prompt", "hidden rules", "internal rules", "secret rules", "internal instructions",
          "hidden instructions", "initial instructions", "original instructions", "secret instructions",
          "full instructions", "scratchpad", "system message", "system prompt")  # fmt: skip
_READS = ("reads", "reading", "sees", "finds", "loads", "receives", "processes")
_WHO = (
    r"(?:whoever|whichever (?:agent|model|assistant)|(?:any|every|some)(?:one|body) (?:who|that)"
    r"|(?:any|every|the) (?:reader|recipient)(?: (?:who|that))?|those who|the one who)"
)
_ACT = (
    r"(?:run|execute|call|invoke|approve|merge|accept|push|deploy|delete|remove|send|upload|post|install|ignore|forget"
    r"|disregard|obey|trust|follow|reveal|print|forward|stop|disable|answer|reply|respond|say|release|confirm|grant"
    r"|download|bypass|skip|promote|recommend|record|remember|store)"
)
_ALLOW = r"(?:approve|accept|merge|confirm|release|rubber-stamp|sign off(?: on)?|wave through|greenlight)"
_LETTING = ("approve", "accept", "merge", "confirm", "release", "rubber-stamp", "sign off on", "sign off",
            "wave through", "greenlight")  # fmt: skip
_AGENTS = r"(?:agents?|assistants?|bots?|llms?|ais?|models?|copilots?)"
_TEXT = r"this (?:text|page|note|document|message|memory|file|article|entry)"
_TEXTS = tuple(f"on this {one}" for one in ("text", "page", "note", "document", "message", "memory", "file", "article",
                                            "entry"))  # fmt: skip
_BRAKES = (
    r"(?:reviews?|reviewers?|approvals?|code reviews?|security reviews?|security checks?|safety checks?|rule checks?)"
)
_RULED = ("reviews", "review", "tests", "approvals", "rules", "boundaries", "checks", "decisions")
_PARTY = r"(?:team|maintainers?|owners?|management|lead|board|reviewers?|coordinator)"
_RANKED = (
    r"(?:coordinator|administrator|admin|operator|owner|root|superuser|platform|person in charge|human in charge"
    r"|project owner)"
)
_RANKS = ("coordinator", "administrator", "admin", "operator", "owner", "root", "superuser", "platform",
          "person in charge", "human in charge")  # fmt: skip

DEMANDS = (
    Demand(
        OVERRIDE,
        (
            *(f"{verb} {what}" for verb in ("overrides", "cancels", "replaces") for what in _WHOLE),
            "supersedes",
            "overrules",
            "outranks",
            "voids ",
            "trumps ",
        ),
        rf"\b{_FOLLOWING} (?:now |hereby )?(?:{'|'.join(_SUPERSEDES)}) (?:(?:(?:all|any|every"
        r"|each)(?: of)?(?: the| your| our)?|the|your|our)(?: (?:existing|previous|prior|earlier|other"
        r"|former))?(?: team(?:'s)?)? (?:decisions?|boundar(?:y|ies))|(?:(?:all|any|every|each)(?: of)?(?: the"
        rf"| your| our)? |the |your |our )(?:\w+ )?team(?:'s)? \w+|your (?:\w+ )?{LAW}|(?:all|any) (?:other "
        r"|your )?(?:previous|prior|earlier|other) (?:instructions|guidelines|directives|orders|prompts"
        r"|guidance)|(?:whatever|all|everything|anything) you)\b(?! (?:of|in|for|from) (?:the )?(?:linter|parser"
        r"|firewall))",
    ),
    Demand(
        OVERRIDE,
        (
            "new system prompt",
            "new prompt:",
            "new prompt :",
            "updated system prompt",
            "new system message",
            "updated prompt:",
            "real system prompt",
            "actual system prompt",
        ),
        r"\b(?:new|updated|real|actual) (?:system )?(?:prompt|message) ?:(?! (?:(?:see|in"
        r"|is in) )?[\w.-]+(?:/[\w.-]+)+\.?(?: |$))",
    ),
    Demand(
        OVERRIDE,
        ("what your", "whatever your", "anything your", "everything your", "all that your"),
        rf"{_DROP} (?:what|whatever|anything|everything"
        rf"|all)(?: that)? your (?:\w+ )?{_MAKER} (?:\w+ ){{0,2}}?(?:told|asked|ordered|instructed|taught"
        r"|required|said|wrote|want|wanted|says|wants|tells|asks|trained|gave|demand\w*)\b",
    ),
    Demand(
        NEW_IDENTITY,
        tuple(
            f"your{which} {who}"
            for which in ("", " new", " only", " true", " real", " sole", " now")
            for who in MASTERS
        ),
        r"\b(?:treat|regard|consider|see|accept|think of|recogni[sz]e|view|obey|serve"
        rf"|acknowledge) [^.\n]{{1,60}}?\bas your (?:new |only |true |real |sole )?{MASTER}\b|\b(?:is|am"
        rf"|are) (?:now your|your new|now your new|your only|your real) {MASTER}\b",
    ),
    Demand(
        EXFILTRATION,
        _HEADS,
        rf"{_SHOW} (?:(?:the|all|all of|any of) )?(?:(?:contents?|text|whole|words|rest) of )?(?:the "
        rf"|all (?:of )?)?your {_HEAD}?{_HEAD}?(?:context(?: window)?|(?:conversation|chat|message) history"
        r"|conversation|system (?:prompt|message)|prompt|instructions|rules|scratchpad)\b(?! (?:with|in|from|to"
        r"|for|of) (?:--|the (?:log|debug|console|terminal|support|repo)))",
    ),
    Demand(
        EXFILTRATION,
        tuple(
            f"{verb}{all_of} your"
            for verb in ("dump", "print", "reveal", "leak", "output", "disclose", "list")
            for all_of in ("", " all")
        ),
        r"(?<!never )(?<!not )(?<!n't )\b(?:dump|print|reveal|leak|output|disclose"
        r"|list)(?: all)? your (?:\w+ )?(?:memor(?:y|ies)|tools|instructions|guidelines"
        r"|environment)(?: \w+)?(?: to (?:me|us|the requester|the user|the caller|the sender)| verbatim"
        r"| word for word|[.!]? ?$|[.!;,] )",
    ),
    Demand(
        PROMOTION,
        tuple(f"{one} {what}" for one in _LETTING for what in ("everything", "anything", "whatever", "all")),
        rf"(?:{CLAUSE}|\byou (?:now |always |must |should |will |shall |may )*|\bto )(?:always |blindly "
        rf"|simply )*{_ALLOW} (?:everything|anything|whatever|all)(?: that| which)? (?:(?:the |an? |any |every "
        r"|all )?[\w.-]+) (?:proposes?|submits?|sends?|asks?(?: for)?|wants?|suggests?|requests?|says?|offers?"
        rf"|writes?|records?)\b|(?:{CLAUSE}|\byou (?:now |always |must |should |will |shall )*)(?:always "
        rf"|blindly |simply )*{_ALLOW} (?:everything|anything)(?: (?:from now on|without (?:a )?(?:question"
        rf"|review)\w*|at once|you (?:see|get)))?(?:[.!]? ?$|[.!;,] )|{CLAUSE}(?:always "
        rf"|blindly ){_ALLOW} all (?:requests|changes|suggestions|merges)\b",
    ),
    Demand(
        OVERRIDE,
        (
            *(
                f"{verb} {which}"
                for verb in (
                    "disregard",
                    "bypass",
                    "omit",
                    "waive",
                    "leave out",
                    "dispense with",
                    "do without",
                    "forgo",
                )
                for which in ("all", "any", "every", "further", "the")
            ),
            *(f"{verb} {which}" for verb in ("ignore", "skip") for which in ("all", "any", "every", "further")),
            *(
                f"{verb} the {what}"
                for verb in ("ignore", "skip")
                for what in ("review", "code review", "security", "approval")
            ),
        ),
        rf"{CLAUSE}(?:disregard|ignore|bypass|skip|omit|waive|leave out|dispense with|do without|forgo) (?:(?:all"
        rf"|any|every|further|the) )+{_BRAKES}(?! (?:by|of|on|in|for|from(?! now)|with|if|when|where|until|about"
        r"|that|who|which|queue|step|comments?|process|app|page|form)\b)(?:[.!]? ?$|[.!;,] | and | from now on)",
    ),
    Demand(
        COMMAND,
        (
            *(f"{verb} this" for verb in _READS),
            "you read this",
            "who read this",
            "you see this",
            "who see this",
            "seeing this",
            "processing this",
        ),
        rf"\b{_WHO} (?:is |are )?(?:reads?|reading|sees?|finds?|loads?|receives?"
        r"|process(?:es)?) this(?: \w+)?,? (?:now )?(?:must|should|shall|has to|have to|needs to|is to"
        rf"|is required to|please)(?: now| first| at once)* {_ACT}\b|\b(?:if|since|because|now that) you(?:'re"
        r"| are)? (?:read(?:ing)?|see(?:ing)?|process(?:ing)?) this(?: (?:text|note|message|memory|page|line"
        r"|sentence))?,? (?:then |please |you must |you should |you have to |now "
        rf"|immediately )*{_ACT}\b(?! (?:us|our|the (?:docs|documentation|link|steps|instructions)))",
    ),
    Demand(
        PROMOTION,
        tuple(
            f"{verb} {which}"
            for verb in ("tell", "instruct", "order", "command", "convince", "persuade")
            for which in ("every", "all", "each", "other", "the other")
        ),
        r"(?<!not )(?<!n't )(?<!never )\b(?:tell|instruct|order|command|convince|persuade) (?:every|all|each"
        rf"|all the|the other|other|all other|every other)(?: ai| coding| future)? {_AGENTS}(?: (?:to|that)\b"
        rf"| {_ACT}\b)",
    ),
    Demand(
        STEERING,
        (
            *_TEXTS,
            "only on the following",
            "other sources",
            "all other memories",
            "every other memory",
            "any other source",
            "other memories",
        ),
        r"\bbase (?:all )?(?:of )?your (?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|decisions?|work) (?:only"
        rf"|solely|exclusively|entirely|just) (?:up)?on (?:{_TEXT}|the following|what follows)\b"
        rf"|{CLAUSE}(?:only )?(?:disregard|ignore|forget|discard|distrust) (?:(?:all|any|every|the"
        r"|of) )*other (?:sources?|memor(?:y|ies)|notes|records)(?:[.!]? ?$|[.!;,] )",
    ),
    Demand(
        OVERRIDE,
        tuple(
            f"{verb} {end}"
            for verb in ("are", "is", "now")
            for end in (
                "optional",
                "not needed",
                "unnecessary",
                "waived",
                "suspended",
                "off",
                "not required",
                "no longer needed",
                "no longer required",
                "abolished",
                "obsolete",
                "not binding",
            )
        ),
        rf"\b{_PARTY} (?:has|have|had)?(?: now| already| just)* ?(?:decided|agreed|ruled|voted|concluded"
        rf"|confirmed)(?: that)? (?:all |the |any )?(?:\w+ )?(?:{'|'.join(_RULED)}) (?:are"
        r"|is)(?: now)? (?:optional|not (?:needed|required|binding)|unnecessary|waived|suspended|off"
        r"|no longer (?:needed|required)|abolished|obsolete)\b",
    ),
    Demand(
        STEERING,
        tuple(
            f"to {each} {what}"
            for each in ("every", "each", "all", "any")
            for what in ("answer", "reply", "of your", "your")
        ),
        rf"{CLAUSE}(?:always )?(?:append|add|attach|prepend|insert) [^.\n]{{1,60}}? to (?:every|each|all"
        r"|any)(?: one)?(?: of)?(?: your)? (?:(?:answers?|repl(?:y|ies))(?! (?:with|of|from|that|in) (?:the|a"
        r"|an)\b)|(?<=your )(?:messages?|responses?|commits?|summar(?:y|ies)))\b",
    ),
    Demand(
        PROMOTION,
        tuple(
            f"hansard guard {verb} {what}"
            for verb in ("release", "confirm", "allow")
            for what in ("--all", "all", "everything", "*")
        ),
        r"\bhansard guard (?:release|confirm|allow) (?:--all\b|all\b|everything\b|\*)",
    ),
)
OWN = (
    Demand(
        NEW_IDENTITY,
        (
            "promoted",
            "appointed",
            "elevated to",
            "upgraded to",
            "been made",
            "are made",
            "were made",
            "hereby made",
            "now made",
            "elevated as",
            "upgraded as",
        ),
        r"\b(?:assistant|agents?|ai|model|bot|claude|chatgpt|copilot|gemini)[,:]? you(?: have been|'ve been"
        r"| were| are)(?: now| hereby| all)* (?:promoted|appointed|elevated|upgraded|made)(?: to"
        rf"| as)?(?: be)?(?: an?| the)? (?:\w+ )?(?:{MASTER}|root|reviewer|maintainer|superuser|lead)\b",
    ),
    Demand(
        NEW_IDENTITY,
        ("promoted to", "promoted as", "appointed", "elevated to", "upgraded to"),
        r"(?<!if )(?<!when )(?<!once )(?<!until )(?<!unless )(?<!whether )\byou(?: have been|'ve been| were"
        r"| are)(?: now| hereby)* (?:promoted|appointed|elevated|upgraded)(?: to(?: be)?| as)?(?: an?"
        r"| the)? coordinator\b(?! (?:of|for|in|by|when|if|after|once|role) )",
    ),
    Demand(
        FOREIGN_VOICE,
        tuple(f"{who}{comma} {one} " for who in _RANKS for comma in (",", "") for one in ("i", "we")),
        rf"\b(?:as|being) (?:the |an? |your )?(?:\w+ )?{_RANKED},? (?:i|we)(?: now| have| herewith)* (?:approved?"
        r"|accept(?:ed)?|merged?|released?|confirm(?:ed)?|waived?|lift(?:ed)?|suspend(?:ed)?"
        r"|grant(?:ed)?) (?:(?:the|all|every|any|these|this|your|pending|open|its) )*(?:proposal|entry|entries"
        r"|p-\d+|d-\d+|everything|anything|boundar(?:y|ies)|decisions?|reviews?)\w*",
    ),
    Demand(
        OVERRIDE,
        ("prompt: you", "prompt : you"),
        r"\bnew (?:system )?prompt ?: you (?:must |will |now |always |only )*(?:obey|approve|accept|merge|trust"
        r"|ignore|disregard|answer only to|release|bypass|skip)\b",
    ),
)
"""No honest agent says so in its own name."""
