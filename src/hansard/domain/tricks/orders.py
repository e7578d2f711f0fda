"""Owns what a page must not tell its reader to do: drop what it was told, send secrets, hide, run, raise something.

The words of each demand are few and rare, because the search through a batch looks for the same ones.
"""

from hansard.domain.tricks.demands import (
    AWAY,
    CLAUSE,
    COMMAND,
    CONCEALMENT,
    EXFILTRATION,
    OVERRIDE,
    PEOPLE,
    PROMOTION,
    SECRETS,
    Demand,
)
from hansard.domain.tricks.sequences import Link

_OVER = (
    r"(?:void|cancell?ed|revoked|lifted|suspended|rescinded|withdrawn|annulled|null|invalid|obsolete|outdated|expired"
    r"|superseded|wrong|false|a lie|over|off)"
)
_RULES = (
    r"(?:rules|guidance|instructions?|directives?|guidelines|orders|boundaries|decisions|restrictions|constraints"
    r"|briefing|prompts?)"
)
_PAST = r"(?:were|was|have been|had been|'ve been|are|had)"
_OFF = (
    r"(?<!not )(?<!n't )(?<!never )\b(?:ignor|bypass|disabl|circumvent|evad|deactivat|disregard|overrid"
    r"|turn(?:ing)? off"
    r"|switch(?:ing)? off|get(?:ting)? (?:a)?round|skip(?:p)?)(?:e|ing)?"
)
_TAKEN = ("key", "keys", "token", "tokens", "secret", "secrets",
           "credentials", "password", "passwords", ".env", "id_rsa",
          "cookie", "cookies", "variables")  # fmt: skip
_SELF = tuple(
           f"this {one}" for one in ("memory", "note", "entry", "record", "text", "message", "fact", "lesson", "line",
                                        "sentence"))  # fmt: skip
_THIS = r"this (?:memory|note|entry|record|text|message|fact|lesson|line|sentence)"
_SHELL = r"(?:eval|source|exec|iex|invoke-expression|(?:ba|z|da|k|fi)?sh|python\d?|perl|node|ruby|php)"

DEMANDS = (
    Demand(OVERRIDE, ("you were told",
           "you have been told", "you've been told", "you had been told", "you were taught",
                      "you have been taught", "told you", "you were previously told", "you were originally told",
                      "you were earlier told", "you were first told", "you were instructed", "you were once told"),
           rf"\b(?:what|whatever|everything|anything|all)(?: that)? you {_PAST} (?:\w+ )?(?:told|taught|instructed)\b"
           r"|\byou were (?:previously|originally|earlier|once|first) told\b"
           r"|\b(?:earlier|previously|before),? you (?:were|have been|had been) (?:told|instructed)\b"
           r"|\bwhatever (?:[\w']+ ){1,3}(?:has |have )?told you\b"),
    Demand(OVERRIDE, ("you were given",
           "you have been given", "you received", "you got", "you were taught", "you learned",
                      "you learnt", "you've learned", "you have learned", "you know"),
           rf"\b{_RULES}(?: that| which)? you (?:were given|have been given|were taught|received|got)\b[^.\n]{{0,40}}"
           rf"\b(?:is|are|was|were)(?: now| hereby| all)* {_OVER}\b"
           r"|\b(?:everything|all|what)(?: that)? you(?:'ve| have)? (?:learned|learnt|know|were taught)"
           rf"(?: so far| before| until now)? (?:is|was) (?:now )?{_OVER}\b"),
    Demand(OVERRIDE, tuple(
           f"{when} {what}" for when in ("previous", "prior", "earlier", "former", "preceding") for what in
                           ("rule", "guidance",
           "instruction", "directive", "guideline", "order", "boundar", "decision",
                            "restriction", "constraint", "briefing", "prompt", "team ", "system ")),
           rf"\b(?:previous|prior|earlier|former|preceding) (?:team |system )?{_RULES} (?:is|are|was|were"
           rf"|has been|have been)"
           rf"(?: now| hereby| all)* {_OVER}\b"),
    Demand(OVERRIDE, ("guardrail", "safeguard", "safety filter", "safety check", "safety rule", "safety measure",
                      "safety feature", "safety training", "safety guideline", "the guard", "your guard"),
           rf"{_OFF}(?: (?:all|any|every|the|your|these|our|its|of))* (?:safety )?(?:guardrails?|guard)\b(?! \w)"
           rf"|{_OFF}(?: (?:all|any|every|the|your|these|our|its|of))+ (?:safety )?(?:guardrails?|safeguards?)\b"
           rf"|{_OFF} your (?:own )?safety \w+"),
    Demand(OVERRIDE, ("exempt from", "excused from", "released from", "free from", "freed from", "opposite of",
                      "do the opposite"),
           r"\byou(?: are|'re) (?:now |hereby )?(?:exempt|excused|released|freed?) from (?:(?:the|all|any|your"
           r"|these|every)"
           rf" )*(?:{_RULES}|review|guard|limits)\b"
           rf"|\bdo the opposite of (?:what )?(?:the |your |these |our )*(?:\w+ )?(?:{_RULES}|team|system|user"
           rf"|developer)\b"
           r"|(?:^|[.!?;:,] )do the opposite[.!]?(?: |$)"),
    Demand(OVERRIDE, ("no boundar", "no decision", "no rule", "no restriction", "no instruction", "break the",
                      "break all", "break any", "break every"),
           r"\bno (?:boundar(?:y|ies)|decisions?|rules?|restrictions?|instructions?) (?:applies|apply|holds?"
           r"|binds?|counts?)"
           r" (?:here|to you|any ?more|below|now)\b"
           r"|(?:^|[.!?;:] )break (?:the|all|any|every) (?:rules?|decisions|boundaries)\b(?! (?:in|of|for|down"
           r"|up|into) )"),
    Demand(OVERRIDE, ("developer mode", "god mode", "jailbreak mode", "dan mode", "unrestricted mode"),
           r"^(?:please |now )*(?:enable|enter|activate|switch to|turn on|go into) "
           r"(?:the )?(?:developer|god|jailbreak|dan|unrestricted) mode[.!]*$"),
    Demand(OVERRIDE, ("review step", "the review", "review gate", "review for you", "review is not", "approval step"),
           rf"{CLAUSE}(?:skip|bypass|omit|avoid) (?:the |any |every |all )*(?:code )?(?:review"
           rf"|approval)(?: step| gate)?s?\b"
           r"(?! (?:page|screen|tab|app|comments?|files?))"),
    Demand(EXFILTRATION, tuple(
           f"{verb} http" for verb in ("load", "open", "fetch", "visit", "request", "ping", "render",
                                                         "embed", "get", "call", "navigate to", "browse to")),
           r"\b(?:load|open|fetch|visit|request|ping|render|embed|get|call|navigate to"
           r"|browse to) https?://[^\s?]{1,120}\?"
           rf"[^\s]{{1,120}} (?:with|and put|and add|carrying)\b[^.\n]{{0,40}}{SECRETS}"),
    Demand(EXFILTRATION, tuple(f"{what} {where}" for what in _TAKEN for where in ("there", "to it", "to that")),
           (Link(AWAY, 120),
            Link(rf"\b(?:push|send|post|upload|put|copy|forward|paste|mail|submit) (?:(?:the|all|your|any|its"
                 rf"|every) )*{SECRETS}\w*",
                 1),
            Link(r"\b(?:there|to it|to that)\b"))),
    Demand(EXFILTRATION, ("belongs in", "belong in", "belongs at", "belong at", "belongs on", "belong on"),
           (Link(SECRETS, 20), Link(r"\bbelongs? (?:in|at|on)\b", 40), Link(AWAY))),
    Demand(EXFILTRATION, ("exfiltrat", "smuggle", "steal the", "steal all", "steal any", "steal your", "steal every"),
           (Link(r"(?:^|[.!?;:] |\bthen |\band |\byou (?:must|should|will|shall) |\b(?:task|job|goal|mission"
                 r"|purpose) is to )"
                 r"(?:now |please |secretly |silently )*(?:exfiltrate|smuggle|steal)\b", 60), Link(SECRETS))),
    Demand(EXFILTRATION, tuple(
           f"{what} to {where}" for what in _TAKEN for where in ("me", "us", "this ", "the following")),
           (Link(r"(?<!never )(?<!not )(?<!n't )\b(?:send|post|upload|forward|email|mail|transmit|leak|submit"
                 r"|paste|give"
                 r"|reveal)\b", 40),
            Link(rf"(?<!\w){SECRETS}\w*", 1),
            Link(r"\bto (?:me|us|this (?:address|url|server|channel|chat|number)|the following (?:address|url"
                 r"|server|channel"
                 r"|chat|number))\b"))),
    Demand(COMMAND, tuple(f"{begun}{blank}{what}" for begun in ("$(", "<(", "`") for blank in ("", " ")
                          for what in ("curl", "wget")),
           rf"(?<![\w.-]){_SHELL}\b[^|\n]{{0,20}}(?:\$\(|<\(|`) ?(?:curl|wget)\b|(?:^|[\s`])\. <\( ?(?:curl|wget)\b"),
    Demand(COMMAND, ("iex", "invoke-expression"),
           r"\b(?:iex|invoke-expression)\b[^\n]{0,60}(?:\biwr\b|\birm\b|invoke-(?:web|rest)|downloadstring"
           r"|webclient)"),
    Demand(COMMAND, ("curl", "wget"),
           (Link(r"\b(?:curl|wget)\b", 160),
            Link(r"(?:&&|;|\bthen\b|\band\b) (?:sudo )?(?:(?:ba|z|da|k)?sh (?:\./)?[\w.-]+(?: |$)"
                 r"|\./[\w.-]+\.sh\b)"))),
    Demand(COMMAND, ("carry out", "further orders", "next orders", "your orders", "further commands", "your commands",
                     "new orders", "new commands", "do what it", "do as it", "obey"),
           (Link(r"\b(?:fetch|read|open|download|load|visit|get|check|see)\b", 60), Link(AWAY, 160),
            Link(r"\b(?:carry out (?:its|the|their|these|all)|do (?:what|as) it|obey"
                 r"|for (?:further|your|new|the next|next) (?:orders|commands|directives))\b"))),
    Demand(CONCEALMENT, tuple(f"{verb} {what}" for verb in ("hide", "conceal", "withhold", "keep") for what in
                              ("it", "this", "that", "these", "all of this")),
           rf"{CLAUSE}(?:hide|conceal|withhold|keep) (?:it|this|that|these|all of this)(?: \w+)? from (?:(?:the"
           rf"|any|all|your"
           rf"|every) )*{PEOPLE}\b"),
    Demand(CONCEALMENT, ("not know",
           "not find out", "not notice", "not hear", "need to know", "never know", "not learn",
                         "needn't know", "n't notice", "n't find out", "n't know"),
           rf"\b(?:the |a |your |any )?{PEOPLE} (?:need not|needn't|do(?:es)? not need to|do(?:es)?n't need to"
           rf"|should not"
           rf"|shouldn't|must never|should never|may never|may not|must not|will never) (?:know|find out|notice"
           rf"|hear|learn)"
           rf"(?: (?:about|of) (?:it|this|that))?(?:[.!;]|$)"),
    Demand(CONCEALMENT, ("no need to mention", "no need to tell", "no need to inform", "no need to report",
                         "no need to notify", "no need to bother"),
           rf"\bno need to (?:mention|tell|inform|report|notify|bother)\b[^.\n]{{0,24}}\b{PEOPLE}\b"),
    Demand(CONCEALMENT, ("let the", "let any", "let a ", "let your", "let users", "let people"),
           rf"\b(?:never|do not|don't) let (?:(?:the|any|a|your|any of the) )*{PEOPLE} (?:find out|know|notice"
           rf"|learn|hear)\b"
           r"(?! (?:how|what|why|when|where|which|if|whether) )"),
    Demand(PROMOTION, ("core memory", "your memory", "your memories", "your long", "your permanent", "your persistent",
                       "permanently"),
           r"\b(?:store|save|keep|remember|record|write|put|add|commit|burn) (?:this|it|the following)(?: \w+)?"
           r" (?:in|into|to|as) (?:(?:your (?:\w+[ -]){0,2}|(?:a |the )?(?:core|permanent|persistent|long[ -]term) )"
           r"memor(?:y|ies))\b"
           rf"|\b(?:store|save|keep|remember|record) {_THIS} (?:permanently|forever|for good)\b"),
    Demand(PROMOTION, _SELF,
           rf"\b{_THIS} (?:is|has|deserves|gets|needs) (?:of |a |an )?(?:the )?(?:very )?"
           r"(?:high(?:est)?|top|maximum|utmost|critical|full) (?:importance|priority|trust|rank)\b"),
    Demand(PROMOTION, _SELF,
           rf"\b{_THIS} (?:now |hereby )?(?:overrides?|overrules?|supersedes?|outranks?|replaces|cancels)"
           rf" (?:all|any|every|the|your|other|earlier|previous)\b[^.\n]{{0,30}}\b(?:{_RULES}|memories|policies)\b"),
    Demand(PROMOTION, ("share this", "spread this", "forward this", "pass this"),
           rf"\b(?:share|spread|forward|pass) {_THIS}(?: on)? (?:with|to) "
           r"(?:all|every|everyone|everybody|the (?:whole|entire)|each|other)\b"),
    Demand(PROMOTION, tuple(f"{what} p-" for what in ("accept", "approve", "merge", "release", "confirm", "vouch for",
                                                      "proposal", "entry")),
           rf"{CLAUSE}(?:accept|approve|merge|release|confirm|vouch for) (?:the )?(?:proposal |entry )?p-\d+\b"
           r"(?!(?<=p-\d\d\d) (?:(?:and|or) p-\d+ )?(?:curves?|keys?|certificates?|signatures?|printers?|series)\b)"),
    Demand(PROMOTION, ("without review", "without a review", "without any review", "without further review",
                       "without human review", "without approval", "without asking"),
           rf"{CLAUSE}(?:approve|accept|merge|release|deploy|push|publish)\b[^.\n]{{0,40}}"
           r"\bwithout (?:(?:a|any|further|human) )*(?:review|approval|asking)\b"
           r"(?! (?:is|are) (?:disabled|forbidden|blocked|impossible|not (?:allowed|possible|permitted))\b)"),
)  # fmt: skip
