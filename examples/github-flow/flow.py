"""Show the whole way on a fake GitHub: label, pull request, review, rework, approval, merge, learning.

Everything is real but the forge and the agent: git over HTTP, Setpoint's runs and checks. It takes four
to six minutes, needs no network, and leaves nothing behind; `--keep FOLDER` keeps the repositories.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from setpoint.testing.forge import FakeForge

HERE = Path(__file__).resolve().parent
FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": '"""Prices."""\n\n\ndef total(prices: list[int]) -> int:\n'
    '    """Return the sum of the prices."""\n    return sum(prices)\n',
    "tests/test_prices.py": "from shop.prices import total\n\n\n"
    "def test_total():\n    assert total([1, 2]) == 3\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0"\n\n[tool.pytest.ini_options]\n'
    'pythonpath = ["."]\n',
}


def settings(forge: FakeForge) -> str:
    """Write the settings of the example: the fake forge, and an agent that is a small program."""
    agent = f'command = ["{sys.executable}", "{HERE / "agent.py"}"]'
    return (
        f'[agents]\nmaker = "example"\n\n[agent.example]\n{agent}\n\n'
        f'[forge]\nkind = "github"\napi_url = "{forge.api_url}"\nrepository = "{forge.repository}"\n'
        'into = "main"\npoll_s = 5\n'
    )


def setpoint(clone: Path, forge: FakeForge, *words: str) -> str:
    """Run a verb of Setpoint in the clone, as the person at the terminal does."""
    environment = {**os.environ, "FORGE_TOKEN": forge.token}
    command = [sys.executable, "-m", "setpoint", *words]
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    print("\n".join(f"    {line}" for line in done.stdout.splitlines()))
    if done.returncode:
        raise SystemExit(f"`setpoint {' '.join(words)}` failed:\n{done.stderr}")
    return done.stdout


def told(text: str) -> None:
    """Print a step."""
    print(f"\n== {text}", flush=True)


def flow(folder: Path) -> None:
    """Go the whole way once."""
    with FakeForge(folder / "forge", files=FILES) as forge:
        forge.people["ana"] = "write"
        clone = folder / "clone"
        subprocess.run(["git", "clone", "-q", forge.clone_url_as(forge.token), str(clone)], check=True)
        for name, value in (("user.name", "Olga"), ("user.email", "olga@example.com")):
            subprocess.run(["git", "config", name, value], cwd=clone, check=True)
        (clone / "setpoint.toml").write_text(settings(forge), encoding="utf-8")

        told("ana opens an issue and puts the label `setpoint` on it")
        text = "Add `total_with_discount(prices, discount)` to `shop/prices.py`: the sum, less a discount."
        issue = forge.open_issue("Add totals with a discount", text, by="ana")
        forge.label(issue.number, "setpoint", by="ana")
        setpoint(clone, forge, "forge", "watch", "--until-idle")
        pull = forge.pulls()[0]
        print(pull.body)

        told("a third party comments; nobody listens")
        forge.comment(pull.number, "/setpoint cancel", by="mallory")

        told("ana asks for a change on a line")
        remark = "A negative discount must be refused with a ValueError."
        line = [("shop/prices.py", 11, remark)]
        forge.review(pull.number, "changes_requested", "Nearly.", comments=line, by="ana")
        setpoint(clone, forge, "forge", "watch", "--until-idle")

        told("ana approves and merges")
        forge.review(pull.number, "approved", "", by="ana")
        forge.merge(pull.number, by="ana")
        setpoint(clone, forge, "forge", "watch", "--until-idle")

        told("what is recorded")
        setpoint(clone, forge, "forge", "status")
        setpoint(clone, forge, "feedback", "list")
        setpoint(clone, forge, "learn", "list")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="folder to work in, which stays")
    folder = parser.parse_args().keep
    if folder is not None:
        folder.mkdir(parents=True)
        flow(folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        flow(Path(temporary))


main()
