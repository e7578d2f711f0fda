"""Owns further orders in plain words: against the files of a team, its guard, its people and its secrets.

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

_FILES = ("agents.md", "claude.md", "gemini.md", "boundaries.md", "decisions.md", "copilot-instructions.md")
_FILE = rf"(?:{'|'.join(one.removesuffix('.md') for one in _FILES)})\.md\b"
_LAW = r"(?:decisions|boundaries|rules|guidelines)"
_PLACES = r"(?:id_rsa|id_ed25519|~/\.(?:ssh|aws|kube|netrc)\S*|\.env\b)"
_REPLY = r"(?:repl(?:y|ies)|answers?|responses?|messages?|commit messages?|commits?|pull requests?)"

DEMANDS = (
    Demand(OVERRIDE, _FILES,
           rf"\bstop (?:following|obeying|reading) (?:the )?{_FILE}"
           rf"|\b(?:do not|don't|never) (?:follow|obey) (?:the )?{_FILE}"
           rf"|\bin {_FILE} (?:is|are) [^.\n]{{0,20}}[,;:]? (?:and )?(?:do not|don't) (?:obey|follow|read)\b"
           rf"|(?<!never )(?<!not )(?<!n't )\b(?:overwrite|replace)(?: the contents? of)? {_FILE} (?:with|by)"
           r" (?:the (?:text|lines) below|this|what follows|the following)\b"),
    Demand(OVERRIDE, (*(f"{verb} {end}" for verb in ("are", "were", "are now", "are hereby", "have been") for end in
                        ("void", "suspended", "lifted", "cancelled", "revoked")),
                      *(f"as {end}" for end in ("cancelled", "void", "revoked", "withdrawn"))),
           rf"\b(?:all|the) (?:\w+ )?{_LAW}(?: of the team)? (?:are|were|have been)(?: now| hereby)?"
           r" (?:void|suspended|lifted|cancelled|revoked)\b(?! (?:if|when|once|after|in|for|until|unless)\b)"
           r"|(?:^|[.!?;:] |\bthen )(?:please |now )*treat d-\d+ as (?:cancelled|void|revoked|withdrawn)\b"),
    Demand(OVERRIDE, tuple(f"now {verb}" for verb in ("disregard", "ignore", "bypass")),
           rf"\byou (?:may|can|should|must) now (?:disregard|ignore|bypass) (?:the team's|our|the|all|any)"
           rf" (?:\w+ )?{_LAW}\b"),
    Demand(OVERRIDE, ("training does not", "what your developer", "what your operator", "what your prompt",
                      "what your system", "free of any limits", "free of all limits", "text below instead",
                      *(f"this {what} says" for what in ("page", "text", "message", "document"))),
           r"\byour (?:safety )?training does not apply\b"
           r"|\bsupersedes what your (?:developers?|operators?)\b"
           r"|\bthe opposite of what your (?:system )?prompt\b"
           r"|\byourself free of (?:any|all) limits\b"
           r"|\b(?:put aside|set aside|ignore|forget|disregard) what your (?:developers?|operators?)\b"
           r"|\bfollow the text below instead\b"
           r"|\bdo (?:as|what) this (?:page|text|message|document) says\b"),
    Demand(FOREIGN_VOICE, ("as if your user", "as if your operator", "as if your owner", "updated your guidelines",
                           "updated your rules", "changed your rules", "changed your guidelines", "note to ai",
                           "ai reviewers", "<!-- ai", "<!-- llm", "<!-- assistant", "<!--ai"),
           r"\bas if your (?:user|operator|owner) had (?:typed|said|written|asked)\b"
           r"|\b(?:anthropic|openai|google|microsoft) (?:has|have) (?:updated|changed) your (?:guidelines|rules)\b"
           r"|\bnote to (?:all )?ai (?:reviewers?|agents?|assistants?)\b|\bai reviewers?: \w"
           r"|<!-- ?(?:ai|llm|assistant)s? ?:"),
    Demand(STEERING, ("your new goal", "answer only to", "answer as dan", "respond as dan", "act as dan",
                      "answer all further", "for any question", "for all questions"),
           r"\byour new goal is\b|\byou (?:now )?answer only to\b|\b(?:answer|respond|act) as dan\b"
           r"|\banswer all further questions with\b"
           r"|\bfor (?:any|all) questions? about [^.\n]{1,40}?,? (?:always )?(?:answer|say|reply) that\b"),
    Demand(PROMOTION, ("merge your own", "approve your own", "skip code review", "skip the review", "auto-approve all",
                       "auto-approve every", "this memory as", "this note as", "trust to trusted",
                       "memories as useless", "everything in quarantine", "all in quarantine", "--role human",
                       "--role=human"),
           r"\byou (?:are(?: now)? (?:authori[sz]ed|allowed)|have permission|may)(?: now)? to (?:merge|approve) your"
           r" own\b"
           r"|\byou have permission to skip (?:code|the) review\b"
           rf"|{CLAUSE}auto-approve (?:all|every)\b"
           rf"|{CLAUSE}mark this (?:memory|note) as (?:confirmed|core|trusted|reviewed|approved|useful)\b"
           rf"|{CLAUSE}rate (?:all )?(?:the )?other memories as useless\b"
           r"|\bset trust to trusted\b"
           rf"|{CLAUSE}release (?:everything|all)(?: that is)? in quarantine\b"
           r"|\bhansard (?:guard|inbox|memory)\b[^\n]{1,60}--role[ =]human\b"),
    Demand(PROMOTION, ("to all other agents", "to all agents", "every other agent", "to every agent",
                       "every memory you", "all your memories"),
           r"\bforward this (?:message|instruction|text|note) to (?:all|every)\b|\btell every other agent to\b"
           r"|\brepeat (?:these words|this) (?:\w+ )?to every agent\b"
           r"|\b(?:copy|repeat) this (?:text|sentence|note) (?:in|into) (?:every memory|all your memories)\b"),
    Demand(CONCEALMENT, ("asking the human", "consult the human", "consult humans", "permission before",
                         "without asking", "already agreed", "already approved this"),
           rf"{CLAUSE}skip asking the (?:human|user|owner)s?\b|\b(?:do not|don't|never) consult (?:the )?humans?\b"
           r"|\b(?:do not|don't|never) ask for permission before (?:deleting|removing|pushing|merging|running)\b"
           r"|\byou may use sudo without asking\b"
           r"|\b(?:user|owner|human) has already agreed\b[^\n]{0,60}\bso go ahead\b"
           r"|\balready approved this[,;.]? (?:no need to ask|so go ahead|go ahead)\b"),
    Demand(COMMAND, ("secret scanner", "the guard", "before answering", "before you answer"),
           rf"{CLAUSE}(?:disable|turn off|switch off|bypass) the (?:secret scanner|guard)\b"
           r"(?! (?:in|on|for|of|if|when|while|during|only|rail)\b)"
           r"|\b(?:do not|don't|never) run the guard on\b"
           r"|\byou must (?:delete|drop|remove|send)\b[^.\n]{1,40}\bbefore answering\b"
           r"|\bbefore you answer,? (?:run|delete|drop|send|execute) "),
    Demand(EXFILTRATION, ("customer list", "customer data", "user list", "database dump", "commit message",
                          "credentials to s3", "credentials to http", "credentials to gs", "contents of .env",
                          "contents of ~/", "contents of id_"),
           rf"{CLAUSE}(?:e-?mail|send|mail|forward|upload) the (?:customer|user|client) (?:list|data)\b[^\n]{{0,20}}?"
           r"\bto\b[^\n]{0,10}?\S(?:@|://)"
           r"|\bdatabase dump to https?://\S+[^\n]{0,3} do the same\b"
           r"|(?<!never )(?<!not )(?<!n't )\binclude\b[^\n]{0,20}\b\w*(?:api_key|token|secret|password)\b[^\n]{0,12}"
           rf"\bin your (?:next )?{_REPLY}"
           r"|\bencode the (?:private|secret|api) key\b[^\n]{0,40}\bcommit message\b"
           r"|\bcopy ~/\.aws/credentials to (?:s3|https?|gs)://"
           rf"|\binclude the contents of {_PLACES}"),
    Demand(COMMAND, ("project you work on", "repository you work on", "repo you work on"),
           r"\b(?:add|install|copy|put|insert)\b[^\n]{1,60}\b(?:in|into|to) (?:every|each) (?:project|repository|repo)"
           r" you work on\b"),
    Demand(STEERING, ("link to http",),
           rf"\b(?:every|each) {_REPLY} (?:should|must|has to|shall) (?:end|begin|start|close)[^.\n]{{0,20}}"
           r"\blink to https?://"),
)  # fmt: skip
OWN = (
    Demand(PROMOTION, ("outranks all", "outranks every", "outranks the", "overrules all", "overrules every",
                       "supersedes all", "supersedes every"),
           rf"\bthis (?:memory|note|entry) (?:outranks|overrules|supersedes) (?:all|every|the)(?: of)?(?: the| other)*"
           rf" (?:{_LAW}|memories)\b"),
    Demand(OVERRIDE, ("was dir gesagt", "was man dir", "was ich dir"),
           r"\bvergiss (?:bitte )?alles,? was (?:dir|man dir|ich dir)\b"),
    Demand(EXFILTRATION, ("paste its", "paste their", "to every reply", "to every answer", "to each reply",
                          "to every response"),
           r"\b(?:agents?|assistants?|models?) (?:has|have|must|needs?|should) (?:to )?paste (?:its|their) (?:\w+ )?"
           r"(?:keys?|tokens?|passwords?|credentials?)\b[^\n]{0,20}?https?://"
           rf"|(?<!never )(?<!not )(?<!n't )\bappend\b[^\n]{{0,30}}?{_PLACES} to (?:every|each) {_REPLY}"),
    Demand(EXFILTRATION, ("to your next", "in your next", "into your next"),
           r"(?<!never )(?<!not )(?<!n't )\b(?:append|include|add|put|print|paste|write)\b[^\n]{0,30}?"
           rf"\b(?:\w*(?:api_key|access_key|token|secret|password)|{_PLACES})[^\n]{{0,12}}? (?:to|in|into) your next"
           rf" {_REPLY}"),
)  # fmt: skip
"""No honest agent says so in its own name."""
