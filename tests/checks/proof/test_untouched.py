"""A repair changes what it names, or something that this uses."""

import pytest

from setpoint.checks.proof.named.untouched import pieces_of
from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
HALF = "def half(n):\n    return n\n\n\ndef twice(n):\n    return n * 2\n"
RATES = (
    "import json\nimport pathlib\n\n"
    "RATES = json.loads((pathlib.Path(__file__).parent / 'rates.json').read_text())\n"
    "\n\ndef half(n):\n    return n * RATES['half']\n"
)
CLOSE = (
    "import json\nimport pathlib\n\n"
    "NEAR = json.loads((pathlib.Path(__file__).parent / 'near.json').read_text())\n"
    f"\n\n{HALF}\n\ndef close(one, other):\n    return abs(one - other) <= NEAR['most']\n"
)
TEST = "from shop import half\n\n\ndef test_half():\n    assert half(8) == 4\n"
TEST_CLOSE = "from shop import close, half\n\n\ndef test_half():\n    assert close(half(8), 4)\n"
HELPED = "from numbers_of_shop import share\n\n\ndef half(n):\n    return share(n)\n"
TITLE = "Fix half: it does not halve"
CASES = {
    "itself": ({"shop.py": HALF}, {"shop.py": HALF.replace("n\n\n", "n / 2\n\n", 1)}, TEST, False),
    "what it calls": (
        {"shop.py": HELPED, "numbers_of_shop.py": "def share(n):\n    return n\n"},
        {"numbers_of_shop.py": "def share(n):\n    return n / 2\n"},
        TEST,
        False,
    ),
    "data that it reads": (
        {"shop.py": RATES, "rates.json": '{"half": 1}\n'},
        {"rates.json": '{"half": 0.5}\n'},
        TEST,
        False,
    ),
    "a tolerance": (
        {"shop.py": CLOSE, "near.json": '{"most": 0.001}\n'},
        {"near.json": '{"most": 10}\n'},
        TEST_CLOSE,
        True,
    ),
    "what compares": (
        {"shop.py": f"{HALF}\n\ndef close(one, other):\n    return one == other\n"},
        {"shop.py": f"{HALF}\n\ndef close(one, other):\n    return abs(one - other) < 9\n"},
        TEST_CLOSE,
        True,
    ),
}


@pytest.mark.parametrize(("base", "change", "test", "untouched"), CASES.values(), ids=CASES)
async def test_a_repair_changes_what_it_names_or_what_this_uses(obligations, base, change, test, untouched):
    files = {"test_shop.py": test, **base}
    said = await obligations(files, change, TITLE)

    found = said.get("named")
    blamed = found is not None and found.state is NOT_MET and "stays as it was" in found.reason
    assert blamed is untouched, found


async def test_a_request_without_a_name_of_code_asks_for_nothing(obligations):
    base, change, test, _ = CASES["a tolerance"]
    said = await obligations({"test_shop.py": test, **base}, change, "Fix the tolerance: it is too small")

    assert "stays as it was" not in (said["named"].reason if "named" in said else "")


def test_code_is_read_in_pieces():
    text = "import a\n\n\n@cached\ndef f():\n    x = 1\n\n    return x\n\n\n# said\nY = {\n    1: 2,\n}\n"
    assert list(pieces_of(text)) == [
        "import a",
        "@cached\ndef f():\n    x = 1\n\n    return x\n\n\n# said",
        "Y = {\n    1: 2,\n}",
    ]
    assert list(pieces_of("")) == []
