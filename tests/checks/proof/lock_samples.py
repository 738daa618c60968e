"""Lock files of one package, for tests that change it."""

import json
from types import SimpleNamespace

from setpoint.checks.proof.kinds.lock_hosts import lock_hosts
from setpoint.model.stories.story import Story

HOST = "https://packages.example"
AT = "resolved"
URL = f"{HOST}/ms/-/ms-2.1.2.tgz"
FORK = f"{HOST}/ms-fork/-/ms-fork-2.1.2.tgz"


def url(version, name="ms"):
    return f"{HOST}/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"


def npm(version="2.1.2", at=URL, integrity="sha512-good", other="sha512-tape", asked="^2.1.2", **more):
    ms = {"version": version, AT: at, "integrity": integrity, **more}
    tape = {"version": "5.0.0", AT: f"{HOST}/tape/-/tape-5.0.0.tgz", "integrity": other}
    packages = {
        "": {"name": "x", "dependencies": {"ms": asked}},
        "node_modules/ms": ms,
        "node_modules/tape": tape,
    }
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


def pnpm(key="ms@2.1.2", said="integrity: sha512-good", own="2.1.2", asked="^2"):
    return (
        f"lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      ms:\n"
        f"        specifier: {asked}\n        version: {own}\n      near:\n        version: link:../near\n"
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


def judged(path, before, after, manifest="", **story):
    task = SimpleNamespace(story=Story(id="s", title="Change it", **story))
    now = {path: after.encode()} | ({"package.json": manifest.encode()} if manifest else {})
    return lock_hosts(SimpleNamespace(before={path: before.encode()}, after=now, task=task))
