from __future__ import annotations

import pytest

CASES = {
    "a missing import": (
        "import os\n\n\ndef mend(n):\n    return math.floor(math.sqrt(n))\n",
        ["mend(17) == 4"],
        ("missing-import", "import math"),
    ),
    "a missing key": (
        "def mend(prices, name):\n    return prices[name]\n",
        ["mend({}, 'tea') is None", "mend({'tea': 3}, 'tea') == 3"],
        ("missing-key", "return prices.get(name)"),
    ),
    "a value that is None": (
        "def mend(text, mark):\n    return text.upper() + mark\n",
        ["mend('a', '!') == 'A!'", "mend(None, '!') == '!'"],
        ("none-default", "return (text or '').upper() + mark"),
    ),
    "a value of another type": (
        "def mend(name, count):\n    return name + ': ' + count\n",
        ["mend('tea', 3) == 'tea: 3'"],
        ("wrong-type", "return name + ': ' + str(count)"),
    ),
    "a name without a value": (
        "def mend(xs):\n    for x in xs:\n        found = x\n    return found\n",
        ["mend([1, 2]) == 2", "mend([]) is False"],
        ("unbound", "found = False"),
    ),
    "a place that is not there": (
        "def mend(xs, default):\n    head = xs[0]\n    return head * 2 + 1\n",
        ["mend([4], 9) == 9", "mend([], 7) == 7"],
        ("empty-guard", "if not xs:"),
    ),
    "a base case": (
        "def mend(n):\n    return n * mend(n - 1)\n",
        ["mend(3) == 6", "mend(0) == 1"],
        ("guard", "if n == 0:"),
    ),
    "a name spelt wrong": (
        "RATE = 3\n\n\ndef mend(count):\n    return count * RAET\n",
        ["mend(2) == 6"],
        ("spelling-of-name", "return count * RATE"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_exception_says_how_to_mend(project, repair, case):
    source, claims, (family, line) = CASES[case]
    test = "\n    ".join(f"assert {claim}" for claim in claims)
    root = project(shop=source, test_shop=f"from shop import mend\n\n\ndef test_mend():\n    {test}\n")
    result = repair(root, "test_shop.py")
    assert result.status == "repaired", result.reason
    best = result.patches[0]
    assert best.template == family
    assert line in [row[1:].strip() for row in best.diff.splitlines() if row.startswith("+")]
