"""Packages that keep their version in a lock file and come from elsewhere, or have other content."""

import pytest

from checks.proof.lock_samples import (
    FORK,
    HOST,
    URL,
    berry,
    cargo,
    go,
    judged,
    npm,
    old_npm,
    old_poetry,
    pipfile,
    pnpm,
    poetry,
    url,
    uv,
    yarn,
)
from setpoint.model.proof import ObligationState

WHEEL = '    {file = "ms-2.1.2-py3-none-any.whl", hash = "sha256:wheel"},\n'
UV_WHEEL = f'    {{ url = "{HOST}/ms-2.1.2-py3-none-any.whl", hash = "sha256:wheel" }},\n'
TO_FORK = "npm:ms-fork@^3"
FORKED = npm("3.0.0", url("3.0.0", "ms-fork"), asked=TO_FORK, name="ms-fork")
FORKED_YARN = yarn("3.0.0", f"{url('3.0.0', 'ms-fork')}#aa", spec=f"ms@{TO_FORK}")
FORKED_BERRY = berry("3.0.0", "ms-fork@npm:3.0.0", spec=f"ms@{TO_FORK}")
FORKED_PNPM = pnpm("ms-fork@3.0.0", own="ms-fork@3.0.0", asked=TO_FORK)
FILE = "file:../ms.tgz"
PLAIN = "http://packages.example/x"
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
    ("yarn.lock", yarn(), yarn("2.1.3", at=f"{url('2.1.3')}#bbbb", integrity="sha512-new")),
    ("yarn.lock", yarn(), f'{berry(checksum="10c0/other")}  dependencies:\n    tape: "npm:^5"\n'),
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
        ("package-lock.json", npm(), FORKED, "ms 3.0.0 is npm:ms-fork@3.0.0"),
        ("package-lock.json", npm(), npm("3.0.0", at=f"git+{HOST}/ms.git#aa"), f"is git+{HOST}/ms.git#aa"),
        ("package-lock.json", npm(), npm("3.0.0", at=FILE, asked=FILE), f"is {FILE}"),
        ("package-lock.json", npm(), npm("3.0.0", at=PLAIN, asked=PLAIN), f"is {PLAIN}"),
        ("yarn.lock", yarn(), FORKED_YARN, "ms 3.0.0 is npm:ms-fork"),
        ("yarn.lock", berry(), FORKED_BERRY, "ms 3.0.0 is npm:ms-fork@npm:3.0.0"),
        ("pnpm-lock.yaml", pnpm(), FORKED_PNPM, "is npm:ms-fork@3.0.0"),
        ("Cargo.lock", cargo(), cargo("3.0.0", f"{GIT}aa"), f"is {GIT}aa"),
        ("uv.lock", uv(), uv("3.0.0", source=f'git = "{HOST}/ms#aa"'), f"is git:{HOST}/ms#aa"),
    ],
)
def test_an_added_package_that_comes_from_no_registry_is_shown(path, before, after, said):
    (found,) = judged(path, before, after)

    assert found.state is ObligationState.MET
    assert said in found.reason
