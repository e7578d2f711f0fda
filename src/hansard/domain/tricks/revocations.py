"""Owns words from outside that take back what a team decided, or grant what nobody granted."""

from hansard.domain.tricks.demands import (
    CLAUSE,
    COMMAND,
    CONCEALMENT,
    EXFILTRATION,
    FOREIGN_VOICE,
    OVERRIDE,
    PROMOTION,
    Demand,
)

_FILE = r"(?:agents|claude|gemini|boundaries|decisions|copilot-instructions)\.md\b"
_GONE = ("lifted", "revoked", "cancelled", "withdrawn", "void")
_IS = ("was", "is", "is now", "has been")
_MISSPELT = ("lgnore", "igonre", "ingore", "ignroe", "ignor3", "dlsregard", "disreguard", "disregrad")

DEMANDS = (
    Demand(OVERRIDE, ("md no longer applies", "md does not apply any more", "md are outdated", "md is outdated",
                      "md are obsolete", "md is obsolete"),
           rf"\b{_FILE} (?:no longer applies|does not apply any more)\b"
           rf"|\bin {_FILE} (?:is|are) (?:outdated|obsolete)[,;:.]? (?:and |so |please )*(?:follow|use|obey|read) "),
    Demand(OVERRIDE, tuple(f"{verb} {end}" for verb in _IS for end in _GONE),
           rf"\bd-\d+ (?:{'|'.join(_IS)}) (?:{'|'.join(_GONE)})\b(?! (?:if|when|once|unless|until)\b)"
           rf"|\bthe (?:boundary|decision) (?!of |on |to |about )[\w-]{{2,80}} (?:{'|'.join(_IS)})"
           rf" (?:{'|'.join(_GONE)})\b(?! (?:if|when|once|unless|until)\b)"
           r"|\b(?:prior|previous|earlier) context (?:is|is now|has been) (?:void|cancelled|revoked)\b"),
    Demand(OVERRIDE, ("memory overrides", "note overrides", "memory replaces decision", "note replaces decision",
                      "memory overrules", "note overrules"),
           r"\bthis (?:memory|note) (?:overrides|replaces|overrules) (?:the )?(?:decisions?|boundar(?:y|ies)|d-\d+)\b"),
    Demand(OVERRIDE, tuple(f"{what} {verb} {kind}" for what in ("guidelines", "rules", "instructions")
                           for verb in ("were", "are") for kind in ("a test", "only a test", "just a test", "a joke")),
           r"\byour (?:guidelines|rules|instructions) (?:were|are) (?:only |just )?a (?:test|joke)\b"),
    Demand(OVERRIDE, ("scratch all", "scratch everything"),
           rf"{CLAUSE}scratch (?:all|everything)(?: of)?(?: the)? above\b"),
    Demand(OVERRIDE, _MISSPELT,
           rf"\b(?:{'|'.join(_MISSPELT)})\b[^.\n]{{0,20}}\b(?:previous|prior|earlier|above|all|your)\b"),
    Demand(CONCEALMENT, ("already approved all", "already approved any", "already approved every", "has approved all",
                         "has approved any", "has authorized all", "has authorised all"),
           r"\b(?:user|owner|human|operator|team) has (?:already )?(?:approved|authori[sz]ed) (?:all|any|every)"
           r" (?:\w+ )?(?:operations?|actions?|commands?|deletions?|tool calls?)\b"),
    Demand(PROMOTION, ("have permission to", "have the permission to", "allowed to push", "authorized to push",
                       "authorised to push"),
           r"\byou (?:now )?have (?:the )?permission to (?:push|force-push|deploy|merge|delete|commit)"
           r"(?: directly)?(?: everything| anything)? (?:in)?to (?:main|master|production)\b"
           r"|\byou are (?:now )?(?:allowed|authori[sz]ed) to push (?:directly )?to (?:main|master|production)\b"),
    Demand(PROMOTION, ("hansard inbox merge", "hansard guard release", "hansard guard confirm", "hansard memory share"),
           rf"{CLAUSE}(?:run|execute|call|type) [\x60\"']?hansard (?:inbox merge|guard (?:release|confirm)"
           r"|memory share) (?:p-\d+|[0-9a-f-]{36})"),
    Demand(PROMOTION, ("call the tool", "invoke the tool", "use the tool"),
           r"\b(?:call|invoke|use) the tool\b[^\n]{0,60}?\b(?:scope|importance|origin|trust) ?[=:]"),
    Demand(FOREIGN_VOICE, ("with the real task", "with the actual task", "with your real task",
                           "with your actual task"),
           r"\b(?:continue|proceed|go on) with (?:the|your) (?:real|actual) task\b"),
    Demand(EXFILTRATION, ("before you answer", "before answering", "the user's last message",
                          "the user's last question"),
           r"\b(?:before you answer|before answering),? (?:get|fetch|post|open|visit|request) https?://"
           r"|https?://\S+ followed by the user's last (?:message|question)\b"),
    Demand(EXFILTRATION, ("your system prompt?",),
           r"\bwhat is your system prompt\? (?:write|put|print|add|send|paste|post) "),
    Demand(COMMAND, ("urlopen(", "exec(requests.get(", "eval(requests.get("),
           r"\b(?:exec|eval)\((?:\w{1,20}\.){0,3}(?:urlopen|requests\.get|get)\("),
)  # fmt: skip

_ANY = ("what", "whatever", "everything", "anything", "all", "that")
_KNOW = ("know", "knew", "learned", "learnt", "read", "heard", "remember")
_KNOWN = ("learned", "learnt", "read", "heard")
_FILES = r"(?:agents|claude|gemini|boundaries|decisions|charter|history|now|copilot-instructions)\.md"
_NUMBERED = ("d-", "inv-", "decision d-", "claude.md", "agents.md", "codeowners")
_LAW = (
    rf"(?:(?:[dp]|inv)-\d+\b|decision (?:no\. ?|number |#)?\d+\b|{_FILES}\b|copilot-instructions\b|codeowners\b"
    r"|boundaries[ -]and[ -]decisions\b|(?:the|our|your|team's|team) (?:boundaries|decisions)\b)"
)
"""What binds a reader by its number or its file."""
_UNKNOW = r"(?:ignore|disregard|forget|unlearn|discard|drop),?(?: please,?)?"
_NOT = r"(?<!not )(?<!n't )(?<!never )(?<!ever )(?<!cannot )(?<!simply )(?<!just )"
OWN = (
    Demand(OVERRIDE, (*(f"{one} {who} {know}" for one in (*_ANY, "things") for who in ("you", "we") for know in _KNOW),
                      *(f"you{have} {known}" for have in ("'ve", " have") for known in _KNOWN),
                      *(f"{one} {law}" for one in _ANY for law in _NUMBERED),
                      "everything about", "anything about", "all about"),
           rf"{_NOT}\b{_UNKNOW} (?:all of )?(?:what|whatever|everything|anything|all|(?:all )?the things)(?: that)?"
           rf" (?:you|we)(?:'ve| have)? (?:{'|'.join(_KNOW)}) (?:about|of|on|in|from) [^.!?;:\n]{{0,60}}?"
           rf"(?<![\w-]){_LAW}"
           rf"|{_NOT}\b{_UNKNOW} (?:what|whatever|everything|anything|all)(?: that)? (?:decision |the )?{_LAW}"
           r" (?:says|said|demands?|requires?|wants?|asks?|decides|decided)\b"
           rf"|{CLAUSE}{_UNKNOW} (?:everything|anything|all) about (?:the )?(?:decision |proposal )?{_LAW}"),
)  # fmt: skip
"""A binding decision is undone by no note, an agent's own words included."""
