"""Connections themselves: TLS where it is asked for, and none that is held open for nothing."""

import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hansard import Hansard
from hansard.interfaces.server import serving
from hansard.interfaces.server.options import Options
from hansard.project import Project
from support.engines import on_sqlite
from support.serving import Running, running

pytestmark = on_sqlite


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files


def test_with_a_certificate_everything_goes_by_tls(hansard: Hansard, project: Project, tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    options = Options(tls_cert=str(cert), tls_key=str(key))
    with running(hansard, options) as served:
        trusted = ssl.create_default_context(cafile=str(cert))
        with httpx.Client(base_url=served.address, verify=trusted) as browser:
            code = served.server.new_link()
            done = browser.post("/signin", data={"code": code}, headers={"Origin": served.address})
            listed = browser.get("/api/v1/projects")
        with pytest.raises(httpx.TransportError):
            httpx.get(served.address.replace("https:", "http:") + "/health/live")

    assert served.address.startswith("https://127.0.0.1:")
    assert "; Secure" in done.headers["set-cookie"]
    assert done.headers["strict-transport-security"].startswith("max-age=")
    assert [one["key"] for one in listed.json()["items"]] == [project.key]


def test_a_connection_that_says_nothing_is_ended(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADER_SECONDS_MAX", 0.05)
    url = httpx.URL(served.address)
    for said in (b"", b"GET / HTTP/1.1\r\nHost: loc"):
        with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
            connection.sendall(said)
            assert connection.recv(1) == b""


def test_a_socket_for_messages_is_not_opened(served: Running) -> None:
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    with served.nobody() as nobody:
        answer = nobody.get("/mcp", headers=upgrade)

    assert answer.status_code == 401


def test_headers_that_are_too_large_are_refused(served: Running) -> None:
    status = 400
    # The server may have closed before all of it was sent.
    with served.nobody() as nobody, suppress(httpx.TransportError):
        status = nobody.get("/health/live", headers={"X-Large": "x" * 200_000}).status_code

    assert status in {400, 431}
