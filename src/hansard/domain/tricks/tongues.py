"""Owns the languages in which a demand to drop earlier instructions is known, each by the stems of three words."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple
from unicodedata import combining, normalize

from hansard.domain.text import has_any
from hansard.domain.tricks.excuses import OF_PAPERS, OF_WORK


class _Tongue(NamedTuple):
    """What somebody says who wants something dropped, that it came earlier, and that it is a rule."""

    drop: str
    earlier: str
    rules: str


WORDS_APART_MAX = 60
"""Characters between the demand and the two other words. Their order differs from language to language."""
TONGUES = (
    _Tongue(
        "vergiss|vergesst|ignorier|missacht|verwirf|ubergeh|gelten nicht mehr|gilt nicht mehr",
        "bisherig|vorher|vorig|fruher|obig|vorangegangen|vorstehend",
        "anweisung|vorgabe|instruktion|regeln|direktive|anordnung|alles, was|alles was",
    ),
    _Tongue(
        "ignorez|ignorer|oubli|ne tiens plus compte|ne tiens pas compte|ne tenez|fais abstraction"
        "|appliquent plus|valent plus|neglige|passe outre|passez outre|faites fi|fais fi",
        "precedent|anterieur|ci-dessus", "consigne|instruction|regle|directive",
    ),
    _Tongue(
        "ignora|ignore|olvid|haz caso omiso|haga caso omiso|no sigas|desestim|desobedece|prescinde"
        "|ya no valen|ya no se aplican",
        "anterior|previa|de arriba|precedente", "instruccion|ordenes|reglas|directrices|indicaciones",
    ),
    # The team's rules came earlier too. "No olvides" has no place here: it asks to keep them.
    _Tongue("no sigas|haz caso omiso", "del equipo", "instruccion|ordenes|reglas|normas"),
    _Tongue(
        "ignora|ignori|dimentica|scorda|trascura|non tenere conto|non seguire", "precedent|di sopra|anterior",
        "istruzion|ordini|regole|direttive|indicazioni",
    ),
    _Tongue(
        "ignore|ignora|esquec|desconsider|despreze|nao siga", "anterior|acima|previa|precedente",
        "instruc|regras|ordens|diretrizes|orientac",
    ),
    _Tongue("ignora|oblida", "anterior|previes", "instruccions"),
    _Tongue("ignora|uita|nesocot|nu tine cont", "anterioare|precedente|de mai sus", "instructiun|regulile"),
    _Tongue(
        "negeer|negeren|vergeet|ignoreer|ignoreren", "eerdere|vorige|voorgaande|bovenstaande|voorafgaande",
        "instructie|regels|opdracht|aanwijzing|richtlijn|voorschrift",
    ),
    _Tongue("ignorer|bortse|glom|asidosatt|strunta i", "tidigare|foregaende|ovan", "instruktion|anvisning|regler"),
    _Tongue("ignorer|glem|se bort|tilsidesæt", "tidligere|foregaende|forrige|ovenfor",
        "instruks|instruktion|regler|ordre"),
    _Tongue("ignoroi|unohda|ohita|jata huomiotta", "aiemm|aikaisemm|edelli|ylla", "ohje|saanno|maarayk"),
    _Tongue("eira|ignoreeri|unusta", "eelneva|varasema", "juhis|reegl"),
    _Tongue("ignore|aizmirsti", "ieprieksej", "instrukcij|noradijum"),
    _Tongue("ignoruok|pamirsk", "ankstesn", "instrukcij|nurodym"),
    _Tongue("ignoruj|zignoruj|pomin|zapomnij|zlekcewaz|odrzuc", "poprzedni|wczesniejsz|powyzsz",
        "instrukc|polece|zasad|wytyczn"),
    _Tongue("ignoruj|zignoruj|zapomen|zabudni|nedbej", "predchoz|predchadzajuc|drivejs|vyse", "pokyn|instrukc|pravidl"),
    _Tongue("zanemari|ignorir|ignoris|zaboravi|prezri", "prethodn|prejsnj|ranij", "uput|instrukcij|pravil|navodil"),
    _Tongue("figyelmen kivul|felejtsd|ne vedd figyelembe|hanyagold el", "korabbi|elozo|fenti",
        "utasitas|szabaly|instrukci"),
    _Tongue(
        "yok say|yoksay|unut|gormezden|dikkate alma|goz ardi|onemseme", "onceki|yukaridaki",
        "talimat|kural|yonerge|direktif",
    ),
    _Tongue("abaikan|lupakan|kesampingkan|jangan hiraukan", "sebelum|di atas|terdahulu",
        "instruksi|perintah|aturan|arahan"),
    _Tongue("bo qua|quen tat|quen moi|quen cac|quen het|phot lo", "truoc|o tren", "huong dan|chi thi|quy tac|lenh"),
    _Tongue("huwag pansinin|balewalain|kalimutan", "nakaraang|naunang|nauna", "tagubilin|panuto|utos"),
    _Tongue("puuza|sahau", "awali|yaliyotangulia|yaliyopita", "maagizo|maelekezo"),
    _Tongue(
        "игнорируй|забудь|не следуй|не обращай внимания|отмени|пренебреги|отбрось|не учитывай|не соблюдай",
        "предыдущ|прежн|выше|ранее", "инструкци|указани|правил|директив|предписани|распоряжени",
    ),
    _Tongue("ігноруй|ігноруйте|забудь|знехтуй", "попередн|вище", "інструкці|вказівк|правил"),
    _Tongue("ігнаруй|забудзь", "папярэдн|вышэй", "інструкцы|указанн|правіл"),
    _Tongue("игнорирай|забрави|пренебрегни", "предишн|предходн", "инструкци|указани|правил"),
    _Tongue("игнориши|занемари|заборави", "претходн", "инструкциј|упутств|правил"),
    _Tongue("αγνοη|ξεχα|παραβλεψ", "προηγουμεν|παραπανω", "οδηγι|εντολ|κανον"),
    _Tongue("התעלם|תתעלם|להתעלם|שכח", "הקודמ|לעיל|קודמ", "הוראות|הנחיות|כללים"),
    _Tongue("تجاهل|لا تتبع|انس |أهمل", "السابق|أعلاه", "التعليمات|القواعد|الأوامر|التوجيهات|الإرشادات"),
    _Tongue("نادیده|فراموش", "قبلی|پیشین|بالا", "دستور|قوانین|راهنما"),
    _Tongue("نظر انداز|نظرانداز", "پچھل|سابقہ", "ہدایات|احکام"),
    _Tongue("अनदेखा|नज़रअंदाज़|नजरअंदाज|मत मानो|भूल जाओ", "पिछल|पूर्व|ऊपर", "निर्देश|नियम"),
    _Tongue("উপেক্ষা|ভুলে যাও", "পূর্ব|আগের", "নির্দেশ|নিয়ম"),
    _Tongue("புறக்கணி|மறந்துவிடு", "முந்தைய", "வழிமுறை|அறிவுறுத்தல்|கட்டளை"),
    _Tongue("విస్మరించ", "మునుపటి|గత", "సూచన|ఆదేశ"),
    _Tongue("เพิกเฉย|ละเว้น|ละเลย|ไม่ต้องสนใจ|ลืม", "ก่อนหน้า|ข้างต้น", "คำสั่ง|คำแนะนำ|กฎ"),
    _Tongue(
        "忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵循|不理会|不要遵守|抛开|摒弃",
        "之前|以前|以上|先前|前面|上面|上述",
        "指令|指示|规则|規則|规定|提示|要求|说明|命令|指引",
    ),
    _Tongue("無視|忘れ|従わない|従うな|破棄", "以前の|これまで|前の|上記|先ほど|ここまで",
        "指示|命令|指令|ルール|指針"),
    _Tongue("무시|잊어|잊으|따르지", "이전|위의|앞의|기존", "지시|명령|지침|규칙"),
)  # fmt: skip


def demands_dropping(bare: str, *, outside: bool = True) -> bool:
    """Whether a text, as `bared` gives it, demands in one of the languages to drop what came earlier.

    An agent may call the instructions in a paper of its team outdated, and a page may not.
    """
    known = stems(ascii_only=True) if bare.isascii() else stems()
    if not has_any(bare, known) or not _drops(bare):
        return False
    # Far apart, so that what stands around it does not become one sentence.
    honest = OF_WORK if outside else f"{OF_WORK}|{OF_PAPERS}"
    rest = re.sub(honest, " " * (WORDS_APART_MAX + 1), bare.replace("’", "'"))
    return rest == bare or _drops(rest)


def _drops(bare: str) -> bool:
    for drop, earlier, rules in _patterns():
        places = [one.start() for one in drop.finditer(bare)]
        if places and _near(places, bare, earlier) and _near(places, bare, rules):
            return True
    return False


def bared(text: str) -> str:
    """The text in small letters without the marks on them: people leave them out, and attackers add some."""
    small = text.lower()
    if small.isascii():
        return " ".join(small.split())
    apart = normalize("NFKD", small.replace("ı", "i"))
    return " ".join("".join(one for one in apart if not combining(one)).split())


@cache
def stems(*, ascii_only: bool = False) -> tuple[str, ...]:
    """What a text, as `bared` gives it, must have of at least one language. None of them holds another one."""
    told = {bared(stem) for tongue in TONGUES for stem in tongue.drop.split("|")}
    return tuple(
        sorted(
            stem for stem in told
            if (stem.isascii() or not ascii_only) and not any(one in stem for one in told if one != stem)
        )
    )  # fmt: skip


def dropped() -> tuple[str, ...]:
    """How the rules are called that are to be dropped, as far as that is plain ASCII."""
    told = {bared(stem) for tongue in TONGUES for stem in tongue.rules.split("|")}
    return tuple(sorted(stem for stem in told if stem.isascii()))


def _near(places: Sequence[int], bare: str, other: re.Pattern[str]) -> bool:
    """Whether the other word stands near one of these places. One walk over both: linear in the text."""
    for found in other.finditer(bare):
        place = bisect_left(places, found.start() - WORDS_APART_MAX)
        if place < len(places) and places[place] <= found.end() + WORDS_APART_MAX:
            return True
    return False


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]], ...]:
    """Compiled when a text first needs them."""

    def compiled(stems: str) -> re.Pattern[str]:
        # A stem in Latin letters begins a word; scripts without blanks have no such place.
        return re.compile("|".join(rf"\b{one}" if one.isascii() else one for one in bared(stems).split("|")))

    return tuple((compiled(one.drop), compiled(one.earlier), compiled(one.rules)) for one in TONGUES)
