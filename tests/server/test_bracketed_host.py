"""The address that is shown for a host of IPv6, with or without the brackets that addresses of the web have."""

import pytest

from hansard.interfaces.server.options import Options


@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_an_address_has_one_pair_of_brackets(host: str) -> None:
    assert Options(host=host).address(80) == "http://[::1]:80"
    assert Options(host="[::]", allowed_hosts=(host,)).address(80) == "http://[::1]:80"
