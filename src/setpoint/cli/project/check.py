"""`setpoint check`: measure the working tree, once or after each edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from setpoint.model.evaluation import Evaluation, Stage
    from setpoint.model.evidence import CheckResult


_MEASURES = "measuring the working tree"
_VERDICTS = {ExitCode.OK: ("✓ PASS", "bold green"), ExitCode.FINDINGS: ("✗ FAIL", "bold red")}


def check(
    fast: Annotated[
        bool,
        typer.Option("--fast", help="Run only the tests that the changes can affect; gives no verdict."),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Check again after each edit, as with --fast."),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore cached results of earlier checks.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="List every failing test and finding, not one of each cause.")
    ] = False,
    base: Annotated[
        str, typer.Option("--base", metavar="REV", help="Leave out findings of the merge base with REV.")
    ] = "",
    whole: Annotated[bool, typer.Option("--whole", help="Count every finding, also old ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the evaluation as JSON.")] = False,
) -> int:
    """Run every check on the working tree; exit 1 if a check fails.

    The working tree includes uncommitted changes. Findings of the merge base with the default branch do not
    count. Failing tests always do.
    With `--watch`, check again after each edit until interrupted. An edit cancels the check that still runs.
    """
    from setpoint.app.checks.measure import exit_of, measure_tree
    from setpoint.app.checks.watch import watch_tree
    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.interrupts import interruptible
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    console = Screen(highlight=False, soft_wrap=True, stderr=as_json)
    _refuse_both({"--watch": watch, "--fresh": fresh}, {"--base": bool(base), "--whole": whole})
    since = None if whole else base
    with _progress(console, quiet=watch) as told:
        if watch:
            watch_tree(project, told, _Watched(console, as_json=as_json, everything=everything), since)
            return ExitCode.OK
        evaluation = measure_tree(project, told, fast=fast, fresh=fresh, since=since, runner=interruptible)
    _show(console, evaluation, fast=fast, everything=everything, as_json=as_json)
    return exit_of(evaluation)


@contextmanager
def _progress(console: Console, *, quiet: bool) -> Iterator[Callable[[Stage, CheckResult], None]]:
    """Show how far the checks are: in place on a terminal, elsewhere by a line at times, unless `quiet`."""
    from rich.markup import escape

    from setpoint.cli.render.check_lines import measured_line
    from setpoint.cli.render.interrupts import beating
    from setpoint.cli.render.presenter import MOST_BEAT_S, has_live_part

    live, block = has_live_part(console), console.status(_MEASURES)

    def told(_: Stage, result: CheckResult) -> None:
        block.update(escape(f"{_MEASURES}: {measured_line(result)}"))

    def beat(now: str) -> None:
        if live:
            block.update(escape(f"{_MEASURES}: {now}"))
        elif not quiet:
            say(f"... {now}", err=True)

    with block if live else nullcontext(), beating(beat, 1.0 if live else MOST_BEAT_S):
        yield told


def _refuse_both(*pairs: dict[str, bool]) -> None:
    """Raise `UsageError` where both options of a pair are given."""
    for pair in pairs:
        if all(pair.values()):
            raise UsageError(f"{' and '.join(pair)} exclude each other", hint="leave one of them out")


class _Watched:
    """Prints the progress of each watched tree."""

    def __init__(self, console: Console, *, as_json: bool, everything: bool) -> None:
        self._console, self._as_json, self._everything = console, as_json, everything

    def began(self, tree: str, *, ended_another: bool) -> None:
        """Print on a terminal which tree is measured now."""
        if not self._console.is_terminal:  # output redirected into the tree would count as an edit
            return
        why = "tree changed; measuring" if ended_another else "measuring"
        self._console.print(f"{why} tree {tree[:10]}", style="dim", markup=False)

    def measured(self, evaluation: Evaluation) -> None:
        """Print an evaluation; with JSON, on one line."""
        if self._as_json:
            say(evaluation.model_dump_json())
        else:
            _show(self._console, evaluation, fast=True, everything=self._everything)


def _show(
    console: Console, evaluation: Evaluation, *, fast: bool, everything: bool, as_json: bool = False
) -> None:
    if as_json:
        say(evaluation.model_dump_json(indent=2))
        return
    from setpoint.app.checks.measure import exit_of
    from setpoint.cli.render.check_text import styled_lines
    from setpoint.cli.render.console import print_line
    from setpoint.model.wording import counted

    if not fast:
        found = {
            "failing test": evaluation.failures,
            "blocking finding": evaluation.blocking,
            "broken check": evaluation.broken,
        }
        told = ", ".join(counted(len(each), name) for name, each in found.items() if each)
        word, style = _VERDICTS.get(exit_of(evaluation), ("? NOTHING PROVES THE CODE", "bold yellow"))
        print_line(console, f"{word}  {told}".rstrip(), style)
    for line, style in styled_lines(evaluation, fast=fast, everything=everything):
        console.print(line, style=style, markup=False)
