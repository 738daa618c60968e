from __future__ import annotations

import pytest

from setpoint_probe.source.hot_swap import NotSwappable, Swapper
from setpoint_probe.source.source import Source, Splice

pytestmark = pytest.mark.smoke

TEXT = """\
from __future__ import annotations
import functools
from dataclasses import dataclass

LIMIT = 10
DERIVED = LIMIT * 2
STEPS = (1, 2)


def plain(x, step=1):
    return x + step


def keep(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args) + 0

    return inner


@keep
@functools.lru_cache(maxsize=None)
def decorated(x):
    return x + 2


def maker(n):
    def add(x):
        return x + n

    return add


add_three = maker(3)
REGISTRY = {"plain": plain}


class Parent:
    def who(self):
        return "parent"


class Child(Parent):
    size = 5
    __hidden = 7

    def who(self):
        return super().who() + "!"

    def hidden(self):
        return self.__hidden + 3

    @property
    def double(self):
        return self.size * 2

    @classmethod
    def named(cls, x):
        return cls.__name__ * x

    @staticmethod
    def free(x):
        return x - 1


@dataclass
class Point:
    x: int = 4

    def shifted(self, by):
        return Point(self.x + by)


def several():
    return [x + 9 for x in (1, 2)], (lambda y: y + 8)(1)


def reads():
    return STEPS
"""


def swapped(module, old, new):
    """Apply one textual change of the module's source and give the swapper."""
    source = Source.read(module.__file__)
    same = next(place for place, (a, b) in enumerate(zip(f"{old}\0", new, strict=False)) if a != b)
    start = source.data.index(old.encode()) + same
    old, new = old[same:], new[same:]
    line = source.data.count(b"\n", 0, start) + 1
    unit = next(each for each in source.units if each.first_line <= line <= each.last_line)
    swapper = Swapper([module.__file__])
    swapper.apply(source, unit, (Splice(start, start + len(old), new),))
    return swapper


@pytest.mark.parametrize(
    ("old", "new", "look", "before", "after"),
    [
        ("x + step", "x - step", lambda m: m.plain(5), 6, 4),
        ("x + step", "x - step", lambda m: m.REGISTRY["plain"](5), 6, 4),
        ("x + 2", "x * 2", lambda m: m.decorated.__wrapped__.__wrapped__(5), 7, 10),
        ("x + n", "x - n", lambda m: m.add_three(5), 8, 2),
        ("x + n", "x - n", lambda m: m.maker(1)(5), 6, 4),
        ('who() + "!"', 'who() + "?"', lambda m: m.Child().who(), "parent!", "parent?"),
        ("__hidden + 3", "__hidden - 3", lambda m: m.Child().hidden(), 10, 4),
        ("size * 2", "size * 3", lambda m: m.Child().double, 10, 15),
        ("__name__ * x", "__name__ * 2", lambda m: m.Child.named(1), "Child", "ChildChild"),
        ("x - 1", "x - 2", lambda m: m.Child.free(5), 4, 3),
        ("self.x + by", "self.x - by", lambda m: m.Point().shifted(1).x, 5, 3),
        ("x + 9", "x - 9", lambda m: m.several(), ([10, 11], 9), ([-8, -7], 9)),
        ("y + 8", "y - 8", lambda m: m.several(), ([10, 11], 9), ([10, 11], -7)),
        ("step=1", "step=3", lambda m: m.plain(5), 6, 8),
        ("STEPS = (1, 2)", "STEPS = (1, 3)", lambda m: m.reads(), (1, 2), (1, 3)),
        ("size = 5", "size = 6", lambda m: m.Child().double, 10, 12),
    ],
)
def test_live_code_changes_and_changes_back(live, old, new, look, before, after):
    module = live(TEXT)
    assert look(module) == before
    swapper = swapped(module, old, new)
    assert look(module) == after
    swapper.undo()
    assert look(module) == before


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("LIMIT = 10", "LIMIT = 11", "used by other statements"),
        ("x: int = 4", "x: int = 5", "metaclass or decorator"),
        ("import functools", "import sys", "at import only"),
        ("@keep", "@str", "signature or decorator"),
        ("x + n", "x + 1", "outer names"),
    ],
)
def test_what_a_fresh_import_would_do_differently_is_refused(live, old, new, reason):
    with pytest.raises(NotSwappable, match=reason):
        swapped(live(TEXT), old, new)


def test_line_numbers_in_tracebacks_stay_true(live):
    module = live(TEXT)
    swapped(module, "x + step", "x + step / 0")
    with pytest.raises(ZeroDivisionError) as raised:
        module.plain(1)
    line = raised.value.__traceback__.tb_next.tb_lineno
    assert TEXT.splitlines()[line - 1] == "    return x + step"


def test_an_edit_that_does_not_compile_changes_nothing(live):
    module = live(TEXT)
    with pytest.raises(SyntaxError):
        swapped(module, "return x + step", "return x + + * step")
    assert module.plain(1) == 2


def test_a_name_imported_by_another_module_is_bound_there_too(live):
    module = live(TEXT)
    other = live(f"from {module.__name__} import STEPS\n")
    swapper = swapped(module, "STEPS = (1, 2)", "STEPS = ()")
    assert other.STEPS == ()
    swapper.undo()
    assert other.STEPS == (1, 2)
