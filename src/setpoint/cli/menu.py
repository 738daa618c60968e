"""What a person is asked when a run cannot go on by itself: a plain menu, by keyboard alone."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable

from rich.console import Console

from setpoint import wiring
from setpoint.cli.lines import line
from setpoint.domain.gate import MOST_GRANTED, Choice, Via
from setpoint.errors import UsageError

POLL_S = 0.5
"""Seconds between two looks whether the question was answered elsewhere."""
KEYS = {Choice.CONTINUE: "c", Choice.ACCEPT: "a", Choice.CANCEL: "x", Choice.APPROVE: "y", Choice.REJECT: "n"}
HISTORY, LATER = "h", "l"


class _Elsewhere(Exception):
    """The question was answered in another process, or its time is up."""


def show_gate(console: Console, opened: wiring.OpenGate) -> None:
    """Show a question that is open, and the commands that answer it."""
    _question(console, opened)
    console.print("answer with one of", markup=False)
    width = max(len(command) for command in opened.commands.values())
    for option in opened.gate.options:
        console.print(f"  {opened.commands[option.choice]:{width}}   {option.text}", markup=False)
    console.print(f"and then:  setpoint resume {opened.trace_id}   (or add --go to the answer)", markup=False)


def menu(console: Console, project: wiring.Project, opened: wiring.OpenGate) -> bool:
    """Ask the person who sits here, and record the answer; false where the question stays open."""
    read = _Reader(console, lambda: _still_open(project, opened))
    try:
        while True:
            _question(console, opened)
            _options(console, opened)
            chosen = _chosen(read, opened)
            if chosen == HISTORY:
                _history(console, project, opened)
            elif chosen == LATER:
                return False
            elif isinstance(chosen, Choice):
                wiring.answer(project, opened, _wanted(read, opened, chosen), via=Via.TERMINAL)
                return True
            else:
                console.print("that is none of the answers", markup=False)
    except _Elsewhere:
        console.print("\nthe question is settled elsewhere; the run goes on with that", markup=False)
        return True
    except UsageError as error:
        # Answered elsewhere between the last look and this answer: the first one counts.
        console.print(str(error), markup=False)
        return True
    except EOFError:
        return False


def _question(console: Console, opened: wiring.OpenGate) -> None:
    gate = opened.gate
    console.print(f"\n{opened.trace_id} waits for a person: {gate.question}", style="bold", markup=False)
    for told in gate.context:
        console.print(f"  {told}", markup=False)
    if gate.go_on:
        console.print(f"  what may help: {gate.go_on}", markup=False)
    if gate.deadline is not None:
        until = gate.deadline.astimezone().strftime("%Y-%m-%d %H:%M")
        console.print(f"  without an answer until {until}: {gate.default}", markup=False)


def _options(console: Console, opened: wiring.OpenGate) -> None:
    for option in opened.gate.options:
        console.print(f"  {KEYS[option.choice]}  {option.choice}: {option.text}", markup=False)
    console.print(f"  {HISTORY}  history: show what happened so far", markup=False)
    console.print(f"  {LATER}  later: leave the question open, and end here", markup=False)


def _chosen(read: _Reader, opened: wiring.OpenGate) -> Choice | str | None:
    """Read one answer: its key or its name; none where it is neither."""
    said = read("your answer: ").lower()
    if said in (HISTORY, "history"):
        return HISTORY
    if said in (LATER, "later"):
        return LATER
    found = (option.choice for option in opened.gate.options)
    return next((each for each in found if said in (KEYS[each], str(each))), None)


def _wanted(read: _Reader, opened: wiring.OpenGate, choice: Choice) -> wiring.Wanted:
    if choice is not Choice.CONTINUE:
        return wiring.Wanted(choice, reason=read("why (Enter: no reason): "))
    offered = opened.gate.offer.iterations
    number = read(f"how many more iterations, at most {MOST_GRANTED} (Enter: {offered}): ")
    while number and not (number.isdecimal() and int(number) <= MOST_GRANTED):
        number = read(f"a number from 0 to {MOST_GRANTED}: ")
    approach = read("with a new approach, from the best state (y/N): ").lower()
    return wiring.Wanted(
        choice,
        iterations=int(number) if number else None,
        new_approach=approach in ("y", "yes"),
        instruction=read("an instruction for the maker (Enter: none): "),
    )


def _history(console: Console, project: wiring.Project, opened: wiring.OpenGate) -> None:
    for event in project.log.replay(opened.trace_id):
        shown = line(event.body)
        if not shown.detail:
            clock = event.at.astimezone().strftime("%H:%M:%S")
            console.print(f"{event.seq:4} {clock} {shown.text}", markup=False)
    console.print(f"in full: {project.run_folder(opened.trace_id) / 'scratchpad.md'}", markup=False)


def _still_open(project: wiring.Project, opened: wiring.OpenGate) -> bool:
    return any(
        each.gate.id == opened.gate.id
        for each in wiring.open_gates(project)
        if each.trace_id == opened.trace_id
    )


class _Reader:
    """Reads lines from the keyboard while it looks whether the question was answered elsewhere."""

    def __init__(self, console: Console, still_open: Callable[[], bool]) -> None:
        self._console, self._still_open = console, still_open
        self._rest = b""

    def __call__(self, prompt: str) -> str:
        """Read one line without its end; `EOFError` where there is none any more."""
        self._console.print(prompt, end="", markup=False)
        descriptor = sys.stdin.fileno()
        while b"\n" not in self._rest:
            if not select.select([descriptor], [], [], POLL_S)[0]:
                if not self._still_open():
                    raise _Elsewhere
                continue
            data = os.read(descriptor, 4096)
            if not data:
                raise EOFError
            self._rest += data
        said, _, self._rest = self._rest.partition(b"\n")
        return said.decode("utf-8", "replace").strip()
