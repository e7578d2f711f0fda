"""One answer on one connection: however it is cut, whatever its form, and never half of it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hansard.client import exchange as exchanging
from hansard.client.exchange import NoAnswer, NotHttp, TooMuch, begun, exchange

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nHansard-Held: 2\r\n\r\nhello"


def told(*pieces: bytes, ends: bool = False) -> tuple[int, dict[str, str], bytes, bool]:
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(5)
        far.sendall(pieces[0])
        for piece in pieces[1:]:
            far.sendall(piece)
        if ends:
            far.shutdown(socket.SHUT_WR)
        status, headers, data, reusable = exchange(near, b"GET / HTTP/1.1\r\n\r\n")
        assert far.recv(100) == b"GET / HTTP/1.1\r\n\r\n"
        return status, dict(headers), data, reusable


def test_an_answer_has_its_headers_in_small_letters_and_its_body() -> None:
    assert told(OK) == (200, {"content-length": "5", "hansard-held": "2"}, b"hello", True)


def test_an_answer_in_small_pieces_is_the_same() -> None:
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(5)
        far.sendall(OK[:3])

        def rest() -> None:
            for at in range(3, len(OK)):
                far.sendall(OK[at : at + 1])

        thread = threading.Thread(target=rest)
        thread.start()
        assert exchange(near, b"x").data == b"hello"
        thread.join()


def test_an_answer_in_chunks_is_put_together() -> None:
    chunks = b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
    assert told(chunks)[::2] == (201, b"hello")


def test_an_answer_without_a_length_ends_with_its_connection() -> None:
    status, _, data, reusable = told(b"HTTP/1.1 200 OK\r\n\r\nhello", ends=True)
    assert (status, data, reusable) == (200, b"hello", False)


def test_an_answer_that_closes_its_connection_says_so() -> None:
    assert not told(OK.replace(b"Hansard-Held: 2", b"Connection: close"))[3]


def test_an_answer_without_a_body_is_whole() -> None:
    assert told(b"HTTP/1.1 204 No Content\r\n\r\n")[::2] == (204, b"")


def test_what_only_says_that_the_answer_is_coming_is_not_taken_for_it() -> None:
    assert told(b"HTTP/1.1 100 Continue\r\n\r\n", OK)[::2] == (200, b"hello")


@pytest.mark.parametrize("sent", [b"", OK[:-1], OK[:30], b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_half_an_answer_is_none(sent: bytes) -> None:
    with pytest.raises(NoAnswer, match="ended before the answer did"):
        told(sent, ends=True)


@pytest.mark.parametrize("sent", [b"SSH-2.0-OpenSSH\r\n", b"<html>", OK + OK])
def test_what_is_no_answer_or_more_than_one_is_refused(sent: bytes) -> None:
    with pytest.raises(NoAnswer, match="is no answer of HTTP"):
        told(sent, ends=True)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"


@contextmanager
def trickling(begin: bytes, byte: bytes) -> Iterator[socket.socket]:
    """A connection on which one byte comes after the other, each well within the timeout."""
    near, far = socket.socketpair()
    enough = threading.Event()

    def drip() -> None:
        far.sendall(begin)
        for _ in range(100):
            if enough.wait(0.02):
                return
            far.sendall(byte)
        far.shutdown(socket.SHUT_WR)

    with near, far:
        near.settimeout(0.2)
        thread = threading.Thread(target=drip)
        thread.start()
        yield near
        enough.set()
        thread.join()


@pytest.mark.parametrize(
    ("begin", "byte"), [(HEAD, b" "), (b"HTTP/1.1 200 OK\r\nX: ", b"x"), (b"", b"HTTP/1.1 100 Continue\r\n\r\n")]
)
def test_the_timeout_is_that_of_the_whole_answer(begin: bytes, byte: bytes) -> None:
    with trickling(begin, byte) as near:
        with pytest.raises(TimeoutError):
            exchange(near, b"x")
        assert near.gettimeout() == 0.2


def test_the_headers_of_a_stream_and_its_refusal_come_within_the_timeout() -> None:
    with trickling(b"HTTP/1.1 200 OK\r\nX: ", b"x") as near, pytest.raises(TimeoutError):
        begun(near, b"x")
    with trickling(HEAD, b" ") as near:
        refused = begun(near, b"x")
        with pytest.raises(TimeoutError):
            refused.whole()


def test_a_stream_may_take_longer_than_the_timeout_if_something_comes() -> None:
    with trickling(b"HTTP/1.1 200 OK\r\n\r\n", b".") as near:
        assert b"".join(begun(near, b"x").pieces()) == b"." * 100


def test_the_timeout_of_a_connection_is_the_same_after_an_answer() -> None:
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(5)
        far.sendall(OK)
        exchange(near, b"x")
        assert near.gettimeout() == 5


def test_a_request_that_nobody_takes_is_given_up_in_time() -> None:
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(0.05)
        with pytest.raises(TimeoutError):
            exchange(near, b"x" * 10_000_000)


def test_a_long_request_arrives_whole() -> None:
    near, far = socket.socketpair()
    taken: list[bytes] = []

    def take() -> None:
        while sum(map(len, taken)) < 5_000_000:
            taken.append(far.recv(65_536))
        far.sendall(OK)

    with near, far:
        near.settimeout(5)
        thread = threading.Thread(target=take)
        thread.start()
        assert exchange(near, b"0123456789" * 500_000).data == b"hello"
        thread.join()
    assert b"".join(taken) == b"0123456789" * 500_000


def test_an_answer_is_not_read_beyond_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanging, "ANSWER_BYTES_MAX", 1_000)
    assert told(OK)[2] == b"hello"
    with pytest.raises(TooMuch):
        told(LONG[:-4], b"\r\nX: " + b"x" * 2_000)
    with pytest.raises(TooMuch):
        told(LONG, b" " * 2_000)


def test_a_stream_is_read_in_the_pieces_that_come() -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n3\r\nhel\r\n"
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(5)
        far.sendall(chunks)
        stream = begun(near, b"x")
        pieces = stream.pieces()
        assert (stream.status, stream.headers["x"], next(pieces)) == (200, "y", b"hel")
        far.sendall(b"2\r\nlo\r\n0\r\n\r\n")
        assert list(pieces) == [b"lo"]


@pytest.mark.parametrize("rest", [b"", b"5\r\nhel"])
def test_a_stream_that_is_cut_says_so(rest: bytes) -> None:
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(5)
        far.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + rest)
        far.shutdown(socket.SHUT_WR)
        stream = begun(near, b"x")
        with pytest.raises(NoAnswer, match="ended before the answer did"):
            list(stream.pieces())


def test_who_changes_the_protocol_gives_no_answer() -> None:
    with pytest.raises(NotHttp):
        told(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes")
