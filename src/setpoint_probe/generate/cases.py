"""A case is one thing that a test does: make an object, call it a few times, and look at the last call."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

from .values.kinds import MODULES
from .values.values import NOTHING, Near, changed, pick

_MUTABLE = re.compile(r"[\[{]|bytearray\(|set\(|collections\.|types\.SimpleNamespace|io\.|iter\(")
_ONE_IN = 3

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


@dataclass(frozen=True)
class Param:
    """A parameter and what may be given for it."""

    name: str
    required: bool
    star: bool
    """It takes any number of positional arguments."""
    keyword: bool
    """It can be given by name alone."""
    kinds: tuple[str, ...]
    own: tuple[str, ...]
    """Values seen near the code: its constants, its default, in documentation and in tests."""


@dataclass(frozen=True)
class Target:
    """Something that tests call."""

    name: str
    """Qualified within the module, as in `Basket.total`."""
    form: str
    """function, new, method, static or property."""
    path: str
    """The expression that gives it: with the module's name, of a method its own name alone."""
    owner: str
    params: tuple[Param, ...]
    near: Near
    """Words and numbers of the code, from which new values are made."""
    first: int
    last: int

    @property
    def public(self) -> bool:
        """Whether people outside the module are meant to call it."""
        parts = self.name.split(".")
        return not any(part.startswith("_") and not part.endswith("__") for part in parts)


Args = tuple[tuple[str, str], ...]
"""Arguments: name for one given by name, empty for a positional one, and the expression."""


@dataclass(frozen=True)
class Case:
    """One way to call a target."""

    target: str
    args: Args = ()
    new: Args | None = None
    """Arguments of the class, for a method."""
    before: tuple[tuple[str, Args], ...] = ()
    """Methods called before it on the same object, with their arguments."""
    then: Args | None = None
    """Arguments with which the result is called in turn."""
    script: tuple[str, ...] = ()
    """Statements of an example, instead of all the above."""
    expression: str = ""
    """The last expression of an example."""


class Program(NamedTuple):
    """A case as source text."""

    setup: tuple[str, ...]
    call: str
    names: tuple[str, ...] = ()
    """Variables that hold arguments which the call could change."""
    subject: str = ""
    """The variable that holds the object."""


@dataclass(frozen=True)
class Cast:
    """All targets of a module by name."""

    module: str
    """How the module is called in expressions."""
    targets: Mapping[str, Target]
    classes: Mapping[str, Target] = field(default_factory=dict)
    """The making of each class, by the class's name."""

    def methods_of(self, owner: str) -> list[Target]:
        """Return the methods that change or ask an object."""
        return [each for each in self.targets.values() if each.owner == owner and each.form == "method"]


def program(case: Case, cast: Cast, *, bind: bool = True) -> Program:
    """Write a case as source; with `bind`, arguments that can be changed in place get variables."""
    if case.expression:
        return Program(case.script, case.expression)
    target = cast.targets[case.target]
    setup: list[str] = []
    names: list[str] = []
    subject = ""
    if case.new is not None:
        subject = variable(target.owner, cast.module)
        setup.append(f"{subject} = {cast.module}.{target.owner}({_listed(case.new)})")
        setup += [_on(subject, cast.targets[name], args) for name, args in case.before]
    args: list[tuple[str, str]] = []
    for place, (name, text) in enumerate(case.args):
        if bind and _MUTABLE.match(text):
            held = _argument(target, place, name, {*names, subject, cast.module})
            setup.append(f"{held} = {text}")
            names.append(held)
            args.append((name, held))
        else:
            args.append((name, text))
    call = _on(subject, target, args) if subject else f"{target.path}({_listed(args)})"
    if target.form == "static":
        call = f"{cast.module}.{target.name}({_listed(args)})"
    if case.then is not None:
        call = f"{call}({_listed(case.then)})"
    return Program(tuple(setup), call, tuple(names), subject)


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
_OURS = ("self", "cls", "result", "pytest", "unittest")
"""Names that stand for something else in a test."""


def _on(subject: str, target: Target, args: Sequence[tuple[str, str]]) -> str:
    if target.form == "property":
        return f"{subject}.{target.path}"
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


def fresh(target: Target, cast: Cast, random: Random) -> Case:
    """Make up a case."""
    args = arguments(target, random)
    if target.form in ("function", "new", "static"):
        return Case(target.name, args)
    maker = cast.classes.get(target.owner)
    new = arguments(maker, random) if maker else ()
    methods = cast.methods_of(target.owner)
    before = []
    for _ in range(random.choice((0, 0, 0, 1, 1, 2, 3)) if methods else 0):
        method = random.choice(methods)
        before.append((method.name, arguments(method, random)))
    return Case(target.name, args, new, tuple(before))


def arguments(target: Target, random: Random) -> Args:
    """Make up arguments."""
    found: list[tuple[str, str]] = []
    by_name = False
    for param in target.params:
        if param.star:
            found += [
                ("", pick(param.kinds, param.own, random)) for _ in range(random.choice((0, 1, 2, 2, 3)))
            ]
            by_name = True
        elif param.required or random.random() < 0.5:  # noqa: PLR2004 - every other time
            name = param.name if by_name or param.keyword or not param.required else ""
            found.append((name, pick(param.kinds, param.own, random)))
        else:
            by_name = True
    return tuple(found)


def varied(case: Case, cast: Cast, random: Random) -> Case:
    """Change a case a little."""
    if case.expression:
        known = cast.targets.get(case.target)
        return _varied_example(case, known.near if known else NOTHING, random)
    target = cast.targets[case.target]
    if case.new is not None and random.randrange(_ONE_IN) == 0:
        return _varied_object(case, cast, random)
    if case.then is not None and random.randrange(2) == 0:
        return _with(case, then=_varied_args(case.then, target, random))
    return _with(case, args=_varied_args(case.args, target, random))


def _varied_object(case: Case, cast: Cast, random: Random) -> Case:
    owner = cast.targets[case.target].owner
    maker = cast.classes.get(owner)
    methods = cast.methods_of(owner)
    if methods and random.randrange(2):
        method = random.choice(methods)
        before = (*case.before, (method.name, arguments(method, random)))
        return _with(case, before=before[-4:])
    if case.before and random.randrange(2):
        return _with(case, before=case.before[1:])
    return _with(case, new=_varied_args(case.new or (), maker, random)) if maker else case


def _varied_args(args: Args, target: Target, random: Random) -> Args:
    if not args or random.random() < 0.15:  # noqa: PLR2004 - now and then something else altogether
        return arguments(target, random)
    place = random.randrange(len(args))
    name, text = args[place]
    new = changed(text, target.near, random) if random.random() < 0.7 else text  # noqa: PLR2004 - mostly near by
    if new == text:
        param = _param(target, place, name)
        new = pick(param.kinds, param.own, random) if param else text
    return (*args[:place], (name, new), *args[place + 1 :])


def _param(target: Target, place: int, name: str) -> Param | None:
    for param in target.params:
        if param.name == name:
            return param
    return target.params[min(place, len(target.params) - 1)] if target.params else None


def _varied_example(case: Case, near: Near, random: Random) -> Case:
    """Change a literal in an example's last expression."""
    tree = ast.parse(case.expression, mode="eval")
    places = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    if not places:
        return case
    node = random.choice(places)
    text = changed(repr(node.value), near, random)
    node.value = ast.literal_eval(text)
    return _with(case, expression=ast.unparse(tree))


def _with(case: Case, **new: Any) -> Case:  # noqa: ANN401 - fields by name
    return replace(case, **new)


def called(case: Case, random: Random) -> Case:
    """Call what a case gives in turn."""
    words = tuple(("", pick((), (), random)) for _ in range(random.choice((0, 1, 1, 1, 2))))
    return _with(case, then=words)


def shorter(case: Case) -> Iterator[Case]:
    """Yield the case with less of it: up to an earlier call, or without a call or an optional argument."""
    for place, (name, args) in enumerate(case.before):
        yield _with(case, target=name, args=args, then=None, before=case.before[:place])
    for place in range(len(case.before)):
        yield _with(case, before=(*case.before[:place], *case.before[place + 1 :]))
    for place in range(len(case.script) - 1, -1, -1):
        yield _with(case, script=(*case.script[:place], *case.script[place + 1 :]))
    for place in range(len(case.args) - 1, -1, -1):
        if case.args[place][0]:
            yield _with(case, args=(*case.args[:place], *case.args[place + 1 :]))
    for place in range(len(case.new or ()) - 1, -1, -1):
        if case.new and case.new[place][0]:
            yield _with(case, new=(*case.new[:place], *case.new[place + 1 :]))
