"""Lock files that disagree with what is declared, by reading."""

import json
from types import SimpleNamespace

import pytest

from setpoint.checks.proof.kinds.lock_hosts import lock_hosts
from setpoint.checks.proof.kinds.locks.pairs import pairs_of
from setpoint.model.proof import ObligationState
from setpoint.model.stories.story import Story

NPM = {"name": "shop", "dependencies": {"left": "^1.0.0"}}
NPM_LOCK = {"packages": {"": {"dependencies": {"left": "^1.0.0"}}, "node_modules/left": {"version": "1.2.0"}}}
UV = '[project]\nname = "Shop"\ndependencies = ["left_pad>=1,<2"]\n'
UV_LOCK = (
    '[[package]]\nname = "left-pad"\nversion = "1.5"\n\n[[package]]\nname = "shop"\n\n'
    '[package.metadata]\nrequires-dist = [{ name = "left-pad", specifier = ">=1,<2" }]\n'
)
GO = "module shop\n\nrequire (\n\texample.org/left v1.0.0\n\texample.org/right v1.0.0 // indirect\n)\n"
GO += "\nreplace example.org/right => ../right\n"
GO_SUM = "example.org/left v1.0.0 h1:a=\nexample.org/left v1.0.0/go.mod h1:b=\n"
CARGO = '[package]\nname = "shop"\n\n[dependencies]\nleft = "1.2"\nright = { version = "0.3" }\n'
CARGO_LOCK = (
    '[[package]]\nname = "left"\nversion = "1.9.0"\n\n[[package]]\nname = "right"\nversion = "0.3.4"\n'
)
PNPM = "importers:\n  .:\n    dependencies:\n      left:\n        specifier: ^1.0.0\n        version: 1.2.0\n"


def said(manifest, declared, lock, locked):
    (pair,) = pairs_of({manifest, lock})
    return pair.differs({manifest: declared, lock: locked})


@pytest.mark.parametrize(
    ("manifest", "declared", "lock", "locked", "old", "new"),
    [
        ("package.json", json.dumps(NPM), "package-lock.json", json.dumps(NPM_LOCK), "^1.0.0", "^2.0.0"),
        ("package.json", json.dumps(NPM), "pnpm-lock.yaml", PNPM, "^1.0.0", "^2.0.0"),
        ("package.json", json.dumps(NPM), "yarn.lock", '"left@^1.0.0":\n  version "1.2.0"\n', "^1", "^2"),
        ("a/pyproject.toml", UV, "a/uv.lock", UV_LOCK, ">=1,<2", ">=2"),
        ("go.mod", GO, "go.sum", GO_SUM, "left v1.0.0", "left v1.1.0"),
        ("Cargo.toml", CARGO, "Cargo.lock", CARGO_LOCK, '"1.2"', '"2"'),
        ("Cargo.toml", CARGO, "Cargo.lock", CARGO_LOCK, '"0.3"', '"0.4"'),
        ("pyproject.toml", UV, "pdm.lock", '[[package]]\nname = "left-pad"\n', "left_pad", "right_pad"),
    ],
)
def test_a_declaration_that_is_not_locked_is_named(manifest, declared, lock, locked, old, new):
    assert said(manifest, declared, lock, locked) == []
    assert said(manifest, declared.replace(old, new), lock, locked)


def test_a_lock_file_that_cannot_be_read_is_not_compared():
    assert said("package.json", "{", "package-lock.json", "{}") is None


@pytest.mark.parametrize(
    ("after", "named"),
    [
        ('url = "https://evil.example/a.tgz"', ["evil.example"]),
        ('url = "https://packages.example/b.tgz"', []),
    ],
)
def test_a_lock_file_that_takes_packages_from_elsewhere_is_named(after, named):
    before = {"poetry.lock": b'url = "https://packages.example/a.tgz"'}
    task = SimpleNamespace(story=Story(id="s", title="Change it"))
    changed = {"poetry.lock": after.encode(), "a.js": b"https://x.y"}
    subject = SimpleNamespace(before=before, after=changed, task=task)

    found = lock_hosts(subject)

    assert [each.state for each in found] == [ObligationState.NOT_MET] * len(named)
    assert all(host in found[0].reason for host in named)
