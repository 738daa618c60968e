import ast

import pytest

from setpoint.checks.proof.sensitivity.python_functions import changed_python

SOURCE = b'''"""Doc."""
LIMIT = 3


class Cart:
    """A cart."""

    def total(self, rows):
        """Add up."""
        if rows:
            return 1
        return 2

    async def send(self): return 3

    def name(self):
        "d"; return 1

    @property
    def later(self):
        @staticmethod
        def inner():
            for each in range(3): yield each
        return inner


def stub(): ...


def long(
    first,
    second,
):
    value = (
        first)
    return value
'''


def names(old, new):
    found, outside = changed_python("a.py", old, new)
    return [each.name for each in found], outside


def test_only_functions_whose_body_changed_are_found():
    assert names(SOURCE, SOURCE.replace(b"return 2", b"return 4")) == (["Cart.total"], ())
    assert names(SOURCE, SOURCE.replace(b"Add up.", b"Sum up.").replace(b"# x", b"")) == ([], ())
    assert names(SOURCE, SOURCE.replace(b"LIMIT = 3", b"LIMIT = 4")) == ([], ())


def test_a_change_inside_an_inner_function_is_its_own():
    assert names(SOURCE, SOURCE.replace(b"range(3)", b"range(4)")) == (["Cart.later.inner"], ())


def test_all_functions_of_a_new_file_are_new_but_those_that_do_nothing():
    found, _ = names(None, SOURCE)
    assert found == ["Cart.total", "Cart.send", "Cart.name", "Cart.later", "Cart.later.inner", "long"]


def test_what_cannot_be_parsed_has_no_functions():
    assert names(None, b"def f(:\n") == ([], ("a.py cannot be parsed",))


@pytest.mark.parametrize("does", ["raises", "does nothing"])
def test_a_sabotaged_file_is_valid_and_says_that_it_was_entered(tmp_path, does):
    functions, _ = changed_python("a.py", None, SOURCE)
    for function in functions:
        for sabotage in function.sabotages.values():
            ast.parse(function.sabotaged(SOURCE, sabotage, tmp_path / "mark"))
        ast.parse(function.sabotaged(SOURCE, function.sabotages[does], tmp_path / "mark"))
    total = functions[0].sabotaged(SOURCE, functions[0].sabotages[does], tmp_path / "mark")
    space: dict[str, object] = {}
    exec(compile(total, "a.py", "exec"), space)

    if does == "raises":
        with pytest.raises(RuntimeError, match="sabotaged"):
            space["Cart"]().total([])
    else:
        assert space["Cart"]().total([1]) is None
    assert (tmp_path / "mark").exists()


LAMBDAS = b"""RATES = {"a": lambda n: n + 1, "b": lambda n: (n
    if n else 2)}
half = lambda n: n // 2
"""


def test_lambdas_outside_functions_are_functions(tmp_path):
    found, _ = changed_python("a.py", LAMBDAS.replace(b"n + 1", b"n"), LAMBDAS)
    assert [each.name for each in found] == ["lambda in line 1"]
    every, _ = changed_python("a.py", None, LAMBDAS)
    assert [each.name for each in every] == ["lambda in line 1", "lambda in line 1", "half"]
    for each in every:
        for does, sabotage in each.sabotages.items():
            made = each.sabotaged(LAMBDAS, sabotage, tmp_path / "mark")
            scope: dict[str, object] = {}
            exec(compile(made, "a.py", "exec"), scope)
            if each.name == "half":
                half = scope["half"]
                if does == "raises":
                    with pytest.raises(RuntimeError):
                        half(4)
                else:
                    assert half(4) == {"does nothing": None, "returns something else": -9}[does]
    assert (tmp_path / "mark").exists()


def test_a_function_weighs_as_many_lines_as_are_new():
    new = SOURCE.replace(b"return 2", b"value = 2\n        return value")
    (total,) = changed_python("a.py", SOURCE, new)[0]
    (only,) = changed_python("a.py", None, b"def only(a):\n    return a\n")[0]

    assert (total.weight, only.weight) == (1, 2)


PROPERTY = b"""
class Name:
    @property
    def text(self):
        return self._text

    @text.setter
    def text(self, new):
        self._text = new

    def short(self):
        return self._text[:3]
"""


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        (b"[:3]", b"[:4]", ["Name.short"]),
        (b"return self._text\n", b"return self._text.strip()\n", ["Name.text"]),
        (b"self._text = new", b"self._text = new.strip()", ["Name.text"]),
    ],
)
def test_a_property_is_changed_where_its_getter_or_setter_is(old, new, names):
    found, _ = changed_python("a.py", PROPERTY, PROPERTY.replace(old, new))
    assert [each.name for each in found] == names


def test_the_definition_that_is_in_effect_is_changed_when_the_other_is_removed():
    first, second = b"def f():\n    return 1\n", b"def f():\n    return 2\n"
    found, _ = changed_python("a.py", first + second, first)
    assert [each.name for each in found] == ["f"]
    assert not changed_python("a.py", first + second, first + second)[0]


def test_another_hash_is_as_good():
    source = b"class A:\n    def __hash__(self):\n        return 3\n\n    def half(self):\n        return 3\n"
    found, _ = changed_python("a.py", None, source)
    assert [(each.name, "returns something else" in each.sabotages) for each in found] == [
        ("A.__hash__", False),
        ("A.half", True),
    ]
