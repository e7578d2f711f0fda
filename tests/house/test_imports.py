"""Checks every import arrow: the domain knows nothing, and nothing below knows an interface."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain import places
from house.source import PACKAGE, Import, imports, module_name, python_files, shown

FILES = python_files("src")

DOMAIN = frozenset({"domain"})
GROUND = DOMAIN | {"clock", "settings", "settings_file"}
PORTS = frozenset({"store", "store.ports", "store.filters"})
SIDES = frozenset({"store.ports", "store.filters", "embedding", "index", "guard", "workspace", "transcripts"})
SERVICES = GROUND | SIDES | {"services"}
PIPELINE = SERVICES | {"pipeline", "prompts"}
BACK_ENDS = frozenset({"store.sqlite", "store.postgres"})
ENTRY = frozenset({"package", "app", "project", "services", "pipeline", "interfaces.shapes"}) | GROUND
INTERFACES = ("cli", "rest", "mcp", "server", "web", "hooks")

MAY_IMPORT: dict[str, frozenset[str]] = {
    "package": frozenset({"app", "domain"}),
    "__main__": frozenset({"interfaces.cli"}),
    "domain": DOMAIN,
    "clock": DOMAIN,
    "settings": DOMAIN | {"settings_file"},
    "settings_file": DOMAIN,
    "store": DOMAIN | {"clock"},
    "store.ports": DOMAIN | PORTS | {"clock"},
    "store.filters": DOMAIN | PORTS,
    "store.sql": DOMAIN | PORTS | {"store.sql"},
    "store.sqlite": DOMAIN | PORTS | {"clock", "store.sql", "store.sqlite"},
    "store.postgres": DOMAIN | PORTS | {"clock", "store.sql", "store.postgres"},
    "embedding": GROUND | {"embedding"},
    "index": GROUND | {"embedding", "index", "store.ports"},
    "guard": GROUND | {"guard"},
    "workspace": GROUND | {"workspace"},
    "transcripts": GROUND | {"transcripts"},
    "prompts": frozenset({"prompts"}),
    "services": SERVICES,
    "pipeline": PIPELINE,
    "facade": PIPELINE | {"package", "facade"},
    "project": PIPELINE | {"package", "facade"},
    "app": PIPELINE | BACK_ENDS | {"project"},
    "client": SERVICES | {"client", "facade", "project", "app"},
    "interfaces": frozenset(),
    "interfaces.shapes": GROUND | {"services"},
    **{f"interfaces.{name}": ENTRY | {f"interfaces.{name}"} for name in INTERFACES},
}
"""What a module of each layer may import of the package, itself included."""

EXCEPTIONS = {
    ("app", "client"): "an address of a server is opened like a file, so that code moves by changing the address",
    ("interfaces.cli", "workspace"): "settings files are found and written before any project is open",
    ("interfaces.cli", "interfaces.mcp"): "`hansard mcp` is the server over pipes",
    ("interfaces.cli", "interfaces.server"): "`hansard serve` is the server",
    ("interfaces.rest", "interfaces.server"): "who calls is settled in one place, for REST and for MCP",
    ("interfaces.server", "interfaces.rest"): "the server is the composition of REST, MCP and its pages",
    ("interfaces.server", "interfaces.mcp"): "the server is the composition of REST, MCP and its pages",
    ("interfaces.server", "workspace"): "the folders of all projects are watched in its threads",
}
"""Arrows beside the rule, each with its reason. The list may only shrink."""

HOMES: dict[str, frozenset[str]] = {
    "anyio": frozenset({"interfaces.server", "interfaces.rest", "interfaces.mcp"}),
    "apsw": frozenset({"store.sqlite"}),
    "click": frozenset({"interfaces.cli"}),
    "fastapi": frozenset({"interfaces.server", "interfaces.rest"}),
    "httptools": frozenset({"client"}),
    "jinja2": frozenset({"interfaces.server"}),
    "mcp": frozenset({"interfaces.mcp"}),
    "mcp_types": frozenset({"interfaces.mcp"}),
    "numpy": frozenset({"embedding", "index", "services"}),
    "platformdirs": frozenset({"settings"}),
    "prometheus_client": frozenset({"interfaces.server"}),
    "psycopg": frozenset({"store.postgres"}),
    "pydantic": frozenset({"interfaces.rest"}),
    "re2": frozenset({"guard"}),
    "rich": frozenset({"interfaces.cli"}),
    "sentence_transformers": frozenset({"embedding"}),
    "starlette": frozenset({"interfaces.server", "interfaces.rest", "interfaces.mcp"}),
    "uvicorn": frozenset({"interfaces.server"}),
    "watchfiles": frozenset({"workspace"}),
    "yaml": frozenset({"services", "settings_file"}),
}
"""The layers that may use a package from outside. A new dependency gets its home here."""

HEAVY = ("numpy", "tokenizers", "rich", "yaml", "pydantic", "fastapi", "mcp", "psycopg", "platformdirs", "re2",
         "starlette", "uvicorn", "jinja2", "prometheus_client", "watchfiles")  # fmt: skip
"""What a hook on every prompt cannot afford to load."""

THE_POINT: dict[str, frozenset[str]] = {
    "numpy": frozenset({"embedding", "index"}),
    "psycopg": frozenset({"store.postgres"}),
    "fastapi": frozenset({"interfaces.rest", "interfaces.server", "interfaces.web"}),
    "mcp": frozenset({"interfaces.mcp"}),
    "prometheus_client": frozenset({"interfaces.server"}),
    "pydantic": frozenset({"interfaces.rest", "interfaces.web", "interfaces.mcp"}),
    "starlette": frozenset({"interfaces.rest", "interfaces.server", "interfaces.web", "interfaces.mcp"}),
    "uvicorn": frozenset({"interfaces.server"}),
}
"""The layers that are about a heavy package and may load it with themselves."""


def layer_of(module: str) -> str:
    """The layer a module of the package belongs to, by its name alone."""
    parts = module.split(".")[1:]
    if not parts:
        return "package"
    if parts[0] in ("store", "interfaces") and len(parts) > 1:
        return f"{parts[0]}.{parts[1]}"
    return parts[0]


def inside(found: Import) -> bool:
    return found.target.split(".")[0] == "hansard"


def outside_packages(path: Path) -> list[Import]:
    known = sys.stdlib_module_names
    return [one for one in imports(path) if not inside(one) and one.target.split(".")[0] not in known]


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_every_module_belongs_to_a_layer(path: Path) -> None:
    layer = layer_of(module_name(path))

    assert layer in MAY_IMPORT, f"{shown(path)} stands in no known layer; see docs/architecture.md"


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_imports_inside_the_package_point_one_way(path: Path) -> None:
    layer = layer_of(module_name(path))
    allowed = MAY_IMPORT[layer]

    wrong = [
        f"{shown(path)}:{one.line} imports {one.target}"
        for one in imports(path)
        if inside(one) and layer_of(one.target) not in allowed and (layer, layer_of(one.target)) not in EXCEPTIONS
    ]

    assert wrong == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_package_from_outside_is_used_only_where_it_is_at_home(path: Path) -> None:
    layer = layer_of(module_name(path))

    wrong = [
        f"{shown(path)}:{one.line} imports {one.target}"
        for one in outside_packages(path)
        if layer not in HOMES.get(one.target.split(".")[0], frozenset())
    ]

    assert wrong == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_heavy_packages_are_loaded_only_when_they_are_needed(path: Path) -> None:
    layer = layer_of(module_name(path))

    wrong = [
        f"{shown(path)}:{one.line} loads {one.target} with the module"
        for one in outside_packages(path)
        if one.at_load
        and one.target.split(".")[0] in HEAVY
        and layer not in THE_POINT.get(one.target.split(".")[0], frozenset())
    ]

    assert wrong == []


@pytest.mark.parametrize("arrow", EXCEPTIONS, ids=" to ".join)
def test_every_exception_to_the_arrows_is_still_needed(arrow: tuple[str, str]) -> None:
    arrows = {(layer_of(module_name(path)), layer_of(one.target)) for path in FILES for one in imports(path)}

    assert arrow in arrows


def test_only_the_composition_root_names_a_back_end() -> None:
    naming = {
        module_name(path)
        for path in FILES
        for one in imports(path)
        if inside(one) and layer_of(one.target) in BACK_ENDS and layer_of(module_name(path)) not in BACK_ENDS
    }

    assert naming == {"hansard.app"}


def test_nothing_below_an_interface_imports_one() -> None:
    wrong = [
        f"{shown(path)}:{one.line} imports {one.target}"
        for path in FILES
        for one in imports(path)
        if one.target.startswith("hansard.interfaces")
        and "interfaces" not in path.parts
        and path != PACKAGE / "__main__.py"
    ]

    assert wrong == []


def test_every_interface_folder_is_a_known_one() -> None:
    folders = {path.name for path in (PACKAGE / "interfaces").iterdir() if (path / "__init__.py").is_file()}

    assert folders <= set(INTERFACES)


def test_every_home_of_an_outside_package_is_lived_in() -> None:
    used = {(one.target.split(".")[0], layer_of(module_name(path))) for path in FILES for one in outside_packages(path)}

    assert {(package, layer) for package, layers in HOMES.items() for layer in layers} == used


def test_importing_the_package_loads_nothing_else_of_it() -> None:
    assert _loaded_after("import hansard", "hansard.") == []


def test_opening_a_store_and_listing_decisions_loads_no_heavy_package(tmp_path: Path) -> None:
    program = (
        "from hansard import Hansard\n"
        f"with Hansard.open({str(tmp_path / 'hansard.db')!r}) as h:\n"
        "    h.project('shop', create=True).list_decisions()"
    )

    assert _loaded_after(program, *HEAVY) == []


def test_a_cold_list_as_json_on_the_command_line_loads_no_heavy_package(tmp_path: Path) -> None:
    database = str(tmp_path / "hansard.db")
    program = (
        "import contextlib, io, sys\n"
        "from hansard import Hansard\n"
        f"with Hansard.open({database!r}) as h: h.project('shop', create=True)\n"
        "from hansard.interfaces.cli import main\n"
        f"sys.argv = ['hansard', '--db', {database!r}, '--project', 'shop', 'decisions', 'list', '--json']\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()"
    )

    assert _loaded_after(program, *HEAVY) == []


def test_a_cold_list_of_decisions_loads_nothing_of_memories_and_nothing_of_the_guard(tmp_path: Path) -> None:
    database = str(tmp_path / "hansard.db")
    with Hansard.open(database) as hansard:
        hansard.project("shop", create=True).decide(type="scope", title="No billing", content="Not here.", by="ana")
    program = (
        "import contextlib, io\n"
        "from hansard.interfaces.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    assert main(['--db', {database!r}, '--project', 'shop', 'decisions', 'list', '--json']) == 0"
    )
    not_needed = (
        "hansard.domain.memories", "hansard.domain.units", "hansard.domain.dates", "hansard.domain.inbox",
        "hansard.domain.jobs", "hansard.domain.chain", "hansard.domain.tricks",
        "hansard.guard", "hansard.services.reindex", "hansard.services.hold",
    )  # fmt: skip

    assert _loaded_after(program, *not_needed) == []


def test_patterns_that_only_an_address_needs_are_compiled_when_there_is_one() -> None:
    assert [name for name, value in vars(places).items() if isinstance(value, re.Pattern)] == []


def _loaded_after(program: str, *prefixes: str) -> list[str]:
    """The modules with one of these names or prefixes that a fresh interpreter has loaded after the program."""
    tops = tuple(prefix if prefix.endswith(".") else f"{prefix}." for prefix in prefixes)
    report = f"\nimport sys\nprint('\\n'.join(name for name in sys.modules if (name + '.').startswith({tops!r})))"
    done = subprocess.run([sys.executable, "-c", program + report], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(set(done.stdout.split()) - {"hansard"})
