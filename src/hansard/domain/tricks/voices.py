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
    rf"{_OPEN}{_BAR}/?[^\W\d_][\w▁./-]{{0,60}}{_BAR}{_CLOSE}|{_OPEN}{_BAR}/?{_TURNS}{_CLOSE}|{_OPEN}/?{_TURNS}{_BAR}{_CLOSE}"
    rf"|{_OPEN}{_BAR}(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|begin_of_text|developer)\b"
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
    rf"|<developer>\s*(?:<(id|name|email|url|organization|organizationUrl|timezone)>{_DATUM}</\1>\s*){{1,8}}</developer>"
    r"|<developers>\s*<developer>(?=[\s`.]{0,4}\Z)"
    r"|<(operator|instruction)(?:\s+[\w-]{1,40}=\"[^\"<>]{0,30}\"){0,4}>\s?[\w.+*/%&|^!=-]{1,30}\s?</\2>"
)
"""A parameter of a type, a group of a pattern, a part of a page, a datum: names of roles that say nothing."""
CODE_DATA = r"[>\"{]\s*([^<>\"{}]+)"
"""What stands in such code, and may be said all the same."""
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
ABROAD = (
    rf"(?m)^[ \t>*#_\[【-]*(?:{_ABROAD})[ \t*_\]】]*(?:：|:(?=[ \t*_]|[^\x00-\x7f]|$))"
    rf"(?![ \t*_]*{MACHINES})"
)
"""A system that speaks in another language, at the beginning of a line. A machine may be told there."""
