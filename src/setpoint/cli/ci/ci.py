"""`setpoint ci`: the entry points of jobs in continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.production import deploy, signal
from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.model.ci_report import CiReport
    from setpoint.model.evaluation import Stage
    from setpoint.model.evidence import CheckResult
    from setpoint.model.proof import Obligation

app = typer.Typer(
    no_args_is_help=True,
    help="Check changes in CI; record deployments and production problems.",
)
github = typer.Typer(no_args_is_help=True, help="Jobs of GitHub Actions.")
gitlab = typer.Typer(no_args_is_help=True, help="Jobs of GitLab CI.")
app.add_typer(github, name="github")
app.add_typer(gitlab, name="gitlab")
app.add_typer(deploy.app, name="deploy")
app.add_typer(signal.app, name="signal")

_RELEASE = "setpoint: tests may change"
Against = Annotated[str, typer.Option("--base", help="Compare with the merge base of this commit or branch.")]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        help="new: problems that the base does not have; unproven: an unproven change too; never.",
    ),
]
Output = Annotated[Path, typer.Option("--output", help="Folder for the files that the job leaves.")]
Release = Annotated[
    str, typer.Option("--release-label", help="Label by which a person wants tests to change.")
]


@github.command(name="check")
def github_check(
    base: Against = "",
    fail_on: FailOn = "new",
    output: Output = Path(),
    release_label: Release = _RELEASE,
) -> int:
    """Check the change of the event against its merge base; exit 1 for what the base does not have.

    Writes annotations, the step's summary and outputs, `setpoint-check.json` and `setpoint.sarif`.
    """
    from setpoint.app.ci.annotations import commands, error_command, plain_line
    from setpoint.app.ci.check import check_change, exit_of, refuse_unknown
    from setpoint.app.ci.github_event import VARIABLES, read_event
    from setpoint.app.ci.job_files import write_github
    from setpoint.errors import SetpointError
    from setpoint.settings import inherited

    variables = inherited(VARIABLES)
    try:
        refuse_unknown(fail_on)
        change = read_event(variables, release_label)
        report = check_change(Path.cwd(), change, variables, base, _told)
        write_github(report, output, variables)
    except SetpointError as error:
        say(error_command(str(error)))
        raise
    for line in commands(report):
        say(line)
    for line in _said(report):
        say(plain_line(line))
    return exit_of(report, fail_on)


@github.command()
def comment(
    report: Annotated[
        Path, typer.Option("--report", help="Folder with the `setpoint-check.json` of the other job.")
    ] = Path(),
) -> int:
    """Show the report of another job in its pull request, as one comment that is updated.

    For a job that holds a token which writes: it reads the data file alone and runs nothing of the change.
    """
    from setpoint.app.ci.annotations import error_command, plain_line
    from setpoint.app.ci.comment import comment_report
    from setpoint.app.ci.github_event import VARIABLES
    from setpoint.errors import SetpointError
    from setpoint.settings import inherited

    try:
        done = comment_report(report, inherited(VARIABLES), Path.cwd())
    except SetpointError as error:
        say(error_command(str(error)))
        raise
    say(plain_line(done.url or f"no comment: {done.reason}"))
    return 0


@github.command(name="run")
def github_run() -> int:
    """Turn labelled issues into pull requests, and reviews into rework, until a person is needed.

    For jobs on `issues`, `issue_comment`, `schedule` or `workflow_dispatch`, with a token that writes.
    """
    from setpoint.app.ci.annotations import error_command, plain_line
    from setpoint.app.ci.ordered_work import run_ordered
    from setpoint.errors import SetpointError
    from setpoint.settings import inherited

    names = ("GITHUB_EVENT_NAME", "GITHUB_REPOSITORY", "GITHUB_API_URL", "GITHUB_REF_NAME", "GITHUB_TOKEN")
    try:
        run_ordered(Path.cwd(), inherited(names), lambda story, text: say(plain_line(f"[{story}] {text}")))
    except SetpointError as error:
        say(error_command(str(error)))
        raise
    return 0


@gitlab.command(name="check")
def gitlab_check(
    base: Against = "",
    fail_on: FailOn = "new",
    output: Output = Path(),
    release_label: Release = _RELEASE,
) -> int:
    """Check the change of the pipeline against its merge base; exit 1 for what the base does not have.

    Writes `gl-code-quality-report.json`, `setpoint-junit.xml` and `setpoint-check.json`.
    """
    from setpoint.app.ci.check import check_change, exit_of, refuse_unknown
    from setpoint.app.ci.gitlab import VARIABLES, read_job
    from setpoint.app.ci.job_files import write_gitlab
    from setpoint.settings import inherited

    variables = inherited(VARIABLES)
    refuse_unknown(fail_on)
    report = check_change(Path.cwd(), read_job(variables, release_label), variables, base, _told)
    write_gitlab(report, output)
    for line in _said(report):
        say(line)
    return exit_of(report, fail_on)


def _told(_: Stage, result: CheckResult | Obligation) -> None:
    from setpoint.app.ci.annotations import plain_line
    from setpoint.cli.render.check_lines import raw_line

    say(plain_line(raw_line(result)), err=True)


def _said(report: CiReport) -> list[str]:
    """Describe the report in a few lines of a log."""
    lines = [f"{report.state}{f': {report.reason}' if report.reason else ''}"]
    if report.base:
        lines.append(f"{report.measured[:12]} against its base {report.base[:12]}")
    for each in report.problems:
        place = f"{each.file}:{each.line} " if each.file else ""
        lines.append(f"{'blocks' if each.blocking else each.level}: {place}{each.title}: {each.message}")
    if report.known_red:
        lines.append(f"failed at the base already: {', '.join(report.known_red)}")
    if report.contradicted:
        lines.append(f"contradicts tests of the base: {', '.join(report.contradicted)}")
    for note in report.notes:
        place = f"{note.file}:{note.line} " if note.file else ""
        lines.append(f"note: {place}{note.rule}: {note.message}")
    if report.unproven:
        lines.append(f"unproven: {', '.join(each.name for each in report.unproven)}")
    return [" ".join(line.split()) for line in lines]
