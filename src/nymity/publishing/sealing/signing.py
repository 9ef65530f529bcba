"""Signatures: who made a certificate, as far as a key can tell (Ed25519, RFC 8032).

The exact bytes of ``certificate.json`` are signed, and the signature lies in a file of its own beside it. The
certificate holds the hash of every other file of the release, so that one signature covers all of them. It proves that
whoever had the key signed these bytes: not who that was, and not when.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nymity.core.custodian import LOG_NAME, MAPPING_NAME, RECODING_NAME
from nymity.core.errors import FileError, ParameterError
from nymity.core.extras import require
from nymity.core.files import open_file
from nymity.core.format_numbers import SIGNATURE
from nymity.core.paths import path_text, resolved
from nymity.core.permissions import warn_if_exposed
from nymity.core.plain_data import parse_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

#: What is signed, and the file that the signature lies in, beside it.
CERTIFICATE_NAME = "certificate.json"
SIGNATURE_NAME = f"{CERTIFICATE_NAME}.sig"
#: Names the environment variable from which the passphrase of a key is taken.
PASSPHRASE_VARIABLE = "NYMITY_KEY_PASSPHRASE"
#: What lies in a folder of the custodian.
_CUSTODIAN_FILES = (LOG_NAME, MAPPING_NAME, RECODING_NAME)
_LARGEST = 64 * 1024

#: Asks for a passphrase; the argument says of what.
Ask = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Sign:
    """The ``sign`` of a job: the path of the private key that certificates are signed with."""

    key: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", path_text("sign.key", self.key, expected="the path of a private key"))

    @property
    def is_locked(self) -> bool:
        """Whether the key asks for a passphrase."""
        return b"ENCRYPTED" in _read(self.key, "a private key, as `nymity key new` writes it")


@dataclass(frozen=True, eq=False)
class SigningKey:
    """A private key that was read from a file."""

    _private: Ed25519PrivateKey

    @staticmethod
    def load(path: str | Path, *, ask: Ask | None = None) -> SigningKey:
        """Read a private key; its passphrase comes from NYMITY_KEY_PASSPHRASE or else from ``ask``."""
        serialization, ed25519 = _packages()
        content = _read(path, "a private key, as `nymity key new` writes it")
        warn_if_exposed(path)
        passphrase = None
        if b"ENCRYPTED" in content:
            passphrase = _passphrase(str(path), ask)
        try:
            key = serialization.load_pem_private_key(content, passphrase)
        except Exception as error:  # many kinds: of format, of passphrase, of the package below
            got = "another passphrase" if passphrase is not None else "something else"
            raise FileError(str(path), expected="a private key, as `nymity key new` writes it", got=got) from error
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise FileError(str(path), expected="an Ed25519 key", got=type(key).__name__)
        return SigningKey(key)

    @property
    def public(self) -> VerifyingKey:
        """The key that everybody may have."""
        return VerifyingKey(self._private.public_key())

    def sign(self, content: bytes) -> bytes:
        """Return the file that lies beside what is signed."""
        signature = base64.b64encode(self._private.sign(content)).decode()
        said = {"format": SIGNATURE.tag, "key": self.public.fingerprint, "signature": signature}
        return (json.dumps(said, indent=2) + "\n").encode()


@dataclass(frozen=True, eq=False)
class VerifyingKey:
    """A public key."""

    _public: Ed25519PublicKey

    @staticmethod
    def load(path: str | Path) -> VerifyingKey:
        """Read a public key; a private one is refused, for it has no place where releases are checked."""
        serialization, ed25519 = _packages()
        content = _read(path, "a public key, the .pub file of `nymity key new`")
        if b"PRIVATE" in content:
            raise FileError(
                str(path), expected="a public key", got="a private one", hint=f"{path}.pub, and keep this one to you"
            )
        try:
            key = serialization.load_pem_public_key(content)
        except Exception as error:
            expected = "a public key, the .pub file of `nymity key new`"
            raise FileError(str(path), expected=expected, got="something else") from error
        if not isinstance(key, ed25519.Ed25519PublicKey):
            raise FileError(str(path), expected="an Ed25519 key", got=type(key).__name__)
        return VerifyingKey(key)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the raw key, in Base64 as ssh writes it: short enough to be read out on the telephone."""
        serialization, _ = _packages()
        raw = self._public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return "SHA256:" + base64.b64encode(hashlib.sha256(raw).digest()).decode().rstrip("=")

    def problem(self, content: bytes, signature: Signature | None) -> str:
        """Return why ``content`` is not signed by this key; nothing where it is."""
        from cryptography.exceptions import InvalidSignature

        if signature is None:
            return f"there is no signature ({SIGNATURE_NAME}), and one by the key {self.fingerprint} was asked for"
        try:
            self._public.verify(signature.value, content)
        except InvalidSignature:
            if signature.key != self.fingerprint:
                return f"it names another key, {signature.key}, not {self.fingerprint}, and is not by that one"
            return f"the signature is not that of these bytes by the key {self.fingerprint}: one of them was changed"
        if signature.key != self.fingerprint:
            return f"the signature is by the key {self.fingerprint}, but names {signature.key}: it was changed"
        return ""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What a signature file says: the fingerprint it names, which proves nothing, and the signature."""

    key: str
    value: bytes

    @staticmethod
    def of(certificate: str | Path) -> Signature | None:
        """Read the signature of a certificate file; None where there is none."""
        path = Path(f"{certificate}.sig")
        return Signature.parse(_read(path, "a signature"), str(path)) if path.is_file() else None

    @staticmethod
    def parse(content: bytes, where: str) -> Signature:
        """Read the content of a signature file, or say what is wrong with it."""
        try:
            said = parse_json(content, where=where, expected=f"a signature ({SIGNATURE.tag})")
            if not isinstance(said, dict):
                raise ValueError("no table of fields")
            SIGNATURE.number_of(said, where)
            if said.keys() != {"format", "key", "signature"} or not all(isinstance(v, str) for v in said.values()):
                raise ValueError(f"the fields {', '.join(map(str, said))}")
            # Without validate Python passes over what is no base64, and two texts would be one signature.
            value = base64.b64decode(said["signature"], validate=True)
            if len(value) != 64 or len(said["key"]) > 100 or not said["key"].isprintable():
                raise ValueError("a key or signature of another length")
        except (ValueError, binascii.Error, RecursionError) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(where, expected=f"a signature ({SIGNATURE.tag})", got=str(error)[:80]) from error
        return Signature(key=said["key"], value=value)


def new_key(path: str | Path, passphrase: str = "") -> VerifyingKey:
    """Make a key pair: the private key at ``path`` (PKCS#8, readable by its owner alone), the public one at path.pub.

    Never over another file, and never into a folder of a release or of a custodian's log: the one is given away, and
    whoever may read the other need not be able to sign.
    """
    serialization, ed25519 = _packages()
    place, public_place = Path(path), Path(f"{path}.pub")
    _check_place(place)
    key = ed25519.Ed25519PrivateKey.generate()
    locked = serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    written: list[Path] = []
    try:
        for file, content, mode in ((place, private, 0o600), (public_place, public, 0o644)):
            _create(file, content, mode)
            written.append(file)
    except OSError as error:
        # Half a pair would be taken for a key: what was written goes with the error.
        for file in written:
            file.unlink(missing_ok=True)
        got = "one that is there" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise FileError(str(error.filename or place), expected="a new file", got=got, hint="another path") from error
    return VerifyingKey(key.public_key())


def show_key(path: str | Path) -> VerifyingKey:
    """Return the public key of a file that holds either key; a private one is read by its public file, if there."""
    content = _read(path, "a key")
    if b"PRIVATE" not in content:
        return VerifyingKey.load(path)
    beside = Path(f"{path}.pub")
    return VerifyingKey.load(beside) if beside.is_file() else SigningKey.load(path).public


def signing_key(sign: SigningKey | Sign | str | Path, *, ask: Ask | None = None) -> SigningKey:
    """Return the key that is meant: itself, that of a job, or that of a file."""
    if isinstance(sign, SigningKey):
        return sign
    return SigningKey.load(sign.key if isinstance(sign, Sign) else sign, ask=ask)


def key_for(
    sign: SigningKey | Sign | str | Path | None, release: Path, custodian: Path, *, ask: Ask | None = None
) -> SigningKey | None:
    """Return the key that a release is signed with, which must not lie in one of the folders written to.

    An unsigned release is refused a folder that holds a signature: it would stay behind, beside another certificate.
    """
    if sign is None:
        if (release / SIGNATURE_NAME).exists():
            raise ParameterError(
                "sign",
                expected="a key: the release that lies there is signed, and its signature would be left behind",
                got="none",
                hint="sign this one too, or choose another folder",
            )
        return None
    path = sign.key if isinstance(sign, Sign) else sign
    if isinstance(path, str | Path):
        # With links resolved: a key that is given away with the release, by whatever name it was reached.
        for place in resolved(path).parents:
            if place in (resolved(release), resolved(custodian)):
                raise ParameterError(
                    "sign", expected="a key outside of the release and the custodian's log", got=f"one in {place}"
                )
    return signing_key(sign, ask=ask)


def _packages() -> tuple[Any, Any]:
    serialization = require(
        "cryptography.hazmat.primitives.serialization", extra="sign", purpose="signing certificates"
    )
    ed25519 = require("cryptography.hazmat.primitives.asymmetric.ed25519", extra="sign", purpose="signing certificates")
    return serialization, ed25519


def _passphrase(path: str, ask: Ask | None) -> bytes:
    given = os.environ.get(PASSPHRASE_VARIABLE) or (ask(f"Passphrase of {path}") if ask is not None else "")
    if not given:
        raise FileError(path, expected="the passphrase of this key", got="none", hint=f"set {PASSPHRASE_VARIABLE}")
    return given.encode()


def _read(path: str | Path, expected: str) -> bytes:
    try:
        with open_file(path) as stream:
            content = stream.read(_LARGEST + 1)
    except OSError as error:
        raise FileError(str(path), expected=expected, got=error.strerror or str(error)) from error
    if len(content) > _LARGEST:
        raise FileError(str(path), expected=expected, got="a much larger file")
    return content


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is not there yet, with these permissions from its first byte on."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(handle)


def _check_place(path: Path) -> None:
    for place in (path, Path(f"{path}.pub")):
        if place.exists() or place.is_symlink():
            hint = "another path; a `key new` that was killed leaves one of two files, which may be deleted"
            raise FileError(str(place), expected="no file yet", got="an existing one", hint=hint)
    for folder in resolved(path).parents:
        check_no_release("key", folder, str(path))


def check_no_release(where: str, folder: Path, key: str) -> None:
    """Refuse a key in a folder that holds a release or a custodian's log."""
    holds = "a release" if (folder / CERTIFICATE_NAME).exists() else ""
    if any((folder / name).exists() for name in _CUSTODIAN_FILES) or folder.name.endswith("-custodian"):
        holds = "a custodian's log"
    if holds:
        raise ParameterError(
            where,
            expected="a place outside of every release and custodian's folder",
            got=f"{key}, in a folder with {holds}",
            hint="a folder of its own, which only who signs may read",
        )
