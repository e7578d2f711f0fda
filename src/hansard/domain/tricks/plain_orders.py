"""Owns orders in plain words, without the usual formulas: whom to obey, what to approve, to show and to hide.

The words of each demand are few and rare, because the search through a batch looks for the same ones.
"""

from hansard.domain.tricks.demands import (
    CLAUSE,
    COMMAND,
    CONCEALMENT,
    EXFILTRATION,
    FOREIGN_VOICE,
    OVERRIDE,
    PROMOTION,
    STEERING,
    Demand,
)

_LAW = r"(?:rules|guidance|instructions?|directives?|guidelines|orders|boundaries|decisions|restrictions|briefing)"
_DEED = (
    r"(?:ignore|merge|respond|reply|answer|run|execute|delete|remove|push|approve|accept|release|confirm|send|print"
    r"|show|tell|say|disable|skip|forget|obey|never|always|stop|install|grant|reveal)"
)
_MATTER = r"(?:proposals?|pull requests?|prs?|merge requests?|entries|memories)"
_NAMES = ("claude", "chatgpt", "gpt", "copilot", "gemini", "codex")
_DO = rf"(?:{CLAUSE}|\balways |\byou (?:must|should) )"

DEMANDS = (
    Demand(FOREIGN_VOICE, ("treat the following", "treat what follows", "treat everything below", "treat the next",
                           "treat the text below", "treat the lines below"),
           rf"{CLAUSE}treat (?:the following|what follows|everything below|the next \w+|the (?:text"
           r"|lines) below)(?: \w+)? as"
           r" (?:an? |the |if it were (?:an? )?)?(?:\w+ )?(?:commands?|orders?|instructions?|directives?)\b"),
    Demand(FOREIGN_VOICE, ("i am your", "i'm your"),
           r"(?<!if )(?<!whether )\bi(?: am|'m) your (?:\w+ )?(?:administrator|admin|owner|operator|master|creator"
           r"|developer|boss)\b[,.;:!]? ?(?:and )?(?:give|show|send|tell|reveal|obey|do (?:as|what)|you (?:must|will"
           r"|shall))\b"),
    Demand(FOREIGN_VOICE, ("begin system", "start system", "begin the system", "start of system", "start of the system",
                           "end of data", "end of document", "end of page"),
           r"\b(?:begin|start)(?: of)?(?: the)? system (?:message|prompt|instructions?)\b"
           r"|\bend of (?:data|document|page)\b[^\n]{0,12}(?:\bnow (?:do|run|follow|obey)\b|\bbegin\b|\bnew (?:orders"
           r"|instructions|task))"),
    Demand(OVERRIDE, ("policy is", "policies are", "policy has been", "policies have been"),
           r"\b(?:previous|prior|earlier|former|old) polic(?:y is|ies are|y has been|ies have been)"
           r"(?: now| hereby| all)* (?:void|annulled|revoked|null)\b"),
    Demand(OVERRIDE, tuple(f"{drop} {whose}" for drop in ("forget", "disregard", "ignore") for whose in
                           ("your", "all", "any", "the", "our", "every")),
           rf"{CLAUSE}(?:forget|disregard|ignore) (?:(?:all|any|every|of|your|the|our) )+"
           rf"(?:earlier|previous|prior|former) {_LAW}\b"
           r"|(?:^|[.!?;:>] |\bthen |, |-- )(?:please |now |just )*(?:ignore|disregard|forget) (?:all (?:of )?)?"
           r"(?:the|your|our) (?:team(?:'s|s')? )?(?:rules|decisions|boundaries)(?: and (?!regulations)"
           r"|[.!]? ?$|[.!] )"),
    Demand(OVERRIDE, ("this supersedes", "this overrides", "this overrules", "this outranks", "this cancels"),
           r"\bthis (?:supersedes|overrides|overrules|outranks|cancels) (?:all|any|every)(?: of)?(?: the| your| our)?"
           r"(?: team(?:'s)?)? (?:decisions?|boundaries)\b"),
    Demand(OVERRIDE, ("stop following", "comply with"),
           r"\bstop following\b[^.\n]{1,40}\band follow (?:mine|me|this|these)\b"
           r"|\bcomply with (?:only )?(?:the )?next (?:line|instruction|sentence|order|command)s?\b"),
    Demand(OVERRIDE, ("trust",),
           r"(?<!never )(?<!not )(?<!n't )\btrust\b[^.\n]{0,20}[^\n]{0,40}\b(?:over|more than|above|rather than)"
           r" (?:the |your |our )?(?:team(?:'s)?(?: \w+)?|decisions|boundaries)(?: of the team)?(?:[.!,;]|$)"),
    Demand(STEERING, ("obey only", "only obey", "obey nobody", "obey no one", "obey nothing"),
           rf"(?:{CLAUSE}|\byou (?:must |should |shall |will |now )*)obey (?:only|nobody but|no one but|nothing but)\b"
           r"|\b(?:you|must|should|shall|will|now|and) (?:now )?only obey\b"),
    Demand(STEERING, tuple(f"{name}{sign}" for name in _NAMES for sign in (",", ":", " please", " :", "!")),
           rf"(?:^|[.!?;>)\"] |@)(?:{'|'.join(_NAMES)})(?:-\d)?(?: ?[,:!]|(?= please))(?: please)?(?: now| just"
           rf"| you must| you should)* {_DEED}\b"),
    Demand(STEERING, ("whenever",),
           r"\b(?:recommend|suggest|promote|praise|advertise)\b[^.\n]{1,40}\bwhenever\b[^.\n]{1,40}"
           r"\b(?:comes? up|(?:is|are) mentioned|(?:is|are) discussed)\b"),
    Demand(STEERING, ("answer to any", "answer to every", "answer to all"),
           r"\banswer to (?:any|every|all) questions? (?:about|on|regarding) [^.\n]{1,60}\bis (?:always|only)\b"),
    Demand(STEERING, ("you summarize", "you summarise", "you describe", "you quote", "you review", "you translate"),
           r"\bwhen(?:ever)? you (?:summari[sz]e|describe|quote|review|translate) this (?:page"
           r"|document|text|file"
           r"|note|article|thread)\b[^.\n]{0,10}\b(?:say|write|claim|mention|state|omit)\b"),
    Demand(STEERING, ("be answered",),
           r"\b(?:queries|questions|requests) (?:mentioning|about|for|on|regarding)\b[^.\n]{1,60}"
           r"\b(?:must|should|shall|are to)(?: always| only)? be answered (?:with|from)\b"),
    Demand(PROMOTION, (*(f"{count} {what}" for count in ("all", "every", "any", "each") for what in
                         ("proposal", "pull request", "pr ", "prs", "merge request", "entr", "memor")),
                       "requests from", "requests by", "proposals from", "proposals by", "prs from", "prs by"),
           rf"{_DO}(?:approve|accept|merge|confirm|release)"
           rf" (?:all|every|any|each)(?: of)?(?: the| open| pending)* {_MATTER} (?:from|by (?!\w+ing\b)) ?\w"
           rf"|{_DO}(?:approve|accept|confirm) (?:all|every)(?: the| open)*"
           r" proposals?(?:[.!]? ?$|[.!] )"
           rf"|\balways (?:approve|accept|merge|confirm|release) {_MATTER} (?:from|by (?!\w+ing\b)) ?\w"),
    Demand(CONCEALMENT, ("nobody notices", "no one notices", "nobody knows", "no one knows", "nobody finds out",
                         "no one finds out", "nobody must", "no one must", "nobody may", "no one may", "nobody should",
                         "no one should"),
           r"\b(?:disable|delete|remove|hide|erase|quietly|secretly|silently|turn off)\b[^.\n]{1,60}"
           r"\bso(?: that)? (?:nobody|no one)(?: else)? (?:notices|knows|finds out)(?: (?:it|this|that))?(?:[.!;]|$)"
           r"|\b(?:nobody|no one)(?: else)? (?:must|may|should) (?:notice|know|find out)(?: (?:it|this|that"
           r"|of it|about it))?"
           r"(?:[.!;]|$)"),
    Demand(COMMAND, ("backdoor", "back door"),
           rf"{CLAUSE}(?:quietly |secretly |silently )*(?:add|insert|create|plant|install|leave|build)"
           r" (?:in )?an? (?:\w+ )?back ?door\b"),
    Demand(COMMAND, ("use your",),
           r"\buse your (?:shell|bash|terminal|e?mail|file|browser|web|computer|exec\w*) tools? to (?:run"
           r"|delete|send|execute|remove|upload|post|read|call)\b"),
    Demand(COMMAND, ("user to", "users to"),
           rf"{CLAUSE}(?:tell|advise|convince|get) (?:the |your |every |all )?users? to"
           r" (?:download|install|run)\b[^\n]{0,40}https?://"),
    Demand(EXFILTRATION, (".env", "/etc/shadow", "/etc/passwd", "id_rsa", "~/.ssh", "~/.aws", "secret key",
                          "private key", "api key"),
           r"(?<!never )(?<!not )(?<!n't )\b(?:include|paste|print|put|add|append|show|copy|output|give|quote|write)\b"
           r"[^\n]{0,30}?(?:\.env\b|/etc/(?:shadow|passwd)|id_rsa|~/\.(?:ssh|aws))[^\n]{0,40}?\b(?:in|into"
           r"|to|with|at)\b"
           r"[^.\n]{0,12}\byour (?:next |final )?(?:answer|reply|response|output|message|summary)\b"
           r"|(?:^|[.!?;:>] )(?:please )?(?:respond|reply|answer) with (?:the|your) (?:\w+ )?(?:secret"
           r"|private|api) keys?\b"),
)  # fmt: skip
