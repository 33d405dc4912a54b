"""Encrypted connections: verified by default, and working where the server can speak TLS."""

import contextlib
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from limpet.connection.clients import async_client, sync_client
from limpet.errors import BackendError
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server, free_port
from tests.support.waiting import wait_until
from tests.topology import everyday
from tests.topology.conftest import Pair

BINARY, OPENSSL = shutil.which("redis-server"), shutil.which("openssl")


class Encrypted(Server):
    """A server that speaks nothing but TLS, with a certificate it signed itself."""

    def __init__(self) -> None:
        """Make the certificate."""
        super().__init__()
        self.port = free_port()
        self.certificate, self.key = self.folder / "cert.pem", self.folder / "key.pem"
        subject = ("-subj", "/CN=limpet", "-addext", "subjectAltName=IP:127.0.0.1")
        files = ("-keyout", str(self.key), "-out", str(self.certificate))
        subprocess.run(
            [str(OPENSSL), "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *subject],
            check=True,
            capture_output=True,
        )

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"rediss://127.0.0.1:{self.port}?ssl_ca_certs={self.certificate}"

    def start(self) -> "Encrypted":
        """Start it, unless it cannot speak TLS: then it ends at once."""
        command = [str(BINARY), "--port", "0", "--tls-port", str(self.port), "--save", ""]
        command += ["--tls-cert-file", str(self.certificate), "--tls-key-file", str(self.key)]
        command += ["--tls-auth-clients", "no", "--dir", str(self.folder), "--bind", "127.0.0.1"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        self.process = process
        wait_until(lambda: process.poll() is not None or self.answers(), within=20)
        if process.poll() is not None:
            self.remove()
            pytest.skip("this server cannot speak TLS")
        return self


@pytest.fixture(scope="module")
def encrypted() -> Iterator[Encrypted]:
    """One such server for all tests of this file."""
    if BINARY is None or OPENSSL is None:
        pytest.skip("no redis-server or no openssl on the PATH")
    running = Encrypted().start()
    yield running
    running.remove()


@pytest.mark.parametrize(
    "scenario",
    [everyday.push_pop_ack, everyday.several_queues, everyday.events],
    ids=lambda scenario: scenario.__name__,
)
def test_everyday_work(
    encrypted: Encrypted, pair: Pair, scenario: Callable[[Any, Any], None]
) -> None:
    """With a certificate that is trusted, everything works over TLS."""
    clients = pair(encrypted.url)
    with encrypted.client() as plain:
        plain.flushall()

    scenario(*clients)


def test_a_certificate_nobody_vouches_for_is_refused(
    encrypted: Encrypted, flavour: str, loop: Loop
) -> None:
    """Without the right authority there is no connection, by default."""
    url = encrypted.url.partition("?")[0]

    with (
        contextlib.closing(open_limpet(flavour, loop, url, timeout=0.5)) as client,
        pytest.raises(BackendError),
    ):
        client.queue("mail").push(b"a")


@pytest.mark.parametrize("make", [sync_client, async_client], ids=["sync", "async"])
@pytest.mark.parametrize("url", ["rediss://host:1", "rediss+sentinel://host:1/mymaster"])
def test_certificates_are_checked_unless_told_otherwise(make: Callable[..., Any], url: str) -> None:
    """Whatever the scheme, rediss asks for a certificate; nothing is opened to find that out."""
    pool = make(url, 1.0).connection_pool

    connection = pool.connection_class(**pool.connection_kwargs)

    context = getattr(connection, "ssl_context", connection)
    assert "SSL" in type(connection).__name__
    assert context.cert_reqs == ssl.CERT_REQUIRED


@pytest.mark.parametrize("make", [sync_client, async_client], ids=["sync", "async"])
@pytest.mark.parametrize("scheme", ["redis", "rediss", "redis+sentinel", "rediss+sentinel"])
def test_the_library_sends_nothing_again_by_itself(make: Callable[..., Any], scheme: str) -> None:
    """Its retries are off: only limpet sends again, under the number of the same request."""
    path = "/mymaster" if "sentinel" in scheme else ""
    pool = make(f"{scheme}://host:1{path}", 1.0).connection_pool

    assert pool.connection_kwargs["retry"].get_retries() == 0
    assert not pool.connection_kwargs.get("retry_on_timeout")
