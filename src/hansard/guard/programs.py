"""Owns what a program has where another text has a secret: a type, the scope of a name, the end of a prompt."""

import re

from hansard.guard.mixture import is_jumbled
from hansard.guard.values import is_hexadecimal

_HOLDS = (
    "String|Str|Text|Chars?|Characters|Array|Bytes?|Buffer|Data|U?[Ii]nt(?:8|16|32|64)?|Integer|Number|Float|Double|Bool|Any"
    "|Object|Value|Type|Digest|Hash|Payload|Bundle|Response|Request|Result|Config|Provider|Metadata|Info|Spec|List|Map|Set"
    "|Dict|View|Slice|Ref|Handle|Attributes?|Box|Client|Model|Token|Credentials?|Creds"
)
"""What the last word of a type says that it is. Hardly anybody ends a password with one."""
_OPENS = "Secret|Password|Passphrase|Pwd|Keys?"
_PRIMITIVES = "string|str|text|bytes?|data|chars?|u?int(?:8|16|32|64)?|bool|any|object"
_NUMBERED = (
    "(?:OAuth|Oauth|OA|Oidc|V|Ec|EC|Sha|SHA|Md|MD|Base|U?[Ii]nt|Utf|UTF|Aes|AES|Rsa|RSA|Ed|Http|HTTP|X|P|S|H|K|Argon|Pbkdf|PBKDF|Pkcs|PKCS"
    "|Ipv|IPv|Win|B)[0-9]{1,5}"
)
"""Words of engineers that end in a number. Of any others a password is made as well: `Summer24`."""
_WORD = r"(?:(?:[AEIOUY]|[B-DF-HJ-NP-TV-XZ](?=[a-z]*[aeiouy]))[a-z]++|[A-Z]{2,5}(?=[A-Z][a-z]|[^A-Za-z]|\Z))"
"""One that can be spoken, or an abbreviation. Each text is read in one way only, so that none takes long."""
_MODULE = r"_?[a-z][a-z0-9]*(?:_[a-z0-9]+)*[.]"
_OWNER = rf"(?:{_MODULE}|(?:{_WORD})+[.])*"
_WORDS = rf"(?:{_WORD}|{_NUMBERED})"
_ENDS = r"(?:[,;)}\]|]*(?:[\s\"'`]|\Z)|[)\]}](?:[=:.{]|->)|[)\]}]?[,;][a-z]+ ?[=:]|->|=(?:\s|null|nil))"
_TYPE = re.compile(
    rf"{_OWNER}(?:{_WORD}+[?]|{_WORDS}*?(?:{_HOLDS})[?!]?|{_WORDS}+?(?:{_HOLDS})[0-9]?[?]|{_NUMBERED}(?:{_OPENS})[?!]?"
    rf"|(?:{_PRIMITIVES})[?!]){_ENDS}|(?:{_MODULE})+(?:{_WORDS}|_|[A-Z]{{6,16}}(?![A-Za-z]))+{_ENDS}"
)
"""A type whose words show that it is one."""
_NUMBERS = re.compile(rf"{_OWNER}{_WORDS}*?(?:(?:{_OPENS})[0-9]?[?!]?|{_WORDS}[0-9]?[?!]){_ENDS}")
"""One with numbers or signs that passwords have as well: `AccessToken2?`, `MySecret2!`."""
_OWN = re.compile(rf"(?P<kind>(?:[A-Z][a-z]+)+)[!?]{_ENDS}")
_FIELD = re.compile(r"(?m)(?:^|[{(\[,;!?\]}`]|\b(?:let|var|val))[ \t]*([a-z][A-Za-z_]*)\??:[ \t]*\Z")
"""A field, and no word of a sentence: nothing stands before it but what ends another one."""
_GROUP = re.compile(rf"[a-z0-9-]+(?:[.][a-z0-9-]+)+/v[0-9]{{1,2}}(?:(?:alpha|beta)[0-9]{{1,2}})?(?:/{_WORD}+)?{_ENDS}")
"""A version of an interface of Kubernetes: `authentication.k8s.io/v1`."""
_REFERENCE = re.compile(rf"[&*\[\]]+(?:{_MODULE})+(?:[A-Z][a-z]+|[A-Z]{{2,}}(?![a-z]))+[0-9]?")
_PARAMETER = rf"(?:{_WORDS}+[0-9]?|[A-Z][0-9]?|[iuf][0-9]{{1,3}}|str|[a-z]{{3,}}:|[0-9]{{1,5}}(?=>))[<>,;: }}]"
_SCOPED = rf"(?:[a-z]{{2,}}(?:_[a-z0-9]+)*[0-9]{{0,3}}|[a-z]*{_WORDS}+[0-9]?)"
_SCOPE = re.compile(rf":(?:<[\[{{&]?[ ]?{_PARAMETER}|{_SCOPED}(?:::|\(|!\())")
_GOES_ON = ("", "{", "(", ")", ",", ";", " ", "\n", "`")
_CLOSED = re.compile(r"\)+[?!]?(?:[.][a-z_]{2,}\w*\(|[;,]?\s)")
"""Behind the quote that closes a prompt: `getpass("Password: ").strip()`."""
_LAST_PART = re.compile(r"[A-Z][A-Za-z0-9]*[\"']")
_TYPE_IN_QUOTES = re.compile(r"[\"'](?:[A-Z]\w*::)+\Z")
TYPE_CHARACTERS_MAX = 128


def is_type(text: str, start: int, *, named: bool) -> bool:
    """Whether what stands behind a colon is the type of what is named before it: `String?`, `client.V1Secret`. Of what
    is called a password, as `named` says, numbers are a part only if its words are those of types."""
    run = text[start : start + TYPE_CHARACTERS_MAX]
    found = _TYPE.match(run) or _GROUP.match(run) or _type_of_its_name(text, start, run)
    if found is None and not named:
        found = _NUMBERS.match(run)
        found = None if found is None or is_jumbled(found[0].rstrip("?!")) else found
    # At the end of what is looked at, nobody knows whether the type ends there.
    return found is not None and (len(run) < TYPE_CHARACTERS_MAX or found.end() < TYPE_CHARACTERS_MAX)


def _type_of_its_name(text: str, start: int, run: str) -> re.Match[str] | None:
    """What a type with a sign is if it is called as the field before it, or as that ends: `password: Password!`."""
    found = _OWN.match(run)
    if found is None:
        return None
    field = _FIELD.search(text, max(0, start - TYPE_CHARACTERS_MAX), start)
    if field is None:
        return None
    kind, name = found["kind"], field[1]
    whole = name.replace("_", "").lower() == kind.lower()
    return found if whole or name.endswith((kind, f"_{kind.lower()}")) else None


def is_reference(text: str, start: int) -> bool:
    """Whether an address or a list begins of something whose type a package has: `&corev1.Secret{`."""
    found = _REFERENCE.match(text, start, start + TYPE_CHARACTERS_MAX)
    return found is not None and text[found.end() : found.end() + 1] in _GOES_ON


def is_scope(text: str, start: int) -> bool:
    """Whether a colon at a place is the second of two that lead into a type or a module: `Secret::new(`."""
    return text.startswith("::", start - 1) and (_SCOPE.match(text, start, start + TYPE_CHARACTERS_MAX) is not None)


def is_behind_prompt(text: str, start: int) -> bool:
    """Whether the quote before a place closes what is asked of somebody, and a program goes on."""
    return _CLOSED.match(text, start) is not None


def is_in_type(text: str, place: int) -> bool:
    """Whether what begins at a place is the last part of a type that begins behind a quote: `"AWS::IAM::AccessKey"`."""
    if not text.startswith("::", place - 2) or _LAST_PART.match(text, place) is None:
        return False
    return _TYPE_IN_QUOTES.search(text, max(0, place - TYPE_CHARACTERS_MAX), place) is not None


def is_entry_of_types(text: str, place: int, value: str) -> bool:
    """Whether a value is a sum beside the name of a type, as in a table of schemas."""
    return is_hexadecimal(value) and is_in_type(text, place)
