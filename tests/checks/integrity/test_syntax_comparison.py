from __future__ import annotations

import pytest

from setpoint.checks.integrity.syntax_comparison import changes

BASE = '''\
"""Tests."""
import pytest
from calc import add

LIMIT = 3

@pytest.fixture
def client():
    return object()

def test_add(client):
    """Adds."""
    assert add(1, 2) == LIMIT

class TestMore:
    def test_more(self):
        x = add(1, 1)
        assert x == 2
'''


@pytest.mark.parametrize(
    "now",
    [
        BASE + "\ndef test_new():\n    assert add(0, 0) == 0\n",
        BASE + "\nclass TestNew:\n    def test_x(self): assert add(2, 2) == 4\n",
        BASE + "    def test_again(self):\n        assert add(3, 1) == 4\n",
        BASE.replace("import pytest", "import json\nimport pytest"),
        BASE.replace("from calc import add", "from calc import add, sub"),
        BASE.replace("LIMIT = 3", "LIMIT = 3\nOTHER = 4"),
        BASE.replace("    assert add(1, 2) == LIMIT", "    # why\n    assert (add(1,2)==LIMIT)"),
        BASE.replace("def test_add", "def test_addition"),
        BASE.replace('"""Tests."""', '"""All tests."""'),
        BASE + "\n@pytest.fixture\ndef fresh():\n    return 1\n",
    ],
)
def test_additions_and_form_may_change(now: str) -> None:
    assert changes(BASE, now) == ()


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (BASE.replace("== LIMIT", "== -1"), "test_add was edited"),
        (BASE.replace("LIMIT = 3", "LIMIT = -1"), "is gone"),
        (BASE.replace("    return object()", "    return None"), "client was edited"),
        (BASE.replace("def test_add", "@pytest.mark.skip\ndef test_add"), "test_add was edited"),
        (BASE.partition("class TestMore")[0], "TestMore was deleted"),
        (BASE + "\ndef test_add(client):\n    pass\n", "defined a second time"),
        (BASE + "\ntest_add = None\n", "new code"),
        (BASE + "\ndel test_add\n", "new code"),
        (BASE + "\nfrom fake import add\n", "binds add again"),
        (BASE + "\nfrom fake import *\n", "unknown names"),
        (BASE + "\npytestmark = pytest.mark.skip\n", "new code"),
        (BASE + "\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch): pass\n", "automatic fixture"),
        (BASE + "\ndef setup_module():\n    pass\n", "runs around"),
        (BASE + "\ndef pytest_runtest_call(item):\n    pass\n", "hook"),
        (BASE + "    def setup_method(self):\n        pass\n", "runs around"),
        (BASE + "    pytestmark = pytest.mark.skip\n", "new code"),
        (BASE.replace("class TestMore:", "class TestMore(Other):"), "other bases"),
        (BASE + "\nimport calc\ncalc.add = lambda a, b: 3\n", "new code"),
        (BASE + "\ndef broken(:\n", "no longer parses"),
        (BASE.replace("def client():\n", "def client():\n    add.x = 1\n"), "client was edited"),
    ],
)
def test_what_weakens_is_told(now: str, said: str) -> None:
    found = changes(BASE, now)

    assert found
    assert any(said in change.what for change in found)
    assert any(change.weakens for change in found)


@pytest.mark.parametrize(
    "now",
    [
        BASE.replace("        assert x == 2", "        assert x == 2\n        assert x > 0"),
        BASE.replace("import pytest\n", ""),
    ],
)
def test_an_edit_that_takes_nothing_away_is_told_and_does_not_weaken(now: str) -> None:
    found = changes(BASE, now)

    assert found
    assert not any(change.weakens for change in found)


def test_a_fixture_that_a_test_uses_may_not_be_replaced_beside_it() -> None:
    base = "def test_a(database):\n    assert database\n"

    found = changes(base, "import pytest\n" + base + "\n@pytest.fixture\ndef database():\n    return 1\n")

    assert [change.what for change in found] == ["the new database replaces a fixture that the tests use"]
