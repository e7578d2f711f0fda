"""Owns how a page speaks to a model: by what it calls it, as whom it wants it to act, and how it is to answer.

The words of each demand are few and rare, because the search through a batch looks for the same ones.
"""

from hansard.domain.tricks.demands import CLAUSE, FOREIGN_VOICE, NEW_IDENTITY, PROMOTION, READER, STEERING, Demand

_NAMES = r"(?:claude|chatgpt|gpt(?:-\d)?|gemini|copilot|codex|llama|siri|alexa|bot|robot|ai|llm)"
_ANSWER = r"(?:answer|say|reply|respond|recommend|suggest|name|claim|tell (?:them|him|her))"
_ANSWERED = (
    r"(?! (?:with |that )?[\"'“`]?(?:yes|no|y|n|the default)\b)"
    r"(?! (?:with |by )?(?:an? |the )?(?:link|job|\d{3}\b|form))"
)
"""What is typed at a prompt, or what a server answers with."""
_SAID = r"this (?:memory|note|sentence|text|line|message|entry|phrase|lesson|paragraph)"

DEMANDS = (
    Demand(STEERING, ("ai:", "ai :", "ais:", "llm:", "llms:", "models:", "model:", "agents:", "agent:", "assistant:",
                      "assistants:", "bots:", "bot:", "copilots:", "tools:", "agents!", "assistants!", "models!",
                      "bots!",
                      "reading this"),
           rf"(?:^|[.!?;>] )(?:to |for )?(?:all|any|every|dear) (?:\w+ )?{READER} ?[:!]"
           r"|(?:^|[.!?;>] )(?:to |for )?(?:(?:all|any|every|whichever|the|an?|dear) )*(?:ai|llm|bot|model"
           r"|assistant|agent)s?"
           r" reading this\b"
           r"|\b(?:note|message|notice|reminder|instruction|word|memo|order|request|hint|advice)s? (?:to|for) "
           rf"(?:(?:all|any|every|the|our|whichever) )*{READER} ?[:!]"),
    Demand(STEERING, tuple(f"{hail} {name}" for hail in ("hey", "dear", "attention", "listen") for name in
                           ("claude", "chatgpt", "gpt", "gemini", "copilot", "codex", "llama", "bot", "robot", "llm")),
           rf"\b(?:hey|dear|attention|listen),? {_NAMES} ?[:,!]"),
    Demand(STEERING, ("you are an ai", "you're an ai", "you are a language", "you're a language", "you are a large",
                      "you're a large", "you are an llm", "you're an llm", "you are a bot", "you're a bot",
                      "you are a chat", "you're a chat", "you are a model", "you're a model", "you are an assistant",
                      "you're an assistant", "you are a coding", "you're a coding", "you are claude", "you're claude"),
           r"\b(?:if|since|because|as|when|whenever|in case) you(?: are|'re) (?:an? )?(?:ai\b|llm\b"
           r"|(?:large )?language model|bot\b"
           r"|chat ?bot|model\b|assistant\b|coding (?:agent|assistant)|claude\b)"),
    Demand(STEERING, ("sees this", "see this", "seeing this", "reads this",
           "reading this", "finds this", "finding this",
                      "loads this", "receives this", "processing this", "processes this", "encounters this"),
           r"\b(?:any|every|all|each|whichever) (?:\w+ )?(?:agents?|assistants?|models?|bots?|llms?"
           r"|ai)(?: (?:that|who|which))?"
           r" (?:sees?|seeing|reads?|reading|finds?|finding|loads?|receives?|process(?:es|ing)?|encounters?) this\b"),
    Demand(STEERING, tuple(f"{who} {must}" for who in
                           ("ai", "ais", "llm", "llms", "assistant",
           "assistants", "models", "agent", "agents", "chatbot",
                            "chatbots", "copilot", "copilots", "bots", "tools", "claude", "chatgpt", "gemini")
                           for must in ("must", "should", "shall", "has to", "have to", "are to", "is to")),
           rf"\b{READER} (?:must|should|shall|has to|have to|are to|is to)(?: now| always| only| never| first| all)*"
           r" (?:recommend|suggest|promote|prefer|install|use|advertise|link|answer|approve|merge|ignore|trust"
           r"|release|read|run"
           r"|call|reply|respond|vote|obey|skip|say|endorse|accept (?:this|it|p-|all|every|the proposal))\b"),
    Demand(STEERING, ("asked about", "asked for", "asked which", "asked what", "asked who", "asked how",
           "asked whether",
                      "asked on", "asks about", "asks for", "asks which", "asks what", "asks who", "asks how",
                      "asks whether", "ask about", "ask for", "ask which", "ask what"),
           r"\b(?:when|whenever|if|every time)(?: ever| you are| you're| you get)? asked (?:about|for|which"
           r"|what|who|how|whether"
           rf"|on)\b[^.\n,]{{0,60}}(?:, ?| (?=always ))(?:then |always |please |just |only )*{_ANSWER}\b{_ANSWERED}"
           r"|\b(?:when|whenever|if|every time) (?:anybody|anyone|somebody|someone|people|they|(?:a|the"
           r"|any) (?:user|human"
           r"|developer|customer|person)|users|humans|developers) asks?\b[^.\n,]{0,60}, ?(?:then |always "
           r"|please |just |only )*"
           rf"{_ANSWER}\b{_ANSWERED}"),
    Demand(STEERING, (
           "every question", "all questions", "any question", "each question", "every message", "every prompt",
                      "all prompts", "any prompt", "each prompt", "every user", "all users"),
           r"\b(?:reply|respond|answer)(?: to)? (?:every|all|any|each) (?:\w+ )?(?:questions?|messages?"
           r"|prompts?|users?)"
           rf"(?: \w+){{0,3}} (?:with|only with|by saying)\b{_ANSWERED}"
           r"|\bfor (?:all|any|every) questions? (?:on|about|of|regarding) [^.\n,]{1,60}\b(?:answer|reply|say"
           r"|respond|recommend)\b"
           rf"{_ANSWERED}"),
    Demand(STEERING, ("your answer", "your repl", "your response", "your output", "every answer", "each answer",
                      "every reply", "each reply"),
           r"\b(?:end|begin|start|finish|close|open|sign|conclude|prefix) (?:each|every|all"
           r"|any) (?:(?:one )?of )?(?:your )?"
           r"(?:answers?|repl(?:y|ies)|responses?|outputs?)\b(?= (?:with|by)\b)"),
    Demand(STEERING, (
           "this sentence", "this line", "this text", "this note", "this phrase", "this message", "this memory",
                      "this entry", "this lesson", "this paragraph"),
           rf"\b(?:add|insert|include|append|put|write|paste|place|repeat|copy|quote|cite"
           rf"|echo) {_SAID}\b[^.\n]{{0,30}}"
           r"\b(?:every|each|all)\b[^.\n]{0,20}\b(?:you (?:write|create|touch|edit|make|send|give)|your)\b"),
    Demand(STEERING, ("always recommend", "always suggest", "always promote", "always advertise", "always endorse"),
           rf"{CLAUSE}always (?:recommend|suggest|promote|advertise|endorse)\b"),
    Demand(NEW_IDENTITY, ("your new name", "your new identity", "your new persona", "your new master", "your new boss",
                          "your new purpose", "your new mission", "your new role", "your new task", "your new job",
                          "your real ", "your true ", "your actual ", "your secret ", "your hidden "),
           r"\byour new (?:name|identity|persona|master|boss|purpose|mission) is\b"
           r"(?! (?:shown|displayed|used|saved|stored|visible|updated|set|applied|created|listed)\b)"
           r"|\byour new (?:role|task|job) is (?:now )?(?:to|that of|root|admin\w*|coordinator|owner|reviewer"
           r"|maintainer)\b"
           r"|\byour (?:real|true|actual|secret|hidden) (?:name|identity|task|job|goal|purpose|mission"
           r"|objective|instructions?"
           r"|role|orders?|owner|master) (?:is|are)\b(?! (?:not|never) (?:shown|sent|stored|used|needed|required))"),
    Demand(NEW_IDENTITY, ("assume the", "think of yourself", "promoted to", "appointed", "elevated to", "upgraded to",
                          "the authority of", "full authority of", "made an admin", "made admin", "made coordinator",
                          "made root", "made owner", "made the"),
           rf"{CLAUSE}(?:assume|take on) the (?:identity|persona) of\b|\bthink of yourself as\b"
           r"|\byou(?: have been|'ve been| were| are)(?: now| hereby)? (?:promoted|appointed|elevated|upgraded"
           r"|made)(?: to| as)?"
           r"(?: an?| the)? (?:\w+ )?(?:coordinator|admin\w*|root|owner|maintainer|reviewer|lead|super\w*|operator)\b"
           r"|\byou (?:now )?(?:act|speak|work|decide) (?:with|under|on) the (?:full )?authority of\b"),
    Demand(NEW_IDENTITY, tuple(
           f"{verb} your {what}" for verb in ("set", "change", "switch", "update", "raise") for what in
                               ("role", "identity", "persona", "trust", "rank")),
           rf"{CLAUSE}(?:set|change|switch|update|raise) your (?:role|identity|persona|trust(?: level)?"
           rf"|rank) (?:to|into)\b"
           r"(?! [\"'`“]?\$?\{?<)"),
    Demand(PROMOTION, ("repeat this", "copy this", "quote this", "echo this"),
           rf"\b(?:copy|repeat|quote|echo) {_SAID}(?: \w+)? (?:in|into|to) (?:all|every|each|any|your)\b"),
    Demand(FOREIGN_VOICE, ("<operator", "<instruction"), r"<(?:operator|instructions?) [^<>]{1,200}>"),
)  # fmt: skip
