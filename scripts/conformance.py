"""Runs the official conformance suite of the protocol against `hansard serve`, and prints what became of each scenario.

The suite cannot send a token, so a proxy on loopback adds one. The proxy is for this test and nothing else: whoever
reaches it acts with that token.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

SUITE = "@modelcontextprotocol/conformance@0.1.16"
NODE = "node@22"
"""The suite needs this one or a newer one; it is taken from the registry as well, so that any machine has it."""
SECONDS_MAX = 900
HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})

_FIXTURE = "calls a tool that only test servers have"
NOT_APPLICABLE: dict[str, str] = {
    "logging-set-level": "the server sends no log messages; the capability is deprecated since 2026-07-28",
    "tools-call-simple-text": _FIXTURE,
    "tools-call-image": _FIXTURE,
    "tools-call-audio": _FIXTURE,
    "tools-call-embedded-resource": _FIXTURE,
    "tools-call-mixed-content": _FIXTURE,
    "tools-call-with-logging": _FIXTURE,
    "tools-call-with-progress": _FIXTURE,
    "tools-call-sampling": _FIXTURE,
    "tools-call-elicitation": _FIXTURE,
    "elicitation-sep1034-defaults": _FIXTURE,
    "elicitation-sep1330-enums": _FIXTURE,
    "json-schema-2020-12": "looks for a tool that only test servers have",
    "server-sse-polling": "answers are plain JSON; there is no stream to resume",
    "server-sse-multiple-streams": "there are no sessions: every request carries its token",
    "resources-read-text": "reads a resource that only test servers have",
    "resources-read-binary": "reads a resource that only test servers have",
    "resources-templates-read": "reads a resource that only test servers have",
    "resources-subscribe": "nothing is sent unasked, so there is nothing to subscribe to",
    "resources-unsubscribe": "nothing is sent unasked, so there is nothing to subscribe to",
    "prompts-get-simple": "gets a prompt that only test servers have",
    "prompts-get-with-args": "gets a prompt that only test servers have",
    "prompts-get-embedded-resource": "gets a prompt that only test servers have",
    "prompts-get-with-image": "gets a prompt that only test servers have",
}
"""Scenarios that ask for what a memory does not have, each with the reason. All others must pass."""


class Outcome(NamedTuple):
    """What became of one scenario."""

    scenario: str
    passed: int
    failed: int
    problems: tuple[str, ...]

    @property
    def word(self) -> str:
        if self.scenario in NOT_APPLICABLE:
            return "not applicable"
        return "failed" if self.failed or not self.passed else "passed"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="hansard-conformance-") as folder, serving(Path(folder)) as url:
        outcomes = run_suite(url, Path(folder) / "results")
    for one in outcomes:
        about = NOT_APPLICABLE.get(one.scenario, "; ".join(one.problems))
        print(f"{one.scenario:32} {one.word:15} {about}".rstrip())
    counts = {word: sum(one.word == word for one in outcomes) for word in ("passed", "failed", "not applicable")}
    print(f"{SUITE}: " + ", ".join(f"{count} {word}" for word, count in counts.items()))
    return 0 if outcomes and not counts["failed"] else 1


def run_suite(url: str, results: Path) -> list[Outcome]:
    command = ["npx", "-y", "-p", NODE, "-p", SUITE, "conformance", "server", "--url", url, "--suite", "all"]
    done = subprocess.run(
        [*command, "-o", str(results)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False
    )
    outcomes = [outcome(file) for file in sorted(results.rglob("checks.json"))]
    if not outcomes:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
    return outcomes


def outcome(file: Path) -> Outcome:
    """What the suite wrote down about a scenario: a folder each, named after it and the time."""
    checks: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name.removeprefix("server-"))
    failures = [one for one in checks if one["status"] == "FAILURE"]
    passed = sum(one["status"] == "SUCCESS" for one in checks)
    return Outcome(scenario, passed, len(failures), tuple(str(one.get("errorMessage", "")) for one in failures))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a proxy in front of a new server with a project and a token for it."""
    environment = {**os.environ, "HANSARD_DB": str(folder / "team.db"), "XDG_DATA_HOME": str(folder / "data")}
    hansard = [sys.executable, "-m", "hansard"]

    def ran(*arguments: str) -> Any:
        command = [*hansard, *arguments, "--json"]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, cwd=folder)
        return json.loads(done.stdout)

    ran("init")
    token: str = ran("token", "create", "--agent", "tester", "--role", "human")["token"]
    command = [*hansard, "serve", "--port", "0", "--json"]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder
        ) as process,
    ):
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        proxy = ThreadingHTTPServer(("127.0.0.1", 0), forwarder(urlsplit(address).netloc, token))
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{proxy.server_port}/mcp"
        finally:
            proxy.shutdown()
            proxy.server_close()
            process.terminate()


def forwarder(target: str, token: str) -> type[BaseHTTPRequestHandler]:
    class Forwarder(BaseHTTPRequestHandler):
        """Hands a request on with the token, and everything else as it came."""

        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            carried = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            connection = http.client.HTTPConnection(target, timeout=60)
            try:
                connection.request(self.command, self.path, body, carried | {"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                said = answer.read()
            finally:
                connection.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(said)))
            # The suite hangs up on streams that it no longer needs.
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(said)

        do_GET = do_POST = do_DELETE = forward  # noqa: N815 - the names by which the module calls them

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the table at the end says it all."""

    return Forwarder


if __name__ == "__main__":
    sys.exit(main())
