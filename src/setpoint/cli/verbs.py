"""The names of the verbs: their groups, the module of each, and the names that they had before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typer.core import TyperGroup

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter


def _by_name(paths: str) -> dict[str, str]:
    """Return the module below `setpoint.cli` of each verb; some modules hold several: `module:verb`."""
    return {path.replace(":", ".").rpartition(".")[2]: path.partition(":")[0] for path in paths.split()}


VERBS = {
    "Work": _by_name(
        "runs.run runs.work runs.land project.check runs.resume runs.stop runs.steer:hint runs.steer:pause"
    ),
    "Look": _by_name("runs.status runs.show runs.watch runs.verify project.serve project.metrics"),
    "Decide": _by_name("people.answer people.story people.learn people.finding"),
    "Set up": _by_name("project.init project.doctor project.agents project.demo"),
    "More": _by_name(
        "ci.ci project.cover project.clean project.hook project.mcp people.forge project.db admin lab"
    ),
}
"""Verbs by their group in `--help`."""
BELOW = {
    "admin": (
        "Manage tokens, notices, plug-ins, pipelines, reviewers and exports.",
        _by_name(
            "project.token project.passphrase project.plugins project.notify project.quarantine "
            "project.pipeline runs.export runs.attest project.reviewers"
        ),
    ),
    "lab": (
        "Compare halting policies, find weak tests, measure goals, and take single steps.",
        _by_name("project.halting project.mutate project.goals runs.step"),
    ),
}
"""Groups without a module of their own: what each is for, and its verbs."""
_FORMER = {
    "cancel": "stop",
    "gate": "answer",
    "gate list": "answer",
    "comment": "finding comment",
    "feedback": "finding",
    "feedback list": "finding feedback",
    "deploy": "ci deploy",
    "signal": "ci signal",
    **{verb: f"{group} {verb}" for group, (_, verbs) in BELOW.items() for verb in verbs},
}
"""Names of the last release; each works for one release more."""


def renamed(words: Sequence[str]) -> tuple[list[str], str]:
    """Return a command with the present name of its verb, and a note where it used a former one."""
    for count in (2, 1):
        former = " ".join(words[:count])
        if former in _FORMER:
            now = _FORMER[former]
            return [*now.split(), *words[count:]], f"`setpoint {former}` is now `setpoint {now}`"
    return list(words), ""


class Verbs(TyperGroup):
    """Lists its verbs in groups and takes former names, too."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse a command; standard error says what its verb is called now."""
        words, note = renamed(args)
        if note and not ctx.resilient_parsing:
            say(f"setpoint: {note}", err=True)
        return super().parse_args(ctx, words)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002 - as Typer calls it
        """List each group under its name."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for group, verbs in VERBS.items():
            listed = [(verb, self.commands[verb].get_short_help_str(width)) for verb in verbs]
            with formatter.section(group):
                formatter.write_dl(listed)
