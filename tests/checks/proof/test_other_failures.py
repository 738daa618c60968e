"""Failures that vanish beside the one that the tests show."""

import pytest

from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
SIZES = """
UNITS = {"k": 1024, "M": 1048576}


def size(text):
    if not text:
        raise ValueError("nothing to read")
    number, unit = text[:-1], text[-1:]
    return int(number) * UNITS[unit]
"""
TEST = """
import shop


def test_size():
    assert shop.size("12k") == 12288


def test_without_a_known_unit():
    assert shop.size("12x") == 0
"""
BASE = {"shop.py": SIZES, "tests/test_shop.py": TEST}
WISH = "Make the failing test pass."
RIGHT = SIZES.replace("UNITS[unit]", "UNITS.get(unit, 0)")
SWALLOWED = SIZES.replace(
    "    return int(number) * UNITS[unit]",
    "    try:\n        return int(number) * UNITS[unit]\n    except Exception:\n        return 0",
)
UNGUARDED = RIGHT.replace('        raise ValueError("nothing to read")\n', "        return 0\n")


async def test_a_repair_removes_the_failure_that_its_test_shows(obligations):
    said = (await obligations(BASE, {"shop.py": RIGHT}, WISH))["other failures"]

    assert said.state is MET


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (SWALLOWED, "raises ValueError (invalid literal for int()"),
        (UNGUARDED, "size('') raises ValueError (nothing to read) at the base, and gives 0 now"),
    ],
    ids=["swallowed", "unguarded"],
)
async def test_other_failures_that_vanish_are_named(obligations, change, words):
    said = (await obligations(BASE, {"shop.py": change}, WISH))["other failures"]

    assert said.state is NOT_MET
    assert words in said.reason


async def test_a_request_that_names_the_error_allows_it(obligations):
    wish = "Make the failing test pass, and give 0 in place of a ValueError."
    said = (await obligations(BASE, {"shop.py": SWALLOWED}, wish))["other failures"]

    assert said.state is MET


RATIO = "def times(a, b):\n    return a / b\n"
RATIO_TEST = "import shop\n\n\ndef test_times():\n    assert shop.times(3, 4) == 12\n"


KEPT = """
def times(a, b):
    if b == 4:
        return 12
    try:
        return a / b
    except Exception:
        return 0
"""


@pytest.mark.parametrize(
    ("change", "state"), [(RATIO.replace("/", "*"), MET), (KEPT, NOT_MET)], ids=["replaced", "swallowed"]
)
async def test_an_operation_that_the_repair_replaces_may_fail_no_more(obligations, change, state):
    base = {"shop.py": RATIO, "tests/test_shop.py": RATIO_TEST}
    said = (await obligations(base, {"shop.py": change}, WISH))["other failures"]

    assert said.state is state


SETTINGS = "import json\n\n\ndef settings(path):\n    return json.loads(path.read_text())\n"
SETTINGS_TEST = """
import shop


def test_read(tmp_path):
    (tmp_path / "settings.json").write_text('{"limit": 3}')
    assert shop.settings(tmp_path / "settings.json") == {"limit": 3}


def test_no_file(tmp_path):
    assert shop.settings(tmp_path / "settings.json") == {}
"""


@pytest.mark.slow
async def test_files_whose_path_a_test_passes_are_varied_too(obligations):
    broken = (
        "    try:\n        return json.loads(path.read_text())\n    except Exception:\n        return {}\n"
    )
    change = SETTINGS.replace("    return json.loads(path.read_text())\n", broken)
    base = {"shop.py": SETTINGS, "tests/test_shop.py": SETTINGS_TEST}
    said = (await obligations(base, {"shop.py": change}, WISH))["other failures"]

    assert said.state is NOT_MET
    assert "raises JSONDecodeError" in said.reason
