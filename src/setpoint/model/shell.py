"""Commands of the shell, split into what they start."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)|(?P<comment>(?<![^\s;&|])\#[^\n]*)|(?P<group>[()])
    |(?P<op>\|\||&&|\|&|[|;\n]|&(?![>\d]))
    |(?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|[<>]&|&>>?|>\||[^\s|;&()'"\\`])+)""",
    re.VERBOSE | re.DOTALL,
)
_HERE = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2(?P<rest>[^\n]*)\n(?:.*?\n)?\t*\3[ \t]*(?=\n|$)", re.DOTALL)
_INNER = re.compile(r"\$\((?P<dollar>(?:[^()]|\([^()]*\))*)\)|`(?P<back>[^`]*)`")
_SINGLE = re.compile(r"'[^']*'")
_REDIRECTION = re.compile(r"(?:\d*|&)(?:>>?|<|>\||[<>]&)(?P<target>.*)")
ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
"""A word that sets a variable."""
SHELLS = re.compile(r"(?:ba|da|z|k)?sh")


class Part(NamedTuple):
    """One simple command of a list, with the operator before it."""

    operator: str
    words: tuple[str, ...]
    """As they are written, with their quotes."""

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, kw_only=True)
class Call:
    """A simple command: the program with its arguments, and the variables that are set for it."""

    words: tuple[str, ...]
    """Without quotes and redirections; the first is the program."""
    variables: tuple[tuple[str, str], ...] = ()


def parts(command: str) -> list[Part]:
    """Split a command into its simple commands; none where it cannot be read."""
    found, words, operator, at = list[Part](), list[str](), "", 0
    while at < len(command):
        token = _TOKEN.match(command, at)
        if token is None:
            return []
        at, kind = token.end(), token.lastgroup
        if kind == "word" and token[0] not in ("{", "}", "!"):
            words.append(token[0])
        elif kind == "op":
            if words:
                found.append(Part(operator, tuple(words)))
                words = []
                operator = token[0]
            elif token[0] not in (";", "\n", "&"):
                operator = token[0]
    if operator == "&" and not words:
        words = [":"]  # a shell does not wait for what is in the background
    return [*found, Part(operator, tuple(words))] if words else found


def calls(command: str) -> Iterator[Call]:
    """Yield what a command starts, also in `$(...)`, backquotes and `sh -c`; here-documents are left out."""
    plain = _HERE.sub(lambda found: found["rest"], command)
    for part in parts(plain):
        call = call_of(part)
        if call is None:
            continue
        yield call
        if script := script_of(call.words):
            yield from calls(script)
    for inner in _INNER.finditer(_SINGLE.sub("''", plain)):
        yield from calls(inner["dollar"] or inner["back"] or "")


def call_of(part: Part) -> Call | None:
    """Return what a simple command starts; none where it only sets variables."""
    words, variables, skipped = list[str](), list[tuple[str, str]](), False
    for raw in part.words:
        if skipped:
            skipped = False  # where a redirection leads
            continue
        if redirection := _REDIRECTION.fullmatch(raw):
            skipped = not redirection["target"]
            continue
        word = unquoted(raw)
        assigned = ASSIGNED.fullmatch(word) if not words else None
        if assigned:
            variables.append((assigned["name"], assigned["value"]))
        else:
            words.append(word)
    return Call(words=tuple(words), variables=tuple(variables)) if words else None


def unquoted(word: str) -> str:
    """Return a word without its quotes; one that a shell would refuse stays as it is."""
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word


def script_of(words: tuple[str, ...]) -> str:
    """Return what a shell is given to run with `-c`; empty where it is none."""
    if not words or SHELLS.fullmatch(words[0].rpartition("/")[2]) is None:
        return ""
    place = next((number for number, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), None)
    return words[place + 1] if place is not None and place + 1 < len(words) else ""
