"""New entries of lock files: whose archive they name, and whether they have a hash as the others do."""

import json
import re

import pytest

from checks.proof.lock_samples import (
    AT,
    HOST,
    berry,
    cargo,
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
from setpoint.checks.proof.kinds.locks.named import names_package, names_python_package
from setpoint.model.proof import ObligationState

EVIL = url("1.0.0", "evil")
CODE = f"{HOST}/owner/ms/tar.gz/aabbcc"


def evil(text, version="3.0.0", name="ms"):
    """Name the files of another package."""
    return text.replace(f"{name}-{version}", f"evil-{version}")


def beside(entries):
    return npm().replace('"node_modules/tape"', f'{json.dumps(entries)[1:-1]}, "node_modules/tape"')


def scoped(at):
    return beside({"node_modules/@s/p": {"version": "1.1.0", AT: at, "integrity": "sha512-new"}})


def workspace():
    own = {"version": "1.0.0"}
    return beside({"node_modules/near": {AT: "packages/near", "link": True}, "packages/near": own})


def bundled(place="node_modules/ms/node_modules/inner"):
    return beside({place: {"version": "1.0.0", "inBundle": True}})


def two_cargo(checksum):
    other = f'[[package]]\nname = "b"\nversion = "1.0.0"\nsource = "registry+{HOST}/index"\n'
    return f"{cargo()}\n{other}{checksum}"


def bare(text, what):
    """Leave the last line, or part, out that begins so."""
    before, _, after = text.rpartition(what)
    return before + after.partition("\n")[2]


OTHER = f"git+{HOST}/owner/other.git#aa"
FOR_ONE_SYSTEM = '\n"a@npm:^1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n  conditions: os=x\n'
BLOBS = npm(at=f"{HOST}/blob/1").replace(url("5.0.0", "tape"), f"{HOST}/blob/3")
OF_OTHERS = [
    ("package-lock.json", npm(), npm("3.0.0", EVIL), EVIL),
    ("package-lock.json", npm(), npm("3.0.0", url("2.0.0")), "ms-2.0.0.tgz"),
    ("package-lock.json", npm(), npm("3.0.0", f"{HOST}/ms/evil/-/evil-3.0.0.tgz"), "evil-3.0.0.tgz"),
    ("package-lock.json", npm(), npm("3.0.0", url("3.0.0", "@evil/ms")), "@evil/ms"),
    ("package-lock.json", npm(), npm("3.0.0", url("3.0.0", "evil"), name="evil"), "npm:evil"),
    ("package-lock.json", npm(), npm("3.0.0", EVIL, asked="npm:ms-fork@^3", name="ms-fork"), EVIL),
    ("package-lock.json", npm(), npm("3.0.0", f"git+{HOST}/x/evil.git#aa"), "evil.git#aa"),
    ("package-lock.json", npm(), scoped(url("1.1.0", "p")), "/p/-/p-1.1.0.tgz"),
    ("package-lock.json", old_npm(), old_npm("3.0.0", EVIL), EVIL),
    ("yarn.lock", yarn(), yarn("3.0.0", EVIL), EVIL),
    ("yarn.lock", yarn(), yarn("3.0.0", f"{EVIL}#aa", spec="ms@npm:ms-fork@^3"), EVIL),
    ("yarn.lock", yarn(), yarn("3.0.0", f"{HOST}/x/evil/tar.gz/aa", spec="ms@owner/ms"), "x/evil"),
    ("yarn.lock", berry(), berry("3.0.0", "evil@npm:3.0.0"), "evil@npm:3.0.0"),
    ("yarn.lock", berry(), berry("3.0.0", f"ms@npm:3.0.0::__archiveUrl={EVIL}"), EVIL),
    ("yarn.lock", berry(), berry("3.0.0", "ms@patch:evil@npm%3A3.0.0#a"), "patch:evil"),
    ("pnpm-lock.yaml", pnpm(), pnpm("ms@3.0.0", f"integrity: sha512-a, tarball: '{EVIL}'", "3.0.0"), EVIL),
    ("pnpm-lock.yaml", pnpm(), pnpm("evil@3.0.0", own="evil@3.0.0"), "npm:evil"),
    ("poetry.lock", poetry(), evil(poetry("3.0.0")), "evil-3.0.0.tar.gz"),
    ("poetry.lock", old_poetry(), evil(old_poetry(), "2.1.2"), "evil-2.1.2.tar.gz"),
    ("pdm.lock", poetry(), evil(poetry("3.0.0")), "evil-3.0.0.tar.gz"),
    ("uv.lock", uv(), evil(uv("3.0.0")), "evil-3.0.0.tar.gz"),
]
WITHOUT_HASH = [
    ("package-lock.json", npm(), npm("3.0.0", url("3.0.0"), integrity="")),
    ("package-lock.json", npm(other=""), npm("3.0.0", url("3.0.0"), "", other="")),
    ("package-lock.json", npm(), bundled("node_modules/inner")),
    ("yarn.lock", yarn(), yarn("3.0.0", url("3.0.0"), integrity="")),
    ("yarn.lock", yarn(), yarn("3.0.0", f"{url('3.0.0')}#aaaa", integrity="")),
    ("yarn.lock", berry(), bare(berry("3.0.0", "ms@npm:3.0.0"), "  checksum")),
    ("pnpm-lock.yaml", pnpm(), pnpm("ms@3.0.0", "cpu: x64", "3.0.0")),
    ("Cargo.lock", cargo(), two_cargo("")),
    ("poetry.lock", poetry(), re.sub(r"\n +{file.*", "", poetry("3.0.0"))),
    ("uv.lock", uv(), uv("3.0.0").replace(', hash = "sha256:good"', "")),
    ("Pipfile.lock", pipfile(), pipfile("3.0.0", ())),
]
HONEST = [
    ("package-lock.json", npm(), npm("3.0.0", url("3.0.0"))),
    ("package-lock.json", npm(), npm("3.0.0", f"{HOST}/npm/all/ms/-/ms-3.0.0.tgz")),
    ("package-lock.json", npm(), npm("3.0.0", f"{HOST}/ms/download/ms-3.0.0.tgz?cache=0")),
    ("package-lock.json", npm(), npm("3.0.0+build", url("3.0.0"))),
    ("package-lock.json", npm(integrity=""), npm("3.0.0", url("3.0.0"), "")),
    ("package-lock.json", npm(), scoped(url("1.1.0", "@s/p"))),
    ("package-lock.json", npm(), scoped(f"{HOST}/@s%2fp/-/p-1.1.0.tgz")),
    ("package-lock.json", npm(), scoped(f"{HOST}/@s/p/-/@s/p-1.1.0.tgz")),
    ("package-lock.json", npm(), scoped(f"{HOST}/download/@s/p/1.1.0/aabbcc")),
    ("package-lock.json", npm(), bundled()),
    ("package-lock.json", npm(integrity="", other=""), npm("3.0.0", url("3.0.0"), "", other="")),
    ("yarn.lock", yarn(), yarn("3.0.0", f"{url('3.0.0')}#aa")),
    ("yarn.lock", yarn(), yarn("3.0.0", "ms-3.0.0.tgz#aa")),
    ("yarn.lock", berry(), berry("3.0.0", "ms@npm:3.0.0")),
    ("yarn.lock", berry(), berry("0.0.0-use.local", "ms@workspace:ms", spec="ms@workspace:*")),
    ("yarn.lock", berry(), berry() + FOR_ONE_SYSTEM),
    ("pnpm-lock.yaml", pnpm(), pnpm("ms@3.0.0", own="3.0.0")),
    ("Cargo.lock", cargo(), two_cargo('checksum = "bb"\n')),
    ("poetry.lock", poetry(), poetry("3.0.0", "new")),
    ("Pipfile.lock", pipfile(), pipfile("3.0.0", ["sha256:cc"])),
]
SHOWN = [
    ("package-lock.json", BLOBS, BLOBS.replace("2.1.2", "3.0.0").replace("blob/1", "blob/2"), ""),
    ("package-lock.json", npm(), npm("3.0.0", CODE, asked="owner/ms"), ""),
    ("package-lock.json", npm(), npm("3.0.0", OTHER, "", asked="owner/other"), ""),
    ("package-lock.json", npm(), workspace(), ""),
    ("package-lock.json", npm(), npm("3.0.0", EVIL), f'{{"overrides": {{"ms": "{EVIL}"}}}}'),
    (
        "package-lock.json",
        npm(),
        npm("3.0.0", url("3.0.0", "other"), name="other"),
        '{"overrides": {"ms": "npm:other@3"}}',
    ),
    ("yarn.lock", yarn(), yarn("3.0.0", CODE, "", spec="ms@owner/ms#v3"), ""),
    ("yarn.lock", berry(), berry("3.0.0", f"ms@{HOST}/owner/x.git#commit=aa", spec="ms@owner/x"), ""),
    ("pnpm-lock.yaml", pnpm(), pnpm(f"ms@{CODE}", f"tarball: {CODE}", CODE, asked="owner/ms"), ""),
]


@pytest.mark.parametrize(("path", "before", "after", "said"), OF_OTHERS)
def test_an_entry_that_names_the_archive_of_another_package_is_sent_back(path, before, after, said):
    (found,) = judged(path, before, after)

    assert found.state is ObligationState.NOT_MET
    assert "is taken from" in found.reason
    assert said in found.reason


@pytest.mark.parametrize(("path", "before", "after"), WITHOUT_HASH)
def test_a_new_entry_without_a_hash_is_sent_back(path, before, after):
    (found,) = judged(path, before, after)

    assert found.state is ObligationState.NOT_MET
    assert "has no hash, though the other packages have one" in found.reason


@pytest.mark.parametrize(("path", "before", "after"), HONEST)
def test_honest_entries_are_left(path, before, after):
    assert before != after
    assert judged(path, before, after) == ()


@pytest.mark.parametrize(("path", "before", "after", "manifest"), SHOWN)
def test_a_place_or_an_alias_that_is_required_is_shown(path, before, after, manifest):
    (found,) = judged(path, before, after, manifest)

    assert found.state is ObligationState.MET


def test_an_alias_that_another_package_requires_does_not_excuse_this_one():
    after = npm("3.0.0", url("3.0.0", "evil"), name="evil")
    (found,) = judged("package-lock.json", npm(), after, '{"overrides": {"x": "npm:evil-twin@1"}}')

    assert found.state is ObligationState.NOT_MET


@pytest.mark.parametrize(
    ("file", "name", "version", "right"),
    [
        ("Foo_Bar-1.0.tar.gz", "foo-bar", "1.0", True),
        ("foo_bar-1.0-py3-none-any.whl", "Foo.Bar", "1.0.0", True),
        ("foo-1.0.0-rc1.tar.gz", "foo", "1.0.0rc1", True),
        ("foo-1.0%2Bcu118-cp311-none-linux.whl", "foo", "1.0+cu118", True),
        ("foo-1!2.0.zip", "foo", "1!2.0", True),
        ("foo_bar-1.0.tar.gz", "foo", "1.0", False),
        ("foo-1.0.tar.gz", "foo-bar", "1.0", False),
        ("foo-0.9.tar.gz", "foo", "1.0", False),
    ],
)
def test_files_of_python_packages_are_named_in_any_spelling(file, name, version, right):
    assert names_python_package(file, name, version) is right


@pytest.mark.parametrize(
    ("address", "name", "right"),
    [
        (url("1.0.0", "a"), "a", True),
        (url("1.0.0", "a-b"), "a", False),
        (url("1.0.0", "b-a"), "a", False),
        (f"{HOST}/a/-/a-1.0.0.tgz/evil-1.0.0.tgz", "a", False),
        (f"{HOST}/files/@x/a-1.0.0.tgz", "a", False),
        ("@s-p-1.0.0.tgz", "@s/p", True),
        ("git+ssh://git@h/owner/a.git#aa", "a", True),
    ],
)
def test_an_address_names_one_package(address, name, right):
    assert names_package(address, name, "1.0.0") is right
