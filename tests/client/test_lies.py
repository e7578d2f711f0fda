"""What answers may be no Hansard, or a broken one: the caller is told so, in time, and never by a bare exception."""

import errno
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from client.liars import Script, answer, lying, saying, waiting
from hansard.client import Client, RemoteProject, connection, events, exchange, project
from hansard.client.connection import Wire
from hansard.client.problems import error_of
from hansard.client.seated import Caller
from hansard.domain.errors import BackupBroken, NotFound, ServerUnreachable
from hansard.domain.projects import Project as ProjectRecord

DEEP = "[" * 200_000 + "]" * 200_000
BACKUP = "application/vnd.sqlite3"
STREAM = "text/event-stream"
SHAPES = [
    "[]", "null", "3", '"text"', "{}", DEEP, "{", "9" * 5_000, '{"items": 5}', '{"items": {}, "next_cursor": 1}',
    '{"items": [null], "next_cursor": null}', '{"items": [[]], "next_cursor": null}', '{"items": ["x"]}',
    '{"id": [1], "key": {}, "name": 3, "created_at": 5}', '{"entry": 1, "decision": [], "memory": 3, "receipt": []}',
    '{"merged": [], "rejected": [], "failed": []}', '{"failed": [{"reference": []}], "merged": [], "rejected": []}',
]  # fmt: skip

CALLS: dict[str, Callable[[RemoteProject], Any]] = {
    "remember": lambda p: p.remember("x"),
    "remember_many": lambda p: p.remember_many([{"content": "x"}]),
    "recall": lambda p: p.recall("x"),
    "get_memory": lambda p: p.get_memory("m"),
    "memory_versions": lambda p: p.memory_versions("m"),
    "list_memories": lambda p: p.list_memories(),
    "forget": lambda p: p.forget("m"),
    "memory_usage": lambda p: p.memory_usage(),
    "retrievals": lambda p: p.retrievals(),
    "index_notes": lambda p: p.index_notes(),
    "verify_memories": lambda p: p.verify_memories(),
    "purge": lambda p: p.purge(),
    "reembed": lambda p: p.reembed(),
    "reindex": lambda p: p.reindex(),
    "embedding": lambda p: p.embedding(),
    "propose": lambda p: p.propose(slug="a", type="scope", content="x"),
    "get_entry": lambda p: p.get_entry("P-1"),
    "entry_versions": lambda p: p.entry_versions("P-1"),
    "merge": lambda p: p.merge("P-1"),
    "merge_many": lambda p: p.merge_many(["P-1"]),
    "reject_many": lambda p: p.reject_many(["P-1"]),
    "list_inbox": lambda p: p.list_inbox(),
    "decision_history": lambda p: p.decision_history("D-1"),
    "list_decisions": lambda p: p.list_decisions(),
    "current_session": lambda p: p.current_session(),
    "list_sessions": lambda p: p.list_sessions(),
    "get_session": lambda p: p.get_session("a/b"),
    "finish_run": lambda p: p.finish_run("r", outcome="failed"),
    "scribe": lambda p: p.scribe("r"),
    "list_runs": lambda p: p.list_runs(),
    "compile": lambda p: p.compile(),
    "list_receipts": lambda p: p.list_receipts(),
    "get_receipt": lambda p: p.get_receipt("r"),
    "replay": lambda p: p.replay("r"),
    "purge_receipts": lambda p: p.purge_receipts(),
    "list_events": lambda p: p.list_events(),
    "get_event": lambda p: p.get_event(1),
    "verify": lambda p: p.verify(),
    "doctor": lambda p: p.doctor(),
    "list_agents": lambda p: p.list_agents(),
    "list_settings": lambda p: p.list_settings(),
    "get_setting": lambda p: p.get_setting("a"),
    "unset_setting": lambda p: p.unset_setting("a"),
    "sync": lambda p: p.sync(),
    "compact": lambda p: p.compact("x"),
    "reset_compaction": lambda p: p.reset_compaction("a"),
    "purge_compaction": lambda p: p.purge_compaction("a"),
    "list_quarantined": lambda p: p.list_quarantined(),
    "get_quarantined": lambda p: p.get_quarantined("P-1"),
    "scan": lambda p: p.scan(),
    "list_allowed_secrets": lambda p: p.list_allowed_secrets(),
    "owner": lambda p: p.owner(None),
}
EMPTY = '{"items": [], "next_cursor": null}'
FOREIGN = "answered something that is not Hansard's"
STREAMING = f"HTTP/1.1 200 OK\r\nContent-Type: {STREAM}\r\n".encode()


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSES_SECONDS", (0.0,))
    monkeypatch.setattr(project, "PAUSES_SECONDS", (0.0,))


@contextmanager
def at(address: str, timeout_seconds: float = 5.0) -> Iterator[RemoteProject]:
    wire = Wire(address, "t", timeout_seconds=timeout_seconds)
    yield RemoteProject(wire, ProjectRecord("p", "shop", "Shop", 0), Caller(wire))
    wire.close()


def lied_to(script: Script, call: Callable[[RemoteProject], Any], timeout_seconds: float = 5.0) -> str:
    """What a call says of a server that does this."""
    with lying(script) as address, at(address, timeout_seconds) as project:
        with pytest.raises(ServerUnreachable) as caught:
            call(project)
        return caught.value.message


@pytest.mark.parametrize("name", CALLS)
def test_an_answer_of_another_shape_is_said_to_be_none_of_hansards(name: str) -> None:
    for shape in SHAPES:
        if name in {"merge_many", "reject_many"} and shape == SHAPES[-2]:
            continue
        assert FOREIGN in lied_to(saying(answer(shape)), CALLS[name]), shape[:80]


def test_what_became_of_too_few_is_no_answer_for_many() -> None:
    for call in (CALLS["merge_many"], CALLS["reject_many"]):
        assert "no outcomes" in lied_to(saying(answer(SHAPES[-2])), call)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_store_that_answers_in_another_shape_is_said_to_be_none(shape: str) -> None:
    calls: tuple[Callable[[Client], Any], ...] = (
        lambda h: h.project("shop"), lambda h: h.projects(), lambda h: h.doctor(), lambda h: h.actor,
    )  # fmt: skip
    for call in calls:
        with (
            lying(saying(answer(shape))) as address,
            Client.open(address, token="t") as client,
            pytest.raises(ServerUnreachable, match="is not Hansard's"),
        ):
            call(client)


def test_a_field_of_another_type_is_not_taken_over() -> None:
    good = {"id": "1", "key": "shop", "name": "Shop", "created_at": "2026-03-01T00:00:00Z"}
    for name, wrong in (("id", 7), ("key", None), ("name", ["Shop"]), ("created_at", "at noon"), ("created_at", 5)):
        with (
            lying(saying(answer(json.dumps(good | {name: wrong})))) as address,
            Client.open(address, token="t") as client,
            pytest.raises(ServerUnreachable, match="no Project"),
        ):
            client.project("shop")


def test_pages_that_lead_to_themselves_end() -> None:
    page = answer(json.dumps({"items": [], "next_cursor": "a"}))
    with (
        lying(saying(page)) as address,
        Client.open(address, token="t") as client,
        pytest.raises(ServerUnreachable, match="no next page"),
    ):
        client.projects()


def test_a_problem_of_any_shape_is_an_error_by_its_status() -> None:
    for body in (DEEP, '{"code": ["x"], "detail": {"a": 1}}', "[]", '{"code": {}, "detail": null}'):
        found = error_of(404, body.encode())
        assert type(found) is NotFound
        assert "404" in found.message


def test_a_word_in_a_header_that_is_to_be_a_number_is_none_of_hansards() -> None:
    said = answer(EMPTY).replace(b"Content-Type", b"Hansard-Held: many\r\nContent-Type")
    assert FOREIGN in lied_to(saying(said), CALLS["list_memories"])


def test_another_protocol_is_said_to_be_none_of_hansards() -> None:
    upgrade = b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes"
    for sent in (b"SSH-2.0-OpenSSH\r\n", upgrade):
        assert f"{FOREIGN}: no HTTP" in lied_to(saying(sent), CALLS["list_memories"])


def test_an_answer_that_is_too_long_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "ANSWER_BYTES_MAX", 1_000)
    asked: list[int] = []

    def flood(on: socket.socket) -> None:
        asked.append(1)
        on.sendall(answer(" " * 5_000))

    assert f"{FOREIGN}: more than 1,000 bytes" in lied_to(flood, CALLS["list_memories"])
    assert asked == [1]


def test_a_connection_that_is_not_made_in_time_is_not_tried_again() -> None:
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # To greet over TLS takes an answer, and this one says nothing.
        wire = Wire(f"https://127.0.0.1:{silent.getsockname()[1]}", "t", timeout_seconds=0.05)
        with pytest.raises(ServerUnreachable, match=r"did not answer in 0\.05 s"):
            wire.ask("GET", ["projects"])
        silent.settimeout(0)
        with suppress(BlockingIOError):
            while True:
                taken.append(silent.accept()[0])
    for one in taken:
        one.close()
    assert len(taken) == 1


BEGUN = f"HTTP/1.1 200 OK\r\nContent-Type: {BACKUP}\r\n".encode()
HALF = BEGUN + b"Content-Length: 100000\r\n\r\n" + b"SQLite format 3\0"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (saying(HALF), "the connection ended before the answer did"),
        (waiting(HALF), r"did not answer in 0\.2 s"),
        (waiting(BEGUN), r"did not answer in 0\.2 s"),
        (saying(BEGUN + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello"), "is not Hansard's: no HTTP"),
        (saying(answer("<html>", kind="text/html")), f"is not Hansard's: no {BACKUP}"),
        (waiting(b"HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\n"), r"did not answer in 0\.2 s"),
        (saying(answer(b" " * 600_000, status=500)), "more than 1,000 bytes"),
    ],
)
def test_a_backup_that_does_not_come_whole_leaves_no_file(
    script: Script, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "ANSWER_BYTES_MAX", 1_000)
    kept = tmp_path / "kept"
    kept.mkdir()
    with (
        lying(script) as address,
        Client.open(address, token="t", timeout_seconds=0.2) as client,
        pytest.raises(ServerUnreachable, match=words),
    ):
        client.backup(kept / "copy.db")
    assert list(kept.iterdir()) == []


def test_a_backup_may_be_longer_than_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "ANSWER_BYTES_MAX", 1_000)
    with (
        lying(saying(answer(b"SQLite format 3\0" * 1_000, kind=BACKUP))) as address,
        Client.open(address, token="t") as client,
        pytest.raises(BackupBroken),
    ):
        client.backup(tmp_path / "copy.db")


def test_a_full_disk_is_no_fault_of_the_server() -> None:
    def fill(_: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with (
        lying(saying(answer(b"x" * 100_000, kind=BACKUP))) as address,
        pytest.raises(OSError, match="No space left"),
        Wire(address, "t").streamed(["backup"], accept=BACKUP) as pieces,
    ):
        fill(next(pieces))


@pytest.mark.parametrize(
    "sent", [b"[", DEEP.encode(), b"null", b"{}", b'{"seq": "one"}', b'{"actor": [], "subject_id": 3}', b"\xff"]
)
def test_a_stream_of_what_is_no_event_is_none_of_hansards(sent: bytes) -> None:
    stream = answer(b"data: " + sent + b"\n\n", kind=STREAM)
    assert f"{FOREIGN}: no event" in lied_to(saying(stream), followed)


def test_a_line_of_a_stream_ends_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LINE_BYTES_MAX", 1_000)
    assert "a line of more than 1,000 bytes" in lied_to(saying(answer("x" * 2_000, kind=STREAM)), followed)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (saying(answer("<html>", kind="text/html")), f"{FOREIGN}: no {STREAM}"),
        (saying(STREAMING + b"Content-Length: 9\r\n\r\n: hi"), "the connection ended before the answer did"),
        (saying(STREAMING + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), f"{FOREIGN}: no HTTP"),
        (waiting(STREAMING), "did not answer in 0.05 s"),
    ],
)
def test_a_stream_that_is_none_or_is_cut_every_time_is_given_up(script: Script, words: str) -> None:
    assert words in lied_to(script, followed, timeout_seconds=0.05)


def test_half_an_event_at_the_end_of_a_stream_is_none() -> None:
    assert list(events.events([b": beat\n\nda", b"ta: {"])) == []


def test_a_stream_may_be_silent_for_longer_than_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "SILENCE_SECONDS", 0.3)
    assert "did not answer in 0.3 s" in lied_to(waiting(STREAMING + b"\r\n"), followed, timeout_seconds=0.05)


def followed(at: RemoteProject) -> object:
    return list(at.follow(since=1))
