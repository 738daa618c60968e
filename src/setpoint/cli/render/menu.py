"""Ask the person at the terminal to answer a gate, with a plain keyboard menu."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable

from rich.console import Console

from setpoint.app.people.gates import AnswerRequest, OpenGate, answer_gate, open_gates
from setpoint.app.views.run_page import place_of
from setpoint.cli.render.console import print_line
from setpoint.cli.render.event_lines import line
from setpoint.cli.render.hidden_input import confirmed
from setpoint.cli.render.styles import harmless
from setpoint.errors import UsageError
from setpoint.model.gate import MOST_GRANTED, Choice, Via
from setpoint.wiring.project import Project

POLL_S = 0.5
"""Seconds between two checks whether the gate was answered elsewhere."""
KEYS = {
    Choice.CONTINUE: "c", Choice.ACCEPT: "a", Choice.CANCEL: "x", Choice.APPROVE: "y", Choice.REJECT: "n",
    Choice.PROVE: "p", Choice.RETRY: "r", Choice.DISMISS: "w",
}  # fmt: skip
HISTORY, LATER = "h", "l"
MOST_DIFF = 30
"""Lines of the change in question that are shown with it."""
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


class _AnsweredElsewhere(Exception):
    """The gate was answered in another process, or it expired."""


def show_gate(console: Console, opened: OpenGate) -> None:
    """Print an open question, what it is about, and the command and the cost of each answer."""
    _question(console, opened)
    console.print("\nanswer with one of")
    for option in opened.gate.options:
        cost = opened.costs.get(option.choice, "")
        console.print(f"  {opened.commands[option.choice]}", style="bold", markup=False)
        print_line(console, f"{option.text}{f'; costs {cost}' if cost else ''}", start="      ")
    console.print(f"and then:  setpoint resume {opened.trace_id}   (or add --go to the answer)", markup=False)


def menu(console: Console, project: Project, opened: OpenGate) -> bool:
    """Ask the person at the terminal and record the answer; return false if the gate stays open."""
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
                wanted = _wanted(read, opened, chosen)
                if not confirmed(project):
                    return False
                answer_gate(project, opened, wanted, via=Via.TERMINAL)
                return True
            else:
                console.print("unknown answer", markup=False)
    except _AnsweredElsewhere:
        console.print(
            "\nthe question was answered elsewhere; the run continues with that answer", markup=False
        )
        return True
    except UsageError as error:
        # Answered elsewhere since the last check: the first answer counts.
        console.print(str(error), markup=False)
        return True
    except EOFError:
        return False


def _question(console: Console, opened: OpenGate) -> None:
    gate = opened.gate
    asker = f"{opened.asker} asks: " if opened.asker else ""
    console.print()
    print_line(console, f"? {opened.title}", "bold magenta")
    print_line(console, f"{asker}{gate.question}", "bold")
    for words in opened.words:
        print_line(console, f'"{words}"', start="  ")
    found = [f"{each.severity} {place_of(each.file, each.line)} {each.message}" for each in opened.findings]
    for title, lines in (
        ("not proved", opened.missing),
        ("findings", found),
        ("tried", opened.tried),
        ("known", (*opened.facts, *opened.edits)),
    ):
        for number, text in enumerate(lines):
            print_line(console, text, start=f"  {'' if number else title:<12}")
    diff = harmless(opened.diff()).splitlines()
    for text in diff[:MOST_DIFF]:
        console.print(f"  {text}", style=_DIFF_STYLES.get(text[:1]), markup=False)
    if len(diff) > MOST_DIFF:
        more = f"{len(diff) - MOST_DIFF} more lines: setpoint show diff {opened.trace_id}"
        console.print(f"  {more}", style="dim", markup=False)
    if gate.go_on:
        console.print(f"  hint: {gate.go_on}", markup=False)
    if gate.deadline is not None:
        until = gate.deadline.astimezone().strftime("%Y-%m-%d %H:%M")
        console.print(f"  without an answer until {until}: {gate.default}", markup=False)


def _options(console: Console, opened: OpenGate) -> None:
    for option in opened.gate.options:
        console.print(f"  {KEYS[option.choice]}  {option.choice}: {option.text}", markup=False)
    console.print(f"  {HISTORY}  history: show the events so far", markup=False)
    console.print(f"  {LATER}  later: leave the question open and exit", markup=False)


def _chosen(read: _Reader, opened: OpenGate) -> Choice | str | None:
    """Read one answer by key or name; return None for anything else."""
    said = read("your answer: ").lower()
    if said in (HISTORY, "history"):
        return HISTORY
    if said in (LATER, "later"):
        return LATER
    found = (option.choice for option in opened.gate.options)
    return next((each for each in found if said in (KEYS[each], str(each))), None)


def _wanted(read: _Reader, opened: OpenGate, choice: Choice) -> AnswerRequest:
    if choice is Choice.PROVE:
        command = ""
        while not command:
            command = read("a command that fails without the change and passes with it: ")
        return AnswerRequest(choice, acceptance=command)
    if choice is Choice.DISMISS:
        why = ""
        while not why:
            why = read("this objection is wrong, because: ")
        return AnswerRequest(choice, reason=why)
    if choice is Choice.RETRY:
        return AnswerRequest(choice)
    if choice is not Choice.CONTINUE:
        return AnswerRequest(choice, reason=read("why (Enter: no reason): "))
    offered = opened.gate.offer.iterations
    number = read(f"how many more iterations, at most {MOST_GRANTED} (Enter: {offered}): ")
    while number and not (number.isdecimal() and int(number) <= MOST_GRANTED):
        number = read(f"a number from 0 to {MOST_GRANTED}: ")
    approach = read("with a new approach, from the best state (y/N): ").lower()
    return AnswerRequest(
        choice,
        iterations=int(number) if number else None,
        new_approach=approach in ("y", "yes"),
        instruction=read("an instruction for the maker (Enter: none): "),
    )


def _history(console: Console, project: Project, opened: OpenGate) -> None:
    for event in project.log.replay(opened.trace_id):
        shown = line(event.body)
        if not shown.detail:
            clock = event.at.astimezone().strftime("%H:%M:%S")
            console.print(f"{event.seq:4} {clock} {shown.text}", markup=False)
    console.print(f"full log: {project.run_folder(opened.trace_id) / 'scratchpad.md'}", markup=False)


def _still_open(project: Project, opened: OpenGate) -> bool:
    return any(
        each.gate.id == opened.gate.id for each in open_gates(project) if each.trace_id == opened.trace_id
    )


class _Reader:
    """Reads lines from the keyboard and checks whether the gate was answered elsewhere."""

    def __init__(self, console: Console, still_open: Callable[[], bool]) -> None:
        self._console, self._still_open = console, still_open
        self._rest = b""

    def __call__(self, prompt: str) -> str:
        """Read one line without its line end; raise `EOFError` at the end of input."""
        self._console.print(prompt, end="", markup=False)
        descriptor = sys.stdin.fileno()
        while b"\n" not in self._rest:
            if not select.select([descriptor], [], [], POLL_S)[0]:
                if not self._still_open():
                    raise _AnsweredElsewhere
                continue
            data = os.read(descriptor, 4096)
            if not data:
                raise EOFError
            self._rest += data
        said, _, self._rest = self._rest.partition(b"\n")
        return said.decode("utf-8", "replace").strip()
