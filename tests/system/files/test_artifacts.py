import hashlib
from pathlib import Path

import pytest

from setpoint.errors import RecordedDataError
from setpoint.model.ids import Artifact
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.atomic import write_atomic


def test_what_is_kept_is_read_again_by_its_sha256(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path / "artifacts")
    artifact = artifacts.keep(b"\x00raw\xff")
    assert artifact == hashlib.sha256(b"\x00raw\xff").hexdigest()
    assert artifacts.read(artifact) == b"\x00raw\xff"
    assert artifacts.path(artifact) == tmp_path / "artifacts" / artifact[:2] / artifact[2:]


def test_a_text_is_kept_in_utf8_also_with_bytes_that_could_not_be_decoded(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    broken = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert artifacts.read(artifacts.keep("Grüße")) == "Grüße".encode()
    assert artifacts.read(artifacts.keep(broken)) == b"caf\xe9"


def test_keeping_twice_writes_once_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    artifact = artifacts.keep("same")
    inode = artifacts.path(artifact).stat().st_ino
    assert artifacts.keep("same") == artifact
    assert artifacts.path(artifact).stat().st_ino == inode
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [artifacts.path(artifact)]


def test_a_cut_file_is_written_again_when_the_same_is_kept(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    artifact = artifacts.keep("whole")
    artifacts.path(artifact).write_bytes(b"wh")
    assert artifacts.keep("whole") == artifact
    assert artifacts.read(artifact) == b"whole"


def test_a_missing_file_a_changed_file_and_a_wrong_name_are_told_apart(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    artifact = artifacts.keep("evidence")
    artifacts.path(artifact).write_bytes(b"EVIDENCE")
    with pytest.raises(RecordedDataError, match="has changed since"):
        artifacts.read(artifact)
    artifacts.path(artifact).unlink()
    with pytest.raises(RecordedDataError, match="is gone"):
        artifacts.read(artifact)
    with pytest.raises(RecordedDataError, match="names no artifact"):
        artifacts.read(Artifact("../../etc/passwd"))


def test_an_atomic_write_replaces_the_old_text_or_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "progress.json"
    write_atomic(path, "one")
    write_atomic(path, "two")
    assert path.read_text("utf-8") == "two"
    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "\udcff")
    assert path.read_text("utf-8") == "two"
    assert list(path.parent.iterdir()) == [path]
