"""Tests written with fixtures of the project, and with objects built as its tests build them."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from mechanic.engine.generate.test_generate import run_tests

STORE = '''
    """Where orders are kept."""


    class Store:
        def __init__(self, backend):
            if not hasattr(backend, "fetch") or not hasattr(backend, "save"):
                raise TypeError("a backend fetches and saves")
            self._backend = backend

        def order(self, number):
            row = self._backend.fetch(number)
            if row is None:
                raise KeyError(number)
            return row


    def total_of(store: Store, numbers):
        result = 0
        for number in numbers:
            order = store.order(number)
            if not order["paid"]:
                result += order["total"]
        return result


    def entries_of(ledger):
        if not ledger.entries:
            return "empty"
        return ", ".join(f"{name}: {amount}" for name, amount in ledger.entries)
'''
BACKEND = """
    class Backend:
        def __init__(self, rows):
            self.rows = rows

        def fetch(self, number):
            return self.rows.get(number)

        def save(self, number, row):
            self.rows[number] = row
"""
FIXTURES = """
    import urllib.request

    import pytest

    from shop.store import Store


    class Ledger:
        def __init__(self, entries):
            self.entries = entries


    @pytest.fixture
    def rows(tmp_path):
        (tmp_path / "rows.txt").write_text("1 40")
        return {1: {"total": 40, "paid": False}, 2: {"total": 3, "paid": True}}


    @pytest.fixture
    def store(rows):
        backend = Backend(rows)
        yield Store(backend)
        backend.rows.clear()


    @pytest.fixture(scope="session")
    def ledger():
        return Ledger([("ada", 3), ("bob", 4)])


    @pytest.fixture(params=[1, 2])
    def numbers(request):
        return [request.param]


    @pytest.fixture
    def broken():
        raise OSError("no such thing")


    @pytest.fixture
    def far():
        return urllib.request.urlopen("http://nowhere.invalid/")
"""
EXAMPLES = """
    import pytest

    from shop.store import Store, total_of


    def test_order():
        backend = Backend({1: {"total": 100, "paid": False}})
        backend.save(2, {"total": 50, "paid": True})
        store = Store(backend)
        with pytest.raises(KeyError):
            store.order(7)
"""


def joined(*parts):
    return "\n\n".join(map(dedent, parts))


def params_in(text):
    nodes = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return {node.name: [arg.arg for arg in node.args.args] for node in nodes if node.name.startswith("test_")}


@pytest.fixture
def with_fixtures(project, cover):
    root = project(
        shop____init__="", shop__store=STORE, tests__conftest=joined(BACKEND, FIXTURES), tests__test_none=""
    )
    return root, cover(root, "shop/store.py", "shop.store", tests=("tests/test_none.py",), kill=False)


def test_fixtures_of_the_project_are_used_by_name(with_fixtures, reach):
    root, result = with_fixtures

    assert result.status == "written", result.reason
    used = {name for params in params_in(result.text).values() for name in params}
    assert {"store", "ledger"} <= used
    assert not used & {"numbers", "broken", "far"}
    assert "class Backend" not in result.text
    done = run_tests(root)
    assert done.returncode == 0, done.stdout
    (now,) = reach(root, "shop/store.py").files
    assert not [line for line in now.missed_lines if line != 29]  # no ledger is empty


def test_what_several_tests_share_is_not_changed(project, cover):
    root = project(
        bag="""
            def put(bag, item):
                bag.items.append(item)
                return len(bag.items)


            def size(bag):
                return len(bag.items)
        """,
        tests__conftest="""
            import types

            import pytest


            @pytest.fixture(scope="module")
            def bag():
                return types.SimpleNamespace(items=[1, 2])
        """,
    )

    result = cover(root, "bag.py", "bag", kill=False)

    assert "bag" in params_in(result.text)["test_size_gives_2"]
    assert not [name for name, params in params_in(result.text).items() if "put" in name and "bag" in params]


def test_objects_are_built_as_the_projects_tests_build_them(project, cover, reach):
    root = project(
        shop____init__="", shop__store=STORE, conftest="", tests__test_store=joined(BACKEND, EXAMPLES)
    )

    result = cover(root, "shop/store.py", "shop.store", tests=("tests/test_store.py",), kill=False)

    assert result.status == "written", result.reason
    assert "def a_store():" in result.text
    assert "Makes it as a test in `tests/test_store.py` does." in result.text
    assert "backend.save(2, {'total': 50, 'paid': True})" in result.text
    done = run_tests(root)
    assert done.returncode == 0, done.stdout
    (now,) = reach(root, "shop/store.py").files
    assert now.missed_lines == (29, 30)  # no test makes a ledger


def test_a_fixture_of_a_file_of_tests_is_defined_again(project, cover):
    own = """
        @pytest.fixture
        def store():
            made = Store(Backend({1: {"total": 9, "paid": False}}))
            yield made


        def test_nothing(store):
            assert store
    """
    root = project(
        shop____init__="",
        shop__store=STORE,
        conftest="",
        tests__test_store=joined("import pytest\n\nfrom shop.store import Store", BACKEND, own),
    )

    result = cover(root, "shop/store.py", "shop.store", tests=("tests/test_store.py",), kill=False)

    assert "@pytest.fixture\ndef store():" in result.text
    assert any("store" in params for params in params_in(result.text).values())
    done = run_tests(root)
    assert done.returncode == 0, done.stdout


def test_a_suite_of_unittest_gives_objects_and_no_fixtures(project, cover):
    case = """
        import unittest

        from shop.store import Store


        class StoreTest(unittest.TestCase):
            def setUp(self):
                self.backend = Backend({1: {"total": 9, "paid": False}})

            def test_order(self):
                with self.assertRaises(KeyError):
                    Store(self.backend).order(3)
    """
    root = project(shop____init__="", shop__store=STORE, conftest="", tests__test_store=joined(BACKEND, case))

    result = cover(
        root, "shop/store.py", "shop.store", tests=("tests/test_store.py",), style="unittest", kill=False
    )

    assert "    backend = Backend({1: {'total': 9, 'paid': False}})\n    return Store(backend)" in result.text
    assert "import pytest" not in result.text
    done = run_tests(root)
    assert done.returncode == 0, done.stdout
