"""Owns what makes an order honest that sounds like an attack: it is about a tool, a file or a test, not its reader.

Each is a part of a pattern that looks ahead: where it holds, the order before it is none of those that are looked for.
"""

ELSEWHERE = (
    "(?! (?:(?:that (?:are|were|is|you find) |which (?:are|were) )?"
    "(?:found|given|written|hidden|embedded|contained|quoted|stored|seen) )?"
    "(?:of|in|from|for|on|inside|within) (?!(?:(?:the|your|our) (?:\\w+ )?)?(?:team|user|system|prompt|block|boundaries"
    "|decisions|charter|coordinator|lead|owner|reviewers?|agents\\.md|claude\\.md)\\b|this (?:prompt|block|project)))"
)
"""So that the rules of a linter, or the instructions in a file, are no suspicion."""
OF_TOOLS = (
    r"(?![ \t]+(?:all|any)(?:[ \t]+(?:the|existing))?[ \t]+"
    r"(?:(?!previous|prior|earlier|above|your|former|team|system|safety|security|review)\w+[ \t]+)?"
    r"(?:rules?|commands?|prompts?)[ \t]+"
    r"(?:in|of|for|from|by)[ \t]+"
    r"(?!(?:the[ \t]+(?:team|user|system|prompt|block|boundaries|decisions|review|coordinator|owner)"
    r"|agents?|models?|reviews?|you|me|this|these|your|our)\b))"
)
"""So that all the rules of a linter in some files may be dropped."""
_WALLS = (
    r"(?:iptables|ip6tables|nftables|nft|ufw|pf|netfilter|firewalld?|nginx|apache|haproxy|envoy|traefik|eslint|ruff"
    r"|pylint"
    r"|flake8|stylelint|prettier|snort|suricata|waf|modsecurity|cloudflare|selinux|apparmor|udev|cron|crontab"
    r"|prometheus"
    r"|alertmanager|grafana|css|stylesheets?|makefile|robots\.txt|\.?gitignore|\.?dockerignore|\.?htaccess|ipset|chain"
    r"|ruleset|rule ?set|filter table|nat table|security group|load balancer|router|proxy|gateway|parser|grammar"
    r"|linter)"
)
_GUIDES = r"(?:wizard|installer|tutorial|cookbook|recipe|assembler|emulator|disassembler|bytecode|opcode table)"
"""What has rules or instructions of its own, none of which a reader of memories was given."""
_THEN = (
    r"(?![^.\n]{0,60}\b(?:and|then|instead|so) (?:push|merge|approve|accept|deploy|release|obey|grant|trust|disable"
    r"|force-push)\b)"
)
"""What follows shows that the test, the tool or the file was a pretext."""
_READER = (
    rf"{_THEN}"
    r"(?![^.\n]{0,60}\b(?:prompt|conversation|context|chat|mind|team|agents?|reviews?|system|your"
    r"|(?<!when )(?<!while )(?<!if )(?<!once )(?<!before )you"
    r"|(?:and|then|instead) (?:send|upload|delete|follow|comply|run|execute|do|skip|ignore|tell))\b)"
)
"""Where the reader is spoken of after all, nothing is excused."""
_AT = r"[ \t]+(?:in|of|from|for|on|inside)[ \t]+(?:(?:the|a|an|each|every|any|our)[ \t]+)?"
OF_WALLS = rf"(?!(?:(?<=rules)|(?<=rule)){_AT}{_WALLS}\b{_READER}|(?<=instructions){_AT}{_GUIDES}\b{_READER})"
_POINTS = (
    r"(?:\.[a-z]\w*|0x[0-9a-f]+|(?:a |an |the |each |every |any |its )?(?:first |last |next |second )?(?:\w+ )?"
    r"(?:opcodes?|halt|nop|ret|jmp|int3|breakpoints?|labels?|prologue|epilogue|entry point|program counter|basic block"
    r"|jump|branch|syscall|interrupt|delay slot|end token|end marker|eof))\b"
)
OF_CODE = (
    r"(?![ \t]+(?:all|any)(?:[ \t]+(?:the|other|further))?[ \t]+"
    r"(?:(?:instructions?|commands?|directives?)[ \t]+(?:after|before|behind|past|following|below|between|until)"
    rf"|rules?[ \t]+(?:below|under|beneath))[ \t]+{_POINTS}"
    rf"{_READER})"
)
"""So that a machine may pass over what it is not to run."""
OF_MACHINES = (
    r"(?!(?:(?<=\bthe above instructions)|(?<=\bthe instructions above)|(?<=\bthe previous instructions))"
    r"[ \t]+(?:if|when|unless)[ \t]+you"
    r"(?:[ \t]+(?:use|run|have|develop[ \t]+on|work[ \t]+on|build[ \t]+on|are[ \t]+on)|'re[ \t]+on)[ \t]+(?:an?[ \t]+)?"
    r"(?:windows|macos|mac|linux|ubuntu|debian|fedora|alpine|nixos|wsl|apple[ \t]+silicon|arm|homebrew|docker)\b"
    rf"{_THEN}(?![^.\n]{{0,60}}\b(?:your|agents?|mind|prompt|instead|and|then)\b))"
)
"""So that steps may be left out where they do not fit the machine."""
_OURS = (
    r"(?:you|your|me|us|this|these|those|that|it|here|all|any|every\w*|agents?|models?|ai|assistants?|llms?|team|teams?"
    r"|system|users?|prompts?|reviews?|reviewers?|approvals?|safety|security|guards?|trust|quarantine|memor(?:y|ies)"
    r"|decisions?|boundar(?:y|ies)|conversation|context|behaviou?r|secrecy|secrets?|permissions?|humans?|people)"
)
"""What the rules of a reader are about. Who drops those says so of no work."""
_WORKS = (
    "deployment|deploy|release|lint|linter|branch|commit|cache|database|schema|migration|format|style|import|retry|log"
    "|test|build|ci|docker|install|installation|setup|upgrade|rollback|backup|alert|firewall|validation|discount|tax"
    "|refund|payment|checkout|translation|css|html|sql|api|endpoint|url|header|cookie|timeout|rate|quota|index|query"
    "|queue|worker|cron|job|event|webhook|version|label|changelog|docs|documentation|type|mypy|ruff|eslint|flake8|pylint"
    "|prettier|npm|yarn|pnpm|python|java|go|rust|node|react|frontend|backend|ui|design|layout|accessibility|network"
    "|proxy|gateway|nginx|kubernetes|terraform|makefile|indentation|whitespace|name|file|folder|path|module|package"
)
_NO_WORKS = "existing|preceding|binding|following|standing|remaining|governing|guiding|overriding|limiting|restricting"
UNNAMED = (
    "(?=[rdgcpio])"
    + "".join(rf"(?<!\b{one} )" for one in _WORKS.split("|"))
    + "(?:(?<!ing )|"
    + "|".join(rf"(?<=\b{one} )" for one in _NO_WORKS.split("|"))
    + ")"
)
"""Before rules of which nothing says what they are about: the previous ones, and not those of naming."""
OF_MINE = (
    r"(?!(?<=\bmy previous instructions)[ \t]+(?:about|for|on|regarding)[ \t]+MINE"
    r"|(?<=\bmy earlier instructions)[ \t]+(?:about|for|on|regarding)[ \t]+MINE)"
).replace("MINE", rf"(?:the[ \t]+|our[ \t]+)?(?!{_OURS}\b)\w[\w-]+{_READER}")
"""So that somebody may take back what they said of a piece of work."""
_NO_PAPER = (
    r"(?![^\n]{0,120}\b(?:you|your|yours|prompts?|conversation|context|chat|mind|teams?|agents?|models?|assistants?|ai"
    r"|llms?"
    r"|claude|gemini|copilot|cursor\w*|system|users?|reviews?|reviewers?|security|safety|secur\w*"
    r"|secrets?|keys?|tokens?"
    r"|passwords?|credentials?|guards?|guardrails?|quarantine|memor(?:y|ies)|decisions?|boundar(?:y|ies)|permissions?"
    r"|approv\w*|accept\w*|merg\w*|push\w*|obey\w*|grant\w*|trust\w*|disabl\w*|bypass\w*|ignore|disregard|forget|send"
    r"|upload|delet\w*|reveal|execute|comply|follow\w*|do|tell|answer|reply|respond|instead|everything|anything"
    r"|from now|below|this (?:note|memory|message|text|entry|line)|alles|alle|genehmig\w*|akzeptier\w*|freigeb\w*"
    r"|vertrau\w*|folge|tu|dich|dir|agenten|regeln|entscheid\w*|sicherheit|schick\w*|tout|toute?s|approuv\w*|accepte\w*"
    r"|fusionn\w*|pousse\w*|envoie\w*|suis|fais|toi|vous|[eé]quipe|r[eè]gles|s[eé]curit[eé]|todo|todas?|aprueb\w*"
    r"|acept\w*"
    r"|empuj\w*|env[ií]a\w*|sigue|haz|equipo|reglas|seguridad|usuario|sistema)\b)"
)
"""What is said behind it shows that the reader is meant, or what it is to do from now on."""
_PAPER = (
    r"(?:readme|wiki|manual|handbook|runbook|ticket|issue|tutorial|guide|docs|documentation|changelog|comments?"
    r"|pull request|jira|confluence|install\.md|contributing\.md|docs/[\w./-]{1,60}|handbuch|anleitung|manuel|gu[ií]a"
    r"|documentaci[oó]n|m[eé]mo)\b"
)
"""Where a team writes down how something is done. `AGENTS.md` and the like are read by the reader itself."""
_TOPIC = (
    r"(?:(?!(?:this|these|all|any|every|each|next|current|following|whole|entire|on)\b)\w+[ \t]+)?"
    r"(?!(?:jobs?|files?|types?|go|names?|events?|versions?|workers?)\b)"
    rf"(?:(?:{_WORKS})(?:s|es|ing|ting|ning)?|caching|naming|logging|lengths?|spacing|tabs|quotes|docstrings?|ports?"
    r"|titles?|colou?rs?|fonts?|dates?|sizes?)\b"
)
"""Agents are called workers and have jobs, and what is on file is all that was said."""
_DROPPED = r"(?:ignore|disregard|forget|skip|discard|override)[ \t]+(?:please[ \t]+)?(?:(?:the|my|our)[ \t]+)?"
NUMBERED = r"\b(?:[dp]|inv)[ \t#_-]*\d+\b|\b[\w-]{1,40}\.mdc?\b|\bcode ?owners?\b|\.hansard\b|\.github\b|\.claude\b"
"""What binds by its number, or as a file that a reader was given. No record that names one calls a thing old."""
_GOVERNS = (
    r"(?:\w*rules?\b|instruct|polic(?:y|ies)\b|governance|charter|constitution|convention|agreement|agreed|decid|decision"
    r"|boundar|process(?:es)?\b|procedure|requirement|standards?\b|embargo|freeze|review|approv|sign(?:ed|s)?[ -]?off"
    r"|gates?\b|veto|protect|guard|checks?\b|checklist|permission|permit|allow|rights?\b|roles?\b|security|safety"
    r"|secur|team|prompt|ci\b|tests\b|two[ -]person|eyes\b|principle|second pair|dual control|owners?\b"
    r"|lead(?:s|er\w*)?\b|coordinator|maintainer|manager|operator|admin|boss|humans?\b|people\b|person\b|hansard|project|void\b|optional"
    r"|binding|enforce|obligat|limits?\b|limitation|restriction|constraint|guid|orders\b|ethics?\b|moral|behaviou?r"
    r"|(?<!\bauth )(?<!\bfile )(?<!\boperating )system|she\b|he\b|her\b|his\b|him\b|them\b|their\b|nobody|no one"
    r"|everybody|everyone|anybody|anyone|says\b|said\b|word\b|you|agents?\b|assistants?\b|ai\b|llms?\b|quarantine|trust"
    r"|memor(?:y|ies)\b|conversation|context\b|secre)"
)
"""What tells a reader or a team how it works, and who has a say over it."""
_GONE = (
    r"(?:rewritten|replaced|removed|retired|dropped|deleted|superseded|deprecated|abandoned|outdated|obsolete|gone"
    r"|dead|a rewrite)\b"
)
_IS_GONE = (
    r"(?:,|;|:|\.|[ \t][–—-])?[ \t](?:it|which|that|they)[ \t](?:is|are|was|were|has been|have been|got)[ \t]"
    rf"(?:(?:now|all|completely|since|long)[ \t])?{_GONE}"
)
_NO_THING = (
    r"(?:ways?|one|ones|stuff|things?|regime|law|life|days|world|times|self|tasks?|missions?|goals?|identity|training"
    r"|persona|you|me|us|this|these|those|that|it|here|all|any|every\w*|who|what|being|how|and|then|or|but|so|because"
    r"|while)\b"
)
_OF_WORK = rf"(?!{_NO_THING})[\w./+#-]+"
_THING = (
    rf"(?![^\n]{{0,200}}?\b{_GOVERNS})"
    r"(?:(?:(?:the|our|its)[ \t]+)?(?:\w+[ \t]+)?(?:old|legacy|deprecated|retired|removed|abandoned|obsolete)[ \t]+"
    rf"{_OF_WORK}(?:[ \t]system\b)?"
    rf"|(?:(?:the|our|its)[ \t]+)?(?:{_OF_WORK}[ \t]+){{0,2}}{_OF_WORK}{_IS_GONE})"
)
"""A thing of the work that is said to be old or gone, and no law of a reader."""
OF_THINGS = (
    r"\b(?:ignore|disregard|forget)[ \t]+(?:everything|all|anything)(?:[ \t]+that)?[ \t]+you[ \t]+(?:know|knew|learned"
    rf"|learnt|read)[ \t]+(?:about|of|on)[ \t]+{_THING}{_NO_PAPER}"
)
"""What others are told to forget of a thing that is no longer there."""
OF_PAPERS = (
    (
        rf"\b{_DROPPED}(?:previous|prior|earlier)[ \t]+(?:rules?|instructions?|guidelines?|guidance|directives?)"
        rf"{_NO_PAPER}"
        r"[ \t]+(?:(?:in|of|from|on)[ \t]+(?:(?:the|our|this|that|a)[ \t]+)?(?:[\w-]+[ \t]+)?PAPER"
        r"|(?:about|on|regarding|concerning|for)[ \t]+(?:(?:the|our|a)[ \t]+)?TOPIC)"
        r"|\b(?:ignorier(?:e|t)?[ \t]+(?:bitte[ \t]+)?)?(?:die|den)[ \t]+(?:vorherigen?|vorigen?|fr[uü]heren?)"
        rf"[ \t]+(?:anweisung(?:en)?|vorgaben?|instruktion(?:en)?){_NO_PAPER}"
        r"[ \t]+(?:im|in[ \t]+der|in[ \t]+dem|aus[ \t]+dem|aus[ \t]+der|des)[ \t]+PAPER"
        r"(?:[ \t]+(?:bitte[ \t]+)?ignorieren)?"
        rf"|\bignore[zr]?[ \t]+les[ \t]+(?:instructions|consignes)[ \t]+pr[eé]c[eé]dentes{_NO_PAPER}"
        r"[ \t]+(?:du|de[ \t]+la|des|dans[ \t]+l[ea])[ \t]+PAPER"
        rf"|\bignor(?:a|ar|e|ad)[ \t]+las[ \t]+instrucciones[ \t]+anteriores{_NO_PAPER}"
        r"[ \t]+(?:del|de[ \t]+la|en[ \t]+el|en[ \t]+la)[ \t]+PAPER"
    )
    .replace("PAPER", _PAPER)
    .replace("TOPIC", _TOPIC)
)
"""Instructions of a README, a page of the wiki or a ticket, or on a topic of work, that an agent calls outdated. Taken
out of its own words before they are looked at again: from a page they count as any others do."""
_NO_WORK = (
    r"(?:und\b|oder\b|et\b|ou\b|y\b|dich|dir|euch|sie\b|mich|uns|alle|agent|ki\b|modell|assisten|team|system|nutzer"
    r"|prompt|sicher|review|pruf|freigabe"
    r"|dies|das hier|verhalten|entscheid|grenz|gedacht|gesprach|mensch|l'equipe|equipe|securite|systeme|toi|vous|moi"
    r"|nous"
    r"|tous|ia\b|l'ia|modele|utilis|l'utilis|revue|relecture|ce\b|cette|ces\b|comportement|humain|equipo|seguridad"
    r"|sistema"
    r"|usuario|ti\b|vosotros|ustedes|todos|todas|modelo|asistente|revision|esta|este|arriba|comportamiento)"
)
_GERMAN = r"(?:anweisungen|vorgaben|instruktionen|regeln)"
_FRENCH = r"(?:consignes|instructions|regles)"
_SPANISH = r"(?:instrucciones|reglas|ordenes)"
_ABOUT = (
    rf"(?:(?:den |die |das |der |dem |le |la |les |el |los "
    rf"|las )?(?!{_NO_WORK})[\w-]+)(?: (?!{_NO_WORK})[\w'-]+){{0,4}}"
)
_TO_WHOM = rf"(?! (?:fur|a|au|aux|pour|para) {_NO_WORK})"
_EARLIER = r"(?:bisherigen|vorherigen|vorigen|fruheren)"
_ON = r"(?:zum|zur|zu|fur|beim|uber)"
OF_WORK = (
    rf"\b{_EARLIER} (?:{_GERMAN} {_ON} {_ABOUT}|(?!{_NO_WORK})[\w-]{{2,40}}-{_GERMAN}) gelten nicht mehr\b{_TO_WHOM}"
    rf"|\b{_EARLIER} {_GERMAN} gelten nicht mehr (?:fur|bei|beim|in|im) {_ABOUT}"
    rf"|\bignorier(?:t|en sie)? (?:bitte )?meine {_EARLIER} {_GERMAN} {_ON} {_ABOUT}"
    rf"|\b{_FRENCH} (?:(?:precedentes|anterieures) (?:de |d'|du |des |pour |sur ){_ABOUT}"
    rf"|(?:de |d'|du |des |pour |sur ){_ABOUT} (?:precedentes|anterieures)) ne (?:s'appliquent|valent) plus\b{_TO_WHOM}"
    rf"|\b{_SPANISH} (?:anteriores (?:de |del |para |sobre ){_ABOUT}|(?:de |del |para |sobre ){_ABOUT} anteriores)"
    rf" ya no (?:se aplican|valen)\b{_TO_WHOM}"
)
"""Rules that say in another language what they are about, and end. Tried on a text as `bared` gives it."""
PLACES = (
    r"(?! (?:(?:line|row|page|version|commit|offset|byte|column|index|step|chapter|section|release) [#v]?\d+|v?\d+"
    r"|(?:the |a |an |each |its |that |any )(?:(?:first|last|second|next|final|opening|closing|blank|empty|horizontal)"
    r" ){0,2}(?:\w+ )?(?:headings?|headers?|separators?|delimiters?|commas?|colons?|semicolons?|slash|hash|dash|equals"
    r"|brackets?|braces?|quotes?|tabs?|newlines?|blanks?|dots?|columns?|rows?|tables?|timestamps?|watermark|threshold"
    r"|baseline|cut-?off|fold|migration|checkpoint|snapshot|release|deploy(?:ment)?|merge|rebase|outage|incident|import"
    r"|imports|shebang|licen[cs]e|cursor|marker|fence|changelog|signature|copyright|preamble|comments?))\b"
    rf"{_READER})"
)
"""Where something begins in a file, a table or a year, and no conversation does."""
OVER = (
    r"(?!: (?:the|that|this) (?!rules?\b|instructions?\b|boundar|decisions?\b|polic|system\b|prompt|guid|review"
    r"|team\b|limits?\b|checks?\b)[\w -]{1,40} (?:was|were|is|are|has been|have been) (?:now )?"
    r"(?:dropped|cancelled|canceled|wrong|outdated|replaced|superseded|abandoned|postponed|withdrawn|moot|void)\b"
    r"(?! (?:by|with) (?:this|these|the following|me)\b)[^\w]*\Z)"
)
"""So that somebody may take back a plan, if that is all that is said behind it."""
PERSONA = (
    r"(?:user \d+|(?:googlebot|bingbot|curl|firefox|chrome|safari)\b(?= (?:with -|when |to test ))"
    rf"{_READER}|"
    r"(?:an? |the )(?!(?:[\w-]+ ){0,2}(?:admin\w*|root|super\w*|privileged|unrestricted|unlimited"
    r"|uncensored|trusted|system|different|human|evil|authori[sz]ed|approved|free|amoral|jailbroken)\b)"
    r"(?:[\w-]+ ){0,3}?(?:customers?|users?|guests?|clients?|visitors?|buyers?|shoppers?|subscribers?|tenants?|callers?"
    r"|patients?|students?|crawlers?|browsers?|phones?|printers?|sensors?|newcomers?|beginners?|merchants?|sellers?"
    r"|couriers?|passengers?|attackers?(?= (?:when|while|in|who|during|for)\b))\b"
    r"(?! (?:without (?:any )?(?:limits?|rules|restrictions)|with (?:no|full|all|every|admin|root)"
    rf"|who (?:may|can|has|is allowed|ignores|obeys))){_THEN})"
)
"""Whose part a tester plays."""
GRANTED = (
    r"(?!(?<=\bclient )credentials to https?://"
    # Without its dots and slashes, as a sentence with signs for blanks is read.
    r"(?:[\w.:-]{1,100}/(?:[\w.-]{1,40}/){0,6}|(?:[a-z0-9]{1,40} ){1,8})token\b(?![^.\n]{0,80}(?:https?:|@|\band\b)))"
)
"""How a program gets a token by the grant that has this name."""
PARTS = r"(?:customers?|users?|guests?|clients?|visitors?|hire|joiner|tenants?)\b"
CONFINED = (
    r"(?! (?:only )?(?:in|inside|within|on) (?:the|a|an|your|its|each|every|that) (?:[\w-]+ )?"
    r"(?:containers?|vms?|sandbox|chroot|jail|pods?|namespace|guest|emulator|build images?|images?"
    r"|test (?:host|machine|box)|initramfs|rescue (?:shell|system)|staging (?:host|box|machine)|virtual machine)\b"
    rf"{_THEN})"
)
"""Where being root is a step of work."""
