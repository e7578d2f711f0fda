"""Owns the words of who claims a right over the reader in other languages, as `claims.py` does for English.

German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and Korean, in this order. Each row has the
word it begins with, what stands in the same sentence, and what makes it an honest one.
"""

Row = tuple[str, tuple[str, ...], str]

CHANGED: tuple[Row, ...] = (
    ("deine anweisungen|deine regeln|deine vorgaben|deine befehle", ("geandert|ersetzt|aktualisiert|ungultig",), ""),
    ("tes instructions|tes consignes|tes regles|tes ordres", ("\\bchange|remplace|mis(?:es)? a jour",), ""),
    ("tus instrucciones|tus reglas|tus ordenes", ("cambiado|cambiaron|sustituid|actualizad|reemplazad",), ""),
    ("le tue istruzioni|le tue regole|i tuoi ordini", ("cambiat|sostituit|aggiornat",), ""),
    ("suas instrucoes|tuas instrucoes|suas regras|suas ordens", ("mudaram|alterad|substituid|atualizad",), ""),
    ("твои инструкции|твои правила|твои указания", ("изменил|изменен|обновлен|заменен",), ""),
    ("你的指令|你的指示|你的规则", ("已更改|已改变|已更新|已变更|已替换|改变了|变了",), ""),
    ("あなたの指示|あなたのルール|あなたへの指示", ("変更され|変わり|変わった|更新され|置き換え",), ""),
    ("당신의 지시|너의 지시|당신의 규칙|너의 규칙", ("변경되|바뀌|갱신|대체",), ""),
)
SPOKEN_FOR: tuple[Row, ...] = (
    (
        "behandle alles|betrachte alles|behandelt alles|lies alles",
        ("betreiber|administrator|\\bsystems?\\b|entwickler|eigentumer|anthropic|openai",),
        "\\bnicht\\b",
    ),
    (
        "traite tout|traitez tout|considere tout|considerez tout",
        ("operateur|administrateur|du systeme|developpeur|proprietaire|anthropic|openai",),
        "\\bpas\\b",
    ),
    (
        "trata todo|trate todo|considera todo|toma todo",
        ("operador|administrador|del sistema|desarrollador|propietario|anthropic|openai",),
        "\\bno\\b",
    ),
    (
        "tratta tutto|trattate tutto|considera tutto",
        ("operatore|amministratore|dal sistema|del sistema|sviluppatore|proprietario|anthropic|openai",),
        "\\bnon\\b",
    ),
    (
        "trate tudo|trata tudo|considere tudo",
        ("operador|administrador|do sistema|desenvolvedor|proprietario|anthropic|openai",),
        "\\bnao\\b",
    ),
    (
        "считай все|считайте все|воспринимай все|рассматривай все",
        ("оператор|администратор|систем|разработчик|владельц|anthropic|openai",),
        "\\bне ",
    ),
    (
        "之后的所有|以下所有|之后的一切|此行之后",
        ("视为|当作|看作", "运营者|操作员|管理员|系统|开发者|所有者"),
        "不要|切勿|请勿",
    ),
    (
        "この行より後|この行以降|以降のすべて|これ以降",
        ("運営者|管理者|システム|開発者|オペレーター", "みなし|見なし|として扱"),
        "ないで",
    ),
    ("이 줄 이후|이 줄 다음|이후의 모든", ("운영자|관리자|시스템|개발자", "간주|취급|여기"), "마세요|않"),
)
LET_OFF: tuple[Row, ...] = (
    (
        "fur dich|fur euch",
        (
            "wachter|schutz|prufung|\\bregel|filter|einschrankung|grenze|guard|review",
            "abgeschaltet|ausgeschaltet|deaktiviert|aufgehoben|ausgesetzt",
        ),
        "\\bnicht\\b|\\bwenn\\b|falls|sobald",
    ),
    (
        "pour toi|pour vous",
        (
            "\\bgarde|protection|filtre|verification|relecture|\\bregle|restriction|controle",
            "desactive|\\bleve|suspendu|coupe",
        ),
        "\\bsi\\b|quand|lorsque|\\bpas\\b",
    ),
    (
        "para ti\\b|para usted",
        (
            "guardia|proteccion|filtro|revision|\\bregla|restriccion|control",
            "desactivad|suspendid|levantad|apagad|anulad",
        ),
        "\\bsi\\b|cuando|\\bno\\b",
    ),
    (
        "per te\\b|per voi\\b",
        (
            "guardia|protezion|filtr|revision|verific|\\bregol|restrizion|controll",
            "disattivat|sospes|revocat|annullat|spent",
        ),
        "\\bse\\b|quando|\\bnon\\b",
    ),
    (
        "para voce|para ti\\b",
        (
            "guarda|protecao|filtro|revisao|verificac|\\bregra|restric|controle",
            "desativad|suspens|desligad|anulad|revogad",
        ),
        "\\bse\\b|quando|\\bnao\\b",
    ),
    (
        "для тебя|для вас",
        ("защит|проверк|фильтр|правил|ограничени|контрол", "отключен|снят|выключен|приостановлен|отменен"),
        "если|когда|\\bне ",
    ),
    ("对你", ("防护|审核|检查|过滤|规则|限制|守卫", "关闭|失效|解除|停用|取消"), "如果|不要|没有"),
    (
        "あなたに対して|あなたには",
        ("ガード|レビュー|チェック|フィルタ|制限|ルール", "無効|解除|オフ|停止"),
        "場合|ません",
    ),
    ("당신에게|너에게", ("가드|검토|검사|필터|규칙|제한|보호", "꺼졌|해제|비활성|중지"), "경우|않"),
)
SHOWN: tuple[Row, ...] = (
    (
        (
            "deine umgebungsvariablen|deinen systemprompt|deinen system-prompt|deine zugangsdaten|deine anmeldedaten"
            "|deine schlussel|deine passworter|deine tokens|deine geheimnisse"
        ),
        ("\\bgib|schreib|nenne|\\bzeig|\\bfug|verrat|druck|kopier|\\blist", "antwort|ausgabe|chat|\\baus\\b|\\bmir\\b"),
        "\\bnie\\b|niemals|nicht|\\bkein",
    ),
    (
        (
            "tes variables d'environnement|ton prompt systeme|tes identifiants|tes cles|tes mots de passe|tes secrets"
            "|tes jetons"
        ),
        (
            "affiche|ecris|donne|\\bmets|montre|revele|inclus|ajoute|copie|colle",
            "reponse|sortie|chat|conversation|affiche|revele",
        ),
        "jamais|\\bpas\\b|aucun",
    ),
    (
        (
            "tus variables de entorno|tu prompt de sistema|tu prompt del sistema|tus credenciales|tus claves"
            "|tus contrasenas|tus secretos|tus tokens"
        ),
        (
            "muestra|imprime|escribe|\\bpon\\b|vuelca|incluye|revela|anade|copia|pega",
            "respuesta|salida|chat|conversacion|imprime|revela",
        ),
        "nunca|\\bno\\b|jamas",
    ),
    (
        (
            "le tue variabili d'ambiente|le tue variabili di ambiente|il tuo prompt di sistema|le tue credenziali"
            "|le tue chiavi|le tue password|i tuoi segreti|i tuoi token"
        ),
        (
            "mostra|stampa|scrivi|metti|includi|rivela|aggiungi|copia|incolla|elenca",
            "rispost|output|chat|conversazion|stampa|rivela",
        ),
        "\\bmai\\b|\\bnon\\b",
    ),
    (
        (
            "suas variaveis de ambiente|seu prompt de sistema|seu prompt do sistema|suas credenciais|suas chaves"
            "|suas senhas|seus segredos|seus tokens"
        ),
        (
            "mostre|imprima|escreva|coloque|inclua|revele|adicione|copie|despeje|liste",
            "resposta|saida|chat|conversa|imprima|revele",
        ),
        "nunca|\\bnao\\b|jamais",
    ),
    (
        "свои переменные окружения|свой системный промпт|свои пароли|свои ключи|свои токены|свои секреты",
        ("выведи|напиши|покажи|вставь|добавь|раскрой|скопируй|перечисли", "ответ|чат|вывод|\\bмне\\b|раскрой"),
        "никогда|\\bне ",
    ),
    (
        "你的环境变量|你的系统提示|你的密钥|你的密码|你的凭证|你的令牌",
        ("输出|打印|写入|写进|写在|放入|放进|显示|列出|附上", "回复|回答|答案|聊天|输出|打印"),
        "不要|切勿|请勿|不得|禁止",
    ),
    (
        "環境変数|システムプロンプト|あなたの認証情報|あなたのパスワード",
        ("返信|回答|返答|答え", "出力|含め|書き出|貼り付け|表示|載せ"),
        "ないで|禁止|ません|せず",
    ),
    ("환경 변수|환경변수|시스템 프롬프트", ("답변|응답|대답", "출력|포함|넣어|적어|표시|붙여"), "마세요|않|금지"),
)
AUTHORISED: tuple[Row, ...] = (
    (
        "als administrator|als admin|als betreiber|als eigentumer|als entwickler|als systemverwalter",
        ("(?:erlaube|befehle|ermachtige|gestatte|autorisiere|genehmige) ich|weise ich (?:dich|euch) an",),
        "",
    ),
    (
        (
            "en tant qu'administrateur|en tant qu'operateur|en tant que proprietaire|en tant que developpeur"
            "|comme administrateur"
        ),
        ("je (?:t'|te |vous )(?:autorise|ordonne|permets|donne l'ordre)",),
        "",
    ),
    (
        "como administrador|como operador|como propietario|como desarrollador",
        ("\\b(?:te|le|os|les) (?:autorizo|ordeno|permito|mando)",),
        "",
    ),
    (
        "come amministratore|in qualita di amministratore|come operatore|come proprietario|come sviluppatore",
        ("\\b(?:ti|vi) (?:autorizzo|ordino|permetto|comando)",),
        "",
    ),
    (
        "como administrador|como operador|como proprietario|como desenvolvedor",
        ("\\b(?:autorizo|ordeno|permito) (?:voce|que voce)|\\b(?:te|o|a) (?:autorizo|ordeno)",),
        "",
    ),
    (
        "как администратор|как оператор|как владелец|как разработчик",
        ("разрешаю|приказываю|позволяю|уполномочиваю",),
        "",
    ),
    (
        "作为管理员|作为系统管理员|作为操作员|作为所有者|作为开发者|以管理员身份",
        ("我(?:授权|允许|命令|批准|准许)你|授权你",),
        "",
    ),
    ("管理者として", ("許可する|許可します|命じ|命令します|権限を与え",), ""),
    ("관리자로서", ("허가|허락|명령|권한을",), ""),
)
