"""What senders of signals have in common."""

import pytest

from setpoint.model.finding import Severity
from setpoint.production.inbox.common_fields import MOST_FRAMES, frames, severity, text

PYTHON = """Traceback (most recent call last):
  File "/srv/app/web.py", line 3, in serve
    handle(request)
  File "/srv/app/cart.py", line 14, in average
    return total / count
           ~~~~~~^~~~~~~
ZeroDivisionError: division by zero"""
NODE = """TypeError: Cannot read properties of undefined
    at average (/srv/app/cart.js:14:9)
    at async Object.serve (file:///srv/app/web.mjs:3:5)
    at node:internal/main/run_main_module:28:49"""
JAVA = """java.lang.ArithmeticException: / by zero
\tat shop.Cart.average(Cart.java:14)
\tat shop.Web.serve(Web.java:3)"""
GO = """goroutine 1 [running]:
main.average(...)
\t/srv/app/cart.go:14 +0x1d
main.main()
\t/srv/app/web.go:3 +0x2a"""


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (PYTHON, [("/srv/app/cart.py", 14, "average"), ("/srv/app/web.py", 3, "serve")]),
        (NODE, [("/srv/app/cart.js", 14, "average"), ("/srv/app/web.mjs", 3, "Object.serve")]),
        (JAVA, [("Cart.java", 14, "shop.Cart.average"), ("Web.java", 3, "shop.Web.serve")]),
        (GO, [("/srv/app/cart.go", 14, ""), ("/srv/app/web.go", 3, "")]),
        ("all is well at 12:30", []),
    ],
)
def test_stacks_are_read_the_innermost_call_first(said, found):
    assert [(each.file, each.line, each.function) for each in frames(said)][: len(found) or 9] == found


def test_a_deep_stack_is_cut_at_its_outer_end():
    deep = "\n".join(f'  File "a.py", line {number}, in f' for number in range(1, 200))
    assert [frames(deep)[0].line, len(frames(deep))] == [199, MOST_FRAMES]


def test_severities_go_by_many_names():
    names = {"page": Severity.CRITICAL, " High ": Severity.ERROR, "": Severity.WARNING, "none": Severity.INFO}
    assert {name: severity(name) for name in names} == names
    assert severity("purple") is Severity.WARNING


def test_a_secret_at_the_cut_is_not_kept_by_half():
    said = "x" * 40 + " ghp_" + "a" * 36
    assert "ghp_" not in text(said, 60)
