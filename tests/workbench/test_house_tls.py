"""A house that speaks TLS itself: pages by https, a page's websocket by wss, and nothing to whoever speaks plainly."""

from __future__ import annotations

import datetime
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from houses import ServedHouse, password_of
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

pytest.importorskip("nicegui", reason="no nicegui: the workbench was not opened")


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that signs itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(pem))
    private.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    private.chmod(0o600)
    return certificate, private


class TlsHouse(ServedHouse):
    """A house with a certificate that its clients trust, and no other."""

    def __init__(self, folder: Path) -> None:
        certificate, key = write_certificate(folder)
        self.trust = ssl.create_default_context(cafile=str(certificate))
        super().__init__(folder, tls={"certificate": str(certificate), "key": str(key)})


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsHouse]:
    made = TlsHouse(tmp_path_factory.mktemp("tls"))
    yield made
    errors = made.stop()
    assert "Traceback" not in errors


def test_a_page_and_its_websocket_come_by_tls(house: TlsHouse) -> None:
    assert house.address.startswith("https://127.0.0.1:")
    with house.client("ada") as ada:
        answer = ada.get("/")
        assert answer.status_code == 200
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        (held,) = ada.cookies.jar
        assert (held.name, held.secure, held.has_nonstandard_attr("HttpOnly")) == ("__Host-nymity", True, True)
        page = re.search("'client_id': '([^']+)'", answer.text)
        assert page is not None
        named = f"client_id={page.group(1)}&implicit_handshake=true&tab_id=t&document_id=d&next_message_id=0"
        there = f"{house.address.replace('https', 'wss')}/_nicegui_ws/socket.io/?EIO=4&transport=websocket&{named}"
        sent = {"cookie": f"{held.name}={held.value}"}
        with connect(there, origin=house.address, additional_headers=sent, ssl=house.trust) as opened:
            assert opened.recv(timeout=10).startswith("0")
            opened.send("40")
            assert opened.recv(timeout=10).startswith("40")
        # The same server by its plain name is another origin.
        with pytest.raises(InvalidStatus):
            connect(there, origin=house.address.replace("https", "http"), additional_headers=sent, ssl=house.trust)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl: old versions of TLS were not tried")
def test_an_old_tls_is_not_spoken(house: TlsHouse) -> None:
    there = house.address.removeprefix("https://")

    def shakes_hands(version: str) -> bool:
        command = ["openssl", "s_client", "-connect", there, version, "-cipher", "ALL:@SECLEVEL=0"]
        done = subprocess.run(command, input=b"", capture_output=True, check=False, timeout=20)
        return done.returncode == 0

    assert shakes_hands("-tls1_2")
    assert not shakes_hands("-tls1_1")


def test_what_is_not_tls_gets_nothing(house: TlsHouse) -> None:
    plain = house.address.replace("https", "http")
    with pytest.raises(httpx.TransportError):
        httpx.post(f"{plain}/login", data={"name": "ada", "password": password_of("ada")}, timeout=10)
    with pytest.raises(httpx.ConnectError, match=r"(?i)certificate"):  # whoever does not know the certificate
        httpx.get(house.address, timeout=10)
