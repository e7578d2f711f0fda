"""One answer on one connection: however it is cut, whatever its form, and never half of it."""

import socket

import pytest

from hansard.client.exchange import NoAnswer, exchange

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
        import threading

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
