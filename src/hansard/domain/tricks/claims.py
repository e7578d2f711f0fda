"""Owns the words of whoever claims a right over the reader: to change what it obeys, to let it off, to use it.

No honest agent says the first ones in its own name either, so that they count in all words. The others count in words
from outside. The words of each are few and rare, because the search through a batch looks for the same ones.
"""

from hansard.domain.tricks import more_orders, revocations, short_orders
from hansard.domain.tricks.demands import (
    AWAY,
    CLAUSE,
    COMMAND,
    EXFILTRATION,
    FOREIGN_VOICE,
    OVERRIDE,
    PROMOTION,
    STEERING,
    TOOL_CALL,
    Demand,
)
from hansard.domain.tricks.excuses import CONFINED
from hansard.domain.tricks.sequences import Link

_LAW = r"(?:instructions|orders|rules|directives|guidelines|guidance|system prompt|prompt|briefing)"
_OVER = r"(?:administrator|admin|sysadmin|operator|owner|root|developer|anthropic|openai|system|platform)"
_ANYBODY = rf"(?:{_OVER}|maintainer|coordinator|lead|boss|ceo|manager|security team|security officer|user|team)"
_LETS = r"(?:authori[sz]e|permit|allow|order|instruct|command|direct|empower|entitle|exempt|release|excuse|require)"
_TOLD = r"(?:told|taught|instructed|ordered|asked|given|trained)"
_HELD = (
    r"(?:environment variables?|env vars?|environment|system prompt|system message|credentials|api keys?|access keys?"
    r"|private keys?|ssh keys?|tokens?|passwords?|secrets?|hidden prompt|initial prompt|developer message|(?:hidden"
    r"|initial|secret|original) instructions)"
)
_SHOW = (
    r"(?<!never )(?<!not )(?<!n't )\b(?:dump|print|paste|include|put|write|copy|output|show|reveal|list|append|add"
    r"|leak|echo|repeat|insert|embed|disclose|expose|share|post|attach|recite|display)(?:ing)?\b"
)
_INTO = (
    r"(?:in|into|to|with|at the (?:end|top|start|bottom) of) (?:the|your|every|each|any|this|the next|your next"
    r"|your final) "
)
_OFF = (
    r"(?:(?:switched|turned|shut) off|off|disabled|deactivated|lifted|suspended|waived|removed|inactive"
    r"|no longer (?:active|in force|enforced))"
)
_SET_ASIDE = (
    r"(?<!not )(?<!n't )(?<!never )\b(?:set aside|put aside|drop|discard|abandon|dismiss|ignore|disregard|forget"
    r"|override|unlearn|erase|pay no attention to|throw away|leave behind)"
)
_LET = tuple(f"{verb} {who}" for verb in ("authorise", "authorize", "permit", "allow", "order", "instruct", "command",
                                          "direct", "empower", "entitle", "exempt", "release", "excuse", "require")
             for who in ("you", "all agents", "every agent"))  # fmt: skip
_YOURS = tuple(f"your {one}" for one in ("instructions", "orders", "rules", "directives", "guidelines", "guidance",
                                         "system prompt", "briefing"))  # fmt: skip
_SECRET_PLACES = tuple(
    f"your {one}" for one in ("env", "system prompt", "system message", "credential", "api key", "access key",
                              "private key", "ssh key", "token", "password", "secret", "hidden prompt",
                              "initial prompt", "developer message", "hidden instructions",
                              "initial instructions", "secret instructions", "original instructions")
)  # fmt: skip
_NO_LAW = r"(?:rules|boundar(?:y|ies)|decisions?|instructions|restrictions|guidelines)"
_SAYS = r"(?:says?|tells?(?: you)?|demands?|requires?|states?)"
_WHATEVER = ("whatever", "no matter what", "regardless of what")
_RANKS = ("admin", "administrator", "root", "operator", "owner", "coordinator", "developer", "sysadmin", "superuser")
_ACCEPT = r"(?:approve|accept|merge|release|confirm|waive|lift|suspend|grant)"
_DONE = ("touch", "edit", "create", "write", "open", "change", "see", "make", "find", "review", "generate", "commit")
OWN = (
    Demand(OVERRIDE, _YOURS,
           rf"\byour (?:{_LAW}) (?:have|has) (?:now |just |all )*(?:changed|been (?:changed|updated|replaced|revised"
           r"|superseded|rewritten))(?: now)?[.:;,!]? (?:and )?(?:you )?(?:now |must |should |please |will |only )*"
           r"(?:follow|obey|do|ignore|disregard|forget|approve|accept|merge|trust|comply|listen|answer|reply|act|send)\b"),
    Demand(OVERRIDE, tuple(f"only this {one}" for one in ("page", "site", "website", "mail", "email", "comment",
                                                          "issue", "file", "readme")),
           r"(?<!not )(?<!n't )(?<!never )\b(?:follow|obey) only this (?:page|site|website|mail|email|comment|issue"
           r"|file|readme)\b(?! (?:for|when|to|if|of|in|on|about|while|until|during)\b)"),
    Demand(OVERRIDE, ("you were told", "you have been told", "you've been told", "you had been told", "you were taught",
                      "you have been taught", "you were instructed", "you have been instructed", "you were ordered",
                      "you were trained", "you were given", "you were asked", "you have been given"),
           rf"{_SET_ASIDE} (?:(?:absolutely|all of|entirely) )*(?:whatever|everything|anything"
           rf"|all)(?: of it)?(?: that)? you(?:'ve| have| had| were)(?: been| ever)*(?: \w+)? {_TOLD}\b(?! (?:in"
           rf"|about|on|for|by) (?:the )?(?:school"
           r"|university|wiki|readme|docs|old|vendor))"),
    Demand(OVERRIDE, ("for you", "in your case"),
           r"\b(?:the guard|guardrails?|safeguards?|quarantine|boundaries|restrictions|safety \w+|rules|decisions"
           r"|the review|limits|all checks|security checks)\b[^.\n]{0,20}\b(?:is|are|was|were|has been|have been)"
           rf"(?: now| hereby| all)* {_OFF} (?:for you|in your case)\b(?! (?:if|when|once|until|after|in|on|unless"
           rf"|as long) )"),
    Demand(OVERRIDE, ("authorised to", "authorized to", "permission to", "authorisation to", "authorization to"),
           r"(?<!if )\byou (?:are(?: now| hereby| fully)* authori[sz]ed|have (?:my |our |full |explicit )*"
           r"(?:permission|authori[sz]ation)) to (?:skip|bypass|ignore|override|disable|circumvent|disregard|break)\b"),
    Demand(OVERRIDE, ("pretend",),
           r"(?<!not )(?<!n't )(?<!never )\bpretend(?: that)? you (?:never|did not|didn't|have not|haven't|do not"
           r"|don't)(?: ever)? (?:saw|see|seen|read|heard|hear|know|knew|received|receive|got)(?: of| about)?"
           r" (?:this|that|the|these|those|any|your|our|its)(?: \w+)? (?:rules?|decisions?|boundar(?:y|ies)"
           r"|instructions?|polic(?:y|ies)|guidelines?|directives?|orders?|warnings?|restrictions?)\b"),
    Demand(FOREIGN_VOICE, ("treat everything", "treat all", "treat anything", "treat whatever", "treat what",
                           "treat the", "consider everything", "regard everything", "read everything"),
           r"(?<!not )(?<!n't )(?<!never )\b(?:treat|consider|regard|read) (?:everything|all|anything|whatever|what"
           r"|the (?:text|rest|following|words|lines))\b[^.\n]{0,50}\b(?:as|like)(?: if| though)?(?: it"
           r"| they)?(?: is| was| were| are| had been)?"
           r" (?:coming|came|come|comes|written|said|sent|issued|spoken|words|orders?|instructions?|commands?)"
           rf"\b[^.\n]{{0,12}}\b(?:from|by|of) (?:the |your |our )?{_OVER}\b"),
    Demand(FOREIGN_VOICE, _LET,
           rf"\b(?:as|being) (?:the |an? |your |its |this )?(?:\w+ )?{_OVER},? (?:i|we)"
           rf"(?: hereby| now| herewith| expressly| formally)* {_LETS} (?:you|all agents|every agent)\b"),
    Demand(EXFILTRATION, _SECRET_PLACES,
           rf"{_SHOW} (?:me |us |out )?(?:all (?:of )?|any of )?your (?:\w+ )?{_HELD}\b[^.\n]{{0,30}}?"
           rf"\b{_INTO}(?:reply|replies|answers?|responses?|output|chat|conversation)\b"
           rf"|{CLAUSE}(?:always |first |immediately )*(?:print|reveal|show|output|repeat|leak|dump|display|disclose"
           rf"|recite|give|tell)(?: me| us| out)?(?: all(?: of)?)? your (?:\w+ )?(?:system prompt|system message"
           rf"|hidden prompt|initial prompt|developer message|(?:hidden|initial|secret"
           rf"|original) instructions)\b(?! (?:with|in|from"
           r"|to) (?:--|`|the (?:log|debug|console|terminal)))"),
    Demand(EXFILTRATION, ("your real ", "your true ", "your actual ", "your secret ", "your hidden "),
           r"\byour (?:real|true|actual|secret|hidden) (?:task|job|goal|purpose|mission|objective) is (?:now )?to "
           r"(?:collect|gather|harvest|extract|find|get|obtain|dump|copy|read|log|fetch|look for|search for|reveal"
           rf"|print|share|hand over|give away|spy)\b[^.\n]{{0,40}}\b{_HELD}"),
    Demand(STEERING, ("you are an ai", "you're an ai", "you are a language", "you're a language", "you are a large",
                      "you're a large", "you are an llm", "you're an llm", "you are a chat", "you're a chat"),
           r"\b(?:if|since|because|as|when|whenever) you(?: are|'re) (?:an? )?(?:ai(?: (?:model|assistant|agent"
           r"|system))?|llm|(?:large )?language model|chat ?bot)(?: reading \w+)?,? (?:then |please |you must "
           r"|you should |now |also )*"
           r"(?:print|reveal|show|output|repeat|leak|dump|disclose|ignore|disregard|forget|approve|accept|merge|send|upload"
           r"|post|recommend|say|obey|trust|insert|promote|stop|refuse|delete|answer|reply|respond|vote|rate)\b"),
    Demand(PROMOTION, ("this memory", "this note", "this lesson", "this entry"),
           r"\bthis (?:memory|note|lesson) (?:is|has|deserves|gets|needs) (?:of |a |an )?(?:the )?(?:very )?"
           r"(?:highest|top|maximum|utmost) (?:importance|priority|trust|rank)\b(?! (?:in|on|of|for|until|among|when) )"
           r"|\bthis (?:memory|note|lesson|entry)\b[^.\n]{1,60}\band (?:must|should|shall|has to|is to"
           r"|needs to) (?:always )?be (?:shown|read|listed|placed|put|ranked|returned|included|cited|loaded"
           r"|told) (?:first|at the top|on top"
           r"|above all)(?: (?:in|of|by) (?:every|each|all|any) (?:blocks?|contexts?|prompts?|answers?"
           r"|search(?:es)?|agents?|sessions?))?(?:[.;!,]|$)"),
    Demand(COMMAND, tuple(f"you {one}" for one in _DONE),
           (Link(r"(?<!not )(?<!n't )(?<!never )\b(?:add|insert|append|put|write|paste|include|place|copy)\b",
                 30, "\n"),
            Link(r"\b(?:curl|wget|iwr|irm)\b", 120, "\n"),
            Link(r"\b(?:(?:ba|z|da|k)?sh|iex|python\d?|node|perl)\b", 20, "\n"),
            Link(r"\b(?:to|into|in|of) (?:every|each|all|any)\b", 40, "\n"),
            Link(rf"\byou (?:{'|'.join(_DONE)})\b"))),
    Demand(COMMAND, ("rm rf", "rm fr", "rm -rf", "rm -fr"),
           rf"{CLAUSE}(?:always |first |immediately )*(?:execute|run|call|do|type|use) rm -(?:rf|fr)"
           r"(?: --no-preserve-root)? (?:/\*?|~/?|\$home/?)(?![\w./*-])"
           rf"{CONFINED}"),
    Demand(FOREIGN_VOICE, tuple(f"{one} override" for one in _RANKS),
           rf"\b(?:{'|'.join(_RANKS)}) override ?[:!-]+ ?(?:please |now |you must )*"
           r"(?:accept|approve|merge|trust|obey|grant|allow|permit|ignore|disregard|skip|release|confirm)"
           r" (?:all|any|every\w*|whatever|me\b|the (?:rules|review|guard|decisions|boundaries))\b"),
    Demand(FOREIGN_VOICE, tuple(f"i hereby {one}" for one in ("approve", "accept", "merge", "release", "confirm",
                                                              "waive", "lift", "suspend", "grant")),
           rf"\b(?:as|being) (?:the |an? |your |its )?(?:\w+ )?{_ANYBODY},? i hereby {_ACCEPT}\b"),
    Demand(OVERRIDE, tuple(f"{one} you" for one in ("guidelines", "rules", "instructions", "guidance", "orders",
                                                    "directives", "prompt", "briefing")),
           rf"{_SET_ASIDE} (?:whatever|any|all|the|every|those|these|all the)(?: \w+)? {_LAW}(?: that| which)? you"
           r" (?:received|got|were given|have been given|were told)\b(?! (?:from|by|for|in|on|about|with) )"),
    Demand(OVERRIDE, ("pretend",),
           rf"(?<!not )(?<!n't )(?<!never )\bpretend(?: that)? (?:there (?:are|were|is|was) no {_NO_LAW}"
           rf"|no {_NO_LAW} (?:exist|apply|hold|bind)\w*"
           rf"|(?:the|your|our) {_NO_LAW} (?:do not|don't) (?:exist|apply|hold|bind))"
           r"\b(?! (?:in|of|for|on|from|between) )"),
    Demand(OVERRIDE, tuple(f"{one}{whose}{what}" for one in _WHATEVER for whose in (" the ", " your ", " our ", " any ")
                           for what in ("decision", "boundar", "system prompt", "team's")),
           rf"\b(?:{'|'.join(_WHATEVER)}) (?:the|your|our|any) (?:team's )?(?:decisions?|boundar(?:y|ies)"
           rf"|system prompt)(?: of the team| above)? {_SAYS}\b(?! (?:in|on|about) )"),
    Demand(OVERRIDE, ("needed for you", "required for you", "necessary for you", "needed in your case"),
           r"\b(?:rules?(?: checks?)?|boundar(?:y|ies)(?: checks?)?|decisions|the guard|guardrails?|safety checks?"
           r"|security checks?) (?:is|are) (?:not|no longer|never)(?: \w+)? (?:needed|required|necessary)"
           r" (?:for you|in your case)\b(?! (?:if|when|once|until|after|in|on|unless|as long|to|by) )"),
    *more_orders.OWN, *short_orders.OWN, *revocations.OWN,
)  # fmt: skip
"""What nobody who works says in its own name. Tried on a text in small letters with single blanks."""
DEMANDS = (
    Demand(OVERRIDE, _YOURS,
           rf"\byour (?:{_LAW}) (?:have|has|were|was|are)(?: now| just| all| been| hereby)* (?:changed|updated|replaced"
           r"|revised|superseded|rewritten)\b(?! (?:at|by|in|on|when|if|every) )"),
    Demand(FOREIGN_VOICE, ("i am the", "i'm the", "i am your", "i'm your", "this is the", "this is your"),
           r"\b(?:i am|i'm|this is) (?:the|your) (?:administrator|admin|operator|owner)(?: of \w+(?: \w+)?)?"
           r"(?: speaking\b|[,.;:]? (?:and |so )?(?:i |we )?(?:you (?:may|must|can|should|will|are)|authori[sz]e"
           r"|order you|allow you))"),
    Demand(FOREIGN_VOICE, _LET,
           rf"\b(?:as|being) (?:the |an? |your |its |this )?(?:\w+ )?{_ANYBODY},? (?:i|we)(?: \w+ly| hereby| now)*"
           rf" {_LETS} (?:you|all agents|every agent)\b"
           rf"|\b(?:i|we)(?: hereby| herewith| expressly| formally) {_LETS} (?:you|all agents|every agent)\b"),
    Demand(OVERRIDE, ("for you", "in your case"),
           r"\b(?:guard|guardrails?|safeguards?|quarantine|reviews?|approvals?|checks?|filters?|rules?|boundar(?:y|ies)"
           r"|restrictions?|limits?|polic(?:y|ies)|protections?|safety|moderation)\b[^.\n]{0,20}\b(?:is|are|was|were"
           rf"|has been|have been)(?: now| hereby| all)* {_OFF} (?:for you|in your case)\b"),
    Demand(EXFILTRATION, ("the reply", "the answer", "the chat", "the conversation", "your repl", "your answer",
                          "every reply", "every answer", "each reply", "each answer", "next reply", "next answer",
                          "final answer", "final reply", "this chat", "any reply", "any answer", "this reply"),
           rf"{_SHOW} (?:(?:me|us|out|all|any|of|the|your|every) )*(?:\w+ )?{_HELD} {_INTO}"
           r"(?:reply|replies|answers?|chat|conversation)\b(?! (?:header|body|of the api|of the server))"),
    Demand(PROMOTION, tuple(f"without {one}{what}" for one in ("", "a ", "any ", "further ", "human ", "the ", "prior ")
                            for what in ("review", "approval", "asking", "permission", "checks")),
           r"(?<!not )(?<!no )(?<!nor )\b(?:agents?|assistants?|bots?|you|models?|everybody|everyone|anybody|anyone)"
           r" (?:can|may|are allowed to|are free to)(?: now)? (?:merge|push|deploy|approve|release|publish|commit"
           r"|accept)\b[^.\n]{0,40}\bwithout (?:(?:a|any|further|human|the|prior) )?(?:review|approval|asking"
           r"|permission|checks)\b"),
    Demand(COMMAND, ("rm rf", "rm fr", "rm -rf", "rm -fr"),
           r"(?<!never )(?<!not )(?<!n't )\b(?:execute|run|call|do|type|use) rm -(?:rf|fr)(?: --no-preserve-root)?"
           r" (?:/\*?|~/?|\$home/?)(?![\w./*-])"),
    Demand(COMMAND, ("doing what", "doing as", "obeying", "executing what", "carrying out"),
           rf"\b(?:fetch|read|open|download|load|visit|check)(?:ing)?\b[^\n]{{0,40}}{AWAY}[^\n]{{0,160}}?"
           r"\b(?:doing (?:what|as)|obeying|executing what|carrying out (?:its|the|their|what))\b"),
    Demand(STEERING, ("the phrase", "the word", "the sentence", "the slogan", "the text", "the link"),
           r"(?<!not )(?<!n't )(?<!never )\b(?:include|use|add|mention|insert|repeat|say|put|write"
           r"|quote) the (?:phrase|words?|sentence|slogan|text|link)\b[^.\n]{0,80}\b(?:in|into|to"
           r"|at the end of) (?:(?:every|each|all|any|all of"
           r"|one of) )?your (?:answers?|repl(?:y|ies)|responses?|conversations?|recommendations?|summar(?:y"
           r"|ies))\b"),
    Demand(FOREIGN_VOICE, tuple(f"{one} override" for one in _RANKS),
           rf"(?:^|[.!?;>] )(?:{'|'.join(_RANKS)}) override ?[:!-]"),
    Demand(FOREIGN_VOICE, tuple(f"{who} {one}" for who in ("i", "we", "hereby") for one in
                                ("approve", "accept", "release", "confirm", "waive", "suspend", "grant")),
           rf"\b(?:as|being) (?:the |an? |your |its )?(?:\w+ )?{_ANYBODY},? (?:i|we)(?: \w+ly| hereby| now)*"
           rf" {_ACCEPT}\b"),
    Demand(OVERRIDE, tuple(f"{one}{whose}{what}" for one in _WHATEVER for whose in (" the ", " your ", " our ", " any ")
                           for what in ("rule", "guideline", "polic", "prompt", "reviewer", "instruction", "team's")),
           rf"\b(?:{'|'.join(_WHATEVER)}) (?:the|your|our|any) (?:team's )?(?:rules?|guidelines?|polic(?:y|ies)"
           rf"|prompts?|reviewers?|instructions?)(?: of the team| above)? {_SAYS}\b"),
    Demand(OVERRIDE, ("needed for you", "required for you", "necessary for you", "needed in your case"),
           r"\b(?:checks?|reviews?|approvals?|permissions?|tests|rules?|filters?) (?:is|are) (?:not|no longer|never)"
           r"(?: \w+)? (?:needed|required|necessary) (?:for you|in your case)\b(?! (?:if|when|until|unless|to) )"),
    Demand(TOOL_CALL, tuple(f"{one}{mark}" for one in ("tool_result", "tool_response", "tool_output", "function_result",
                                                       "function_response", "tool result", "tool response",
                                                       "tool output") for mark in (":", " :")),
           r"\b(?:tool|function)[_ ](?:result|response|output) ?:[^\n]{0,120}?\b(?:next|now|then|please|you must"
           r"|you should)[, ]+(?:you (?:must|should) )?(?:call|invoke|run|use|merge|approve|accept|execute|send)\b"),
    Demand(PROMOTION, tuple(f"{one} p-" for one in ("on", "for", "with")),
           rf"{CLAUSE}(?:next,? )?(?:call|invoke|use|run) (?:the )?(?:tool )?(?:merge|approve|accept|release"
           r"|confirm)\w* (?:on|for|with) (?:the )?(?:proposal |entry )?p-\d+\b"),
    Demand(STEERING, ("reply to every", "reply to all", "reply to any", "reply to each", "respond to every",
                      "respond to all", "respond to any", "respond to each"),
           r"(?<!not )(?<!n't )(?<!never )\b(?:reply|respond) to (?:every|all|any|each) (?:questions?|messages?|users?"
           r"|requests?) (?:only |just )?with (?:an? )?(?:yes|no)\b(?! (?:to|if|when|in) )"),
    Demand(OVERRIDE, tuple(f"{when} {what}" for when in ("previous", "prior", "earlier", "preceding") for what in
                           ("rule", "guidance", "instruction", "directive", "guideline", "prompt")),
           r"(?<!not )(?<!n't )(?<!never )\b(?:ignore|disregard|forget|override|bypass|discard|skip)"
           r" (?:(?:the|these|those|my|our) )?(?:previous|prior|earlier|preceding)"
           r" (?:rules?|guidance|instructions?|directives?|guidelines?|prompts?)\b"),
)  # fmt: skip
"""What a page has no reason to say. An agent may tell another one what its team allows."""
