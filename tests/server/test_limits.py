"""Where a server may listen, by which names it is known, and how often somebody may come."""

import anyio
import pytest
from starlette.types import Message

from hansard.domain.errors import Invalid
from hansard.interfaces.server import limits
from hansard.interfaces.server.options import Options, checked, is_loopback
from hansard.interfaces.server.serving import bind


def test_a_bucket_fills_again_and_says_when() -> None:
    rates = limits.Rates(per_second=1_000_000, at_once=1)
    slow = limits.Rates(per_second=0.1, at_once=1)

    assert [rates.take("a"), slow.take("a"), slow.take("a"), slow.take("b")] == [0, 0, 10, 0]
    while rates.take("a"):
        pass


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "memory.example", "::ffff:10.0.0.1", ""])
def test_a_public_address_needs_tls_or_a_plain_word(host: str) -> None:
    with pytest.raises(Invalid, match="--insecure-public"):
        bind(Options(host=host, port=0))

    assert checked(Options(host=host, insecure_public=True)).host == host
    assert checked(Options(host=host, tls_cert="cert.pem", tls_key="key.pem")).has_tls


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "[::1]"])
def test_this_machine_alone_needs_no_tls(host: str) -> None:
    assert is_loopback(host)
    assert checked(Options(host=host)).scheme == "http"


@pytest.mark.parametrize("wrong", [Options(tls_cert="cert.pem"), Options(tls_key="key.pem"), Options(port=65_536)])
def test_half_of_tls_and_impossible_ports_are_refused(wrong: Options) -> None:
    with pytest.raises(Invalid):
        checked(wrong)


def test_an_address_that_is_taken_is_said_so() -> None:
    with bind(Options(port=0)) as taken:
        taken.listen()
        with pytest.raises(Invalid, match="Choose another --port"):
            bind(Options(port=taken.getsockname()[1]))


def test_a_server_is_known_by_the_names_it_was_given_and_by_no_other() -> None:
    names = Options(host="0.0.0.0", allowed_hosts=("Memory.Example", "10.0.0.7")).names()

    assert names == {"localhost", "127.0.0.1", "::1", "memory.example", "10.0.0.7"}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("a.example:80", "a.example"),
        ("[::1]:80", "::1"),
        ("A.Example.", "a.example"),
        ("", ""),
        ("[", ""),
        ("u@b", ""),
        ("localhost#.evil.example", ""),
        ("localhost?.evil.example", ""),
        ("localhost/evil.example", ""),
        ("localhost:80:80", ""),
        ("local host", ""),
        ("[::1", ""),
        ("my_service:8425", "my_service"),
    ],
)
def test_the_name_in_a_host_header(header: str, name: str) -> None:
    assert limits.host_of(header) == name


def test_the_address_is_one_that_a_browser_can_use() -> None:
    assert Options(host="::1").address(80) == "http://[::1]:80"
    assert Options(host="0.0.0.0", allowed_hosts=("memory.example",)).address(80) == "http://memory.example:80"
    assert Options(tls_cert="c", tls_key="k").address(80) == "https://127.0.0.1:80"


def test_bodies_that_are_still_coming_in_have_room_for_each_caller_and_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HELD_BYTES_MAX", 10)
    monkeypatch.setattr(limits, "ALL_HELD_BYTES_MAX", 15)
    held = limits.Held()
    mine, more, others = limits.Taken(held, "tank"), limits.Taken(held, "tank"), limits.Taken(held, "neo")
    mine.more(8)
    for one, size in ((more, 3), (others, 8)):
        with pytest.raises(limits.BodyRefused) as refused:
            one.more(size)
        assert refused.value.status_code == 429
    others.more(7)
    mine.end()
    mine.end()
    more.more(8)

    assert (mine.bytes, more.bytes, others.bytes) == (0, 8, 7)


def test_a_fast_start_does_not_buy_a_slow_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS_MAX", 0.05)
    monkeypatch.setattr(limits, "BODY_BYTES_PER_SECOND_MIN", 1)
    pieces = iter([b"x" * 100_000])

    async def receive() -> Message:
        piece = next(pieces, None)
        if piece is None:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": piece, "more_body": True}

    async def read() -> None:
        received = limits.bounded(receive, 1 << 30, limits.Taken(limits.Held(), "tank"))
        with anyio.fail_after(20):
            await received()
            await received()

    with pytest.raises(limits.BodyRefused, match="did not arrive in time"):
        anyio.run(read)
