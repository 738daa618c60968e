"""Every example of docs/how-to/library.md runs as it stands there, on a small project with two bugs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plain_pytest import PLAIN

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/library.md"
EXAMPLES = re.findall(
    r"^## ([^\n]+)\n\n```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
)
REPAIR, CHECK, LOOP = (code for _, code in EXAMPLES)
FILES = {
    "prices.py": (
        'def total(prices):\n    """Add up."""\n    return sum(prices[1:])\n\n\n'
        'def discounted(price, percent):\n    """Take off."""\n    return price + price * percent / 100\n'
    ),
    "test_prices.py": (
        "from prices import discounted, total\n\n\n"
        "def test_total():\n    assert total([1, 2]) == 3\n\n\n"
        "def test_discounted():\n    assert discounted(200, 10) == 180\n"
    ),
    "setpoint.toml": (
        f"[checks]\npython = {json.dumps(sys.executable)}\npytest_args = {json.dumps(PLAIN)}\n"
        "mypy = false\nruff = false\nbandit = false\ncoverage = false\nreruns = 0\n"
    ),
}
GIT = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false")


def git(root, *words):
    return subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def shop(tmp_path):
    root = tmp_path / "shop"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "two bugs")):
        git(root, *words)
    return root


def _run(code, folder):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_page_has_its_examples():
    assert [title.split()[0] for title, _ in EXAMPLES] == ["Repair", "Check", "Answer"]


@pytest.mark.slow
def test_the_repair_ends_in_a_merged_branch(shop):
    done = _run(REPAIR, shop.parent)
    assert (done.returncode, done.stderr) == (0, "")
    kinds, told = done.stdout.splitlines()[:-1], done.stdout.splitlines()[-1]
    assert (kinds[0], kinds[-1]) == ("run.started", "run.finished")
    assert re.fullmatch(rf"verified 2 1\.0 {re.escape(str(shop))}/\.setpoint/runs/run-\w+/report\.html", told)
    assert git(shop, "rev-parse", "HEAD") == git(shop, "rev-parse", "setpoint/make-the-failing-tests-pass")
    assert (shop / "prices.py").read_text() != FILES["prices.py"]


def test_the_check_tells_what_fails_and_exits_as_the_verb_does(shop):
    done = _run(CHECK, shop.parent)
    assert (done.returncode, done.stderr) == (1, "")
    failures = [line.partition(":")[0] for line in done.stdout.splitlines()[:-1]]
    assert failures == ["test_prices.py", "test_prices.py"]
    assert "'tests': 0.0" in done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_the_question_is_answered_inside_the_loop(shop):
    done = _run(LOOP, shop.parent)
    assert (done.returncode, done.stderr) == (0, "")
    asked, told = done.stdout.splitlines()
    limit = "1 of 1 iterations are used up"
    assert asked == f"1 test fails: test_prices.py::test_discounted; {limit}: continue, accept, cancel"
    branch = "setpoint/make-the-failing-tests-pass"
    assert told == f"verified {branch} {git(shop, 'rev-parse', branch)}"
