"""A case is one thing that a test does: make an object, call it a few times, and look at the last call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from .given.answers import Answer
from .given.given import NOTHING_GIVEN, Offers
from .values.values import NOTHING, Near, changed, pick

_ONE_IN = 3
_GIVEN_SHARE = 0.6
"""How often a value is one that the project's tests give, where they give any."""

CONTEXT = ("__enter__", "__exit__", "__aenter__", "__aexit__", "__aiter__", "__await__")
"""Those that a statement calls for the object itself."""
_INSIDE = ("", "", "raise ValueError('bad')")
"""What is done inside a context."""


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
    given: tuple[str, ...] = ()
    """Expressions of what the project's tests give for it: fixtures, and objects made as they make them."""


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
    waits: str = ""
    """How its answer is taken: `await`, `async for`, `with`, `async with`; empty: as it is."""

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
    want: str = ""
    """What the example says it gives."""
    take: str = ""
    """How the answer is taken, where a trial told: as in `Target.waits`, or `loop`, where it needs one."""
    within: bool = False
    """The object is entered, and the method called inside."""
    inside: str = ""
    """What is done inside a context that the call gives; empty: nothing."""
    doubles: tuple[str, ...] = ()
    """Stand-ins, as calls: for the clock, chance, processes or the network."""
    made: str = ""
    """What gives the object instead of its class: a fixture, or an expression of the project's tests."""


@dataclass(frozen=True)
class Cast:
    """All targets of a module by name."""

    module: str
    """How the module is called in expressions."""
    targets: Mapping[str, Target]
    classes: Mapping[str, Target] = field(default_factory=dict)
    """The making of each class, by the class's name."""
    offers: Offers = NOTHING_GIVEN
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Stand-ins that answer as tests of the project say."""

    def answers_for(self, target: str) -> dict[str, str]:
        """Return stand-ins that tests of the project use with a function, each with their file."""
        parts = target.split(".")
        return {double: each.file for double, each in self.answers.items() if each.about.intersection(parts)}

    def methods_of(self, owner: str) -> list[Target]:
        """Return the methods that change or ask an object."""
        return [each for each in self.targets.values() if each.owner == owner and each.form == "method"]

    def entered(self, owner: str) -> str:
        """Say how objects of a class are entered; empty where they are not."""
        ways = {"__aenter__": "async with", "__enter__": "with"}
        return next((how for name, how in ways.items() if f"{owner}.{name}" in self.targets), "")


def fresh(target: Target, cast: Cast, random: Random) -> Case:
    """Make up a case."""
    args = arguments(target, random)
    inside = random.choice(_INSIDE) if target.waits.endswith("with") else ""
    if target.form in ("function", "new", "static"):
        return Case(target.name, args, inside=inside)
    maker = cast.classes.get(target.owner)
    new: Args = arguments(maker, random) if maker else ()
    made = _made(target.owner, cast, random)
    methods = cast.methods_of(target.owner)
    before = []
    for _ in range(random.choice((0, 0, 0, 1, 1, 2, 3)) if methods else 0):
        method = random.choice(methods)
        before.append((method.name, arguments(method, random)))
    if target.path in CONTEXT:
        return Case(target.name, (), () if made else new, tuple(before), inside=inside, made=made)
    within = bool(cast.entered(target.owner)) and random.randrange(2) == 0
    return Case(target.name, args, () if made else new, tuple(before), within=within, made=made)


def _made(owner: str, cast: Cast, random: Random) -> str:
    """Pick what the project's tests give for an object of a class; empty for its own constructor."""
    ways = cast.offers.of_class.get(owner.rpartition(".")[2], ())
    return random.choice(ways) if ways and random.random() < _GIVEN_SHARE else ""


def arguments(target: Target, random: Random) -> Args:
    """Make up arguments."""
    found: list[tuple[str, str]] = []
    by_name = False
    for param in target.params:
        if param.star:
            found += [("", _value(param, random)) for _ in range(random.choice((0, 1, 2, 2, 3)))]
            by_name = True
        elif param.required or random.random() < 0.5:  # noqa: PLR2004 - every other time
            name = param.name if by_name or param.keyword or not param.required else ""
            found.append((name, _value(param, random)))
        else:
            by_name = True
    return tuple(found)


def _value(param: Param, random: Random) -> str:
    if param.given and random.random() < _GIVEN_SHARE:
        return random.choice(param.given)
    return pick(param.kinds, param.own, random)


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
    made = _made(owner, cast, random)
    if made or maker is None:
        return _with(case, made=made, new=()) if made else case
    return _with(case, made="", new=_varied_args(case.new or (), maker, random))


def _varied_args(args: Args, target: Target, random: Random) -> Args:
    if not args or random.random() < 0.15:  # noqa: PLR2004 - now and then something else altogether
        return arguments(target, random)
    place = random.randrange(len(args))
    name, text = args[place]
    new = changed(text, target.near, random) if random.random() < 0.7 else text  # noqa: PLR2004 - mostly near by
    if new == text:
        param = _param(target, place, name)
        new = _value(param, random) if param else text
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
    return _with(case, expression=ast.unparse(tree), want="")


def _with(case: Case, **new: Any) -> Case:  # noqa: ANN401 - fields by name
    return replace(case, **new)


def called(case: Case, random: Random) -> Case:
    """Call what a case gives in turn."""
    words = tuple(("", pick((), (), random)) for _ in range(random.choice((0, 1, 1, 1, 2))))
    return _with(case, then=words)


def shorter(case: Case) -> Iterator[Case]:
    """Yield the case with less of it: up to an earlier call, or without a call or an optional argument."""
    for place, (name, args) in enumerate(case.before):
        yield _with(
            case, target=name, args=args, then=None, before=case.before[:place], within=False, inside=""
        )
    if case.within:
        yield _with(case, within=False)
    for place in range(len(case.doubles)):
        yield _with(case, doubles=(*case.doubles[:place], *case.doubles[place + 1 :]))
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
