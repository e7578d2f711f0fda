"""Checks the files of deploy/ as far as they can be checked without a container engine: form, pins, rights, secrets."""

import re
import shlex
import tomllib
from typing import Any

import click
import pytest
import yaml

from hansard.interfaces.cli.group import cli
from hansard.settings import SETTINGS
from house.source import ROOT

DEPLOY = ROOT / "deploy"
INSTRUCTIONS = frozenset(
    {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN", "STOPSIGNAL", "USER",
     "VOLUME", "WORKDIR"}
)  # fmt: skip
PINNED = re.compile(r"^[a-z0-9./-]+:(?!latest$)[\w.-]*\d[\w.-]*$")
OWN_IMAGE = "hansard:local"
SECRET_NAME = re.compile(r"PASSWORD|SECRET|TOKEN|_KEY$")
FROM_OUTSIDE = re.compile(r"^\$\{[A-Z_]+:\?[^}]+\}$")
PASSWORD_IN_ADDRESS = re.compile(r"postgres(?:ql)?://[^\s/@:]+:[^\s@]+@")
FENCED_YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UNIT_SECTIONS = ("Unit", "Service", "Install")
HARDENED = {
    "DynamicUser": "yes", "NoNewPrivileges": "yes", "PrivateTmp": "yes", "ProtectHome": "yes",
    "ProtectSystem": "strict", "CapabilityBoundingSet": "",
}  # fmt: skip


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def problems(words: list[str]) -> list[str]:
    """What the command line would not understand of these words."""
    left = list(words)
    found: click.Command | None = cli
    while isinstance(found, click.Group):
        if not left:
            return ["no command is named"]
        name = left.pop(0)
        found = found.get_command(click.Context(found), name)
        if found is None:
            return [f"there is no command {name}"]
    assert found is not None
    known = {option for parameter in found.params for option in parameter.opts}
    return [f"{word} is no option of it" for word in left if word.startswith("--") and word not in known]


def known_variables() -> set[str]:
    return {setting.env for setting in SETTINGS}


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(text_of("docker-compose.yml"))
    return document


def instructions() -> list[tuple[str, str]]:
    """Instruction and arguments of every line of the Dockerfile."""
    lines = [line for line in text_of("Dockerfile").splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in joined.splitlines() if line.strip()]


UNITS = ("hansard.service", "hansard-server.service")


def unit(name: str) -> dict[str, list[tuple[str, str]]]:
    """Key and value of every line of the unit, by section. A key may be there more than once."""
    found: dict[str, list[tuple[str, str]]] = {}
    section = ""
    for line in text_of(name).splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            assert section not in found, f"[{section}] is there twice"
            found[section] = []
            continue
        key, equals, value = line.partition("=")
        assert equals, f"{line!r} sets nothing"
        assert re.fullmatch(r"[A-Z][A-Za-z]+", key), f"{key!r} is no key of a unit"
        found[section].append((key, value))
    return found


def manifests() -> list[dict[str, Any]]:
    return [yaml.safe_load(block) for block in FENCED_YAML.findall(text_of("kubernetes.md"))]


def pods(node: Any) -> list[dict[str, Any]]:
    """Every description of a pod in a manifest, however deep it stands."""
    if isinstance(node, list):
        return [one for child in node for one in pods(child)]
    if not isinstance(node, dict):
        return []
    return [*([node] if "containers" in node else []), *(one for child in node.values() for one in pods(child))]


def containers(node: Any) -> list[dict[str, Any]]:
    """Every container of a manifest."""
    return [one for pod in pods(node) for one in pod["containers"]]


def test_the_server_of_the_composition_is_pinned_healthy_and_keeps_its_data() -> None:
    server = compose()["services"]["postgres"]

    assert PINNED.match(server["image"])
    assert "pg_isready" in " ".join(server["healthcheck"]["test"])
    assert {"interval", "timeout", "retries"} <= set(server["healthcheck"])
    assert [volume.split(":")[0] for volume in server["volumes"]] == ["postgres"]
    assert "postgres" in compose()["volumes"]
    assert all(port.startswith("127.0.0.1:") for port in server["ports"]), "the server is open to the network"


def test_hansard_of_the_composition_waits_for_the_server_and_runs_a_command_that_exists() -> None:
    service = compose()["services"]["hansard"]

    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert problems(service["command"]) == []
    assert (ROOT / "deploy" / service["build"]["context"] / service["build"]["dockerfile"]).resolve().is_file()
    assert service["image"] == OWN_IMAGE
    assert {name for name in service["environment"] if name.startswith("HANSARD_")} <= known_variables()
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


def test_the_server_of_a_team_is_published_to_this_machine_alone_and_asked_how_it_is() -> None:
    service = compose()["services"]["server"]

    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert problems(service["command"]) == []
    assert service["image"] == OWN_IMAGE
    assert all(port.startswith("127.0.0.1:") for port in service["ports"]), "tokens would cross a network in the clear"
    assert "/health/ready" in " ".join(service["healthcheck"]["test"])
    assert {name for name in service["environment"] if name.startswith("HANSARD_")} <= known_variables()
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


def test_the_probes_of_the_server_are_addresses_that_it_has() -> None:
    probed = {
        probe["httpGet"]["path"]
        for one in containers(manifests())
        for name in ("livenessProbe", "readinessProbe")
        if "httpGet" in (probe := one.get(name, {}))
    }

    assert probed == {"/health/live", "/health/ready"}


def test_no_password_of_the_composition_is_written_down() -> None:
    variables = [pair for service in compose()["services"].values() for pair in service["environment"].items()]
    secrets = {name: value for name, value in variables if SECRET_NAME.search(name)}

    assert set(secrets) == {"POSTGRES_PASSWORD", "PGPASSWORD"}
    assert [name for name, value in secrets.items() if not FROM_OUTSIDE.match(value)] == []


@pytest.mark.parametrize("name", sorted(path.name for path in DEPLOY.iterdir()))
def test_no_address_has_a_password_in_it(name: str) -> None:
    assert PASSWORD_IN_ADDRESS.findall(text_of(name)) == []


def test_every_instruction_of_the_image_is_known() -> None:
    assert {name for name, _ in instructions()} <= INSTRUCTIONS


def test_the_image_is_built_on_pinned_images() -> None:
    bases = [arguments.split()[0] for name, arguments in instructions() if name == "FROM"]

    assert bases
    assert [base for base in bases if not PINNED.match(base)] == []


def test_the_image_runs_as_nobody_in_particular() -> None:
    last = {name: arguments for name, arguments in instructions() if name in ("USER", "ENTRYPOINT", "STOPSIGNAL")}

    assert last["USER"].isdigit(), "a number can be checked by runAsNonRoot; a name cannot"
    assert int(last["USER"]) >= 10_000
    assert last["ENTRYPOINT"] == '["hansard"]'
    assert last["STOPSIGNAL"] == "SIGINT"


def test_the_image_holds_no_secret() -> None:
    set_in_image = [arguments for name, arguments in instructions() if name in ("ENV", "ARG")]
    copied = [arguments.split()[:-1] for name, arguments in instructions() if name == "COPY"]

    assert [one for one in set_in_image if SECRET_NAME.search(one)] == []
    assert all(word not in (".", "./") for words in copied for word in words), "COPY . takes along what lies around"


def test_what_the_image_copies_and_installs_exists() -> None:
    sources = [
        word
        for name, arguments in instructions()
        if name == "COPY" and "--from=" not in arguments
        for word in arguments.split()[:-1]
    ]
    installed = " ".join(arguments for name, arguments in instructions() if name == "RUN")
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]

    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert "--requirement requirements-postgres.lock" in installed
    assert "--require-hashes" in installed
    assert "postgres" in extras


@pytest.mark.parametrize("name", UNITS)
def test_the_unit_has_its_three_sections_and_runs_a_command_that_exists(name: str) -> None:
    service = dict(unit(name)["Service"])
    program, *words = shlex.split(service["ExecStart"])

    assert tuple(unit(name)) == UNIT_SECTIONS
    assert program.startswith("/")
    assert program.endswith("/hansard")
    assert problems(words) == []
    assert service["KillSignal"] == "SIGINT"
    assert dict(unit(name)["Install"]) == {"WantedBy": "multi-user.target"}


@pytest.mark.parametrize("name", UNITS)
def test_the_unit_is_hardened(name: str) -> None:
    service = dict(unit(name)["Service"])

    assert {key: service.get(key) for key in HARDENED} == HARDENED


@pytest.mark.parametrize("name", UNITS)
def test_the_unit_takes_its_secrets_from_a_file(name: str) -> None:
    settings = [value for key, value in unit(name)["Service"] if key == "Environment"]
    names = {pair.partition("=")[0] for value in settings for pair in shlex.split(value)}

    assert [key for key, _ in unit(name)["Service"]].count("EnvironmentFile") == 1
    assert not any(SECRET_NAME.search(name) for name in names)
    assert {name for name in names if name.startswith("HANSARD_")} <= known_variables()


def test_every_manifest_runs_a_command_that_exists() -> None:
    found = [one for manifest in manifests() for one in containers(manifest)]

    assert [manifest["kind"] for manifest in manifests()] == ["Job", "Deployment", "Deployment", "CronJob"]
    assert [words for one in found if problems(words := one["args"])] == []
    assert [one["image"] for one in found if not PINNED.match(one["image"])] == []


def test_what_may_not_write_its_own_disk_gets_a_temporary_folder() -> None:
    kept_from_writing = []
    for pod in (pod for manifest in manifests() for pod in pods(manifest)):
        volumes = {one["name"] for one in pod.get("volumes", ()) if "emptyDir" in one}
        for one in pod["containers"]:
            if one.get("securityContext", {}).get("readOnlyRootFilesystem"):
                kept_from_writing.append(one["name"])
                places = {mount["mountPath"] for mount in one["volumeMounts"] if mount["name"] in volumes}
                assert "/tmp" in places, f"{one['name']} can make no backup for a download"
    read_only = [one for one in compose()["services"].values() if one.get("read_only")]

    assert kept_from_writing == ["notes", "server"]
    assert [one["tmpfs"] for one in read_only] == [["/tmp"], ["/tmp"]]


def test_the_notes_on_kubernetes_name_only_commands_that_exist() -> None:
    text = text_of("kubernetes.md")
    in_lists = [re.split(r",\s*", words) for words in re.findall(r"`args: \[([^\]]+)\]`", text)]
    ready = [one["readinessProbe"] for one in containers(manifests()) if "readinessProbe" in one]
    probes = [probe["exec"]["command"] for probe in ready if "exec" in probe]
    in_prose = [words.split() for words in re.findall(r"`hansard ([a-z][a-z -]+)`", text)]

    assert all(probe[0] == "hansard" for probe in probes)
    assert [words for words in [*in_lists, *in_prose, *(probe[1:] for probe in probes)] if problems(words)] == []


def test_manifests_take_every_secret_from_a_secret() -> None:
    for one in (one for manifest in manifests() for one in containers(manifest)):
        assert [source for source in one["envFrom"] if "secretRef" not in source] == []
        assert [variable for variable in one.get("env", []) if SECRET_NAME.search(variable["name"])] == []
        assert {variable["name"] for variable in one.get("env", [])} <= known_variables()


@pytest.mark.parametrize("name", ["docker-compose.yml", *UNITS, "kubernetes.md"])
def test_what_may_only_read_the_project_writes_no_mirror_there(name: str) -> None:
    assert re.search(r"HANSARD_MIRROR_AUTO(: |=|\n\s+value: )\"?off", text_of(name))
