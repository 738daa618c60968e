"""Whether a failure of a command is about the project, told from real programs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from setpoint.checks.tools.unrelated import unrelated
from setpoint.system.processes import Command, clean_environment, run

SHOP = {
    "shop.py": "def total(values):\n    return sum(values)\n",
    "pages/__init__.py": "",
    "test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 2\n",
    "check.sh": "echo the total is wrong\nexit 3\n",
    "package.json": '{"name": "shop", "version": "1.0.0"}\n',
    "shop.test.js": 'require("node:test")("total", () => {});\n',
    "README.md": "A shop.\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in SHOP.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for argv in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qma")):
        subprocess.run(("git", *argv), cwd=tmp_path, check=True)
    return tmp_path


async def told(tree: Path, command: str) -> bool:
    asked = Command(
        argv=("/bin/sh", "-c", command), cwd=tree, environment=clean_environment(), timeout_s=60.0
    )
    done = await run(asked)
    assert not done.ok
    said = await unrelated(done, "HEAD")
    assert {path: (tree / path).read_text() for path in SHOP} == SHOP
    return said


@pytest.mark.parametrize(
    "command",
    [
        f"{sys.executable} -m no_such_module",
        f"{sys.executable} check_shop.py",
        "sh -c 'echo nothing is right; exit 1'",
        pytest.param(
            "node --import=no-such-loader --test",
            marks=pytest.mark.skipif(not shutil.which("node"), reason=""),
        ),
    ],
)
async def test_what_loads_no_file_is_unrelated(tree: Path, command: str) -> None:
    assert await told(tree, command)


@pytest.mark.parametrize(
    "command",
    [
        f"{sys.executable} -m pytest -q -p no:cacheprovider test_shop.py",
        f"{sys.executable} -c 'from shop import mean'",
        f"{sys.executable} -c 'import shop; shop.mean([1])'",
        f"{sys.executable} -m pages.report",
        "sh check.sh",
        "grep -q mean README.md",
        "test -f docs/mean.md",
    ],
)
async def test_what_loads_a_file_or_prints_nothing_is_not(tree: Path, command: str) -> None:
    assert not await told(tree, command)
