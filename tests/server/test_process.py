"""`hansard serve` as a real process: it says where it is, logs nothing that was said, and finishes what it holds."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from hansard import Hansard
from hansard.domain.places import printable
from hansard.settings import Settings
from support import postgres
from support.processes import started
from support.raw import raw

WAIT_SECONDS = 60
SAID = "xyzzy-plugh-7"
ME = Settings(user="ana")


@contextmanager
def server(database: Path | str, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    process = started("hansard", "--db", str(database), "serve", "--port", "0", "--json", *options)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate(timeout=WAIT_SECONDS)[1]
        yield process, json.loads(line)
    finally:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """The log of a server that was asked to end, and did."""
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0, log
    return [json.loads(line) for line in log.splitlines()]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    with Hansard.open(tmp_path / "served.db", settings=ME) as hansard:
        hansard.project("shop", create=True)
    return tmp_path / "served.db"


def test_the_first_start_prints_a_link_that_signs_in_once(database: Path) -> None:
    with server(database) as (process, told):
        link = httpx.URL(told["sign_in"])
        with httpx.Client(base_url=told["address"]) as browser:
            own = {"Origin": told["address"]}
            first = browser.post("/signin", data=dict(link.params), headers=own)
            home = browser.get("/").text
        again = httpx.post(f"{told['address']}/signin", data=dict(link.params), headers=own)
        log = ended(process)

    assert (first.status_code, again.status_code) == (303, 401)
    assert "Signed in as" in home
    assert "<code>shop</code>" in home
    assert link.params["code"] not in repr(log)


def test_a_link_is_printed_later_only_for_whoever_asks(database: Path) -> None:
    with Hansard.open(database, settings=ME) as hansard:
        hansard.create_token(agent="tank", projects=["shop"])
        with server(database) as (_, told):
            # An agent's token takes no person's link away.
            assert told["sign_in"] is not None
        hansard.create_token(agent="ana", role="human")
    with server(database) as (_, told):
        assert told["sign_in"] is None
    with server(database, "--sign-in") as (_, told):
        assert told["sign_in"] is not None


def test_a_public_address_without_tls_is_served_with_a_warning(database: Path) -> None:
    with server(database, "--host", "0.0.0.0", "--insecure-public") as (_, told):
        port = httpx.URL(told["address"]).port
        assert f"0.0.0.0:{port}" in told["listens_at"]
        assert "--insecure-public" in told["warning"]
    with server(database) as (_, told):
        assert (told["listens_at"], told["warning"]) == ([f"127.0.0.1:{httpx.URL(told['address']).port}"], None)


@pytest.fixture
def nowhere(engine: str, tmp_path: Path) -> Iterator[str]:
    """A place where there is no Hansard yet."""
    if engine == "sqlite":
        yield str(tmp_path / "none.db")
        return
    url = postgres.empty_database()
    yield url
    postgres.drop(url)


def test_a_server_that_makes_its_database_says_so_at_its_first_start_only(nowhere: str) -> None:
    with server(nowhere) as (_, told):
        assert told["new_database"] == printable(nowhere)
    with server(nowhere) as (_, told):
        assert told["new_database"] is None


def test_the_log_has_ids_and_nothing_that_was_said(database: Path) -> None:
    with Hansard.open(database, settings=ME) as hansard:
        grant, text = hansard.create_token(agent="tank", projects=["shop"])
    shop = "/api/v1/projects/shop"
    with server(database) as (process, told), httpx.Client(base_url=told["address"]) as tank:
        tank.headers["Authorization"] = f"Bearer {text}"
        made = tank.post(f"{shop}/memories", json={"content": f"The word is {SAID}."})
        tank.post(f"{shop}/memories/search", json={"query": SAID}, headers={"X-Request-Id": "my-own-request"})
        tank.get(f"{shop}/inbox/{SAID}", headers={"User-Agent": SAID, "Referer": SAID})
        tank.get(f"{shop}/inbox/{SAID}?author={SAID}&{SAID}")
        tank.get(f"/{SAID}", headers={"Authorization": "Bearer hansard_" + "D" * 43})
        log = ended(process)

    requests = [line for line in log if line["log"] == "hansard.access"]
    assert made.status_code == 201
    assert [line["status"] for line in requests] == [201, 200, 404, 422, 404]
    assert requests[0]["id"] == made.headers["x-request-id"]
    assert requests[1]["id"] == "my-own-request"
    assert requests[0]["caller"] == grant.id
    assert requests[2]["route"] == "/api/v1/projects/{project}/inbox/{reference}"
    assert [one["caller"] is None for one in requests[3:]] == [False, True]
    for secret in (SAID, text, "D" * 43):
        assert secret not in repr(log)


def test_a_stop_ends_streams_and_loses_no_write_that_was_answered(database: Path) -> None:
    with Hansard.open(database, settings=ME) as hansard:
        _, text = hansard.create_token(agent="tank", projects=["shop"])
    shown = {"Authorization": f"Bearer {text}"}
    shop = "/api/v1/projects/shop"
    with server(database) as (process, told), httpx.Client(base_url=told["address"], headers=shown) as tank:
        with tank.stream("GET", f"{shop}/events", timeout=WAIT_SECONDS) as stream:
            assert stream.status_code == 200
            made = tank.post(f"{shop}/memories", json={"content": "It was answered."})
            process.send_signal(signal.SIGTERM)
            for _ in stream.iter_bytes():
                pass
        _, log = process.communicate(timeout=WAIT_SECONDS)

    assert process.returncode == 0, log
    with Hansard.open(database, settings=ME) as hansard:
        assert hansard.project("shop").get_memory(made.json()["id"]).content == "It was answered."
        assert hansard.project("shop").verify().ok


def test_the_server_keeps_the_files_of_a_project_in_step(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    with Hansard.open(database, settings=ME) as hansard:
        hansard.project("shop", create=True, root=folder)
        _, text = hansard.create_token(agent="ana", role="human", projects=["shop"])
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "on")
    body = {"type": "scope", "title": "One place", "content": "All data is in one place."}
    with server(database) as (process, told), httpx.Client(base_url=told["address"]) as ana:
        ana.headers["Authorization"] = f"Bearer {text}"
        made = ana.post("/api/v1/projects/shop/decisions", json=body)
        assert made.status_code == 201, made.text
        assert process.stderr is not None
        # Without an export the log would stay open, and the test with it.
        end = threading.Timer(WAIT_SECONDS, process.kill)
        end.start()
        # The first export may have begun before the decision was made.
        exports = (line for line in process.stderr if "shop: exported" in line)
        found = any(tells(folder, "All data is in one place.") for _ in exports)
        end.cancel()
        assert found
        assert ana.get("/health/ready").json()["parts"]["mirror"] == "ok"


def tells(folder: Path, words: str) -> bool:
    return any(words in path.read_text(encoding="utf-8") for path in folder.rglob("*.md"))


def test_a_server_answers_soon_after_it_is_started(database: Path) -> None:
    """The bar in seconds is measured by the benchmarks; here it must not load what only agents' hosts need."""
    program = (
        "import sys\n"
        "import hansard.interfaces.server.serving\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'mcp', 'jinja2', 'numpy', 'psycopg', 'httpx'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)

    assert done.stdout.strip() == "[]"


def test_a_stop_that_cannot_wait_any_longer_answers_what_is_open(database: Path) -> None:
    with Hansard.open(database, settings=ME) as hansard:
        _, token = hansard.create_token(agent="tank", projects=["shop"])
    with (
        server(database, "--stop-seconds", "1") as (process, told),
        raw(database) as other,
        httpx.Client(base_url=told["address"], headers={"Authorization": f"Bearer {token}"}, timeout=60) as tank,
        ThreadPoolExecutor(1) as beside,
    ):
        tank.get("/api/v1/caller")
        other.execute("BEGIN IMMEDIATE")
        writing = beside.submit(
            lambda: tank.post(
                "/api/v1/projects/shop/memories", json={"content": "A note."}, headers={"Idempotency-Key": "k"}
            )
        )
        # Another look at the same lane: the write has its turn by then.
        with pytest.raises(FutureTimeout):
            writing.result(0.5)
        process.send_signal(signal.SIGTERM)
        answer = writing.result(30)
        other.execute("ROLLBACK")
        process.communicate(timeout=WAIT_SECONDS)

    assert (answer.status_code, answer.json()["code"]) == (503, "request.stopped")
    assert answer.headers["content-type"] == "application/problem+json"
    assert "x-request-id" in answer.headers
    assert process.returncode == 0
