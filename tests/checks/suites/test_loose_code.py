"""Coverage of code outside packages: in folders without `__init__.py`, and loaded by path."""

from __future__ import annotations

import pytest

from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.suites.coverage import run_options
from setpoint.model.evaluation import Stage
from setpoint.settings import ChecksSettings

TEST = """
import importlib.util, pathlib

def test_tax():
    place = pathlib.Path(__file__).parents[1] / "lib/with space/tax.py"
    spec = importlib.util.spec_from_file_location("tax", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.tax(2) == 2
"""
MORE = "def more(n):\n" + "".join(f"    n += {number}\n" for number in range(6)) + "    return n\n"


@pytest.mark.parametrize(
    ("files", "source"),
    [
        (("shop/__init__.py", "tests/test_a.py"), "shop"),
        (("shop/__init__.py", "lib/a b/tax.py", "tests/test_a.py", "docs/conf.py"), "shop,lib/a b"),
        (("shop.py", "lib/tax.py", "shop/tests/test_b.py", "scripts/x.py"), ".,lib"),
    ],
)
def test_folders_with_code_outside_packages_are_measured(files, source):
    options = run_options(read_layout(files, {}))

    assert f"--source={source}" in options


async def test_changed_lines_count_wherever_the_code_lies(bench):
    files = {
        "shop/__init__.py": "x = 1\n",
        "lib/with space/tax.py": "def tax(n):\n    return n\n",
        "lib/never/loaded.py": "y = 1\n",
        "tests/test_tax.py": TEST,
    }
    made = await bench(files, settings=ChecksSettings(bandit=False, reruns=0, coverage=True))

    await made.measure(Stage.BASE)
    await made.change(
        {"lib/with space/tax.py": f"{files['lib/with space/tax.py']}{MORE}", "lib/never/loaded.py": MORE}
    )
    after = await made.measure(Stage.TEST)

    assert {*after.coverage.uncovered_changed} == {"lib/with space/tax.py", "lib/never/loaded.py"}
    assert (after.coverage.changed_lines or 1.0) < 0.2
