from __future__ import annotations

from textwrap import dedent

import pytest

from setpoint.agents.generator.pinned import without

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
    left = without(TEXT, gone)

    assert names_in(left) == names_in(TEXT) - gone
    assert "def helper" in left


def test_nothing_is_left_where_all_go_or_the_file_cannot_be_read():
    assert without(TEXT, names_in(TEXT)) == ""
    assert without("def test(:\n", {"test_one"}) == ""
