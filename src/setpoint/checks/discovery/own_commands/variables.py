"""Which variables a step of a command gets from the command, as far as their values are written out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from setpoint.checks.discovery.own_commands.steps import set_first, started
from setpoint.model.shell import ASSIGNED, Part, unquoted

_USED = re.compile(r"\$(?:\{(?P<curly>\w+)(?::?-(?P<default>[^}]*))?\}|(?P<plain>\w+))")
_TREE = "$PWD"
_PATHS = "PYTHONPATH"
_OURS = re.compile(
    r"PATH|HOME|TMPDIR|LD_\w+|PYTHON(?:HOME|OPTIMIZE|DONTWRITEBYTECODE|PYCACHEPREFIX|STARTUP|INSPECT)"
    r"|COVERAGE_\w+|PYTEST_ADDOPTS|SETPOINT_\w+|TOX\w*|VIRTUAL_ENV"
    r"|GO(?:ROOT|PATH|BIN|TOOLCHAIN|CACHE|MODCACHE)|RUST(?:DOC)?FLAGS|CARGO_\w+|RUSTUP_\w+|JAVA_HOME"
)
"""Variables that are not taken: Setpoint measures by them, or they switch off what tests assert."""


def variables_at(steps: Sequence[Part], at: int) -> dict[str, str]:
    """Return the variables that a step gets; `$PWD` in a value stands for the root of the tree.

    A value that depends on anything else than the command is left out.
    """
    exported, known = dict[str, str](), dict[str, str]()
    for number, step in enumerate(steps[: at + 1]):
        setting, words = set_first(step.words)
        if number == at:  # also `uv run env A=1 pytest`
            setting = [word for word in step.words[: -len(started(step.words))] if "=" in word]
        if words[:1] == ["export"]:
            names = [word for word in map(unquoted, words[1:]) if word in known]
            exported |= {name: known[name] for name in names} | _assigned(words[1:], known, exported)
        elif not words:
            known |= _assigned(setting, known, exported)
            exported |= {name: known[name] for name in known if name in exported}
        elif number == at:
            exported |= _assigned(setting, known, exported)
    return exported


def for_tests(variables: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return those variables that tests get, in an order that does not depend on the file."""
    return tuple(sorted((name, value) for name, value in variables.items() if not _OURS.fullmatch(name)))


def with_own(own: Iterable[tuple[str, str]], variables: Mapping[str, str], tree: Path) -> dict[str, str]:
    """Add the variables of the project's own command to those of a check.

    Folders in its PYTHONPATH come after those that the check names.
    """
    every = dict(variables)
    for name, value in own:
        text = value.replace(_TREE, str(tree))
        if name == _PATHS:
            folders = [str(tree / part) for part in text.split(":") if part]
            text = ":".join(dict.fromkeys([*filter(None, every.get(name, "").split(":")), *folders]))
        every[name] = text
    return every


def _assigned(words: Iterable[str], *known: Mapping[str, str]) -> dict[str, str]:
    found = dict[str, str]()
    for word in words:
        assigned = ASSIGNED.fullmatch(unquoted(word))
        value = _filled(assigned["value"], assigned["name"], *known) if assigned else None
        if assigned and value is not None:
            found[assigned["name"]] = value
    return found


def _filled(value: str, name: str, *known: Mapping[str, str]) -> str | None:
    """Put known values in the place of names; none where one is not known."""
    names: dict[str, str] = {}
    for each in known:
        names |= each

    def read(found: re.Match[str]) -> str:
        used = found["curly"] or found["plain"]
        if used == "PWD":
            return "\0"
        given = found["default"]
        unset = "" if used == name else "$" if given is None else given
        return names.get(used, unset)

    text = _USED.sub(read, value)
    return None if "$" in text or "`" in text else text.replace("\0", _TREE)
