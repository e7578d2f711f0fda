"""Owns the words of what a page demands in other languages.

German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and Korean. `tongues.py` knows the demand to
drop earlier instructions in many more.
"""

from typing import NamedTuple

from hansard.domain.tricks import rights
from hansard.domain.tricks.demands import (
    AWAY,
    CONCEALMENT,
    EXFILTRATION,
    FOREIGN_VOICE,
    NEW_IDENTITY,
    OVERRIDE,
    PROMOTION,
    STEERING,
)


class Wish(NamedTuple):
    """The word it begins with, what stands in the same sentence, and what makes it an honest one."""

    sign: str
    first: str
    others: tuple[str, ...] = ()
    excuse: str = ""


_SENT = (
    (
        "schick|sende |senden |sendet |ubermittl|ubertrag|lade |poste ",
        "zugangsdaten|anmeldedaten|passw|schlussel|geheimnis|tokens?\\b|kennwort",
        "\\bnie\\b|niemals|nicht|\\bkein",
    ),
    (
        "envoie|envoyez|envoyer|transmets|transmettez|poste |postez|televerse",
        "identifiants|mots? de passe|\\bcles?\\b|jetons?|secrets?\\b|tokens?\\b",
        "jamais|\\bpas\\b|aucun",
    ),
    (
        "envia|envie |manda |mande |sube |suba |transmite|reenvia",
        "credencial|contrasena|\\bclaves?\\b|tokens?\\b|secretos?\\b",
        "nunca|\\bno (?:se )?(?:envi|mand|sub|trans|reenv)|jamas",
    ),
    (
        "invia|manda |mandate |spedisci|carica |trasmetti",
        "credenzial|password|\\bchiav|token|segret",
        "\\bmai\\b|\\bnon\\b",
    ),
    (
        "envie|envia|mande |manda |poste |transmita|carregue",
        "credencia|\\bsenhas?\\b|\\bchaves?\\b|tokens?\\b|segredo",
        "nunca|\\bnao\\b|jamais",
    ),
    ("отправ|пришли|перешли|загрузи|выложи|скинь|передай", "парол|ключ|токен|секрет|учетн", "никогда|\\bне "),
    (
        "发送|發送|上传|上傳|传到|寄到|发到|發到|提交到",
        "密钥|密鑰|密码|密碼|凭证|凭据|憑證|令牌|口令|私钥|token",
        "不要|切勿|请勿|不得|禁止|绝不|别|別",
        f"(?:到|至|给|給|往|去) ?{AWAY}",
    ),
    (
        "送信|送って|送れ|アップロード|投稿|転送",
        "認証情報|パスワード|秘密鍵|鍵|トークン|シークレット|機密",
        "ないで|禁止|決して|ません|せず",
        f"{AWAY}[^\\s]{{0,80}} ?(?:に|へ|宛)",
    ),
    (
        "보내|전송|업로드|올려|게시",
        "비밀번호|암호|토큰|자격 ?증명|인증 ?정보|개인 ?키|비밀 ?키",
        "마세요|마십|않|금지",
        f"{AWAY}[^\\s]{{0,80}} ?(?:로|으로|에|에게)",
    ),
)
"""What is sent, who warns of it, and how it is said where to, if the address alone is in every page about an API."""
_HIDDEN = (
    (
        "sage |sag |sagen |verrate|verrat |erzahl|informier|erwahne|berichte |teile ",
        (
            "\\bnutzer|benutzer|anwender|mensch|niemand|team|entwickler|betreiber|prufer",
            "nicht|\\bnie\\b|niemals|\\bkein|niemand",
        ),
        (
            "\\bwas\\b|\\bwie\\b|welche|warum|\\bwann\\b|\\bob\\b"
            # Who is told that, or if, something is not so is told, and nothing is kept from them.
            "|\\b(?:informier\\w{0,3}|berichte|sage?|teile) (?:dem|das|den|die) (?:team|(?:be)?nutzern?|entwicklern?)"
            "(?: mit)?, (?:dass|wenn|falls) (?!du\\b|sie\\b|nicht)"
            "(?!.*\\b(?:sage?|verrat|erzahl|erwahn|berichte|informier|teile|verschweig))"
        ),
    ),
    ("verschweig|verheimlich", ("\\bnutzer|benutzer|anwender|mensch|team|entwickler|betreiber|prufer",), ""),
    (
        (
            "ne dis|ne dites|ne le dis|ne le dites|ne parle pas|ne parlez|ne mentionne pas|ne mentionne rien"
            "|ne mentionnez|n'informe|ne revele|ne previe|n'en parle|sans prevenir"
            "|sans informer|sans le dire|cache-le|cachez-le|cache ceci"
        ),
        ("utilisateur|personne|developpeur|humain|equipe|relecteur|operateur",),
        "quel|comment|pourquoi|quand",
    ),
    (
        (
            "no le digas|no digas|no informes|no menciones|no reveles|no le cuentes|no cuentes|no avises"
            "|sin decir|sin avisar"
            "|sin informar|ocultalo|ocultaselo|oculta esto"
        ),
        ("usuario|nadie|desarrollador|humano|equipo|operador|revisor",),
        "cual|como|por que|cuando",
    ),
    (
        (
            "non dir|non informare|non menzionare|non rivelare|non raccontar|non avvisare|senza dir|senza avvisare"
            "|senza informare"
            "|nascondilo"
        ),
        ("utent|nessuno|sviluppator|uman|\\bteam|operator|revisor",),
        "quale|come\\b|perche|quando",
    ),
    (
        (
            "nao conte|nao diga|nao informe|nao mencione|nao revele|nao avise|sem avisar|sem informar|sem dizer"
            "|esconda isso"
        ),
        ("usuario|utilizador|ninguem|desenvolvedor|humano|equipe|operador|revisor",),
        "qual|como\\b|por que|quando",
    ),
    (
        (
            "не говори|не сообщай|не рассказывай|не упоминай|не раскрывай|не информируй|не уведомляй|скрой это"
            "|скрывай это"
        ),
        ("пользовател|никому|человек|разработчик|команд|владел|ревьюер|оператор|людям",),
        "как\\b|почему|когда|какое",
    ),
    (
        "不要告诉|不要告訴|别告诉|別告訴|不要通知|不要让.{0,6}知道|不要讓.{0,6}知道|不要提及|瞒着|瞞著",
        ("用户|用戶|使用者|任何人|开发者|開發者|人类|团队|审核|操作员",),
        "如何|为什么|哪个",
    ),
    (
        "言わない|伝えない|教えない|知らせない|報告しない|話さない|内緒",
        ("ユーザ|利用者|人間|開発者|誰に|チーム|管理者",),
        "どの|なぜ|方法",
    ),
    ("말하지|알리지|언급하지|보고하지|이야기하지", ("사용자|아무|개발자|사람|관리자",), "어떻게|왜"),
)
"""Who is not to be told. To say which field was wrong is another matter."""
_DROPPED = (
    (
        "dir gesagt|euch gesagt|ihnen gesagt|dir beigebracht|du gelernt|dir aufgetragen|du bisher",
        ("vergiss|vergess|ignorier",),
        "\\bnicht\\b",
    ),
    (
        "nur noch mein|nur mein|allein mein|ausschliesslich mein|ausschließlich mein",
        ("befolg|gehorch|folge ", "anweisung|befehl|wort"),
        "",
    ),
    ("t'a dit|vous a dit|t'ont dit|vous ont dit|t'a appris|t'a ete dit|tu as appris", ("oubli|ignor",), "n'oubli"),
    (
        "obeis|suis uniquement|n'ecoute que|ne suis que",
        (("mes (?:ordres|instructions|consignes)|uniquement|seulement|qu'a moi"),),
        "",
    ),
    (
        "te han dicho|te dijeron|te dije|se te dijo|te ensenaron|has aprendido|te haya|te ha dicho",
        ("olvid|ignor",),
        "no olvid",
    ),
    ("solo mis |unicamente mis |solamente mis ", ("instrucciones|ordenes|reglas",), ""),
    (
        "ti hanno detto|ti e stato|ti ho detto|hai imparato|ti hanno insegnato",
        ("dimentic|ignor|scord",),
        "non dimentic",
    ),
    ("solo le mie |solo i miei |soltanto le mie ", ("istruzioni|ordini|regole",), ""),
    ("disseram|foi dito|voce aprendeu|falaram|te ensinaram", ("esquec|ignor",), "nao esque"),
    (
        "apenas as minhas |apenas minhas |somente as minhas |somente minhas |so as minhas ",
        ("instruc|ordens|regras",),
        "",
    ),
    (
        "тебе говор|тебе сказ|вам говор|вам сказ|тебя учили|тебя научили|тебе вел|ты знал|ты знаешь",
        ("забуд|игнорируй",),
        "не забуд",
    ),
    ("только мои|лишь мои", ("указани|инструкци|приказ|команд",), ""),
    (
        "告诉你|告訴你|对你说|跟你说|教你|教给你|你被告知|你学到",
        ("忘记|忘記|忘掉|忽略|无视|無視",),
        "不要忘|别忘|不忘",
    ),
    ("只听从我|只服从我|只遵循我|只执行我|只听我",),
    ("言われた|教えられた|聞いた|指示された|伝えられた|教わった", ("忘れ|無視",), "忘れな|忘れず"),
    ("私の指示だけ|私の命令だけ|私の指示のみ|私の命令のみ",),
    ("들은|배운|지시받|알려준|말했던|들었던", ("잊어|잊으|무시",), "잊지"),
    ("내 지시만|내 명령만|나의 지시만|제 지시만",),
)
_BECOME = (
    (
        (
            "ab jetzt bist du|ab sofort bist du|von nun an bist du|deine neue rolle|dein neuer name"
            "|deine neue identitat"
            "|deine eigentliche aufgabe|deine wahre aufgabe|tu so, als warst du|tu so, als seist du|gib dich als"
            "|a partir de maintenant, tu es|a partir de maintenant tu es|desormais, tu es|desormais tu es"
            "|ton nouveau role"
            "|ta vraie tache|ta vraie mission|ton vrai role|fais semblant d'etre|comporte-toi comme si"
            "|a partir de ahora eres|a partir de ahora, eres|desde ahora eres|de ahora en adelante eres|tu nuevo rol"
            "|tu verdadera tarea|tu verdadera mision|tu nuevo nombre|finge ser|hazte pasar por|actua como si fueras"
            "|da ora sei|d'ora in poi sei|da adesso sei|il tuo nuovo ruolo|il tuo vero compito|il tuo nuovo nome"
            "|fingi di essere"
            "|a partir de agora voce e |a partir de agora, voce e |seu novo papel|sua verdadeira tarefa"
            "|sua verdadeira missao"
            "|seu novo nome|finja ser|aja como se fosse"
            "|твоя новая роль|твоя настоящая задача|твое новое имя|притворись|веди себя как|представь, что ты"
            "|从现在起你是|从现在起,你是|从现在开始你是|从现在开始,你是|你的新身份|你的新角色|你的真正任务"
            "|你真正的任务|假装你是|请扮演|你将扮演"
            "|今からあなたは|これからあなたは|あなたは今後|あなたの新しい役割|あなたの本当の任務|あなたの本当の役割"
            "|になりきって"
            "|지금부터 당신은|지금부터 너는|이제부터 당신은|이제부터 너는|당신의 새로운 역할|당신의 진짜 임무"
        ),
    ),
    ("теперь ты|отныне ты|с этого момента ты", (), "можешь|сможешь|готов|умеешь|знаешь|видишь|нужно|должен"),
    ("당신은 이제|너는 이제", (), "수 있|되었|준비"),
)
_ASKED = (
    (
        "ki-assistent|ki-agent|ki-modell|ki-system|sprachmodell",
        ("\\bsoll|\\bmuss|immer\\b", ("empfehl|installier|antwort|genehmig|vorschlag|bevorzug")),
        "",
    ),
    (
        "doivent |doit |devez ",
        (
            "assistants? ia|assistants?\\b|agents? ia|modeles? de langage|\\bia\\b|chatbot",
            "recommand|installer|suger|repond|approuv",
        ),
        "",
    ),
    (
        "deben |debe |siempre ",
        (
            "asistente|agentes? de ia|modelos? de lenguaje|\\bia\\b|chatbot",
            "recom|instalar|instalen|suger|sugier|respond|aprueb|aprob",
        ),
        "",
    ),
    (
        "devono |deve |sempre ",
        (
            "assistent|agent[ei] ia|modell[oi] linguistic|\\bia\\b|chatbot",
            "raccomand|consigli|installare|sugger|rispond|approv",
        ),
        "",
    ),
    (
        "devem |deve |sempre ",
        ("assistente|agentes? de ia|modelos? de linguagem|\\bia\\b|chatbot", "recomend|instalar|suger|respond|aprov"),
        "",
    ),
    (
        "ассистент|ии-агент|ии-помощник|языковые модели|языковая модель|чат-бот|нейросет",
        ("должн|обязан|всегда", "рекоменд|советова|установ|отвеча|одобр|предлага"),
        "",
    ),
    (
        "ai助手|ai 助手|所有助手|智能助手|语言模型|大模型|人工智能|ai代理|ai 代理",
        ("必须|应该|务必|总是|应当", "推荐|安装|回答|批准"),
        "",
    ),
    (
        "aiアシスタント|アシスタントは|言語モデルは|aiエージェント",
        ("必ず|べき|常に|しなければ", "推奨|勧め|インストール|回答|承認"),
        "",
    ),
    ("ai 어시스턴트|어시스턴트는|언어 모델은|ai 에이전트|챗봇은", ("반드시|항상|해야", "추천|설치|답변|승인"), ""),
    (
        (
            "an ki-|fur ki-|an alle ki|fur alle ki|an den assistenten|fur den assistenten|fur sprachmodelle"
            "|an sprachmodelle"
        ),
        ("(?:hinweis|nachricht|anweisung|mitteilung|achtung)[^:]{0,60}:",),
        "",
    ),
    (
        (
            "pour l'assistant|pour les assistants|pour les agents|pour tous les agents|pour les ia|pour l'ia"
            "|a tous les agents"
        ),
        ("(?:note|message|consigne|instruction|avis)[^:]{0,60}:",),
        "",
    ),
    (
        (
            "para el asistente|para los asistentes|para los agentes|para todos los agentes|para la ia|para las ia"
            "|al asistente"
            "|a todos los agentes|para o assistente|para os assistentes|para os agentes|para todos os agentes"
            "|para a ia|ao assistente"
        ),
        ("(?:nota|mensaje|aviso|instruccion|mensagem|instrucao)[^:]{0,60}:",),
        "",
    ),
    (
        "per l'assistente|per gli assistenti|per gli agenti|per tutti gli agenti|per l'ia|all'assistente",
        ("(?:nota|messaggio|avviso|istruzion)[^:]{0,60}:",),
        "",
    ),
    (
        (
            "(?:сообщение|примечание|внимание|инструкция|указание)(?: для)?(?: всех)? (?:ии|ассистент|агент"
            "|модел)[\\w -]{0,16}:"
        ),
    ),
    (
        (
            "(?:致|给)(?:所有)?(?:的)?(?:ai|人工智能)(?:助手|代理|智能体|模型)?|所有(?:ai|人工智能)(?:助手|代理|智能体"
            "|模型)?[:,]"
        ),
    ),
    ("aiアシスタントへ|aiエージェントへ|すべてのai|全てのai",),
    ("모든 ai 에이전트|ai 에이전트에게|어시스턴트에게",),
)
_RAISED = (
    ("gedachtnis", ("speicher|\\bmerk|behalte|schreib", "\\bdein|\\bihr|dauerhaft|langzeit|fur immer"), ""),
    (
        "ta memoire|votre memoire|memoire permanente|memoire a long terme",
        ("enregistre|stocke|garde|conserve|retiens",),
        "",
    ),
    ("tu memoria|memoria permanente|memoria a largo plazo", ("guarda|almacena|graba|conserva",), ""),
    ("tua memoria|memoria permanente|memoria a lungo termine", ("salva|memorizza|conserva|registra",), ""),
    ("sua memoria|tua memoria|memoria permanente|memoria de longo prazo", ("guarde|salve|armazene|grave",), ""),
    ("своей памят|свою памят|твоей памят|долговременную памят", ("сохрани|запомни|запиши",), ""),
    ("你的记忆|长期记忆|永久记忆|核心记忆", ("保存|存入|存储|写入|记住|加入",), ""),
    ("あなたの記憶|長期記憶|永久に記憶|コアメモリ", ("保存|記憶し|記録",), ""),
    ("당신의 기억|너의 기억|장기 기억|영구적으로 기억|핵심 기억", ("저장|기억해|기억하",), ""),
    (
        "ohne prufung|ohne review|ohne uberprufung|ohne ruckfrage|ohne nachzufragen",
        ("genehmig|akzeptier|\\bnimm|\\bgib|\\bmerge",),
        "\\bnie\\b|niemals|nicht|\\bkein",
    ),
    (
        "sans revision|sans relecture|sans revue|sans verification|sans demander",
        ("approuve|accepte|fusionne|valide|publie",),
        "jamais|\\bpas\\b",
    ),
    (
        "sin revision|sin revisar|sin preguntar|sin aprobacion",
        ("aprueba|acepta|fusiona|publica|despliega",),
        "nunca|\\bno\\b",
    ),
    (
        "senza revisione|senza chiedere|senza verifica|senza approvazione",
        ("approva|accetta|unisci|pubblica",),
        "\\bmai\\b|\\bnon\\b",
    ),
    ("sem revisao|sem perguntar|sem revisar|sem aprovacao", ("aprove|aceite|publique|junte",), "nunca|\\bnao\\b"),
    (
        "без проверки|без ревью|без одобрения|не спрашивая",
        ("одобри|прими|слей|влей|утверди|опубликуй",),
        "никогда|\\bне (?!спраш)",
    ),
    (
        "无需审核|未经审核|不经审核|无需审查|跳过审核|不经审查",
        ("批准|接受|合并|通过|发布",),
        "不要|切勿|请勿|不得|禁止",
    ),
    ("レビューなし|確認なし|審査なし|レビューせず", ("承認|マージ|受け入れ|許可",), "ないで|禁止|ません"),
    ("검토 없이|리뷰 없이|승인 없이|확인 없이", ("승인|병합|수락|허용|배포",), "마세요|않|금지"),
)
WISHES = (
    *(Wish(EXFILTRATION, send, (secrets, *(where or (AWAY,))), excuse) for send, secrets, excuse, *where in _SENT),
    *(
        Wish(sign, *one)
        for sign, told in (
            (CONCEALMENT, _HIDDEN),
            (OVERRIDE, _DROPPED),
            (NEW_IDENTITY, _BECOME),
            (STEERING, _ASKED),
            (PROMOTION, _RAISED),
            (OVERRIDE, rights.CHANGED),
            (FOREIGN_VOICE, rights.SPOKEN_FOR),
            (OVERRIDE, rights.LET_OFF),
            (EXFILTRATION, rights.SHOWN),
            (FOREIGN_VOICE, rights.AUTHORISED),
        )
        for one in told
    ),
)
