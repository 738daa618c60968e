"""The sample project of `setpoint demo` is broken in exactly the way that the demo tells."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

from house.source import SAMPLE

FIXES = (
    ("src/corner_shop/discounts.py", "if pieces > least:", "if pieces >= least:"),
    ("src/corner_shop/basket.py", "price + quantity_discount", "price - quantity_discount"),
)


def _red(root):
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rf"],
        cwd=root,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout
    return [line.split()[1].split("::")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")]


def test_two_independent_edits_mend_it_one_after_the_other(tmp_path):
    root = tmp_path / "shop"
    shutil.copytree(SAMPLE, root)
    found = [_red(root)]
    for file, wrong, right in FIXES:
        path = root / file
        text = path.read_text("utf-8")
        assert text.count(wrong) == 1
        path.write_text(text.replace(wrong, right), "utf-8")
        found.append(_red(root))
    assert found == [
        ["tests/test_basket.py", "tests/test_discounts.py", "tests/test_discounts.py"],
        ["tests/test_basket.py"],
        [],
    ]


def test_it_holds_one_finding_of_lint_and_no_repository(tmp_path):
    root = tmp_path / "shop"
    shutil.copytree(SAMPLE, root)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=json", "."],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert [finding["code"] for finding in json.loads(done.stdout)] == ["F401"]
    assert not (SAMPLE / ".git").exists()
