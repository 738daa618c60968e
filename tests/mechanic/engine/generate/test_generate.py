"""Tests that the engine writes: what they reach, how they read, and what never gets into them."""

import ast
import re
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest

from probe.conftest import ENVIRONMENT

SHOP = '''
    """A shop."""

    import enum
    from dataclasses import dataclass


    class Size(enum.Enum):
        SMALL = 1
        LARGE = 2


    @dataclass
    class Shop:
        name: str
        price: float = 1.0

        def discounted(self, percent: int) -> float:
            if not 0 <= percent <= 100:
                raise ValueError("no such discount")
            return self.price * (100 - percent) / 100


    def postage(size: Size, express: bool = False) -> int:
        if size is Size.LARGE:
            return 12 if express else 8
        if express:
            return 6
        return 3


    def evens(limit):
        """Give even numbers.

        >>> list(evens(5))
        [0, 2, 4]
        """
        number = 0
        while number < limit:
            yield number
            number += 2


    def initials(name):
        if name == "Ada Lovelace":
            return "countess"
        return "".join(part[0] for part in name.split())
'''


def run_tests(root, *words):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=root,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory, cover):
    """Give a small project with the tests that were written for it, and what was told of them."""
    root = tmp_path_factory.mktemp("shop") / "project"
    root.mkdir()
    (root / "shop.py").write_text(dedent(SHOP), "utf-8")
    return root, cover(root, "shop.py", "shop", wall_s=8.0, repeats=5)


def test_they_reach_all_of_a_small_module_and_notice_its_mutants(shop, reach):
    root, result = shop

    assert result.status == "written"
    assert result.killed > result.mutants / 2
    done = run_tests(root)
    assert done.returncode == 0, done.stdout
    (now,) = reach(root, "shop.py").files
    assert now.missed_lines == ()
    assert now.missed_branches == ()


def test_they_read_like_tests_and_say_that_they_pin_what_is(shop):
    _, result = shop

    tree = ast.parse(result.text)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert "pin how it behaves at present" in ast.get_docstring(tree)
    assert all(re.fullmatch(r"test_[a-z0-9_]+", test.name) for test in tests)
    assert all(ast.get_docstring(test).startswith(("Pins ", "Checks `")) for test in tests)
    assert all(re.search(r"assert |pytest\.raises", ast.unparse(test)) for test in tests)
    assert len({test.name for test in tests}) == len(tests)


def test_a_fault_that_is_there_is_noticed_when_it_goes(shop, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(shop[0], root)
    path = root / "shop.py"
    path.write_text(path.read_text().replace("return 6", "return 7"))

    assert run_tests(root).returncode == 1


def test_in_the_style_of_unittest_where_that_is_asked(project, cover):
    root = project(shop=SHOP)

    result = cover(root, "shop.py", "shop", style="unittest")

    assert "import pytest" not in result.text
    assert "(unittest.TestCase):" in result.text
    done = subprocess.run(
        [sys.executable, "-m", "unittest", "-q", "tests/test_pinned.py"],
        cwd=root,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


HARMFUL = """
    import os
    import pathlib
    import random
    import subprocess
    import time

    SEEN = []


    def wipe(path):
        pathlib.Path("precious.txt").unlink()
        return path


    def note(text):
        pathlib.Path("notes.txt").write_text(str(text))
        return 1


    def start(words):
        return subprocess.run(["touch", "started.txt"]).returncode


    def chance():
        return random.random()


    def age(year):
        return time.time() - year


    def endless(number):
        while number == number:
            pass


    def leave(code):
        os._exit(3)


    def remember(thing):
        SEEN.append(thing)
        return len(SEEN)


    def harmless(number):
        return number + 1 if number else -1
"""


def test_no_call_does_harm_and_what_is_not_the_same_twice_is_not_pinned(project, cover):
    root = project(harmful=HARMFUL)
    (root / "precious.txt").write_text("keep me")

    result = cover(root, "harmful.py", "harmful", wall_s=24.0)

    assert (root / "precious.txt").read_text() == "keep me"
    assert sorted(path.name for path in root.iterdir() if path.suffix == ".txt") == ["precious.txt"]
    assert result.refused > 0
    called = {test.target for test in result.tests}
    assert "harmless" in called, (result.calls, result.dropped, result.seconds, result.reason)
    assert not called & {"wipe", "note", "leave", "endless"}
    tests = [node for node in ast.parse(result.text).body if getattr(node, "name", "").startswith("test_")]
    for test in tests:
        text = ast.unparse(test)
        if "harmful.chance" in text:
            assert "steady_chance" in text or "==" not in text.replace("__name__ ==", "")
        if "harmful.age(" in text:
            assert "still_clock" in text or "==" not in text.replace("__name__ ==", "")
        if "harmful.start(" in text:
            assert "recorded_processes" in text
    for number in range(2):
        assert run_tests(root, "-p", "no:randomly").returncode == 0, number


def test_values_of_tests_that_are_there_are_taken_up(project, cover):
    guarded = """
        def open_with(code):
            if code == "".join(reversed("4711-emases")):
                return "open"
            return "shut"
    """
    seen = """
        import vault

        def test_shut():
            assert vault.open_with("wrong") == "shut"

        def given():
            return vault.open_with("sesame-1174")
    """
    root = project(vault=guarded, tests__test_vault=seen)

    result = cover(root, "vault.py", "vault", tests=("tests/test_vault.py",))

    assert "'sesame-1174'" in result.text
    assert all(test.target == "open_with" for test in result.tests)


def test_a_module_that_cannot_be_imported_is_said_so(project, cover):
    root = project(broken="import no_such_module_anywhere\n\n\ndef one():\n    return 1\n")

    result = cover(root, "broken.py", "broken")

    assert (result.status, result.text) == ("not_possible", "")
    assert "no_such_module_anywhere" in result.reason


KEEPS = """
    RULES = []


    def rule(word, other):
        RULES.insert(0, (word, other))


    def plural(word):
        for one, many in RULES:
            if one == word:
                return many
        return word + "s" if word else ""
"""


def test_tests_that_spoil_others_go_and_their_victims_stay(project, cover):
    root = project(words=KEEPS)

    result = cover(root, "words.py", "words", wall_s=8.0)

    assert "plural" in {test.target for test in result.tests}
    for seed in ("1", "2", "3"):
        order = "import pytest, random\n\n\ndef pytest_collection_modifyitems(items):\n"
        (root / "conftest.py").write_text(f"{order}    random.Random({seed}).shuffle(items)\n")
        assert run_tests(root).returncode == 0
