from __future__ import annotations

from textwrap import dedent

import pytest

from setpoint_mechanic.generate.test_files import has_tests, without

TEXT = dedent("""
    import pytest


    def helper():
        return 1


    @pytest.mark.parametrize("x", [1, 2])
    def test_one(x):
        assert x


    async def test_two():
        assert helper()


    class TestFirst:
        def test_one(self):
            assert True


    class TestSecond:
        @pytest.mark.skip
        def test_one(self):
            assert True

        def test_two(self):
            assert True
""")


def names_in(text):
    namespace = {}
    exec(text, namespace)
    found = {name for name in namespace if name.startswith("test")}
    for owner in ("TestFirst", "TestSecond"):
        found |= {
            f"{owner}::{name}" for name in vars(namespace.get(owner, object)) if name.startswith("test")
        }
    return found


@pytest.mark.parametrize(
    "gone",
    [
        {"test_one"},
        {"test_two"},
        {"TestFirst::test_one"},
        {"TestSecond::test_one"},
        {"test_one", "TestSecond::test_one", "TestSecond::test_two"},
    ],
)
def test_the_named_tests_alone_go_with_their_decorators(gone):
    left = without(TEXT.encode(), gone).decode()

    assert names_in(left) == names_in(TEXT) - gone
    assert "def helper" in left


def test_nothing_can_be_taken_out_of_what_is_no_python_or_holds_no_such_test():
    assert without(b"def test(:\n", {"test_one"}) is None
    assert without(TEXT.encode(), {"test_gone", "TestFirst::test_gone"}) is None
    assert (
        without("# coding: utf-8\nX = '\xe9'\ndef test_one(): pass\n".encode("latin-1"), {"test_one"}) is None
    )
    assert not has_tests(without(TEXT.encode(), names_in(TEXT)))


@pytest.mark.parametrize(
    "kept",
    [
        b"class TestBasket(Shared):\r\n    pass\r\n\r\n\r\n",
        b"if FAST:\n    def test_two():\n        assert True\n\n\n",
        b"# -*- coding: latin-1 -*-\nX = '\xe9'\n\n\n",
        "X = 'a\u2028b\x0cc'\n\n\n".encode(),
        b"def test_two():\n\tassert True\n\n\n",
    ],
)
def test_all_else_stays_byte_for_byte(kept):
    end = b"\r\n" if b"\r" in kept else b"\n"
    new = b"def test_one():" + end + b"    assert 1" + end
    behind = b"def other():" + end + b"    pass" + end

    assert without(kept + new + behind, {"test_one"}) == kept + behind
    assert without(kept + new, {"test_one"}) == kept.rstrip() + end


def test_a_block_that_would_be_empty_gets_a_pass():
    own = b"class TestBasket(Shared):\n    def test_one(self):\n        assert 1\n"
    guarded = b"if FAST:\n    def test_one():\n        assert 1\n\n    def test_two():\n        assert 1\n"

    assert without(own, {"TestBasket::test_one"}) == b"class TestBasket(Shared):\n    pass\n"
    assert without(guarded, {"test_one", "test_two"}) == b"if FAST:\n    pass\n"
    assert has_tests(without(own, {"TestBasket::test_one"}))
