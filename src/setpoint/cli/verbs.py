"""The names of the verbs: their groups, the module of each, and the names that they had before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typer.core import TyperGroup

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

VERBS = {
    "Work": {
        "run": "runs.run",
        "check": "project.check",
        "cover": "project.cover",
        "resume": "runs.resume",
        "stop": "runs.stop",
        "hint": "runs.steer",
        "pause": "runs.steer",
    },
    "Look": {
        "status": "runs.status",
        "show": "runs.show",
        "watch": "runs.watch",
        "verify": "runs.verify",
        "serve": "project.serve",
        "metrics": "project.metrics",
    },
    "Decide": {
        "answer": "people.answer",
        "story": "people.story",
        "learn": "people.learn",
        "finding": "people.finding",
    },
    "Set up": {
        "init": "project.init",
        "doctor": "project.doctor",
        "agents": "project.agents",
        "demo": "project.demo",
    },
    "More": {
        "ci": "ci.ci",
        "hook": "project.hook",
        "mcp": "project.mcp",
        "forge": "people.forge",
        "admin": "",
        "lab": "",
    },
}
"""Each verb by its group in `--help`, with the module below `setpoint.cli` that holds it."""
BELOW = {
    "admin": (
        "Manage tokens, notices, plug-ins, pipelines, reviewers and exports.",
        {
            "token": "project.token",
            "passphrase": "project.passphrase",
            "plugins": "project.plugins",
            "notify": "project.notify",
            "quarantine": "project.quarantine",
            "pipeline": "project.pipeline",
            "export": "runs.export",
            "attest": "runs.attest",
            "reviewers": "project.reviewers",
        },
    ),
    "lab": (
        "Tune policies and goals, find weak tests, and take single steps.",
        {
            "halting": "project.halting",
            "tune": "project.tune",
            "mutate": "project.mutate",
            "goals": "project.goals",
            "step": "runs.step",
        },
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
