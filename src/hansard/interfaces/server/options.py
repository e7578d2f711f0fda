"""Owns how a server is started: its address, who may reach it, and its limits."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from hansard.domain.errors import Invalid

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8425
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
BODY_BYTES_MAX = 16 * 1024 * 1024
REQUESTS_PER_SECOND = 500.0
STOP_SECONDS = 20
CONNECTIONS_PER_ADDRESS = 256


class Options(NamedTuple):
    """What was asked for when the server was started."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    tls_cert: str | None = None
    tls_key: str | None = None
    insecure_public: bool = False
    allowed_hosts: tuple[str, ...] = ()
    requests_per_second: float = REQUESTS_PER_SECOND
    body_bytes_max: int = BODY_BYTES_MAX
    stop_seconds: int = STOP_SECONDS
    connections_per_address: int = CONNECTIONS_PER_ADDRESS
    """How many connections one address may hold open; 0 for as many as all together."""
    follows_files: bool = False
    """Whether the files of projects on this machine are imported and exported by this server."""

    @property
    def has_tls(self) -> bool:
        return self.tls_cert is not None

    @property
    def scheme(self) -> str:
        return "https" if self.has_tls else "http"

    def names(self) -> frozenset[str]:
        """The names under which this server is to be reached. A request for any other one was led here by a trick."""
        given = {one.strip().lower().strip("[]") for one in (*self.allowed_hosts, self.host)}
        return LOOPBACK_NAMES | {one for one in given if one and not _is_any(one)}

    def address(self, port: int) -> str:
        """Where a browser on this machine finds the server."""
        host = self.host if not _is_any(self.host) else next(iter(self.allowed_hosts), DEFAULT_HOST)
        bare = host.strip("[]")
        shown = f"[{bare}]" if ":" in bare else bare
        return f"{self.scheme}://{shown}:{port}"


def checked(options: Options) -> Options:
    """The options, if they make sense. Raises Invalid, also for a public address that nothing protects."""
    if not 0 <= options.port <= 65_535:
        raise Invalid("port must be from 0 to 65535; 0 takes any that is free.")
    if (options.tls_cert is None) != (options.tls_key is None):
        raise Invalid("--tls-cert and --tls-key belong together: give both, or none of them.")
    if not is_loopback(options.host) and not options.has_tls and not options.insecure_public:
        raise Invalid(
            f"{options.host} can be reached from other machines, and tokens would cross the network in the clear. Give"
            " --tls-cert and --tls-key, or bind 127.0.0.1 behind a proxy that has TLS. If something else protects the"
            " network, say --insecure-public."
        )
    return options


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    """Whether the address stands for all of them, and so is no name that a client could use."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return not host.strip()
