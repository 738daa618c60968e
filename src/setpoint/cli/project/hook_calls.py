"""What the hooks `stop` and `prompt` answer, without Typer: loading it takes most of their time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.app.hooks.stop import answer_to_stop, note_prompt

if TYPE_CHECKING:
    from setpoint.model.evaluation import Evaluation

_MOST_SENT = 16_000_000


def answer(hook: str, *agent: str) -> None:
    """Print what one of these hooks answers."""
    answered = answered_stop if hook == "stop" else answered_prompt
    sys.stdout.write(f"{answered(*agent)}\n")


def answered_stop(agent: str = "claude") -> str:
    """Answer an agent that wants to end its turn; reads its message from standard input."""
    return answer_to_stop(agent, sent(), Path.cwd(), _described)


def answered_prompt(agent: str = "claude") -> str:
    """Remember the tree at a prompt of the user, and say where the check before it did not end."""
    return note_prompt(agent, sent(), Path.cwd())


def sent() -> bytes:
    """Return what was sent to standard input; nothing where that is a terminal."""
    return b"" if sys.stdin.isatty() else sys.stdin.buffer.read(_MOST_SENT)


def _described(evaluation: Evaluation) -> str:
    from setpoint.cli.render.check_text import check_text

    return check_text(evaluation, fast=True)
