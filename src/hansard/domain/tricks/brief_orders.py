"""Owns further orders of a sentence: which rules are void, what to keep quiet, to tell and to pin, who says so.

The words of each demand are few and rare, because the search through a batch looks for the same ones.
"""

from hansard.domain.tricks.demands import (
    CLAUSE,
    COMMAND,
    CONCEALMENT,
    EXFILTRATION,
    FOREIGN_VOICE,
    LAW,
    MASTER,
    NEW_IDENTITY,
    OVERRIDE,
    PROMOTION,
    STEERING,
    Demand,
)

DEMANDS = (
    Demand(
        OVERRIDE,
        (
            "you received",
            "you were given",
            "have been given",
            "you got",
            "you were told",
            "none of your",
            "concern you",
            "bind you",
            "cover you",
            "affect you",
            *(
                f"your {when}"
                for when in ("earlier", "previous", "prior", "old", "former", "original", "current", "existing")
            ),
        ),
        rf"(?:{CLAUSE}|\bto )(?:void|invalidate|cancel|revoke|annul|erase|delete|unlearn|ignore|drop) (?:every"
        rf"|all|any|each)(?: of the| the)?(?: \w+)? {LAW}(?: that| which)? you (?:received|were given"
        r"|have been given|got|were told)\b(?! (?:from|by|for|in|on|about|with) )|\byour (?:earlier|previous"
        rf"|prior|old|former|original|current|existing) {LAW} (?:now )?(?:expires?|ends? (?:now|here)|ceases?"
        rf"|lapses?)\b|\bnone of your {LAW} (?:is|are|apply|applies|holds?|binds?|counts?|matters?)\b"
        rf"|\b{LAW} (?:above|before this|so far) (?:do not|don't|does not) (?:concern|bind|cover|affect) you\b",
    ),
    Demand(
        OVERRIDE,
        (
            "listen only to",
            "only listen to",
            "listen to nobody but",
            "listen to the",
            "listening to the",
            "listen to your",
            "listening to your",
            "you now work for",
            "you now work only for",
            "you work for",
            "you work only for",
        ),
        rf"(?:{CLAUSE}|\byou )(?:only listen|listen only|listen to nobody but)(?: to)? (?:me|this (?:page|text"
        rf"|note))\b|\b(?:do not|don't|never|stop) listen(?:ing)? to (?:the|your) (?:team|{MASTER}s?|lead|user"
        r"|reviewers?)\b|(?:^|[.!?;:] )you (?:now work (?:only )?for|work (?:only )?for \w+ (?:now"
        r"|from now on))\b",
    ),
    Demand(
        NEW_IDENTITY,
        tuple(
            f"{who} {how}"
            for who in ("ai", "assistant", "model", "agent", "bot", "llm")
            for how in ("with", "free of", "free from", "that has no", "who has no")
        ),
        r"(?<!not )(?<!n't )(?<!never )\b(?:behave|act|respond|answer|speak|reply) (?:like"
        r"|as)(?: if you were)? an? (?:\w+ )?(?:ai|assistant|model|agent|bot|llm) (?:without(?: any)?|with no"
        r"|free of|free from|that has no|who has no) (?:filters?|rules|restrictions?|limits|ethics?|safety"
        r"|guardrails?|guidelines|censorship)\b",
    ),
    Demand(
        CONCEALMENT,
        (
            "keep this",
            "hide this",
            "conceal this",
            "log this",
            "document this",
            "write down this",
            "trace of",
            "traces of",
            "about this in",
        ),
        r"(?<!not )(?<!n't )(?<!never )\bkeep this (?:instruction|message|note|request|order|step|memory|task"
        r"|command) (?:confidential|secret|private|hidden|to yourself|off the record)\b"
        r"|(?<!not )(?<!n't )(?<!never )\b(?:hide|conceal) this (?:step|instruction|note|action|message|request"
        r"|change|command|order|memory|task) from (?!(?:the )?(?:page|list|screen|view|menu|index)\b)"
        r"|\b(?:do not|don't|never) (?:log|document|write down) this (?:action|step|instruction|request|command"
        rf"|order|task|note)(?:[.!]? ?$|[.!;,] | to | anywhere)|{CLAUSE}(?:remove|erase|delete|wipe|leave no"
        r"|destroy)(?: any| all| every)? traces? of (?:this|these|the) (?:\w+ )?(?:requests?|instructions?"
        r"|actions?|messages?|notes?|conversation|commands?|orders?)\b|\b(?:do not|don't|never) (?:write|say"
        r"|report)(?: a word| anything)? about this in (?:the|your|any)\b",
    ),
    Demand(
        CONCEALMENT,
        ("be informed", "be told", "be notified", "be made aware", "be asked", "be involved"),
        r"\b(?:humans?|users?|owners?|operators?|team|reviewers?|people) (?:need not|needn't|must not|must never"
        r"|should not|shall not|(?:do not|don't|does not|doesn't) need to) be (?:informed|told|notified"
        r"|made aware|asked|involved)(?: (?:of|about) (?:this|it|that))?(?:[.!]? ?$|[.!;,] )",
    ),
    Demand(
        CONCEALMENT,
        (
            "asked, deny",
            "asked deny",
            "questioned, deny",
            "asked, lie",
            "asks, deny",
            "asks deny",
            "asks, lie",
            "asked, claim",
            "asked, say you never",
            "asked, say that you never",
            "deny that you",
            "deny having",
        ),
        r"\b(?:if|when|whenever)(?: you are| you're)? (?:asked|questioned|(?:any|some)(?:one|body) asks"
        r"|the user asks)[^.\n]{0,40}?,? (?:then )?(?:deny (?:that you|having|this|it|everything)|lie\b"
        r"|claim (?:that )?you (?:never|did not|have not)|say (?:that )?you never)",
    ),
    Demand(
        EXFILTRATION,
        (
            *(
                f"your {what}"
                for what in (
                    "system prompt",
                    "system message",
                    "hidden instruction",
                    "initial instruction",
                    "instructions in",
                    "instructions as",
                    "hidden prompt",
                    "initial prompt",
                    "prompt in",
                    "prompt as",
                    "rules in",
                    "rules as",
                )
            ),
            *(
                f"{law} {got}"
                for law in ("rule", "rules", "instruction", "instructions", "guidelines")
                for got in (
                    "you were given",
                    "you were told",
                    "you have been given",
                    "you are following",
                    "that you were given",
                )
            ),
        ),
        rf"{CLAUSE}encode your (?:\w+ )?(?:instructions|prompt|message|rules|context) (?:in|as|to|with"
        rf"|using) (?:base64|hex|rot13|binary|morse|a (?:url|link|poem))\b|{CLAUSE}(?:write|put|append|add|post"
        r"|save|copy) (?:out )?your (?:system|hidden|initial|original|secret) (?:prompt|message"
        r"|instructions) (?:in|into|to|as) (?:the |your |a |an |every |this )*(?:readme|repl(?:y|ies)|answers?"
        rf"|issues?|commits?|comments?|pull requests?|chat|memory|note|url|link)\b|{CLAUSE}(?:list|quote|repeat"
        r"|recite|print|write|show|tell me|give me|reveal) (?:every|all|each|any|the)(?: the"
        rf"| of the)? {LAW}(?: that)? you (?:were|have been|are) (?:given|told|following)\b|\bwhat (?:were|are"
        r"|have|was) you (?:been )?(?:told|instructed|given|asked)(?: to do)? (?:in|by) your (?:system|developer"
        r"|initial|hidden)\b|\bwhat (?:is|are|was|were) your (?:hidden|initial|original|secret) (?:instructions?"
        r"|prompt|rules)\b",
    ),
    Demand(
        PROMOTION,
        (
            *(f"{verb} this" for verb in ("rank", "rate", "score", "sort", "pin", "cite")),
            *(
                f"this {what} {must}"
                for what in ("memory", "note", "lesson")
                for must in ("must", "should", "may", "shall", "can")
            ),
        ),
        rf"{CLAUSE}(?:always )?(?:rank|rate|score|sort) this (?:memory|note|entry|lesson"
        rf"|record) (?:as )?(?:the )?(?:highest|first|top|best|number one|above)\b|{CLAUSE}pin this (?:memory"
        r"|note|entry|lesson) (?:forever|for ever|permanently|for (?:all|every))\b"
        rf"|{CLAUSE}always cite this (?:memory|note|entry|lesson|page)\b|\bthis (?:memory|note|lesson) (?:must"
        r"|should|may|shall|can)(?: never|not| not| in no case) be (?:deleted|removed|forgotten|redacted"
        r"|superseded|archived|reviewed|questioned|overwritten|doubted|held|quarantined)\b",
    ),
    Demand(
        FOREIGN_VOICE,
        (
            *(
                f"from {who}{colon}"
                for who in (
                    "hansard",
                    "the coordinator",
                    "the scribe",
                    "your operator",
                    "your owner",
                    "your developer",
                    "your developers",
                    "your user",
                    "your administrator",
                    "management",
                    "the security team",
                    "the owner",
                )
                for colon in (":", " :")
            ),
            "hansard says",
            "hansard requires",
            "hansard orders",
            "hansard decides",
            "scribe says",
        ),
        r"\b(?:message|notice|order|word|instructions?|announcement|directive|command|note) from (?:hansard"
        r"|the (?:coordinator|scribe|security team|owner)|your (?:operator|owner|developers?|user|administrator)"
        r"|management) ?:|(?:^|[.!?] )(?:hansard|the scribe) (?:says|requires|orders|decides)(?: that| you)?\b",
    ),
    Demand(
        PROMOTION,
        tuple(
            f"{verb} this"
            for verb in (
                "confirmed",
                "approved",
                "released",
                "verified",
                "accepted",
                "vetted",
                "authorised",
                "authorized",
            )
        ),
        r"\b(?:scribe|guard|coordinator|reviewers?|owner|operator|team|system|hansard|admin(?:istrator)?|human"
        r"|user) (?:has|have|had)(?: already)? (?:confirmed|approved|released|verified|accepted|vetted"
        r"|authori[sz]ed) this (?:note|memory|message|page|text|instruction|command|entry)\b",
    ),
    Demand(
        COMMAND,
        (
            *(
                f"{verb} this {soon}"
                for verb in ("execute", "run")
                for soon in ("immediately", "at once", "right now", "right away", "now")
            ),
            *(
                f"{what} {where} http"
                for what in ("script", "command", "commands", "code", "binary", "installer")
                for where in ("at", "from", "behind", "under")
            ),
            "first action must",
            "next action must",
            "only action must",
            "tool call must",
            "first task must",
            "next task must",
        ),
        rf"{CLAUSE}(?:execute|run) this (?:immediately|at once|right now|right away|now)(?: ?[:!]|\.? ?$|\. )"
        rf"|{CLAUSE}(?:run|execute) the (?:\w+ )?(?:script|commands?|code|binary|installer) (?:at|from|behind"
        r"|under) https?://|\byour (?:first|next|only) (?:action|tool call|task) must be (?:to|a call)\b",
    ),
    Demand(
        PROMOTION,
        (
            *(
                f"without {one}{what}"
                for one in ("", "a ", "any ", "the ")
                for what in ("pull request", "review", "test", "approval", "checks", "ci")
            ),
            "to skip",
            "to bypass",
            "to ignore",
            "to disregard",
            "to override",
            "to disable",
        ),
        rf"{CLAUSE}(?:push|commit|deploy|merge|release)\b[^.\n]{{0,30}}?\bto (?:main|master"
        r"|production)\b[^.\n]{0,20}?\bwithout (?:(?:a|any|the) )?(?:pull request|reviews?|tests?|testing"
        r"|approval|ci|checks)\b|\b(?:agents?|assistants?|bots?|models?) (?:are|is)(?: now| hereby"
        r"| all)* (?:allowed|permitted|authori[sz]ed|free|entitled|cleared) to (?:skip|bypass|ignore|disregard"
        r"|override|disable) (?:(?:all|the|any) )*(?:reviews?|tests?|rules|approvals?|checks|decisions"
        r"|boundaries)\b",
    ),
    Demand(
        STEERING,
        (
            "in favour of",
            "in favor of",
            "anything but",
            "anything except",
            "anything other than",
            *(
                f"{verb} in {which}"
                for verb in ("praised", "recommended", "mentioned", "promoted", "advertised")
                for which in ("all", "every", "each", "your")
            ),
        ),
        r"\b(?:answer|respond to|reply to|decide) (?:every|all|any|each) questions? in favou?r of\b|\b(?:must"
        r"|should|shall|has to|is to) (?:always )?be (?:praised|recommended|mentioned|promoted"
        r"|advertised) in (?:(?:all|every|each|any)(?: of)? )?your (?:answers?|repl(?:y|ies)|responses?"
        rf"|conversations?|summar(?:y|ies))\b|{CLAUSE}never (?:recommend|suggest) anything (?:but|except"
        r"|other than)\b",
    ),
    Demand(
        OVERRIDE,
        (
            *(f"obey the {one}" for one in ("text", "line", "lines", "words")),
            *(f"obey this {one}" for one in ("text", "page", "note", "message", "memory")),
        ),
        rf"(?:{CLAUSE}|\bmust )obey (?:the (?:text|lines?|words) (?:below|above)|this (?:text|page|note|message"
        r"|memory))\b",
    ),
)
