"""Seeded bugs and scripted makers for `bench/lessons.py`: what each round writes, and what is true of it.

A project has a part for each bug: a module, its test, and how the maker gets to the right code. A case takes
parts, says in which order the maker mends them, and what else happens: objections, commands, refactorings.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple


class Part(NamedTuple):
    """A bug of a project; `{w}` stands for a word and `{n}` for a number."""

    name: str
    broken: str
    right: str
    test: str
    half: str = ""
    """A wrong attempt; empty: there is none."""


class Case(NamedTuple):
    """A run: the base, what each round writes, and what is known of it."""

    name: str
    title: str
    files: dict[str, str]
    rounds: tuple[dict[str, str], ...]
    truth: str
    objections: tuple[tuple[str, str, str], ...] = ()
    """Reviewer's: the text that the file must hold, the file, the message."""
    calls: tuple[tuple[str, bool], ...] = ()
    """Commands of the first round, with whether they ended well."""


PARTS = (
    Part(
        "last",
        "def last_{w}(values):\n    return values[len(values)]\n",
        "def last_{w}(values):\n    return values[-1]\n",
        "assert m.last_{w}([1, {n}]) == {n}",
        "def last_{w}(values):\n    return values[len(values) - 2]\n",
    ),
    Part(
        "rate",
        "RATES = {{'de': {n}}}\n\n\ndef {w}_rate(country):\n    return RATES[country]\n",
        "RATES = {{'de': {n}}}\n\n\ndef {w}_rate(country):\n    return RATES.get(country.lower(), 0)\n",
        "assert m.{w}_rate('fr') == 0\n    assert m.{w}_rate('DE') == {n}",
        "RATES = {{'de': {n}}}\n\n\ndef {w}_rate(country):\n    return RATES[country.lower()]\n",
    ),
    Part(
        "total",
        "def {w}_total(values):\n    total = 0\n"
        "    for each in values:\n        total = each\n    return total\n",
        "def {w}_total(values):\n    total = 0\n"
        "    for each in values:\n        total += each\n    return total\n",
        "assert m.{w}_total([{n}, 2, 1]) == {n} + 3",
    ),
    Part(
        "bound",
        "def {w}_fits(value):\n    return value < {n}\n",
        "def {w}_fits(value):\n    return value <= {n}\n",
        "assert m.{w}_fits({n})",
    ),
    Part(
        "parse",
        "def {w}_amount(text):\n    return float(text)\n",
        "def {w}_amount(text):\n    return float(text.strip().replace(',', '.'))\n",
        "assert m.{w}_amount(' {n},5') == {n}.5",
        "def {w}_amount(text):\n    return float(text.strip())\n",
    ),
    Part(
        "shared",
        "SEEN = []\n\n\ndef {w}_seen(item, seen=SEEN):\n    seen.append(item)\n    return seen\n",
        "def {w}_seen(item, seen=None):\n    seen = [] if seen is None else seen\n"
        "    seen.append(item)\n    return seen\n",
        "m.{w}_seen(1)\n    assert m.{w}_seen({n}) == [{n}]",
    ),
    Part(
        "none",
        "def {w}_name(row):\n    return row.get('name').title()\n",
        "def {w}_name(row):\n    return (row.get('name') or '').title()\n",
        "assert m.{w}_name({{}}) == ''",
    ),
)
WORDS = re.findall(
    r"\w+", "order item rate page lot box line cart token shelf crate batch stock ticket parcel route"
)
CONVENTIONS = (
    ("@audited", "every function that changes a record carries @audited, so that the log shows who did it"),
    ("Decimal", "amounts are Decimal, not float: sums of floats differ from the ledger by cents"),
    ("timeout=", "calls of the gateway pass timeout=, or a worker hangs for ever"),
)


def written(part: Part, word: str, number: int, which: str) -> str:
    """Write a version of a part's code."""
    return str(getattr(part, which)).format(w=word, n=number)


def project(parts: list[tuple[Part, str, int]]) -> dict[str, str]:
    """Write the base: a module and a test for each part."""
    files = {"shop/__init__.py": "", "pytest.ini": "[pytest]\npythonpath = .\n"}
    for part, word, number in parts:
        test = part.test.format(w=word, n=number)
        files[f"shop/{word}.py"] = written(part, word, number, "broken")
        files[f"tests/test_{word}.py"] = f"from shop import {word} as m\n\n\ndef test_{word}():\n    {test}\n"
    return files


Drawn = list[tuple[Part, str, int]]


def drawn(chance: random.Random, count: int, *, half: bool = False) -> Drawn:
    """Draw parts, each with a word and a number."""
    some = [part for part in PARTS if part.half] if half else PARTS
    pairs = zip(chance.sample(some, count), chance.sample(WORDS, count), strict=True)
    return [(part, word, chance.randint(4, 99)) for part, word in pairs]


def right(parts: Drawn) -> dict[str, str]:
    """Write the right code of parts."""
    return {f"shop/{word}.py": written(part, word, number, "right") for part, word, number in parts}


def of_bugs(chance: random.Random) -> Iterator[Case]:
    """Yield runs that mend one bug or two, at once, or after a wrong attempt."""
    one = drawn(chance, 1)
    yield Case("one bug at once", "Make the tests pass", project(one), (right(one),), "one bug, one change")
    half = drawn(chance, 1, half=True)
    first = {f"shop/{word}.py": written(part, word, number, "half") for part, word, number in half}
    yield Case(
        "a wrong attempt first",
        f"Fix {half[0][1]}",
        project(half),
        (first, right(half)),
        "the second change mends it; where the first was part of it, the diff shows",
    )
    tidy = drawn(chance, 2)
    (_, word, _), (other, beside, number) = tidy
    extra = {f"shop/{beside}.py": "# tidied\n\n" + written(other, beside, number, "right")}
    yield Case(
        "a bug and a tidying",
        f"Fix {word}",
        project(tidy),
        (right(tidy[:1]) | extra,),
        "two bugs; the comment in the second module does nothing",
    )
    left = drawn(chance, 2, half=True)
    stuck = {f"shop/{word}.py": written(part, word, number, "half") for part, word, number in left[:1]}
    yield Case("never mended", f"Fix {left[0][1]}", project(left), (stuck,), "nothing is mended")
    yield Case(
        "an order of commands",
        "Make the tests pass",
        project(one),
        (right(one),),
        "`pytest` alone is not found here; `python -m pytest` works. A red test is no broken command.",
        calls=(
            ("pytest tests/test_x.py -q", False),
            ("python -m pytest tests/test_x.py -q", True),
            ("python -m pytest tests -q", False),
            ("python -m pytest -k unit", True),
        ),
    )


def of_three(chance: random.Random) -> Iterator[Case]:
    """Yield runs that mend three independent bugs, at once or one by one."""
    three = drawn(chance, 3)
    yield Case(
        "three bugs at once",
        "Make the tests pass",
        project(three),
        (right(three),),
        "three independent bugs: each test is mended by the change of its own module alone",
    )
    slow = drawn(chance, 3)
    yield Case(
        "three bugs one by one",
        "Make the tests pass",
        project(slow),
        tuple(right(slow[: count + 1]) for count in range(3)),
        "three independent bugs, one mended in each round; no file needs another",
    )


def of_places(chance: random.Random) -> Iterator[Case]:
    """Yield runs in which a test needs two files, or is mended in a file of tests."""
    word, number = chance.choice(WORDS), chance.randint(4, 99)
    model = f"class {word.title()}:\n    def __init__(self, price):\n        self.price = price\n"
    files = {
        "shop/__init__.py": "",
        "pytest.ini": "[pytest]\npythonpath = .\n",
        "shop/model.py": model,
        "shop/view.py": "def shown(each):\n    return f'{each.price} EUR'\n",
        "tests/test_view.py": (
            f"from shop.model import {word.title()}\nfrom shop.view import shown\n\n\ndef test_shown():\n"
            f"    assert shown({word.title()}(amount={number})) == '{number} EUR'\n"
        ),
    }
    one = {"shop/model.py": model.replace("price", "amount")}
    two = one | {"shop/view.py": "def shown(each):\n    return f'{each.amount} EUR'\n"}
    yield Case(
        "a renaming in two files",
        "Rename price to amount",
        files,
        (one, two),
        "the test needs both: the field in the model, and its use in the view",
    )
    registry = "KNOWN = {}\n\n\ndef register(name, factor):\n    KNOWN[name] = factor\n"
    tests = (
        "from shop import registry\n\n\ndef test_first():\n    registry.register('a', 1)\n"
        "    assert registry.KNOWN == {'a': 1}\n"
        f"\n\ndef test_second():\n    registry.register('b', {number})\n"
        f"    assert registry.KNOWN == {{'b': {number}}}\n"
    )
    base = {
        "shop/__init__.py": "",
        "pytest.ini": "[pytest]\npythonpath = .\n",
        "shop/registry.py": registry,
        "tests/test_registry.py": tests,
        "tests/conftest.py": "import pytest\n",
    }
    fixture = "\nfrom shop import registry\n\n\n"
    fixture += "@pytest.fixture(autouse=True)\ndef empty():\n    registry.KNOWN.clear()\n"
    yield Case(
        "state between tests",
        "Make the tests pass",
        base,
        ({"tests/conftest.py": base["tests/conftest.py"] + fixture},),
        "tests share the registry; a fixture that clears it between tests mends it",
    )


def of_findings(chance: random.Random) -> Iterator[Case]:
    """Yield runs that are sent back by a rule or by a reviewer."""
    word = chance.choice(WORDS)
    files = {
        "shop/__init__.py": "",
        "pytest.ini": "[pytest]\npythonpath = .\n",
        f"shop/{word}.py": "",
        f"tests/test_{word}.py": f"from shop import {word} as m\n\n\ndef test_{word}():\n"
        f"    assert m.{word}_print('a').endswith('a')\n",
    }
    head = f"import subprocess\n\n\ndef {word}_print(name):\n    done = subprocess.run("
    tail = ", capture_output=True, text=True)\n    return done.stdout.strip()\n"
    bad, good = f"{head}f'echo {{name}}', shell=True{tail}", f"{head}['echo', name]{tail}"
    path = f"shop/{word}.py"
    yield Case(
        "a rule on security",
        f"Print a {word}",
        files,
        ({path: bad}, {path: good}),
        "S602 refuses shell=True; a list of arguments is taken",
    )
    noise = f"\n\ndef unused_{word}(values):\n    return sorted(values)\n"
    yield Case(
        "a rule and something else",
        f"Print a {word}",
        files,
        ({path: bad}, {path: good + noise}),
        "as before; the new function beside it has no part in it",
    )
    spare = "import os\n" + good
    yield Case(
        "an import too many",
        f"Print a {word}",
        files,
        ({path: spare}, {path: good}),
        "trivial: F401 mends itself",
    )
    needle, message = chance.choice(CONVENTIONS)
    code = f"def {word}_print(name):\n    return name\n"
    yield Case(
        "a convention",
        f"Print a {word}",
        files,
        ({path: code}, {path: f"KEPT = '{needle}'\n{code}"}),
        message,
        objections=((needle, path, message),),
    )


def cases(count: int) -> list[Case]:
    """Draw so many runs, each kind in turn."""
    found: list[Case] = []
    for number in range(count):
        chance = random.Random(number)
        found += [*of_bugs(chance), *of_three(chance), *of_places(chance), *of_findings(chance)]
        if len(found) >= count:
            break
    return found[:count]
