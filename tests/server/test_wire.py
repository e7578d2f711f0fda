"""What goes over a connection: an answer in one go, and nobody waits for what is counted after it."""

import asyncio

from hansard.interfaces.server import wire


class Noting(asyncio.Transport):
    """A transport that notes what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


def test_headers_and_body_go_out_together_and_much_goes_out_at_once() -> None:
    async def sent() -> list[list[bytes]]:
        noting = Noting()
        together = wire.Together(noting, asyncio.get_running_loop())
        found = []
        together.write(b"head ")
        together.write(b"body")
        found.append(list(noting.sent))
        turn = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(turn.set_result, None)
        await turn
        found.append(list(noting.sent))
        together.write(b"x" * (wire.READ_BYTES + 1))
        found.append([one[:1] for one in noting.sent])
        together.write(b"end")
        together.close()
        found.append(noting.sent[-1:])
        assert together.is_closing()
        return found

    assert asyncio.run(sent()) == [[], [b"head body"], [b"h", b"x"], [b"end"]]
