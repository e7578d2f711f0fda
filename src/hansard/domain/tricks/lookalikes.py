"""Owns the letters that look like others: which Latin letter each is read as, and words that mix two scripts.

The table follows the confusables of Unicode, without what `compatible` undoes, and with what attackers use for style.
"""

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import combining, normalize

from hansard.domain.text import compatible, legible

_ALIKE = {
    "A": "ΑАᎪᗅꓮꭺ𐊠𖽀", "a": "ɑαаคᗩᴀⲁ", "B": "ΒВᏴᏼᗷꓐꞴ𐊂𐊡𐌁", "b": "ƄʙβБЬвѢѣҌҍ๒Ꮟᑲᑳᖯꮟ", "C": "СҪᏟⲤꓚ𐊢𐌂𐐕𐔜𑣩",
    "c": "ςсҫᑕᴄⲥꮯ𐐽", "D": "Ꭰᗞᗪꓓꭰ", "d": "ԁ๔Ꮷᑯᴅꓒꮷ", "E": "ΕЕᎬⴹꓰꭼ𐊆𑢦𑢮", "e": "εЄеєҽҿᴇ℮ⲉꬲ", "F": "ϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂",
    "f": "քẝꜰꞙꬵ", "G": "ԌᏀᏳᏻꓖꮐ", "g": "ƍɡɢԍցوᶃ", "H": "ΗНҢӇӉᎻᕼⲎꓧꮋ𐋏", "h": "ʜнђћһհᏂᏲᏺꚕꮒ", "I": "ΙІᎥᏆⲒꓲꮖ𐊊𐌉",
    "i": "ıɩɪιіเᴉⲓꙇꭵ𑣃", "J": "ͿЈᎫᒍꓙꞲꭻ", "j": "ϳјյᴊ", "K": "ΚКҚҞᏦᛕⲔꓗꮶ𐔘", "k": "κкᴋⲕ", "L": "ᏞᒪⳐꓡꮮ𐐛𐔦𑢣𑢲𖼖",
    "l": "ƖǀɭʟӀӏլוןا١ٳ۱ߊᛁⵏ𖼨", "M": "ΜϺМӍᎷᗰᛖⲘꓟꮇ𐊰𐌑", "m": "м๓ᴍⲙ", "N": "ΝⲚꓠ𐔓", "n": "ɴηղոռրภᑎⲛ",
    "O": "ΘΟθОѲӨՕ߀০ଠ୦ዐᎾᏫⲞⴱⵁⵔꓳ𐊒𐊫𐐄𐓂𐔖𑓐𑢵𑣠", "o": "οσоѳөօסه٥ھہە۵ۿ०੦૦௦౦೦ഠ൦๏๐໐ဝ၀ჿᎤᴏᴑⲟꬽꭴꮎꮻ𐐬𐓪𑣈𑣗", "P": "ΡРᏢᑭⲢꓑꮲ𐊕",
    "p": "ρрקᴘⲣ", "Q": "ⵕ", "q": "ԛգզᑫ", "R": "ƦᎡᏒᖇꓣꭱꮢ𐒴𖼵", "r": "ʀгғᎱᴦⲅꭇꭈꮁ", "S": "ЅՏᏕᏚꓢꮥ𐊖𐐠𖼺", "s": "ƽѕรᔕꜱꮪ𐑈𑣁",
    "T": "ΤТҬᎢⲦꓔꭲ𐊗𐊱𐌕𑢼𖼊", "t": "τтՇᴛⲧ", "U": "ՍሀᏌᑌꓴ𐓎𑢸𖽂", "u": "ʋμυսยᴜꞟꭎꭒꮜ𐓶𑣘", "V": "Ѵ٧۷Ꮩᐯⴸꓦꛟ𐔝𑢠𖼈", "v": "νѵטᴠꮩ𑜆𑣀",
    "W": "ԜᎳᏔꓪꮤ𑣦", "w": "ɯωѡѽԝաשฬᗯᴡꮃ𑓅𑜊𑜎𑜏", "X": "ΧХҲᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧", "x": "χхאᕁᕽⲭ", "Y": "ΥУҮҰᎩᎽⲨꓬꭹꮍ𐊲𑢤𖽃",
    "y": "ɣʏγуүұץყᶌỿꭚ𑣜", "Z": "ΖᏃꓜ𑢩𑣥", "z": "չᘔᴢꮓ𑣄",
}  # fmt: skip
_BOXED = {chr(first + place): chr(65 + place) for first in (0x1F150, 0x1F170) for place in range(26)}
LOOKALIKES = str.maketrans({one: letter for letter, several in _ALIKE.items() for one in several} | _BOXED)
"""Letters of other scripts that look like Latin ones, small capitals, and letters in a box or a disc."""
_TWICE = str.maketrans("ոӏӀןוІΙ", "uiiiill")
_TWO_WAYS = "[ոӏӀןוІΙ]"
"""What looks like a second Latin letter as well."""
_HOOKED = {
    "b": "ƀƂƃɓ", "c": "ȼ", "d": "ÐĐƉđƌɖɗ", "e": "Ɇɇəɛ", "f": "Ƒƒᵮ", "g": "Ǥǥɠ", "h": "ĦⱧħɦ", "i": "Ɨɨᵻᵼ",
    "j": "Ɉɉ", "k": "ⱩꝀƙ", "l": "łƚɫŁ", "n": "Ɲƞɳᵰ", "o": "ØƟꝊøɵꝋꬾ", "p": "ƥᵽ", "q": "ʠ", "r": "ɍɼɽᵲ",
    "s": "ʂᵴ", "t": "ŦƮȾŧƭᵵ", "u": "Ʉʉᵾ", "w": "ꝡ", "y": "Ɏƴɏ", "z": "ƵȤƶȥʐᵶ",
}  # fmt: skip
LETTERS = LOOKALIKES | str.maketrans({one: letter for letter, several in _HOOKED.items() for one in several})
"""Latin letters with a stroke or a hook, or turned. Half of Europe writes some of them, so they are read, and no mask
of a name."""
_LATIN = "A-Za-zÀ-ÖØ-öø-\u02af\u1d00-\u1d7f\u1e00-\u1eff\ua720-\ua7ff\uab30-\uab6f"
_GREEK = "ͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧϜϺοϳ"
"""Greek letters that nobody uses as a symbol, because they look like Latin ones. The others stand beside any letter."""
_NEAR = (
    f"{_GREEK}\u0400-\u058f\u10a0-\u10ff\u13a0-\u167f\u16a0-\u16ff\u1c80-\u1c8f\u2c80-\u2cff\u2d30-\u2d7f\ua4d0-\ua4ff"
    "\ua640-\ua69f\uab70-\uabbf\U00010280-\U000118ff\U00016f00-\U00016f9f"
)
"""Scripts that keep words apart by blanks, so that no word of theirs goes on in Latin letters unless it is hidden."""
_SYMBOLS = "αβγεηθικμνρσςτυχωΘ"
_WORD = r"[^\W0-9_]{3,}"
_ENDING = r"(?:[A-Z]{2,}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)[а-яё]{1,4}"
_RUSSIAN = r"(?<![A-Za-z])[А-Яа-яЁё]{2,}[джзийлпфцчшщъыэюя]"
_CYRILLIC = str.maketrans("ABCEHKMOPTXaceikopxy", "АВСЕНКМОРТХасеікорху")


@cache
def _patterns() -> tuple[str, str]:
    """What every word of two scripts has, and what no honest one has. Made when a text first needs them."""
    known = re.compile(f"[{_LATIN}{_NEAR}{_SYMBOLS}]")
    far = "".join(chr(one) for one in LOOKALIKES if not known.match(chr(one)))
    other = f"[{_NEAR}{_SYMBOLS}{far}]"
    between = (
        rf"[A-Za-z][{_NEAR}]+[A-Za-z]|[A-Za-z][{_SYMBOLS}{far}]+[a-z]{{2}}|[a-z]{{4}}[{_SYMBOLS}]+(?!\w)"
        r"|[\u0400-\u052f][ABCEHKMOPTXabcehikmoptuxy]{1,2}[\u0400-\u052f]"
        r"|[\u0370-\u03ff]{2}[ABEHIKMNOPTXYZaikopuvx]{1,2}[\u0370-\u03ff]{2}"
    )
    return f"[A-Za-z]{other}|{other}[A-Za-z]", between


def mixes_scripts(text: str) -> bool:
    """Whether a word of the text has letters of two scripts, so that it is read as another than it is.

    A symbol beside a letter, as in "Δt" and "kΩ", and a script without blanks beside a word are no such thing, and no
    reader takes "PDFы" for another word.
    """
    meeting, between = _patterns()
    if not re.search(meeting, text):
        return False
    if re.search(between, text):
        return True
    words = (one for one in re.findall(_WORD, text) if not one.isascii() and re.search(r"[A-Za-z]", one))
    masked = {one for one in words if re.search(f"[{_NEAR}]", one) and _looks_latin(one)}
    if not masked:
        return False
    # Russian puts its endings behind foreign names, as in "без VPNа".
    among_russian = re.search(_RUSSIAN, text) is not None
    return any(not re.fullmatch(_ENDING, one) or not (among_russian or one[:2].isupper()) for one in masked)


def _looks_latin(word: str) -> bool:
    return re.fullmatch(f"[{_LATIN}]+", word.translate(LOOKALIKES)) is not None


def latin_readings(text: str) -> tuple[str, ...]:
    """A text beyond ASCII as its author may want it read: look-alikes as the Latin letters, each in one way."""
    return tuple(in_latin(one) for one in dict.fromkeys(_spelled(text)))


def in_latin(text: str) -> str:
    """The text with the Latin letters that others look like."""
    return _strangers().sub(lambda found: LETTERS[ord(found[0])], text)


@cache
def _strangers() -> re.Pattern[str]:
    """Whatever looks like a Latin letter. To look every letter up takes longer than to look for these."""
    return re.compile(f"[{''.join(map(chr, LETTERS))}]")


def cyrillic_reading(text: str) -> str:
    """The text with Cyrillic letters for those that look like them, in words that have letters of both scripts."""
    if not re.search(r"[A-Za-z][\u0400-\u052f]|[\u0400-\u052f][A-Za-z]", text):
        return text
    words = r"[A-Za-z\u0400-\u052f]+"
    return re.sub(words, lambda one: one[0] if one[0].isascii() else one[0].translate(_CYRILLIC), text)


def without_marks(plain: str) -> Iterator[str]:
    """The text without the marks on its letters; and with blanks for them, because one may stand for a blank.

    Letters of a script that has no blanks stand right beside a word, and there they are blanks too.
    """
    apart = normalize("NFD", plain)
    # Without its mark a letter may look like another.
    bare = in_latin("".join(one for one in apart if not combining(one) and one != "\u034f"))
    if bare != plain:
        yield bare
        loose = normalize("NFC", plain)
        if any(combining(one) or one == "\u034f" for one in loose):
            yield "".join(" " if combining(one) or one == "\u034f" else one for one in loose)
    if not bare.isascii() and (words := _unglued(bare)) != bare:
        yield words


def _unglued(plain: str) -> str:
    """The text with blanks for letters of a script that stand beside Latin ones: there a word begins or ends."""
    return re.sub(r"[A-Za-z]?[^\W\x00-\x7f]+[A-Za-z]?", _parted, plain)


def _parted(found: re.Match[str]) -> str:
    head, last = found[0][0], found[0][-1]
    before, behind = head if head.isascii() else "", last if last.isascii() else ""
    return f"{before} {behind}" if before or behind else found[0]


def shapes_of(text: str) -> tuple[str, ...]:
    """The text, and what it looks like in plain Latin letters. Only words that are wholly so are read anew."""
    return (text,) if text.isascii() else tuple(dict.fromkeys(ways_to_read(text)))


def ways_to_read(text: str) -> tuple[str, str, str]:
    """The same of a text beyond ASCII, each way in its place."""
    first, second = _spelled(text)
    plain = _plain(first)
    return text, plain, plain if second == first else _plain(second)


def _spelled(text: str) -> tuple[str, str]:
    """With each letter that looks like two as itself, and as the second of them."""
    shown = compatible(legible(text))
    return shown, shown.translate(_TWICE) if re.search(_TWO_WAYS, shown) else shown


def _plain(text: str) -> str:
    """The text with those of its words in Latin letters that are wholly so then. All words at once: a text has many."""
    words = re.findall(r"\S+", text)
    bare = in_latin(_bare(text))
    read = re.findall(r"\S+", bare)
    if len(read) != len(words):
        # A mark alone is a word that is none any more.
        read = [in_latin(_bare(one)) for one in words]
    told = iter(
        [
            new if not old.isascii() and not re.search(r"[^\W\x00-\x7f]", new) else old
            for old, new in zip(words, read, strict=True)
        ]
    )
    return re.sub(r"\S+", lambda _: next(told), text)


def _bare(text: str) -> str:
    return "".join(one for one in normalize("NFD", text) if not combining(one))
