"""Signatures: one key opens one lock, whatever else was changed is noticed, and the key stays where it belongs."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import K2, people, people_schema, released
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import FileError, InputError, NymityError, ParameterError
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.sealing.signing import (
    PASSPHRASE_VARIABLE,
    SIGNATURE_NAME,
    Sign,
    Signature,
    SigningKey,
    VerifyingKey,
    new_key,
    show_key,
)


@pytest.fixture(autouse=True)
def _no_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSPHRASE_VARIABLE, raising=False)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with a key of ours and one of somebody else."""
    (tmp_path / "keys").mkdir()
    new_key(tmp_path / "keys" / "ours")
    new_key(tmp_path / "keys" / "theirs")
    return tmp_path / "keys"


@pytest.fixture
def signed(keys: Path, tmp_path: Path) -> Path:
    released(out=tmp_path / "r", sign=keys / "ours")
    return tmp_path / "r"


def look(folder: Path, **options: Any) -> Any:
    return ny.check(folder / "release.csv", certificate=folder / "certificate.json", **options)


def test_a_signed_release_is_by_the_key(signed: Path, keys: Path) -> None:
    found = look(signed, key=keys / "ours.pub")
    assert found.holds
    (told,) = (f for f in found.findings if f.about == "signature")
    assert told.answer == "holds"
    assert VerifyingKey.load(keys / "ours.pub").fingerprint in told.says
    assert "not the person or the date" in told.why


def test_the_signature_is_plain_ed25519_over_the_bytes(signed: Path, keys: Path) -> None:
    """What another program would do with the two files and the public key."""
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    said = json.loads((signed / SIGNATURE_NAME).read_text())
    public = load_pem_public_key((keys / "ours.pub").read_bytes())
    public.verify(base64.b64decode(said["signature"]), (signed / "certificate.json").read_bytes())  # type: ignore[union-attr, call-arg]
    assert said.keys() == {"format", "key", "signature"}
    assert said["key"] == VerifyingKey.load(keys / "ours.pub").fingerprint


def test_without_a_key_nothing_is_called_valid(signed: Path, keys: Path) -> None:
    found = look(signed)
    assert found.holds
    assert found.key == VerifyingKey.load(keys / "ours.pub").fingerprint
    (told,) = (f for f in found.findings if f.about == "signature")
    assert told.answer == "cannot be seen"
    assert not any("valid" in f"{f.says} {f.why}" for f in found.findings)


def _flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def _other_date(folder: Path) -> None:
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["created"] = "2001-01-01"
    (folder / "certificate.json").write_text(json.dumps(certificate, indent=2))


def _renamed(folder: Path) -> None:
    said = json.loads((folder / SIGNATURE_NAME).read_text())
    (folder / SIGNATURE_NAME).write_text(json.dumps(said | {"key": "SHA256:somebody"}))


def _other_signature(folder: Path) -> None:
    said = json.loads((folder / SIGNATURE_NAME).read_text())
    (folder / SIGNATURE_NAME).write_text(json.dumps(said | {"signature": base64.b64encode(bytes(64)).decode()}))


ATTACKS: dict[str, Callable[[Path], object]] = {
    "no signature": lambda folder: (folder / SIGNATURE_NAME).unlink(),
    "a space at the end of the certificate": lambda folder: (folder / "certificate.json").write_bytes(
        (folder / "certificate.json").read_bytes() + b" "
    ),
    "another date": _other_date,
    "another fingerprint": _renamed,
    "another signature": _other_signature,
    "the table": lambda folder: _flip(folder / "release.csv", -3),
}


@pytest.mark.parametrize("how", ATTACKS)
def test_whatever_is_changed_is_noticed(how: str, signed: Path, keys: Path) -> None:
    ATTACKS[how](signed)
    try:
        assert look(signed, key=keys / "ours.pub").answer == "does not hold"
    except NymityError:
        assert how == "the table"  # which is no table any more


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"{", b"\xff", b'{"format": "nymity-signature-9"}', b"[" * 99_999, b"x" * 10**6]
)
def test_a_file_that_is_no_signature_fails_with_a_key_and_blocks_nothing_without(
    content: bytes, signed: Path, keys: Path
) -> None:
    (signed / SIGNATURE_NAME).write_bytes(content)
    found = look(signed, key=keys / "ours.pub")
    assert found.answer == "does not hold"
    assert any("certificate.json.sig is no signature" in problem for problem in found.problems)
    assert found.key is None
    unasked = look(signed)
    assert unasked.holds
    (told,) = (f for f in unasked.findings if f.about == "signature")
    assert told.answer == "cannot be seen"
    assert "certificate.json.sig is no signature" in told.says


def test_a_foreign_key_does_not_fit(signed: Path, keys: Path) -> None:
    found = look(signed, key=keys / "theirs.pub")
    assert found.answer == "does not hold"
    assert any("another key" in problem for problem in found.problems)


def test_a_foreign_signature_is_not_ours(signed: Path, keys: Path) -> None:
    """Somebody signs the certificate again and claims our fingerprint."""
    content = (signed / "certificate.json").read_bytes()
    forged = json.loads(SigningKey.load(keys / "theirs").sign(content))
    forged["key"] = VerifyingKey.load(keys / "ours.pub").fingerprint
    (signed / SIGNATURE_NAME).write_text(json.dumps(forged))
    assert look(signed, key=keys / "ours.pub").answer == "does not hold"
    assert look(signed, key=keys / "theirs.pub").answer == "does not hold"


def test_tables_are_covered_and_further_files_are_not(keys: Path, tmp_path: Path) -> None:
    def beside(folder: Path, _: Any) -> list[str]:
        assert {"release.csv", "certificate.json", "certificate.json.sig"} <= {path.name for path in folder.iterdir()}
        (folder / "notes.html").write_text("<p>fine</p>")
        return ["notes.html"]

    certificate = released().save(tmp_path / "r", sign=keys / "ours", further_files=beside, force=True)
    assert [item["file"] for item in certificate["files"]] == ["release.csv"]
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == [
        "certificate.json",
        "certificate.json.sig",
        "notes.html",
        "release.csv",
    ]
    assert look(tmp_path / "r", key=keys / "ours.pub").holds
    (tmp_path / "r" / "notes.html").unlink()
    assert look(tmp_path / "r", key=keys / "ours.pub").holds  # it need not be handed on


def test_a_failed_write_leaves_the_signed_release(signed: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.read_bytes() for path in signed.iterdir()}

    def fail(*_: Any) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SigningKey, "sign", fail)
    with pytest.raises(NymityError):
        released(out=signed, sign=keys / "ours", force=True)
    assert {path.name: path.read_bytes() for path in signed.iterdir()} == before


def test_an_unsigned_release_never_lies_beside_an_old_signature(signed: Path) -> None:
    with pytest.raises(ParameterError, match="its signature would be left behind"):
        released(out=signed, force=True)


# -- keys --------------------------------------------------------------------------------------------------------


def test_a_new_key_is_for_its_owner(keys: Path) -> None:
    assert stat.S_IMODE((keys / "ours").stat().st_mode) == 0o600
    assert b"PRIVATE" in (keys / "ours").read_bytes()
    assert b"PRIVATE" not in (keys / "ours.pub").read_bytes()
    assert show_key(keys / "ours").fingerprint == show_key(keys / "ours.pub").fingerprint
    assert show_key(keys / "ours").fingerprint != show_key(keys / "theirs").fingerprint


@pytest.mark.parametrize("there", ["k", "k.pub"])
def test_nothing_is_overwritten(there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("precious")
    with pytest.raises(FileError, match="an existing one"):
        new_key(tmp_path / "k")
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "precious"


@pytest.mark.parametrize("place", ["r/key", "r/deeper/key", "r-custodian/key"])
def test_a_key_never_lies_in_a_release(place: str, tmp_path: Path) -> None:
    released(out=tmp_path / "r")
    (tmp_path / "r" / "deeper").mkdir()
    with pytest.raises(ParameterError, match="outside of every release"):
        new_key(tmp_path / place)


@pytest.mark.parametrize("place", ["r", "r-custodian"])
def test_a_key_in_a_folder_that_is_written_to_is_refused(place: str, keys: Path, tmp_path: Path) -> None:
    (tmp_path / place).mkdir()
    (tmp_path / place / "ours").write_bytes((keys / "ours").read_bytes())
    with pytest.raises(ParameterError, match="a key outside of the release"):
        released().save(tmp_path / "r", sign=tmp_path / place / "ours")


def test_a_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = new_key(tmp_path / "k", "open sesame")
    assert b"ENCRYPTED" in (tmp_path / "k").read_bytes()
    with pytest.raises(FileError, match=PASSPHRASE_VARIABLE):
        SigningKey.load(tmp_path / "k")
    with pytest.raises(FileError, match="another passphrase"):
        SigningKey.load(tmp_path / "k", ask=lambda _: "close sesame")
    assert SigningKey.load(tmp_path / "k", ask=lambda _: "open sesame").public.fingerprint == public.fingerprint
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "open sesame")
    assert SigningKey.load(tmp_path / "k").public.fingerprint == public.fingerprint


def test_keys_are_not_mistaken_for_each_other(keys: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="got a private one"):
        VerifyingKey.load(keys / "ours")
    with pytest.raises(FileError, match="a private key"):
        SigningKey.load(keys / "ours.pub")
    (tmp_path / "odd").write_text("odd")
    for load in (SigningKey.load, VerifyingKey.load):
        for path in (tmp_path / "odd", tmp_path / "none"):
            with pytest.raises(FileError):
                load(path)


def test_a_key_needs_a_file_to_look_at(signed: Path, keys: Path) -> None:
    release = released()
    with pytest.raises(InputError, match="its bytes are signed"):
        ny.check(release.frame, certificate=release.certificate, key=keys / "ours.pub")
    assert Signature.of(signed / "certificate.json") is not None


def test_signing_is_refused_before_the_search(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="none"):
        released(out=tmp_path / "r", sign=tmp_path / "none")
    assert not (tmp_path / "r").exists()
    with pytest.raises(ParameterError, match="a folder to write to"):
        released(sign=tmp_path / "none")


# -- jobs and the command line -----------------------------------------------------------------------------------


def test_the_path_of_the_key_is_in_no_file(keys: Path, tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    job = Job(
        schema=people_schema(),
        privacy=(K2,),
        method=ny.OptimalLattice(suppression=0.2),
        source=Source(path=str(tmp_path / "people.csv")),
        sign=Sign(key=str(keys / "ours")),
    )
    assert Job.from_dict(job.to_dict()) == job
    ny.publish(job, out=tmp_path / "r")
    for path in [*(tmp_path / "r").iterdir(), *(tmp_path / "r-custodian").iterdir()]:
        assert b"ours" not in path.read_bytes()
    assert look(tmp_path / "r", key=keys / "ours.pub").holds


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def nymity(*arguments: str) -> Any:
        return CliRunner().invoke(app, arguments, catch_exceptions=False)

    (tmp_path / "keys").mkdir()
    assert nymity("key", "new", "keys/a").exit_code == 2  # nobody to ask for a passphrase
    assert nymity("key", "new", "keys/a", "--no-passphrase").exit_code == 0
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "sesame")
    made = nymity("key", "new", "keys/b", "--json")
    assert made.exit_code == 0
    assert nymity("key", "new", "keys/b").exit_code == 2
    shown = nymity("key", "show", "keys/b.pub")
    assert shown.stdout.strip() == json.loads(made.stdout)["fingerprint"]
    people().write_csv("people.csv")
    job = {
        "format": "nymity-job-2",
        "source": "people.csv",
        "schema": {name: {"role": "insensitive"} for name in people().columns}
        | {"name": {"role": "identifying"}, "age": {"role": "quasi"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal-lattice"},
        "sign": {"key": "keys/b"},
    }
    Path("job.json").write_text(json.dumps(job))
    done = nymity("publish", "job.json", "--out", "r", "--no-report")
    assert done.exit_code == 0, done.output
    assert f"signature     {Path('r') / SIGNATURE_NAME}" in done.stdout
    assert nymity("check", "r/release.csv", "--key", "keys/b.pub").exit_code == 0
    assert nymity("check", "r/release.csv", "--job", "job.json", "--key", "keys/b.pub").exit_code == 0
    foreign = nymity("check", "r/release.csv", "--key", "keys/a.pub")
    assert foreign.exit_code == 1
    named = nymity("check", "r/release.csv")
    assert named.exit_code == 0
    assert json.loads(made.stdout)["fingerprint"] in named.stdout
    assert "valid" not in named.stdout
    signature = Path("r", SIGNATURE_NAME).read_bytes()
    Path("r", SIGNATURE_NAME).write_bytes(b"no signature")
    assert nymity("check", "r/release.csv").exit_code == 0
    assert "not checked" in nymity("check", "r/release.csv").stdout
    assert nymity("check", "r/release.csv", "--key", "keys/b.pub").exit_code == 1
    Path("r", SIGNATURE_NAME).write_bytes(signature)
    del job["sign"]
    Path("job.json").write_text(json.dumps(job))
    assert nymity("publish", "job.json", "--out", "r", "--no-report", "--force").exit_code == 2
    assert nymity("check", "r/release.csv", "--key", "keys/b.pub").exit_code == 0
