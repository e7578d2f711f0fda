"""Owns `hansard serve`: the server of a team, in this process."""

import json
import sys

import click

from hansard.domain.errors import Denied
from hansard.domain.places import printable
from hansard.domain.policy import Act, may
from hansard.domain.vocabulary import Role
from hansard.interfaces.cli.calling import Call, command, note
from hansard.interfaces.server.options import (
    BODY_BYTES_MAX,
    CONNECTIONS_PER_ADDRESS,
    DEFAULT_HOST,
    DEFAULT_PORT,
    REQUESTS_PER_SECOND,
    STOP_SECONDS,
    Options,
    checked,
    is_loopback,
)

EXPOSED = (
    "Other machines reach it without TLS (--insecure-public): whoever reads the network on the way can use every token"
    " that is sent."
)


@click.command()
@click.option("--host", default=DEFAULT_HOST, show_default=True, help="Address to listen at.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, type=int, help="Port; 0 takes any that is free.")
@click.option("--tls-cert", metavar="FILE", type=click.Path(exists=True, dir_okay=False), help="Certificate, as PEM.")
@click.option("--tls-key", metavar="FILE", type=click.Path(exists=True, dir_okay=False), help="Its key, as PEM.")
@click.option("--insecure-public", is_flag=True, help="Listen at a public address without TLS.")
@click.option("--allowed-host", metavar="NAME", multiple=True, help="A name that clients use; may be repeated.")
@click.option(
    "--rate", default=REQUESTS_PER_SECOND, show_default=True, type=click.FloatRange(0.1, 1_000_000),
    help="Requests of one token in a second.",
)  # fmt: skip
@click.option(
    "--body-bytes", default=BODY_BYTES_MAX, show_default=True, type=click.IntRange(1_024, 1 << 30),
    help="Largest body of a request.",
)  # fmt: skip
@click.option(
    "--connections-per-address", default=CONNECTIONS_PER_ADDRESS, show_default=True, type=click.IntRange(0, 1_000),
    help="Connections that one address may hold open; 0 for no such limit.",
)  # fmt: skip
@click.option(
    "--stop-seconds", default=STOP_SECONDS, show_default=True, type=click.IntRange(1, 600),
    help="Longest wait for open requests when it is stopped.",
)  # fmt: skip
@click.option("--sign-in", is_flag=True, help="Print a link to sign in with a browser, though there are tokens.")
@command()
def serve(
    call: Call,
    host: str,
    port: int,
    tls_cert: str | None,
    tls_key: str | None,
    allowed_host: tuple[str, ...],
    rate: float,
    **given: int,
) -> None:
    """Serve REST, MCP and a page to sign in at, for a team.

    REST is under /api/v1, MCP at /mcp and /mcp/PROJECT. All of it, and /metrics, needs a
    token of `hansard token create`; only /health/live, /health/ready and the page to sign in
    at need none. While no person has a token, a link is printed that signs one browser in,
    once; later a token signs in on the page, or --sign-in prints another link. Where there is no
    database yet, one is made, and that is said at the start. The files of
    all projects on this machine are kept in step. Ctrl-C or SIGTERM finishes open requests
    first. Logs go to standard error, one JSON document a line.

    \b
    Example:
      hansard serve
      hansard serve --host 0.0.0.0 --allowed-host memory.example \\
        --tls-cert cert.pem --tls-key key.pem
    """
    settings = call.settings()
    actor = call.actor(settings)
    if not may(actor, Act.GRANT):
        raise Denied(f"{actor.name} may not serve: a person starts the server. Leave out --agent and --role.")
    options = checked(
        Options(
            host, port, tls_cert, tls_key, bool(given["insecure_public"]), allowed_host, rate, given["body_bytes"],
            given["stop_seconds"], given["connections_per_address"],
        )
    )  # fmt: skip
    # Loaded now, when it is known that the options make sense.
    from hansard.app import Hansard, follows_files
    from hansard.interfaces.server.serving import addresses, bind
    from hansard.interfaces.server.serving import serve as served

    def ready(address: str, code: str) -> None:
        link = f"{address}/signin?code={code}" if wants_link else None
        warning = None if options.has_tls or is_loopback(host) else EXPOSED
        if call.as_json:
            told = {"address": address, "sign_in": link, "listens_at": listens_at, "warning": warning}
            print(json.dumps(told | {"new_database": new_database}))
        else:
            print(f"Hansard serves at {address}; stop with Ctrl-C.")
            if new_database is not None:
                print(f"The database is new and empty: {new_database}. If it should not be, check db and HANSARD_DB.")
            if warning is not None:
                print(f"It listens at {', '.join(listens_at)}. {warning}")
            if link is not None:
                print(f"Sign in once, within 15 minutes: {link}")
        sys.stdout.flush()

    with bind(options) as listening, Hansard.open(settings=settings._replace(mirror_auto="off")) as hansard:
        new_database = printable(hansard.place) if hansard.store.is_new else None
        hansard.follow_policies()
        listens_at = addresses(listening)
        wants_link = bool(given["sign_in"]) or not any(one.role == Role.HUMAN for one in hansard.tokens())
        served(hansard, options._replace(follows_files=follows_files(settings)), listening, ready)
    if not call.as_json:
        note("Stopped.")
