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
BESIDE_MAX = 8
"""In how many files that a memory names its symbols are looked for first."""


class ClaimKind(StrEnum):
    """What a claim is about."""

    PATH = "path"
    SYMBOL = "symbol"


class Claim(NamedTuple):
    """Something that a text says is there: a path as it was written but for its line, or a name in the code."""

    kind: ClaimKind
    name: str
    beside: tuple[str, ...] = ()
    """For a symbol, the files that are named with it, its own first: what git passes over is looked into there."""
    sure: bool = True
    """Whether the words can mean nothing else. `bin/run` may be a branch, and `Widget` a word like any other."""


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
        """Why it was not checked, without the name that stands before; nothing if it was, or may be no claim."""
        if self.status is not ClaimStatus.UNCHECKED or NOT_CHECKED not in self.note:
            return ""
        return self.note.rpartition(NOT_CHECKED)[2]


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
_LAND_ENDS = frozenset("cc ml pl ps rs".split())
"""Ends that hosts have as well. In prose a name without a slash is no file by these, but for those of Rust."""
_RUST_FILES = frozenset("build.rs lib.rs main.rs mod.rs".split())
_BRANCHES = frozenset(
    "bug bugfix build chore ci dependabot docs experiment feat feature fix heads hotfix main master origin perf"
    " refactor refs release remotes renovate revert spike style tags task test topic upstream wip".split()
)
"""What stands first in the name of a branch. `docs/login` may be a folder, but nobody can tell."""
_MEDIA = frozenset("application audio chemical font image message model multipart text video".split())
_NO_FOLDERS = _BRANCHES | _MEDIA | {".git"}
_NO_CLASSES = _BRANDS | frozenset("Accept Authorization Bearer Cookie False Host None Null True".split())
_KINDS_OF_NAMES = (
    "class component dataclass decorator enum exception function hook interface method mixin model module protocol"
    " service struct trait type"
)
_HOSTS = frozenset("ai app biz cloud co com dev edu gov info io net org uk xyz".split())

_TICKED = re.compile(rf"(?<!`)`{{1,2}}(?!`)([^`\n]{{1,{CLAIM_CHARACTERS_MAX}}})`{{1,2}}(?!`)")
_SPACE = re.compile(r"\s")
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
_LOOSE_STEP = re.compile(r"\.?[A-Za-z_][\w.-]*")
_SHOUTED = re.compile(r"[A-Z0-9]+(?:/[A-Z0-9]+)+")
_BACKSLASHED = re.compile(r"\.?\w[\w.-]*(?:\\[\w.-]+)+")
_CAPITALISED = re.compile(r"[A-Z][a-z]+(?:[A-Z0-9][a-z0-9]*)*")
_KIND_BEFORE = re.compile(rf"\b(?:{'|'.join(_KINDS_OF_NAMES.split())})\s+$", re.IGNORECASE)
_KIND_AFTER = re.compile(rf"\s+(?:{'|'.join(_KINDS_OF_NAMES.split())})\b", re.IGNORECASE)
_KIND_CHARACTERS = 16
"""How far from a name the word is looked for that says what kind of name it is."""
_BUILT_IN = frozenset(
    "abs all any assert bool dict exit fetch filter float free int isinstance len list malloc map max min next open"
    " print printf range require set sorted str sum super tuple type zip".split()
)
_AROUND_WORDS = 4
_MAKING = frozenset(
    "add adds call called create creates creating emit emits generate generates make makes name named new output"
    " produce produces save saves touch write writes writing".split()
)
_GONE = frozenset("delete deleted drop dropped gone moved remove removed rename renamed was were".split())
_ELSEWHERE = frozenset("another other others upstream".split())
_CALL = re.compile(r"([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)\(\)")
_JOINT = re.compile(r"\?\.|\.|::|#|->")


def claims_of(content: str, citations: Sequence[str]) -> tuple[Claim, ...]:
    """What the text and its citations claim, each claim once, in the order in which they stand.

    Takes time in proportion to the text, whatever is in it. What exceeds CLAIMS_COUNT_MAX is left out.
    """
    if len(content) <= REMEMBERED_CHARACTERS_MAX and len(citations) <= REMEMBERED_CITATIONS_MAX:
        return _remembered(content, tuple(citations))
    return _claims_of(content, citations)


def _claims_of(content: str, citations: Sequence[str]) -> tuple[Claim, ...]:
    found: dict[tuple[ClaimKind, str], Claim] = {}
    for one in _all(content[:CONTENT_BYTES_MAX], citations):
        known = found.get((one.kind, one.name))
        if not one.name:
            # `./` names no file.
            continue
        if known is None:
            found[one.kind, one.name] = one
        elif one.sure and not known.sure:
            # Said once more, and now there is no doubt what is meant.
            found[one.kind, one.name] = one
        if len(found) >= CLAIMS_COUNT_MAX:
            break
    paths = [one.name for one in found.values() if one.kind is ClaimKind.PATH]
    return tuple(one if one.kind is ClaimKind.PATH else _placed(one, paths) for one in found.values())


def _placed(symbol: Claim, paths: Sequence[str]) -> Claim:
    return symbol._replace(beside=tuple(dict.fromkeys((*symbol.beside, *paths)))[:BESIDE_MAX])


_remembered = lru_cache(maxsize=REMEMBERED_TEXTS_MAX)(_claims_of)
"""Turn after turn tells the same memories."""


def last_part(symbol: str) -> str:
    """The name itself, without what it is a part of: `b` of `A::b`."""
    return symbol if symbol.isidentifier() else _JOINT.split(symbol)[-1].strip("$~")


def _all(content: str, citations: Sequence[str]) -> Iterator[Claim]:
    for one in citations:
        yield from _cited(one[: CLAIM_CHARACTERS_MAX * 4].strip())
    for ticked in _TICKED.finditer(content):
        yield from _in_ticks(ticked[1].strip(), ticked)
    prose = _TICKED.sub(" ", content)
    for number, part in enumerate(prose.split("```")):
        # Between two fences there is code, and a bare name in it is as good as one in a command.
        yield from _in_prose(part, is_command=number % 2 == 1)


def _cited(citation: str) -> Iterator[Claim]:
    if _SPACE.search(citation):
        yield from _in_prose(citation)
    elif "://" not in citation:
        yield from _named(citation.strip("`'\"<>"), any_end=True)


def _in_ticks(text: str, around: re.Match[str]) -> Iterator[Claim]:
    if "://" in text:
        return
    if not _SPACE.search(text):
        files = tuple(_named(text, any_end=True))
        if files:
            yield from files
            return
        if _is_loose_path(text):
            yield Claim(ClaimKind.PATH, text.removeprefix("./"), sure=False)
            return
    else:
        # A command names files among its words. A bare name there is as often one that it is going to write.
        yield from _in_prose(text, is_command=True)
    name = _NAME.fullmatch(text)
    if name is None:
        return
    if _is_symbol(name[1], called=name[2] is not None):
        # A language has these by itself; no file of the tree need name them.
        yield Claim(ClaimKind.SYMBOL, name[1], sure=name[1] not in _BUILT_IN)
    elif _CAPITALISED.fullmatch(name[1]) and name[1] not in _NO_CLASSES:
        yield Claim(ClaimKind.SYMBOL, name[1], sure=_is_called_a_name(around))


def _is_loose_path(text: str) -> bool:
    """Whether this may be a file without an ending, such as `bin/deploy`. A branch and a media type look the same."""
    segments = text.removeprefix("./").split("/")
    return (
        len(segments) > 1
        and len(text) <= CLAIM_CHARACTERS_MAX
        and all(_LOOSE_STEP.fullmatch(one) for one in segments)
        and segments[0].casefold() not in _NO_FOLDERS
        and not _is_host(segments[0])
        and not _SHOUTED.fullmatch(text)
        and segments[-1].casefold() not in _PRODUCTS
    )


def _is_called_a_name(ticked: re.Match[str]) -> bool:
    """Whether the text says of this word that it is a class, or the like."""
    before = ticked.string[max(0, ticked.start() - _KIND_CHARACTERS) : ticked.start()]
    after = ticked.string[ticked.end() : ticked.end() + _KIND_CHARACTERS]
    return _KIND_BEFORE.search(before) is not None or _KIND_AFTER.match(after) is not None


def _in_prose(content: str, *, is_command: bool = False) -> Iterator[Claim]:
    """Words that end like a file or, after several names, like a folder, and calls."""
    words = content.split()
    for place, word in enumerate(words):
        if "://" in word or not ("/" in word or "." in word[1:-1] or "()" in word or "\\" in word):
            continue
        for token in _SEPARATORS.split(word):
            if len(token) > CLAIM_CHARACTERS_MAX:
                continue
            call = _CALL.fullmatch(token.rstrip(".:!?)").lstrip(_WRAPPING) + ")") if "()" in token else None
            if call is not None:
                if _is_symbol(call[1], called=False):
                    yield Claim(ClaimKind.SYMBOL, call[1])
                continue
            bare = token.strip(_WRAPPING).rstrip(".:!?").rstrip(_WRAPPING)
            if "/" in bare or "\\" in bare:
                yield from _named(bare, any_end=False)
            elif not is_command and _is_bare_file(bare):
                sure = _is_spoken_of_as_there(words, place)
                yield from (one._replace(sure=one.sure and sure) for one in _named(bare, any_end=False))


def _is_spoken_of_as_there(words: Sequence[str], place: int) -> bool:
    """Whether nothing around a bare name says that it is to be made, is gone, or belongs to something else."""
    before = [one.strip(".,:;()").casefold() for one in words[max(0, place - _AROUND_WORDS) : place]]
    after = [one.strip(".,:;()").casefold() for one in words[place + 1 : place + 1 + _AROUND_WORDS]]
    if _MAKING.intersection(before) or _GONE.intersection((*before, *after)) or _ELSEWHERE.intersection(after):
        return False
    # A path with a blank in it: "docs/My File.md".
    return not (place and "/" in words[place - 1] and _END.search(words[place - 1]) is None)


def _is_bare_file(word: str) -> bool:
    """Whether a word of prose without a slash can only be the name of a file."""
    name = _TAIL.split(word, maxsplit=1)[0]
    end = name.rpartition(".")[2].lower()
    if end not in _KNOWN_ENDS or name.startswith(".") or "@" in name:
        return False
    return end not in _LAND_ENDS or name in _RUST_FILES


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
        yield Claim(ClaimKind.SYMBOL, member[1], (path.removeprefix("./"),))


def _is_path(path: str, *, any_end: bool) -> bool:
    if "\\" in path:
        end = _END.search(path)
        if end is None or end[1].lower() not in _KNOWN_ENDS or not _BACKSLASHED.fullmatch(path):
            return False
        path = path.replace("\\", "/")
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
