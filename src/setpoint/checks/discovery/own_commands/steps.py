"""The steps of a command: which of them are run for tests, and what starts them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from setpoint.model.shell import ASSIGNED, Part, unquoted

_LAUNCHERS = (
    ("npx",), ("bunx",), ("yarn", "run"), ("yarn", "exec"), ("yarn",), ("pnpm", "exec"), ("pnpm",),
    ("npm", "exec", "--"), ("npm", "exec"), ("bun", "run"), ("uv", "run"), ("poetry", "run"), ("pdm", "run"),
    ("hatch", "run"), ("rye", "run"), ("pipenv", "run"),
)  # fmt: skip
_VALUED = frozenset(
    {"--group", "--extra", "--with", "--python", "-p", "--env-file", "--package", "--directory"}
)
"""Options of these launchers whose value is the next word."""
_FOREIGN = re.compile(r"(?:venv|virtualenvs?)\b.*/bin/")
"""Programs of an environment that somebody keeps elsewhere."""
_SETTING = frozenset({"cross-env", "env", "cross-env-shell"})
"""Programs that set variables for the one after them."""
_CHECKING = frozenset(
    {
        "ava-typings", "attw", "bandit", "biome", "black", "codespell", "dprint", "echo", "eslint", "flake8",
        "flow", "isort", "knip", "markdownlint", "mypy", "oxfmt", "oxlint", "pre-commit", "prettier",
        "publint", "pylint", "pyright", "remark", "rimraf", "ruff", "size-limit", "standard", "stylelint",
        "ts-standard", "tslint", "vue-tsc", "xo",
    }
)  # fmt: skip
"""Programs of steps that only look at the code, or clear away what a fresh clone does not hold."""
_WRITES = re.compile(r"\d?>>?(?!&)(?!/dev/null)(?!\s*$)|>>?$")
INSTALLING = "it installs packages"
_INSTALL = re.compile(
    r"(?:\S*/)?(?:pip[\d.]*|pipx|conda|mamba) install\b|(?:\S*/)?python\S* -m pip install\b"
    r"|uv (?:pip |sync\b|venv\b|lock\b|tool )|(?:poetry|pdm|pipenv|rye) (?:install|sync|lock|update|add)\b"
    r"|(?:npm|pnpm) (?:ci|i|install|add)\b|yarn(?: install| add|$)|bun (?:install|i|add)\b|bundle install\b"
    r"|(?:\S*/)?python\S* -m venv\b|virtualenv\b|(?:\.|source) \S+/activate$|pip-(?:compile|sync)\b"
)
"""How steps begin that install what is to be there before."""


_COMPOUND = frozenset({"do", "then", "else", "if", "while", "!", "{", "("})
"""Words of the shell before a command."""


def set_first(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the words that set variables for a command from the command."""
    setting, left = list[str](), list(words)
    while left and (ASSIGNED.fullmatch(unquoted(left[0])) or left[0] in _SETTING):
        if left[1:] and left[1].startswith("-"):
            break  # an option of the program, which then runs the next one itself
        if left[0] not in _SETTING:
            setting.append(left[0])
        left = left[1:]
    return setting, left


def unlaunched(words: list[str]) -> list[str]:
    """Drop what only starts the next program."""
    for launcher in _LAUNCHERS:
        if tuple(words[: len(launcher)]) != launcher:
            continue
        left = words[len(launcher) :]
        while launcher[0] in ("uv", "poetry", "pdm", "rye") and left and left[0].startswith("-"):
            left = left[2:] if left[0] in _VALUED else left[1:]
        return unlaunched(left)
    return words


def started(words: Sequence[str]) -> list[str]:
    """Return the words of the program that a command starts in the end, with its arguments."""
    left = [*words]
    while left != (inner := unlaunched(set_first(left)[1])):
        left = inner
    return left


def checks_only(step: Part) -> bool:
    """Whether a step only looks at the code, or clears away what a fresh clone does not hold."""
    if any(_WRITES.match(word) for word in step.words):
        return False  # `echo 1 > made.txt` makes a file
    words = [*map(unquoted, started(step.words))]
    names = [word.rpartition("/")[2] for word in words[:1]]
    if names and names[0].startswith("python") and words[1:2] == ["-m"]:
        names = words[2:3]
    return bool(_CHECKING.intersection(names)) or "--noEmit" in words or "audit" in words


def installs(step: Part) -> bool:
    """Whether a step installs packages, or makes or enters an environment for them."""
    words = set_first(step.words)[1]
    while words and words[0] in _COMPOUND:
        words = words[1:]
    return _INSTALL.match(" ".join(words)) is not None


def testing(steps: Sequence[Part]) -> str:
    """Return the script without steps that only check the code or install, and without launchers."""
    kept = [step for step in steps if not checks_only(step) and not installs(step)]
    plain = [_plain(step) for step in kept]
    return joined(plain) if any(_starts_something(step) for step in plain) else ""


def joined(steps: Iterable[Part]) -> str:
    """Write steps as one script."""
    text = ""
    for step in steps:
        text += f" {step.operator or '&&'} {step}" if text else str(step)
    return text


def _starts_something(step: Part) -> bool:
    words = set_first(step.words)[1]
    return bool(words) and words[0] not in ("export", "set", "cd")


def _plain(step: Part) -> Part:
    setting, words = set_first(step.words)
    words = unlaunched(words)
    if words and _FOREIGN.search(words[0]):
        words[0] = words[0].rpartition("/")[2]  # the environment is the one of the project here
    return Part(step.operator, (*setting, *words))
