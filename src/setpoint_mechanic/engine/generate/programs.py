"""Cases as source text."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Sequence
from typing import NamedTuple

from .cases import CONTEXT, Args, Case, Cast, Target
from .values.kinds import MODULES

_MUTABLE = re.compile(
    r"[\[{]|bytearray\(|set\(|(str\()?file_with\(|collections\.|types\.SimpleNamespace|io\.|iter\("
)

SYNTAX = {
    "__len__": "len({o})",
    "__str__": "str({o})",
    "__repr__": "repr({o})",
    "__iter__": "iter({o})",
    "__reversed__": "reversed({o})",
    "__bool__": "bool({o})",
    "__int__": "int({o})",
    "__float__": "float({o})",
    "__neg__": "-{o}",
    "__abs__": "abs({o})",
    "__invert__": "~{o}",
    "__next__": "next({o})",
    "__contains__": "{0} in {o}",
    "__getitem__": "{o}[{0}]",
    "__eq__": "{o} == {0}",
    "__ne__": "{o} != {0}",
    "__lt__": "{o} < {0}",
    "__le__": "{o} <= {0}",
    "__gt__": "{o} > {0}",
    "__ge__": "{o} >= {0}",
    "__add__": "{o} + {0}",
    "__radd__": "{0} + {o}",
    "__sub__": "{o} - {0}",
    "__rsub__": "{0} - {o}",
    "__mul__": "{o} * {0}",
    "__rmul__": "{0} * {o}",
    "__or__": "{o} | {0}",
    "__and__": "{o} & {0}",
    "__xor__": "{o} ^ {0}",
    "__truediv__": "{o} / {0}",
    "__floordiv__": "{o} // {0}",
    "__mod__": "{o} % {0}",
}
"""How special methods are called by people."""


class Program(NamedTuple):
    """A case as source text."""

    setup: tuple[str, ...]
    call: str
    names: tuple[str, ...] = ()
    """Variables that hold arguments which the call could change."""
    subject: str = ""
    """The variable that holds the object."""
    waits: bool = False
    """It has to run in an event loop."""
    doubles: tuple[str, ...] = ()
    """Stand-ins around all, as `with` names them."""
    given: tuple[str, ...] = ()
    """Names that it uses of what the project's tests give."""


def program(case: Case, cast: Cast, *, bind: bool = True) -> Program:
    """Write a case as source; with `bind`, arguments that can be changed in place get variables."""
    target = cast.targets.get(case.target)
    shown = Program(case.script, case.expression)
    made = (shown if case.expression else _called(case, cast, bind=bind))._replace(doubles=case.doubles)
    if case.within and target is not None:
        made = _within(made, target, cast)
    elif how := case.take or (target.waits if target and not case.expression else ""):
        made = _taken(made, how, case.inside)
    waits = made.waits or any(_WAITS.match(line) for line in (*made.setup, made.call))
    return made._replace(waits=waits, given=_given(made, cast))


def _given(made: Program, cast: Cast) -> tuple[str, ...]:
    """Return the names of given things that steps use."""
    given = cast.offers.given
    text = "\n".join((*made.setup, made.call))
    if not any(name in text for name in given):
        return ()
    names = (node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
    return tuple(dict.fromkeys(name for name in names if name in given))


def _called(case: Case, cast: Cast, *, bind: bool) -> Program:
    target = cast.targets[case.target]
    setup: list[str] = []
    names: list[str] = []
    subject = ""
    if case.new is not None:
        subject = variable(target.owner, cast.module)
        if case.made in cast.offers.given:
            subject = case.made
        else:
            made = case.made or f"{cast.module}.{target.owner}({_listed(case.new)})"
            setup.append(f"{subject} = {made}")
        setup += [_step(subject, cast.targets[name], args) for name, args in case.before]
    args: list[tuple[str, str]] = []
    for place, (name, text) in enumerate(case.args):
        if text in cast.offers.given:
            names += [] if text in (subject, *names) else [text]
            args.append((name, text))
        elif bind and (_MUTABLE.match(text) or text.partition("(")[0] in cast.offers.given):
            held = _argument(target, place, name, {*names, subject, cast.module, *cast.offers.given})
            setup.append(f"{held} = {text}")
            names.append(held)
            args.append((name, held))
        else:
            args.append((name, text))
    call = _on("entered" if case.within else subject, target, args) if subject else ""
    call = call or f"{target.path}({_listed(args)})"
    if target.form == "static":
        call = f"{cast.module}.{target.name}({_listed(args)})"
    if case.then is not None:
        call = f"{call}({_listed(case.then)})"
    return Program(tuple(setup), call, tuple(names), subject)


def _step(subject: str, target: Target, args: Args) -> str:
    """Write an earlier call on an object as a statement."""
    call = _on(subject, target, args)
    if target.waits in ("with", "async with"):
        return f"{target.waits} {call}:\n    pass"
    return _answer(call, target.waits)


def _answer(call: str, how: str) -> str:
    return {"await": f"await {call}", "async for": f"[item async for item in {call}]"}.get(how, call)


def _taken(made: Program, how: str, inside: str) -> Program:
    """Take a call's answer: wait for it, go through it, or enter it."""
    if how not in ("with", "async with"):
        return made._replace(call=_answer(made.call, how), waits=how != "with")
    raises = inside.startswith("raise ")
    block = f"{how} {made.call} as entered:\n    {inside if raises else f'result = {inside or ENTERED}'}"
    call = ENTERED if raises else "result"
    return made._replace(setup=(*made.setup, block), call=call, waits=how == "async with")


def _within(made: Program, target: Target, cast: Cast) -> Program:
    """Call a method inside the context that its object is."""
    how = cast.entered(target.owner)
    call = _answer(made.call, target.waits)
    block = f"{how} {made.subject} as entered:\n    result = {call}"
    return made._replace(
        setup=(*made.setup, block), call="result", waits=how == "async with" or call != made.call
    )


ENTERED = "entered"
"""What a context gives, in a test."""
_WAITS = re.compile(r"(\w+ = )?await |async |\[item async ")


def variable(owner: str, module: str) -> str:
    """Name a variable after a class; never as something else that a test may name, the module above all."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owner.rpartition(".")[2].strip("_")).lower()
    return f"{name}_object" if not name or name == module or name in _TAKEN or name in _OURS else name


def _argument(target: Target, place: int, name: str, taken: set[str]) -> str:
    wanted = name or (target.params[min(place, len(target.params) - 1)].name if target.params else "value")
    wanted = wanted.strip("_") or "value"
    if wanted in _OURS or not wanted.isidentifier() or wanted in _TAKEN:
        wanted = f"{wanted}_value"
    number = 2
    given = wanted
    while given in taken:
        given, number = f"{wanted}_{number}", number + 1
    return given


_TAKEN = frozenset((*dir(builtins), *keyword.kwlist, *MODULES))
_OURS = (
    "self",
    "cls",
    "result",
    "entered",
    "item",
    "started",
    "sent",
    "tmp_path",
    "scenario",
    "pytest",
    "unittest",
)
"""Names that stand for something else in a test."""


def _on(subject: str, target: Target, args: Sequence[tuple[str, str]]) -> str:
    if target.form == "property":
        return f"{subject}.{target.path}"
    if target.path in CONTEXT:
        return subject
    plain = [text for name, text in args if not name]
    syntax = SYNTAX.get(target.path)
    if syntax and len(plain) == len(args) and ("{0}" in syntax) == (len(plain) == 1) and len(plain) < 2:  # noqa: PLR2004 - what the syntax takes
        shown = [f"({text})" if text.startswith("lambda") else text for text in plain]
        return syntax.format(*shown, o=subject)
    if target.path == "__call__":
        return f"{subject}({_listed(args)})"
    return f"{subject}.{target.path}({_listed(args)})"


def _listed(args: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={text}" if name else text for name, text in args)
