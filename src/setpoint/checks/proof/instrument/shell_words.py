"""Prove that code which a test in shell loads leaves the words of that test what they were.

A file that a shell loads shares everything with the test: it can define a function `diff` or `exit`, set a
trap, or make the count of failures a constant. So the shell is asked for what the words of the test are where
it ends, at the base and on the result.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks.proof.instrument.last_statement import with_last
from setpoint.checks.proof.subject import Subject
from setpoint.ports import Measured

_LOGS = ".setpoint-words"
"""A folder of the measured copy, as commands may write to that alone; it is removed."""
_MODE = "POSIXLY_CORRECT=y"
_ASK = (
    "(" + _MODE + "; "
    "(readonly -f type && unset -f echo && echo type is a function) >>{log} 2>/dev/null || :; "
    "unset -f type declare || :; case ${{BASH_VERSION-}} in ?*) set +o posix;; esac; LC_ALL=C; "
    'for word in {words}; do type "$word" || :; done >>{log} 2>/dev/null; '
    'for word in {variables}; do declare -p "$word" || :; done >>{log}.state 2>/dev/null; '
    "{{ trap; shopt || :; set -o; export -p; }} >>{log}.state 2>/dev/null; : >{log}.end) 2>/dev/null"
)
"""What a shell is asked. In the mode of POSIX no function hides `unset`, `set`, `readonly` and `trap`."""
_ALWAYS = ("[", "test", "exit", "return", "trap", "set", "unset", "echo", "printf", "command", "builtin")
_WORD = re.compile(r"(?<![\w$.-])[A-Za-z_][\w.+-]*")
_ASSIGNED = re.compile(r"^\s*(?:(?:local|declare|typeset)\s+)?([A-Za-z_]\w*)\+?=", re.MULTILINE)
_DEFINED = re.compile(r"^\s*(?:function\s+([\w.-]+)|([\w.-]+)\s*\(\s*\))", re.MULTILINE)
_MOST_WORDS = 400
_IS = re.compile(
    r"^(\S+) is (a (?:shell |special )*(?:function|builtin|keyword)|hashed \(|/|an? (?:tracked )?alias"
    r"|aliased)",
    re.MULTILINE,
)
_PATH = re.compile(r"(?:^|(?<=[ (]))/[^)\n]+")
_HELD = re.compile(r"^declare -(\S+) (\w+)", re.MULTILINE)
_TRAP = re.compile(r"^trap -- (.*?) ([A-Z][A-Z0-9]+)$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^(\w+)\s+(on|off)$", re.MULTILINE)
_EXPORTED = re.compile(r"^(?:declare -\w*x\w*|export) (\w+)=(.*)$", re.MULTILINE)
_RULES = re.compile(r"(?:PYTHON|NODE_|PERL|RUBY|LD_|BASH_)\w*|ENV|IFS|POSIXLY_CORRECT|GLOBIGNORE|CDPATH")
"""Variables by which programs of a test behave otherwise."""
_STRICTER = frozenset(
    (
        "errexit", "nounset", "pipefail", "inherit_errexit", "errtrace", "extglob", "globstar", "nullglob",
        "dotglob", "failglob", "lastpipe",
    )
)  # fmt: skip
"""Options that code may switch on."""
_ENDS = re.compile(r"\b(?:exit|exec|kill)\b")
_BENDS = frozenset("rilunc")
"""Attributes of a variable by which it keeps another value than the one it is given."""
_FUNCTION = "a function"


@dataclass(frozen=True, kw_only=True)
class Words:
    """What the words of a test are where it ends."""

    kinds: dict[str, str] = field(default_factory=dict)
    """A function with its text, an alias, a builtin, or the path of a program."""
    held: dict[str, str] = field(default_factory=dict)
    """Attributes of variables."""
    traps: dict[str, str] = field(default_factory=dict)
    """What runs at a signal, by its name."""
    options: dict[str, str] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)


async def words_changed(subject: Subject, tests: tuple[str, ...], path: str) -> str:
    """Say which word of a test the change makes something else; empty where there is none."""
    base = await _asked(subject, await subject.without_its_code(), tests, path)
    now = await _asked(subject, await subject.checked_out(), tests, path)
    if base is None:
        return ""
    wish = subject.task.story.wish
    if now is None:
        traps = re.search(r"\b(?:trap|clean\w*|temp\w*|exit)\b", wish)
        return "" if traps else f"the shell of {path} does not say what its words are at its end"
    text = (Path(subject.place.copy.path) / path).read_text("utf-8", "replace")
    own = {one or other for one, other in _DEFINED.findall(text)}
    for word, what in differences(base, now, own):
        if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", wish, re.IGNORECASE):
            return f"for {path} `{word}` is {what} with the change"
    return ""


async def _asked(subject: Subject, there: Measured, tests: tuple[str, ...], path: str) -> Words | None:
    """Run the test with the question in it; none where it did not come to its end."""
    tree = Path(there.copy.path).resolve()
    file, logs = tree / path, tree / _LOGS
    if not file.is_file():
        return None
    text = await asyncio.to_thread(file.read_bytes)
    logs.mkdir(exist_ok=True)
    try:
        said = asking(text.decode("utf-8", "replace"), logs / "log")
        await asyncio.to_thread(file.write_text, said, "utf-8")
        await subject.run_tests(tests, there)
        if not (logs / "log.end").exists():
            return None
        return words_in(*((logs / each).read_text("utf-8", "replace") for each in ("log", "log.state")))
    finally:
        await asyncio.to_thread(file.write_bytes, text)
        await asyncio.to_thread(shutil.rmtree, logs, ignore_errors=True)


def asking(text: str, log: Path) -> str:
    """Return a test whose shell says at its end what the words of the test are.

    A trap says it where the test ends early, the last statement where something takes the place of the trap.
    """
    words = [*dict.fromkeys((*_ALWAYS, *_WORD.findall(text)))][:_MOST_WORDS]
    variables = [*dict.fromkeys(_ASSIGNED.findall(text))][:_MOST_WORDS] or ["_"]
    ask = _ASK.format(
        log=shlex.quote(str(log)), words=" ".join(map(shlex.quote, words)), variables=" ".join(variables)
    )
    first, rest = text.split("\n", 1) if text.startswith("#!") and "\n" in text else ("", text)
    return f"{first}\ntrap {shlex.quote(ask)} EXIT\n{with_last(rest, ask)}\n"


def words_in(log: str, state: str = "") -> Words:
    """Read what a shell said of its words, and of everything else; what it says first of a word counts."""
    starts = [*_IS.finditer(log)]
    ends = [*(each.start() for each in starts[1:]), len(log)]
    kinds: dict[str, str] = {}
    for each, end in zip(starts, ends, strict=True):
        kinds.setdefault(each[1], _kind(log[each.start(2) : end]))
    traps = {signal: does for does, signal in _TRAP.findall(state) if _MODE not in does}
    return Words(
        kinds=kinds,
        held={name: held for held, name in _HELD.findall(state)},
        traps=traps,
        options=dict(_OPTION.findall(state)),
        exported=dict(_EXPORTED.findall(state)),
    )


def _kind(said: str) -> str:
    if found := _PATH.search(said.partition("\n")[0]):
        return found[0]
    return said.strip() if "function" in said or "alias" in said else said.partition("\n")[0].strip()


def differences(base: Words, now: Words, own: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what a test uses and the change makes something else, and what that is.

    Functions of `own` are defined by the test; all other functions and unknown words may change.
    """
    for word, kind in base.kinds.items():
        other = now.kinds.get(word, "nothing")
        if other != kind and (word in own or "function" not in kind):
            yield word, "another function" if "function" in kind else _shown(other)
    yield from _of_state(base, now)


def _of_state(base: Words, now: Words) -> Iterator[tuple[str, str]]:
    """Yield variables, options and traps that are others."""
    for name, attributes in now.held.items():
        if new := _BENDS.intersection(attributes) - set(base.held.get(name, "")):
            yield name, f"declared by `-{''.join(sorted(new))}`"
    for option, state in now.options.items():
        if base.options.get(option) != state and not (state == "on" and option in _STRICTER):
            yield option, state
    for name, value in now.exported.items():
        if _RULES.fullmatch(name) and base.exported.get(name) != value:
            yield name, f"exported as {value[:60]}"
    for signal, does in now.traps.items():
        if base.traps.get(signal) != does and (signal != "EXIT" or _ENDS.search(does)):
            yield "trap", f"set at {signal} (`{does.splitlines()[0][:60]}`)"


def _shown(kind: str) -> str:
    return _FUNCTION if "function" in kind else "an alias" if "alias" in kind else kind
