"""Owns claims: the files and symbols that a text names, which can be checked against a working tree."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from hansard.domain.limits import CLAIM_CHARACTERS_MAX, CLAIMS_COUNT_MAX, CONTENT_BYTES_MAX

REMEMBERED_TEXTS_MAX = 1_024
REMEMBERED_CHARACTERS_MAX = 1_000
REMEMBERED_CITATIONS_MAX = 10


class ClaimKind(StrEnum):
    """What a claim is about."""

    PATH = "path"
    SYMBOL = "symbol"


class Claim(NamedTuple):
    """Something that a text says is there: a path as it was written but for its line, or a name in the code."""

    kind: ClaimKind
    name: str


class ClaimStatus(StrEnum):
    """What a look at the working tree made of a claim."""

    VERIFIED = "verified"
    STALE = "stale"
    UNCHECKED = "unchecked"


NOT_CHECKED = " was not checked: "


class Verdict(NamedTuple):
    """How a claim stands, and what a reader is told about it; nothing if it was found."""

    status: ClaimStatus
    note: str = ""

    @property
    def hindrance(self) -> str:
        """Why it was not checked, without the name that stands before; nothing if it was."""
        return self.note.rpartition(NOT_CHECKED)[2] if self.status is ClaimStatus.UNCHECKED else ""


VERIFIED = Verdict(ClaimStatus.VERIFIED)

_KNOWN_ENDS = frozenset(
    "adoc astro avif bash bat bazel bib bmp bzl c cc cfg cjs clj cljs cmake cmd conf config cpp cs csproj css csv cts"
    " cue cxx dart db def diff ejs el elm erl ex exs f90 fish fs fsx gif gleam go gql gradle graphql groovy h haml hbs"
    " hcl hh hpp hrl hs htm html hxx ico ini ipynb j2 java jinja jinja2 jl jpeg jpg js json json5 jsonc jsonl jsx kdl"
    " key kt kts less lhs lisp lock lua m md mdc mdx mjs ml mli mm mod mts ndjson nim nix odt org otf patch pdf pem php"
    " pl plist pm png po prisma properties proto ps1 pug pxd py pyi pyx r rake rb rego rkt rmd robot rs rst sass sbt"
    " scala scm scss service sh sln sol sql sqlite styl sum svelte svg swift tcl tex tf tfvars thrift tmpl toml tpl ts"
    " tsv tsx ttf twig txt v vb vim vue wasm webp wgsl woff woff2 xaml xib xml xsd xsl yaml yml zig zsh".split()
)
"""How names of files end. In plain prose only these count, since many words have a slash and a dot."""
_ATTRIBUTE_ENDS = frozenset("config conf db def diff el key lock m mod org patch properties r service sum v".split())
"""Ends that attributes have as well: a name without a slash, such as `row.key`, is no file by these."""
_KNOWN_NAMES = frozenset(
    "Brewfile Caddyfile Cargo.lock Containerfile Dockerfile Gemfile Gemfile.lock Jenkinsfile Justfile Makefile Pipfile"
    " Pipfile.lock Podfile Procfile Rakefile Tiltfile Vagrantfile composer.lock flake.lock go.mod go.sum justfile"
    " poetry.lock uv.lock yarn.lock .dockerignore .editorconfig .env .gitattributes .gitignore .gitmodules .mailmap"
    " .npmrc .nvmrc .tool-versions".split()
)
_CALLERS = frozenset("body cls event http req request res resp response result self this".split())
"""What stands before a dot in code: `response.json` is no file."""
_PRODUCTS = frozenset(
    "angular.js asp.net backbone.js chart.js d3.js ember.js express.js next.js node.js nuxt.js react.js socket.io"
    " three.js vue.js".split()
)
_BRANDS = frozenset(
    "BitBucket DevOps GitHub GitLab GraphQL JavaScript LinkedIn MongoDB MySQL NoSQL OAuth OpenAI OpenAPI OpenSSL"
    " PostgreSQL PowerShell PyPI PyTorch SQLite TensorFlow TypeScript WebSocket YouTube iOS iPhone macOS".split()
)
_HOSTS = frozenset("ai app biz cloud co com dev edu gov info io net org uk xyz".split())

_TICKED = re.compile(rf"(?<!`)`{{1,2}}(?!`)([^`\n]{{1,{CLAIM_CHARACTERS_MAX}}})`{{1,2}}(?!`)")
_SEPARATORS = re.compile(r"[`'\"|,;=“”‘’«»…]+|\]\(")
_WRAPPING = "()[]{}<>*"
_TAIL = re.compile(r"(::|:|#)")
_LINE = re.compile(r"L?\d")
_MEMBER = re.compile(r"((?:[A-Za-z_]\w*(?:::|\.))*[A-Za-z_]\w*)(?:\[.*\]|\(\))?")
_SEGMENT = re.compile(r"(?!\.{3,}$)(?:[\w.@+~,-]+|\([\w.-]+\)|\[{1,2}(?:\.{3})?[\w-]+\]{1,2})")
_END = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})$")
_VERSION = re.compile(r"v?\d+(?:\.(?:\d+|x))+", re.IGNORECASE)
_NAME = re.compile(r"(\$?[A-Za-z_][\w$]*(?:(?:\.|::|#|->|\?\.)~?[A-Za-z_$][\w$]*)*)[!?]?(\([^`\n]*\))?;?")
_CAPITAL_INSIDE = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z]+[a-z]")
_JOINT = re.compile(r"\?\.|\.|::|#|->")


def claims_of(content: str, citations: Sequence[str]) -> tuple[Claim, ...]:
    """What the text and its citations claim, each claim once, in the order in which they stand.

    Takes time in proportion to the text, whatever is in it. What exceeds CLAIMS_COUNT_MAX is left out.
    """
    if len(content) <= REMEMBERED_CHARACTERS_MAX and len(citations) <= REMEMBERED_CITATIONS_MAX:
        return _remembered(content, tuple(citations))
    return _claims_of(content, citations)


def _claims_of(content: str, citations: Sequence[str]) -> tuple[Claim, ...]:
    found: dict[Claim, None] = {}
    for one in _all(content[:CONTENT_BYTES_MAX], citations):
        found[one] = None
        if len(found) >= CLAIMS_COUNT_MAX:
            break
    return tuple(found)


_remembered = lru_cache(maxsize=REMEMBERED_TEXTS_MAX)(_claims_of)
"""Turn after turn tells the same memories."""


def last_part(symbol: str) -> str:
    """The name itself, without what it is a part of: `b` of `A::b`."""
    return _JOINT.split(symbol)[-1].strip("$~")


def _all(content: str, citations: Sequence[str]) -> Iterator[Claim]:
    for one in citations:
        yield from _cited(one[: CLAIM_CHARACTERS_MAX * 4].strip())
    for ticked in _TICKED.finditer(content):
        yield from _in_ticks(ticked[1].strip())
    yield from _in_prose(_TICKED.sub(_commands_only, content))


def _commands_only(ticked: re.Match[str]) -> str:
    """A command names files among its words; anything else in back-ticks was looked at as a whole."""
    return ticked[1] if any(one.isspace() for one in ticked[1].strip()) else " "


def _cited(citation: str) -> Iterator[Claim]:
    if any(one.isspace() for one in citation):
        yield from _in_prose(citation)
    elif "://" not in citation:
        yield from _named(citation.strip("`'\"<>"), any_end=True)


def _in_ticks(text: str) -> Iterator[Claim]:
    if "://" in text:
        return
    if not any(one.isspace() for one in text):
        files = tuple(_named(text, any_end=True))
        if files:
            yield from files
            return
    name = _NAME.fullmatch(text)
    if name is not None and _is_symbol(name[1], called=name[2] is not None):
        yield Claim(ClaimKind.SYMBOL, name[1])


def _in_prose(content: str) -> Iterator[Claim]:
    """Words with a slash that end like a file or, after several names, like a folder."""
    for word in content.split():
        if "/" not in word or "://" in word:
            continue
        for token in _SEPARATORS.split(word):
            if "/" in token and len(token) <= CLAIM_CHARACTERS_MAX:
                yield from _named(token.strip(_WRAPPING).rstrip(".:!?").rstrip(_WRAPPING), any_end=False)


def _named(text: str, *, any_end: bool) -> Iterator[Claim]:
    """The file that a word names and, after it, a symbol in that file. Of a line nothing is claimed.

    Lines move with every edit above them, so a line that is past the end says nothing about what the memory says.
    """
    if len(text) > CLAIM_CHARACTERS_MAX:
        return
    path, *tail = _TAIL.split(text, maxsplit=1)
    has_line = bool(tail) and "/" in path and _LINE.match(tail[1]) is not None
    if not _is_path(path, any_end=any_end) and not (has_line and _segments(path) is not None):
        return
    yield Claim(ClaimKind.PATH, path.removeprefix("./"))
    # After a hash stands a heading of a page.
    member = _MEMBER.fullmatch(tail[1]) if tail and tail[0] != "#" else None
    if member is not None:
        yield Claim(ClaimKind.SYMBOL, member[1])


def _is_path(path: str, *, any_end: bool) -> bool:
    segments = _segments(path)
    if segments is None:
        return False
    *above, last = segments
    if _VERSION.fullmatch(last) or (above and _is_host(above[0])):
        return False
    if path.endswith("/"):
        return any_end or len(segments) > 1
    if last in _KNOWN_NAMES:
        return True
    end = _END.search(last)
    if end is None:
        return False
    known = end[1].lower() in _KNOWN_ENDS
    if "/" not in path:
        caller = last[: end.start()].casefold()
        # Without anything before its dot it is how names end, and no name.
        is_name = caller and caller not in _CALLERS and last.casefold() not in _PRODUCTS
        return bool(is_name) and known and end[1] not in _ATTRIBUTE_ENDS
    return any_end or (known and last.casefold() not in _PRODUCTS)


def _segments(path: str) -> list[str] | None:
    """The names on the way; None if this is no path at all."""
    if not path or path[0] in "-~@+,":
        return None
    segments = path.removeprefix("/").removesuffix("/").removeprefix("./").split("/")
    return segments if all(_SEGMENT.fullmatch(one) for one in segments) else None


def _is_host(first: str) -> bool:
    return not first.startswith(".") and "." in first and first.rpartition(".")[2].casefold() in _HOSTS


def _is_symbol(name: str, *, called: bool) -> bool:
    part = last_part(name)
    if not part.strip("_") or name in _BRANDS or name.casefold() in _PRODUCTS:
        return False
    if called:
        return True
    if _JOINT.search(name):
        # A host, or an abbreviation such as `e.g`.
        return "." not in name or (part.casefold() not in _HOSTS and len(part) > 1)
    return "_" in part or _CAPITAL_INSIDE.search(part) is not None
