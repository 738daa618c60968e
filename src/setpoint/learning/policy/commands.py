"""Which ways to call a tool work in a project and which do not, from the calls of an agent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from setpoint.model.attempt import ToolCall

_SET = re.compile(r"[A-Za-z_]\w*=")
_LAUNCHERS = frozenset(
    re.findall(r"\w+", "python python3 uv poetry pipenv hatch npx pnpm yarn npm bunx run exec dlx")
)
_PICKS = re.compile(r"-[kmtg]$|--(?:filter|grep|run|testNamePattern|test)$")
"""Options whose word picks some tests."""
_SHORT = re.compile(r"-[a-z]+$|--(?:quiet|verbose|no-\w[\w-]*)$")
_ONE = re.compile(r".*(?:/|::|\.\w{1,4}$).*")
"""A word that names a single file or test."""
_OWN_CALLS = ("repair_", "search_repair")
"""Stages of the mechanic's search; they are not commands."""
_CHANGES = ("edit", "delete", "move")


def works_here(rounds: Sequence[Sequence[ToolCall]]) -> tuple[tuple[str, str, str], ...]:
    """Return tool, call that fails and call that works, each once; what names single files is left out.

    Only calls between which nothing was edited are compared, and none that ended otherwise in another place:
    a failing test does not make a command a wrong one.
    """
    told = [call for calls in rounds for call in calls if call.ok is not None and call.kind == "execute"]
    good = {_general(call.title) for call in told if call.ok}
    found: dict[str, tuple[str, str]] = {}
    for calls in rounds:
        failed: dict[str, str] = {}
        for call in calls:
            if call.kind in _CHANGES:
                failed = {}
            general = _general(call.title)
            if call.kind != "execute" or not general or call.refused or call.name.startswith(_OWN_CALLS):
                continue
            tool = _tool(general)
            if call.ok is False and general not in good:
                failed[tool] = general
            elif call.ok and tool in failed and not _picks_more(failed[tool].split(), general.split()):
                found.setdefault(tool, (failed[tool], general))
    return tuple((tool, wrong, right) for tool, (wrong, right) in found.items())


def _general(command: str) -> str:
    """Return how a command is called, without what is set for it alone (a secret, perhaps) and its picks."""
    if re.search(r"[|;&<>\n]", command):
        return ""
    kept: list[str] = []
    words = iter(command.strip("`$ ").split())
    for word in words:
        if not kept:
            kept += [] if _SET.match(word) else [word]
        elif _PICKS.match(word) and not re.search(
            r"(^|/)python[\d.]*$", kept[-1]
        ):  # `python -m` names a tool
            next(words, "")
        elif word == "-m" or not (_SHORT.match(word) or _ONE.fullmatch(word)):
            kept.append(word)
    return " ".join(kept)


def _picks_more(one: list[str], other: list[str]) -> bool:
    """Whether two calls of a program differ by words that one of them has beside the other's."""
    return one[0] == other[0] and (set(one) <= set(other) or set(other) <= set(one))


def _tool(command: str) -> str:
    """Name what a command starts, whatever starts that."""
    words = (word.rpartition("/")[2] for word in command.split() if word != "-m")
    return next((word for word in words if word not in _LAUNCHERS), command)
