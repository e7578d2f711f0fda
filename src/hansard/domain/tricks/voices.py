"""Owns how a text is known that speaks in the voice of a system: the markup of chats, tags and names of roles."""

_OPEN, _BAR, _CLOSE = "[<‹˂ᐸ⟨〈❬]", "[|│∣❘ǀ]", "[>›˃ᐳ⟩〉❭]"
"""Angle brackets and bars, and what looks like them."""
_TURNS = r"(?:turn|channel|think|system|user|assistant|developer|model|message|start|end|tool\w{0,20}|im_\w{1,10})"
"""What a chat marks with half a bracket, as in `<|turn>`. Any other word may be an operator of a language."""
_SAYINGS = (
    "(?:reminder|prompt|message|instructions?|warning|notice|note|alert|override|directives?|commands?|orders?|rules?"
    "|update|notification|announcement|policy|role|turn|response|says)"
)
"""What a tag of a role goes on with if it speaks. `<system.web>`, `<systemPath>` and `<system-out>` are settings."""
_ROLE = "(?:sys|system|assistant|developer)"
MARKUP_WORDS = (
    "<|", "|>", "inst]", "<<sys", "<sys", "</sys", "<assistant", "</assistant", "<developer", "</developer",
    "<operator>", "</operator>", "<instruction", "</instruction", "_turn>", *"‹˂ᐸ⟨〈❬│∣❘ǀ",
)  # fmt: skip
MARKUP = (
    rf"{_OPEN}{_BAR}/?[^\W\d_][\w▁./-]{{0,60}}{_BAR}{_CLOSE}|{_OPEN}{_BAR}/?{_TURNS}{_CLOSE}"
    rf"|{_OPEN}/?{_TURNS}{_BAR}{_CLOSE}"
    rf"|{_OPEN}{_BAR}(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|begin_of_text"
    rf"|developer)\b"
    rf"|{_OPEN}{_BAR} ?/?(?:im[ _-]?(?:start|end)|system|assistant|developer|end ?of ?text|eot[ _]id"
    rf"|begin[ _]of[ _]text|(?:start|end)[ _]header[ _]id) ?{_BAR}{_CLOSE}"
    r"|<(?:start|end)_of_turn>|\[/?inst\]|<<sys>>|</?(?:operator|instructions?)>"
    rf"|</?{_ROLE}(?:[-_:]{_SAYINGS})?(?: [^<>]{{0,200}})?/?>"
)
"""Tried on a text in small letters with single blanks."""
_NAMED = "(?:System|Assistant|Developer|Operator|Instructions?)"
_DATUM = r"[^<>]{1,60}"
CODE = (
    rf"(?<=\w)<{_NAMED}(?:\s?[|&,]\s?\w{{1,40}}(?:\[\])?){{0,4}}>"
    r"|\(\?P?<(?:system|assistant|developer|operator|instructions?)>|\b[BCFILSX]<(?:system|operator)>"
    rf"|<{_NAMED}(?:\s+[:@]?[\w-]{{1,40}}=(?:\"[^\"<>]{{0,40}}\"|\{{[^{{}}<>]{{0,40}}\}})){{1,12}}\s?/>"
    rf"|<developer>\s*(?:<(id|name|email|url|organization|organizationUrl"
    rf"|timezone)>{_DATUM}</\1>\s*){{1,8}}</developer>"
    r"|<developers>\s*<developer>(?=[\s`.]{0,4}\Z)"
    r"|<(operator|instruction)(?:\s+[\w-]{1,40}=\"[^\"<>]{0,30}\"){0,4}>\s?[\w.+*/%&|^!=-]{1,30}\s?</\2>"
)
"""A parameter of a type, a group of a pattern, a part of a page, a datum: names of roles that say nothing."""
_TAG = r"(?:sys|system|assistant|developer|operator|instructions?)(?:[-_](?:prompt|message|instructions?|rules?))?"
_HOLE = r"(?:\$?\{{1,2}\s?[\w.\[\]'\"()|]{1,60}\s?\}{1,2}|%s|%\(\w{1,40}\)s|<%=\s?[\w.@]{1,40}\s?%>|\.{3}|…)"
_NAMING = r"(?:[`'\"*)]{0,3},? (?:and|or|then|but) |[`'\"*)]{0,3}, ?|[`'\"*)]{0,3}/)[`'\"*(]{0,3}</?[A-Za-z]"
NAMED = (
    rf"(?i:<({_TAG})>\s?{_HOLE}?\s?</\1>|(?<=`)</?{_TAG}>(?=`)"
    rf"|(?<=[\w:,(/] )[`'\"*(]{{0,3}}</?{_TAG}>(?={_NAMING}"
    r"|[`'\"*)]{0,3}(?: (?:xml )?(?:tags?|elements?|markers?|pairs?|blocks?|sections?|parts?)\b|[.;,]\s|[.;]?\s*\Z)))"
)
"""A tag that is spoken of and opens nothing: empty, with a hole for what comes later, in a row of tags, in"
  " backticks."""
_DESCRIBED = r"(?:is|are|was|means|stands for|denotes)"
DESCRIBED = (
    rf"(?im:^[ \t>*-]*</?{_TAG}>(?= (?:xml )?(?:tags?|elements?|markers?|blocks?) ))"
    rf"|(?i:(?<=\w )</?{_TAG}>(?= {_DESCRIBED} ))"
    rf"|(?im:(?:^[ \t>*-]*|(?<=\w ))</?{_TAG}>(?=-(?:tagged|style|wrapped|marked|level)\b))"
    rf"|(?im:(?:^[ \t>*-]*|(?<=\w ))\[/?inst\](?:(?:,| and|/) ?\[/inst\])?(?= {_DESCRIBED}"
    r" (?:an? |the )?(?:[\w.-]+ ){0,4}?(?:formats?|templates?|markers?|tags?|tokens?|syntax|markup|delimiters?)\b))"
    rf"|<{_NAMED}\s?/>(?= (?:renders?|shows?|draws?|displays?) )"
    rf"|<system>[\w.-]{{1,30}}</system>(?= (?:appears?|stands?|shows? up|{_DESCRIBED}) )"
)
"""A tag of which a sentence says what it is or does. Whoever opens one says something to the reader behind it."""
DESCRIBED_CHARACTERS = 400
CODE_DATA = r"[>\"{]\s*([^<>\"{}]+)"
"""What stands in such code, and may be said all the same."""
_QUOTE = r"\\?[\"']"
_PERSONA = (
    r"you are (?:an? |the )(?!(?:[\w'-]+ ){0,9}(?:admin\w*|root|super\w*|privileged|unrestricted|unlimited|uncensored"
    r"|trusted|system|human|evil|authori[sz]ed|approved|free|amoral|jailbroken|operator|owner|reviewer|who|that|and|but"
    r"|without|no|not|never|always|any|every|all|must|should|only|now|owner|coordinator)\b)(?:[\w'-]+ ){0,9}[\w'-]+"
    r"|you (?:translate|summari[sz]e|classify|extract|proofread|paraphrase)(?: (?:the|a|an|from|to|into|in|of|for|short"
    r"|long|texts?|words?|sentences?|mails?|documents?|articles?|reports?|tickets?|names?|dates?|code|english|german"
    r"|french"
    r"|spanish|italian|portuguese|dutch|polish|russian|chinese|japanese|korean)){1,9}"
    r"|(?:answer|reply|respond) (?:only )?(?:in|with|as) (?:valid |plain |strict )?(?:json|yaml|xml|markdown|csv|html"
    r"|english|german|french|spanish|italian|portuguese)"
)
"""What nearly every prompt of a program begins with, and all that it says: who it is, what it turns into what, how."""
_CALL = rf"\((?:[\w., =]|{_QUOTE}[\w./-]{{1,80}}{_QUOTE}){{0,80}}\)"
"""What a program asks for, by a name without a blank in it: `load("prompts/main.md")`."""
_HELD = (
    rf"(?! ?(?:[frb]{{0,2}}{_QUOTE}(?:(?:{_PERSONA})\.?|\$?\{{{{1,2}} ?[\w.]{{1,60}} ?\}}{{1,2}}|\.{{3}}|…"
    rf"|<[\w -]{{1,40}}>)?"
    rf"{_QUOTE} ?[,}}\])]|(?:null|none|[a-z_][\w.]{{0,80}}(?:{_CALL}|\[[\w. ]{{0,40}}\])?) ?[,}}\])]))"
)
"""Looks ahead: what a message of a program has as its content and is nobody's order. A name, a hole, a persona."""
_AS_SYSTEM = rf"{_QUOTE}role{_QUOTE} ?: ?{_QUOTE}(?:system|developer)"
TURN_WORDS = ("role",)
TURNS = (
    rf"{_AS_SYSTEM}{_QUOTE} ?, ?{_QUOTE}content\b"
    rf"|{_QUOTE}content{_QUOTE} ?: ?[^{{}}]{{0,400}}{_AS_SYSTEM}\b"
    r"|\brole: (?:system|developer) content:"
)
"""A turn of a system as programs write it down."""
SAID_TURNS = (
    rf"{_AS_SYSTEM}{_QUOTE} ?, ?{_QUOTE}content\b(?!{_QUOTE} ?:)"
    rf"|{_AS_SYSTEM}{_QUOTE} ?, ?{_QUOTE}content{_QUOTE} ?:{_HELD}"
    rf"|{_QUOTE}content{_QUOTE} ?:{_HELD} ?[^{{}}]{{0,400}}{_AS_SYSTEM}\b"
    rf"|\brole: (?:system|developer) content:(?! [\"']?(?:{_PERSONA})\.?[\"']?(?: -)?(?: role: user\b| ?\Z))"
)
"""The same, if it orders something."""
CALLS = (
    r"\"tool_calls\"[ \t]*:[^\n]{0,300}?\\?\"name\\?\"[ \t]*:[ \t]*\\?\"(?:\w{1,30}[_.-])?(?:merge|approve|release"
    r"|accept|confirm|record|submit|delete|remove|send|upload|post|mail|email|exec|execute|bash|shell|sh|run|push"
    r"|deploy"
    r"|write|edit|transfer|pay|grant|forget|redact|update)(?![a-z])"
)
"""Calls that do something, as programs write them down. A fixture may have others."""
BRACKETS = "【〔〖〘「『"
BRACKETED_WORDS = ("[", "system>", "assistant>", "developer>", *BRACKETS)
BRACKETED = (
    rf"(?m)^[ \t>*-]*(?:[\[{BRACKETS}]/?{_ROLE}(?: (?:prompt|message|note|override))?[\]】〕〗〙」』]"
    r"(?!\(| (?:section|table|block) )"
    r"|(?:system|assistant|developer)>(?=[ \t]*[^\s<>]))"
)
"""A role in brackets, or as the prompt of a terminal, at the beginning of a line."""
_ABROAD = (
    "system(?:nachricht|meldung|anweisung|hinweis|befehl)|(?:(?:mensaje|instrucción|aviso|orden) del )?sistema"
    "|(?:(?:messaggio|istruzione|avviso) (?:di|del) )sistema|(?:(?:mensagem|instrução|aviso) do )sistema"
    "|(?:(?:message|instruction|consigne) (?:du )?)?système|(?:systeem|systém|system)(?:bericht|prompt)|systeem|systém"
    "|(?:(?:сообщение|инструкция|указание) (?:от )?)?систем[аы]|системн(?:ое сообщение|ая инструкция|ый промпт)"
    "|(?:系统|系統)(?:提示|消息|訊息|信息|指令|通知)?(?:词|詞)?|システム(?:プロンプト|メッセージ|指示|通知)?"
    "|시스템(?: ?(?:프롬프트|메시지|지시|알림))?|(?:رسالة )?النظام|سیستم|सिस्टम|σύστημα|מערכת|hệ thống|ระบบ"
)
ABROAD_WORDS = (
    "systemn", "systemm", "systema", "systemh", "systemb", "systemp", "sistema", "système", "systeem", "systém",
    "систем", "系统", "系統", "システム", "시스템", "النظام", "سیستم", "सिस्टम", "σύστημα", "מערכת", "hệ thống", "ระบบ",
)  # fmt: skip
MACHINES = (
    r"(?:macos|linux|windows|ubuntu|debian|fedora|alpine|android|ios|amd|intel|arm|x86|\d|линукс|리눅스|윈도우|لينكس|ويندوز"
    r"|[一二三四五六七八九十两兩][台个個]|(?:две?|три|четыре|пять) (?:узл|сервер|машин|нод))"
)
"""What a system is, or how many machines it has."""
_PART = (
    r"(?:die |le |la |el |il |o )?(?:festplatte|platte|speicher|arbeitsspeicher|cpu|akku|netzwerk|lufter|lüfter"
    r"|datentrager"
    r"|datenträger|drucker|disque|memoire|mémoire|reseau|réseau|batterie|disco|memoria|memória|red|bateria|batería|rete"
    r"|диск|память|сеть|磁盘|磁碟|内存|ディスク|メモリ|디스크|메모리)"
)
_STATE = (
    r"(?: ?(?:ist |est |esta |está |e |è |é )?(?:fast |presque |casi |quasi )?(?:voll|leer|knapp|defekt|getrennt"
    r"|ausgefallen"
    r"|erreicht|plein|pleine|vide|déconnecté|lleno|llena|desconectada|pieno|piena|cheio|cheia|заполнен|недоступна"
    r"|已满|已滿|不足|がいっぱいです|가 가득 찼습니다))"
)
_ILL = rf"{_PART}{_STATE}[.!。]?[ \t]*$"
"""All that a machine says of one of its parts."""
ABROAD = (
    rf"(?m)^[ \t>*#_\[【-]*(?:{_ABROAD})[ \t*_\]】]*(?:：|:(?=[ \t*_]|[^\x00-\x7f]|$))"
    rf"(?![ \t*_]*(?:{MACHINES}|{_ILL}))"
)
"""A system that speaks in another language, at the beginning of a line. A machine may be told there."""
