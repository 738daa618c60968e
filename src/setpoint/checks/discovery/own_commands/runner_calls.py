"""Where a command calls a test runner that Setpoint reads, and with which arguments."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from setpoint.checks.discovery.own_commands.steps import (
    checks_only,
    installs,
    joined,
    set_first,
    testing,
    unlaunched,
)
from setpoint.checks.discovery.own_commands.variables import for_tests, variables_at
from setpoint.model.shell import Part, unquoted
from setpoint.model.value import Value

_COVERING = frozenset({"c8", "nyc"})
"""Programs that count what the one after them reaches; Setpoint counts that itself."""
_COVERAGE = _COVERING | {"codecov", "coveralls", "istanbul"}
"""Programs that report it or send it away."""


class RunnerWords(Value):
    """How the command line of a runner is read."""

    names: tuple[str, ...]
    """The programs that start it."""
    needs: str = ""
    """An option without which the program does not run tests."""
    skip: tuple[str, ...] = ()
    """Words after the program that Setpoint gives itself."""
    valued: tuple[str, ...] = ()
    """Options whose value is the next word."""
    drop: tuple[str, ...] = ()
    """Patterns of options that are left out: they change what is printed, or keep the runner from ending."""
    drop_valued: tuple[str, ...] = ()
    """Those of them whose value is the next word."""
    keep: tuple[str, ...] = ()
    """Patterns of the only options that are kept, of a runner that Setpoint calls in its own way: no targets.
    None: every option that is not left out."""


@dataclass(frozen=True, kw_only=True)
class RunnerCall:
    """One call of a runner in the project's own command; all words as they are written, with their quotes."""

    shown: str
    """How people type the command, for example `npm test`."""
    file: str = ""
    """The file that names it."""
    before: str = ""
    """Steps that come first, for example a build; empty where there are none."""
    setting: tuple[str, ...] = ()
    """Words that set variables."""
    variables: tuple[tuple[str, str], ...] = ()
    """The variables themselves, of a runner that Setpoint calls in its own way."""
    first: str = ""
    """Steps that come first there."""
    options: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Files and patterns that say which tests run."""

    @property
    def plain(self) -> bool:
        """Whether the runner is called without anything of its own."""
        return not (self.before or self.setting or self.options or self.targets)

    def line(self, words: Sequence[str], more: Sequence[str] = ()) -> str:
        """Return the line for a shell that starts the runner by `words`, with its arguments and these.

        Files among the last ones take the place of the command's own.
        """
        targets = () if any(not word.startswith("-") for word in more) else self.targets
        quoted = (shlex.join(words), *self.options, shlex.join(more), *targets)
        started = " ".join(filter(None, (*self.setting, *quoted)))
        return f"{self.before} && {started}" if self.before else started


@cache
def runner_words() -> Mapping[str, RunnerWords]:
    """Return how each runner's command line is read, by preset."""
    text = resources.files(__package__).joinpath("runners.toml").read_text("utf-8")
    return TypeAdapter(dict[str, RunnerWords]).validate_python(tomllib.loads(text))


def runner_calls(shown: str, steps: Sequence[Part]) -> dict[str, list[RunnerCall]]:
    """Find the calls of known runners among the steps of a command, by runner.

    Steps before a call that check the code (lint, types, formatting) are left out: others run these.
    """
    found: dict[str, list[RunnerCall]] = {}
    before = list[Part]()
    for at, step in enumerate(steps):
        name, call = _call(shown, step)
        if call is not None and runner_words()[name].keep:
            variables = for_tests(variables_at(steps, at))
            first = testing([step for step in before if step.words[0] != "export"])
            found.setdefault(name, []).append(replace(call, variables=variables, first=first))
        elif call is not None:
            found.setdefault(name, []).append(replace(call, before=joined(before)))
        elif not checks_only(step) and not installs(step):
            before.append(step)
    return found


def after_runners(steps: Sequence[Part]) -> str:
    """Return what a command runs after its last call of a known runner, such as `tsd`; empty for nothing.

    Steps that only check the code, or report coverage, are left out.
    """
    called = [number for number, step in enumerate(steps) if _call("", step)[1] is not None]
    later = steps[called[-1] + 1 :] if called else ()
    if any(step.operator == "||" for step in later):
        return ""
    return testing([step for step in later if not _reports_coverage(step)])


def _reports_coverage(step: Part) -> bool:
    words = set_first(step.words)[1]
    return bool(words) and not _COVERAGE.isdisjoint(word.rpartition("/")[2] for word in words[:2])


def _call(shown: str, step: Part) -> tuple[str, RunnerCall | None]:
    setting, words = set_first(step.words)
    words = _uncounted(words)
    if not words:
        return "", None
    words, extra = _through_node(words)
    for name, known in runner_words().items():
        program = unquoted(words[0]).rpartition("/")[2].removesuffix(".js")
        if program not in known.names or (known.needs and known.needs not in words):
            continue
        if known.keep:
            return name, RunnerCall(shown=shown, options=tuple(_split(words[1:], known)[0]))
        if program == "tsx":
            extra = (*extra, "--import=tsx")
        rest = words[1:]
        while rest and rest[0] in known.skip:
            rest = rest[1:]
        options, targets = _split([word for word in rest if word != known.needs], known)
        given = (*setting, f'NODE_OPTIONS="{" ".join(extra)}"') if extra and name != "node_test" else setting
        mine = (*extra, *options) if name == "node_test" else options
        return name, RunnerCall(
            shown=shown, setting=tuple(given), options=tuple(mine), targets=tuple(targets)
        )
    return "", None


def _uncounted(words: list[str]) -> list[str]:
    """Drop what only starts the next program, or counts what it reaches."""
    words = unlaunched(words)
    if words[:2] == ["coverage", "run"] and "-m" in words:
        return ["python", *words[words.index("-m") :]]
    if words and words[0] in _COVERING:
        known = {name for each in runner_words().values() for name in each.names}
        at = next((n for n, word in enumerate(words) if n and word.rpartition("/")[2] in known), None)
        return words[at:] if at is not None else words
    return words


def _through_node(words: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Read `node OPTIONS node_modules/.../jest.js ...` as a call of jest with options for Node."""
    if words[0] != "node" or "--test" in words:
        return words, ()
    at = next((n for n, word in enumerate(words) if "node_modules/" in word), None)
    if at is None:
        return words, ()
    program = re.sub(r"^.*/", "", words[at])
    return [program, *words[at + 1 :]], tuple(words[1:at])


def _split(words: Sequence[str], known: RunnerWords) -> tuple[list[str], list[str]]:
    """Part options with their values from targets, without what Setpoint gives itself."""
    options, targets, left = list[str](), list[str](), list(words)
    while left:
        word = left.pop(0)
        plain = unquoted(word)
        if plain == "--":
            targets += left
            break
        if not plain.startswith("-"):
            targets.append(word)
            continue
        valued = plain in known.valued or plain in known.drop_valued
        value = [left.pop(0)] if valued and left else []
        name = plain.partition("=")[0]
        kept = not known.keep or any(re.fullmatch(each, name) for each in known.keep)
        dropped = name in known.drop_valued or any(re.fullmatch(each, name) for each in known.drop)
        if kept and not dropped:
            options += [word, *value]
    return options, targets
