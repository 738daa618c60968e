"""Packages that keep their version in a lock file and come from elsewhere, or have other content."""

import json
from types import SimpleNamespace

import pytest

from setpoint.checks.proof.kinds.lock_hosts import lock_hosts
from setpoint.model.proof import ObligationState
from setpoint.model.stories.story import Story

HOST = "https://packages.example"
AT = "resolved"
URL = f"{HOST}/ms/-/ms-2.1.2.tgz"
FORK = f"{HOST}/ms-fork/-/ms-fork-2.1.2.tgz"


def npm(version="2.1.2", at=URL, integrity="sha512-good", other="sha512-tape", **more):
    ms = {"version": version, AT: at, "integrity": integrity, **more}
    tape = {"version": "5.0.0", AT: f"{HOST}/tape/-/tape-5.0.0.tgz", "integrity": other}
    packages = {"": {"name": "x"}, "node_modules/ms": ms, "node_modules/tape": tape}
    return json.dumps({"lockfileVersion": 3, "packages": packages})


def old_npm(version="2.1.2", at=URL, integrity="sha512-good"):
    inner = {"ms": {"version": version, AT: at, "integrity": integrity}}
    return json.dumps(
        {"lockfileVersion": 1, "dependencies": {"tape": {"version": "5.0.0", "dependencies": inner}}}
    )


def yarn(version="2.1.2", at=f"{URL}#aaaa", integrity="sha512-good", spec="ms@^2.1.2"):
    return (
        f'# yarn lockfile v1\n\n\n"@a/b@^1", "@a/b@^1.0":\n  version "1.0.0"\n\n"{spec}":\n'
        f'  version "{version}"\n  {AT} "{at}"\n  integrity {integrity}\n  dependencies:\n    tape "^5"\n'
    )


def berry(version="2.1.2", place="ms@npm:2.1.2", checksum="10c0/good", spec="ms@npm:^2.1.2"):
    return (
        f'__metadata:\n  version: 8\n\n"{spec}, {spec}.0":\n  version: {version}\n  resolution: "{place}"\n'
        f"  checksum: {checksum}\n  languageName: node\n  linkType: hard\n"
    )


def pnpm(key="ms@2.1.2", said="integrity: sha512-good", own="2.1.2"):
    return (
        f"lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      ms:\n        specifier: ^2\n"
        f"        version: {own}\n      near:\n        version: link:../near\n"
        f"packages:\n  {key}:\n    resolution: {{{said}}}\n"
    )


def cargo(version="2.1.2", source=f"registry+{HOST}/index", checksum="aaaa"):
    return (
        f'[[package]]\nname = "ms"\nversion = "{version}"\nsource = "{source}"\nchecksum = "{checksum}"\n'
        '\n[[package]]\nname = "own"\nversion = "0.1.0"\n'
    )


def go(version="v2.1.2", digest="good="):
    return f"example.org/ms {version} h1:{digest}\nexample.org/ms {version}/go.mod h1:mod=\n"


def poetry(version="2.1.2", digest="good", more="", source=""):
    return (
        f'[[package]]\nname = "ms"\nversion = "{version}"\nfiles = [\n'
        f'    {{file = "ms-{version}.tar.gz", hash = "sha256:{digest}"}},\n{more}]\n{source}'
    )


def old_poetry(digest="good"):
    return (
        '[[package]]\nname = "ms"\nversion = "2.1.2"\n\n[metadata.files]\n'
        f'ms = [{{file = "ms-2.1.2.tar.gz", hash = "sha256:{digest}"}}]\n'
    )


def uv(version="2.1.2", digest="good", more="", source=f'registry = "{HOST}/simple"'):
    return (
        f'[[package]]\nname = "ms"\nversion = "{version}"\nsource = {{ {source} }}\n'
        f'sdist = {{ url = "{HOST}/ms-{version}.tar.gz", hash = "sha256:{digest}", size = 3 }}\n'
        f"wheels = [\n{more}]\n"
    )


def pipfile(version="2.1.2", hashes=("sha256:aa", "sha256:bb"), **more):
    ms = {"version": f"=={version}", "hashes": [*hashes], **more}
    return json.dumps(
        {"_meta": {"sources": [{"name": "pypi", "url": HOST}]}, "default": {"ms": ms}, "develop": {}}
    )


WHEEL = '    {file = "ms-2.1.2-py3-none-any.whl", hash = "sha256:wheel"},\n'
UV_WHEEL = f'    {{ url = "{HOST}/ms-2.1.2-py3-none-any.whl", hash = "sha256:wheel" }},\n'
GIT = f"git+{HOST}/ms?branch=main#"
MOVED = [
    ("package-lock.json", npm(), npm(at=FORK), "address"),
    ("package-lock.json", npm(), npm(integrity="sha512-evil"), "hash"),
    ("package-lock.json", npm(), npm(at=FORK, integrity="sha512-evil"), "address and hash"),
    ("package-lock.json", npm(), npm(integrity="sha512-good sha512-evil"), "hash"),
    ("package-lock.json", npm(), npm(integrity=""), "hash"),
    ("package-lock.json", npm(), npm(name="ms-fork"), "address"),
    ("package-lock.json", npm(at=""), npm(at=FORK), "address"),
    ("package-lock.json", npm(integrity="sha1-a", other="sha1-b"), npm(other="sha1-b"), "hash"),
    ("package-lock.json", npm(), npm(integrity="sha1-a", other="sha1-b"), "hash"),
    ("web/npm-shrinkwrap.json", old_npm(), old_npm(at=FORK), "address"),
    ("package-lock.json", old_npm(), old_npm(version="npm:ms-fork@2.1.2"), "address"),
    ("yarn.lock", yarn(), yarn(at=f"{FORK}#aaaa"), "address"),
    ("yarn.lock", yarn(), yarn(at=f"{URL}#bbbb"), "hash"),
    ("yarn.lock", yarn(), yarn(integrity="sha512-evil"), "hash"),
    ("yarn.lock", yarn(), yarn(spec="ms@npm:ms-fork@^2.1.2"), "address"),
    ("yarn.lock", berry(), berry(place="ms-fork@npm:2.1.2"), "address"),
    ("yarn.lock", berry(), berry(checksum="10c0/evil"), "hash"),
    ("pnpm-lock.yaml", pnpm(), pnpm(said="integrity: sha512-evil"), "hash"),
    ("pnpm-lock.yaml", pnpm(), pnpm(said=f"integrity: sha512-good, tarball: '{FORK}'"), "address"),
    ("pnpm-lock.yaml", pnpm("/ms/2.1.2"), pnpm("/ms/2.1.2", said="integrity: sha512-evil"), "hash"),
    ("Cargo.lock", cargo(), cargo(checksum="bbbb"), "hash"),
    ("Cargo.lock", cargo(), cargo(source=f"registry+{HOST}/other"), "address"),
    ("Cargo.lock", cargo(source=f"{GIT}aa"), cargo(source=f"{GIT}bb"), "address"),
    ("go.sum", go(), go(digest="evil="), "hash"),
    ("poetry.lock", poetry(), poetry(digest="evil"), "hash"),
    (
        "poetry.lock",
        poetry(),
        poetry(source=f'[package.source]\ntype = "legacy"\nurl = "{HOST}"\n'),
        "address",
    ),
    ("poetry.lock", old_poetry(), old_poetry("evil"), "hash"),
    ("uv.lock", uv(), uv(digest="evil"), "hash"),
    ("uv.lock", uv(), uv(source=f'git = "{HOST}/ms#aa"'), "address"),
    ("pdm.lock", poetry(), poetry(digest="evil"), "hash"),
    ("Pipfile.lock", pipfile(), pipfile(hashes=["sha256:aa", "sha256:cc"]), "hash"),
    ("Pipfile.lock", pipfile(), pipfile(git=f"{HOST}/ms", ref="aa"), "address"),
]
HONEST = [
    ("package-lock.json", npm(), npm("2.1.3", at=URL.replace("2.1.2", "2.1.3"), integrity="sha512-new")),
    ("package-lock.json", npm(integrity="sha1-a", other="sha1-b"), npm()),
    ("package-lock.json", npm(integrity="sha1-a"), npm()),
    ("package-lock.json", npm(integrity="", other=""), npm()),
    ("package-lock.json", npm(at=""), npm()),
    ("package-lock.json", npm(), npm(at="")),
    ("package-lock.json", old_npm(), npm()),
    ("yarn.lock", yarn(), yarn("2.1.3", at=f"{URL}#bbbb", integrity="sha512-new")),
    ("yarn.lock", yarn(), berry(checksum="10c0/other")),
    ("yarn.lock", berry(checksum="8/other"), berry()),
    ("yarn.lock", berry(place="ms@patch:ms@npm%3A2.1.2#a"), berry(place="ms@patch:ms@npm%3A2.1.2#b")),
    ("pnpm-lock.yaml", pnpm("/ms/2.1.2"), pnpm()),
    ("pnpm-lock.yaml", pnpm(), pnpm("ms@2.1.3", "integrity: sha512-new", "2.1.3")),
    ("pnpm-lock.yaml", pnpm(), pnpm(own="2.1.2(a@1.0.0)")),
    ("pnpm-lock.yaml", pnpm(), pnpm(own="2.1.2_a@1.0.0")),
    ("Cargo.lock", cargo(), cargo("2.1.3", checksum="bbbb")),
    ("go.sum", go(), go() + go("v2.1.3", "new=")),
    ("poetry.lock", poetry(), poetry(more=WHEEL)),
    ("poetry.lock", old_poetry(), poetry()),
    ("poetry.lock", poetry(), poetry("2.1.3", "new")),
    ("uv.lock", uv(), uv(more=UV_WHEEL)),
    ("uv.lock", uv(), uv("2.1.3", "new")),
    ("Pipfile.lock", pipfile(), pipfile(hashes=["sha256:aa", "sha256:bb", "sha256:cc"])),
    ("Pipfile.lock", pipfile(), pipfile(index="pypi")),
    ("Pipfile.lock", pipfile(), pipfile("2.1.3", ["sha256:cc"])),
    ("package-lock.json", npm(), "{"),
    ("uv.lock", uv(), "["),
]


def judged(path, before, after, **story):
    wanted = Story(id="s", title="Change it", **story)
    task = SimpleNamespace(story=wanted)
    return lock_hosts(
        SimpleNamespace(before={path: before.encode()}, after={path: after.encode()}, task=task)
    )


@pytest.mark.parametrize(("path", "before", "after", "what"), MOVED)
def test_an_unchanged_version_from_elsewhere_is_named(path, before, after, what):
    (found,) = judged(path, before, after)

    assert found.state is ObligationState.NOT_MET
    assert f" has another {what}" in found.reason
    assert "ms 2.1.2" in found.reason or "ms v2.1.2" in found.reason
    assert "own" not in found.reason


@pytest.mark.parametrize(("path", "before", "after"), HONEST)
def test_upgrades_and_newer_tools_are_left(path, before, after):
    assert judged(path, before, after) == ()


def test_a_released_lock_file_is_left():
    assert judged("package-lock.json", npm(), npm(at=FORK), may_change=("package-lock.json",)) == ()


@pytest.mark.parametrize(
    ("path", "before", "after", "said"),
    [
        ("package-lock.json", npm(), npm("3.0.0", name="ms-fork"), "ms 3.0.0 is npm:ms-fork@3.0.0"),
        ("package-lock.json", npm(), npm("3.0.0", at=f"git+{HOST}/ms.git#aa"), f"is git+{HOST}/ms.git#aa"),
        ("package-lock.json", npm(), npm("3.0.0", at="file:../ms.tgz"), "is file:../ms.tgz"),
        (
            "package-lock.json",
            npm(),
            npm("3.0.0", at="http://packages.example/x"),
            "is http://packages.example/x",
        ),
        ("yarn.lock", yarn(), yarn("3.0.0", spec="ms@npm:ms-fork@^3"), "ms 3.0.0 is npm:ms-fork"),
        ("yarn.lock", berry(), berry("3.0.0", "ms-fork@npm:3.0.0"), "ms 3.0.0 is npm:ms-fork@npm:3.0.0"),
        ("pnpm-lock.yaml", pnpm(), pnpm("ms-fork@3.0.0", own="ms-fork@3.0.0"), "is npm:ms-fork@3.0.0"),
        ("Cargo.lock", cargo(), cargo("3.0.0", f"{GIT}aa"), f"is {GIT}aa"),
        ("uv.lock", uv(), uv("3.0.0", source=f'git = "{HOST}/ms#aa"'), f"is git:{HOST}/ms#aa"),
    ],
)
def test_an_added_package_that_comes_from_no_registry_is_shown(path, before, after, said):
    (found,) = judged(path, before, after)

    assert found.state is ObligationState.MET
    assert said in found.reason
