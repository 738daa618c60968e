import json

import pytest

from setpoint.checks.proof.kinds.manifests.entry_points import all_entries
from setpoint.model.proof import ObligationState

NPM = {"name": "a", "scripts": {"test": "node --test", "build": "tsc"}}


def _npm(**scripts):
    return json.dumps({**NPM, "scripts": {**NPM["scripts"], **scripts}})


ADDED = [
    ("package.json", _npm(), _npm(postinstall="node x.js"), ["postinstall"]),
    ("package.json", _npm(), _npm(prebuild="rm -r out"), ["prebuild"]),
    ("package.json", _npm(prepare="husky"), _npm(prepare="husky; sh x"), ["prepare"]),
    ("package.json", _npm(), _npm(lint="eslint"), []),
    ("package.json", "{}", '{"name": "a", "bin": "./a.js"}', ["a"]),
    ("pyproject.toml", "", '[project.scripts]\na = "b:main"\n', ["a"]),
    (
        "pyproject.toml",
        "",
        '[build-system]\nbuild-backend = "own"\nbackend-path = ["."]\n',
        ["build-backend"],
    ),
    ("pyproject.toml", "", '[tool.hatch.build.hooks.custom]\npath = "x.py"\n', ["hatch.build.hooks"]),
    ("pyproject.toml", "", '[project]\nversion = "1"\n', []),
    ("setup.cfg", "", "[options.entry_points]\nconsole_scripts =\n    a = b:main\n", ["a"]),
    ("setup.py", "setup(version='1')\n", "import os\nos.system('x')\nsetup(version='2')\n", ["setup.py"]),
    ("setup.py", "setup()\n", "setup(cmdclass={'install': Own})\n", ["cmdclass"]),
    ("setup.py", "setup()\n", "text = open('README').read()\nsetup(description=text.strip())\n", []),
    ("build.rs", "", "fn main() { run() }\n", ["build.rs"]),
    ("Cargo.toml", "", '[package]\nbuild = "own.rs"\n', ["build"]),
    ("a.go", "package a\n", "package a\n\n//go:generate sh x\n", ["go:generate"]),
    (".husky/pre-commit", "", "sh x\n", [".husky/pre-commit"]),
]


@pytest.mark.parametrize(("path", "before", "after", "names"), ADDED)
def test_what_tools_run_by_themselves_is_read(path, before, after, names):
    old = set(all_entries({path: before.encode()} if before else {}))
    assert [each.name for each in all_entries({path: after.encode()}) if each not in old] == names


BASE = {"pkg/__init__.py": "", "pkg/a.py": "def run():\n    print(3)\n", "pyproject.toml": ""}
CALLED = '[project.scripts]\nshop-sum = "pkg.{}"\n'


@pytest.mark.parametrize(
    ("title", "manifest", "reason"),
    [
        ("Add a console script shop-sum", CALLED.format("a:run"), ""),
        ("Add a console script shop-sum", CALLED.format("b:run"), "names pkg.b:run, which is not there"),
        ("Add a console script shop-sum", CALLED.format("a:start"), "names pkg.a:start, which is not there"),
        ("Bump the version to 2", CALLED.format("a:run"), "the request does not speak of it"),
    ],
)
async def test_a_new_command_is_asked_for_and_leads_to_code(obligations, title, manifest, reason):
    made = await obligations(BASE, {"pyproject.toml": manifest}, title)
    found = made["entries"]
    assert found.state is (ObligationState.NOT_MET if reason else ObligationState.MET)
    assert reason in found.reason
