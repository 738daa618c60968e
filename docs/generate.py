"""Write docs/reference/ from the code.

`make docs` runs it; a test fails if a page is older than the code. The pages contain names, types, defaults
and the first paragraphs of docstrings. The guides explain how they work together.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path

import api_page
import click
import loop_metrics
import statements
import typer
from prompt_page import prompts
from pydantic import BaseModel
from story_page import stories
from tools import metric_table, review_rules, tool_tables
from wording import (
    anchor,
    attribute_texts,
    default,
    described_as,
    fields,
    first_words,
    kind,
    row,
    shown,
    signature,
)

from setpoint import errors, ports
from setpoint.agents.registry import known
from setpoint.app.people.gates import OpenGate
from setpoint.app.project.doctor import AgentRow, Diagnosis
from setpoint.app.runs.worker_pool import BoardOutcome, StoryOutcome
from setpoint.app.runs.worker_status import HeldStory, LiveWorker
from setpoint.app.views.night import ShiftReport, WaitingStory
from setpoint.app.views.production import ProblemView, SignalView
from setpoint.cli.app import commands
from setpoint.history.metrics.metrics import DayFigure, Metric, MetricsReport, Part
from setpoint.history.metrics.snapshots import Snapshot
from setpoint.history.queries import RunSummary
from setpoint.history.reports.progress_file import (
    FeedbackLoop,
    IterationProgress,
    Progress,
    Question,
    RunProgress,
)
from setpoint.model import events
from setpoint.model.config.custom_check import ReportFormat
from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation
from setpoint.model.mutation import Mutant, MutationReport
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.production import Deployment, Frame, Hypothesis, Signal, Suspicion
from setpoint.model.run import RunOutcome
from setpoint.model.stories.board import Card, NextAction
from setpoint.phase.evidence_rerun import Compared
from setpoint.phase.policy import loop_guards, progress_guards
from setpoint.pipelines import SHIPPED, load_pipeline
from setpoint.presets.check_settings import ChecksSettings, ToolSettings
from setpoint.settings import CLASSIC, Settings

FOLDER = Path(__file__).resolve().parent / "reference"
WRITTEN = "<!-- Written by docs/generate.py from the code; change the code, then run `make docs`. -->\n"


def pages() -> dict[str, str]:
    """Return every page of the reference by its file name."""
    made: dict[str, Callable[[], Iterator[str]]] = {
        "settings.md": settings,
        "verbs.md": verbs,
        "exit-codes.md": exit_codes,
        "events.md": event_kinds,
        "guards.md": guard_table,
        "pipelines.md": pipelines,
        "prompts.md": prompts,
        "agents.md": agents,
        "checks.md": checks,
        "review-rules.md": review_rules,
        "ports.md": port_table,
        "stories.md": stories,
        "json.md": json_shapes,
        "attestation.md": statements.page,
        "metrics.md": loop_metrics.page,
        "api.md": api_page.page,
    }
    return {name: WRITTEN + "\n" + "\n".join(page()).rstrip() + "\n" for name, page in made.items()}


def settings() -> Iterator[str]:
    """Every key with its type and default."""
    yield "# Settings\n"
    yield (
        "Read from `setpoint.toml`, or from `[tool.setpoint]` in `pyproject.toml`. A variable overrides a "
        "file, and a flag overrides both. The variable of a key is `SETPOINT_` and its path, with `__` "
        "between the parts: `limits.max_iterations` is `SETPOINT_LIMITS__MAX_ITERATIONS`.\n"
    )
    tables: list[tuple[str, type[BaseModel]]] = [("", Settings)]
    while tables:
        prefix, model = tables.pop(0)
        title = f"`[{prefix}]`" if prefix else "Top level"
        yield f"## {title}\n"
        if prefix:
            yield f"{first_words(model)}\n"
        classic = prefix == "limits"
        preset = ' with `preset = "classic"` |' if classic else ""
        yield f"| key | type | default |{preset} meaning |"
        yield "|---|---|---|---|" + ("---|" if classic else "")
        for name, field in model.model_fields.items():
            key = field.alias or name
            inner, place = nested(field.annotation, f"{prefix}.{key}".lstrip("."))
            if inner is not None:
                tables.append((place, inner))
                yield row(
                    f"[`{key}`](#{anchor(place)})",
                    "table",
                    "",
                    *([""] if classic else []),
                    described_as(model, name),
                )
                continue
            other = [shown(CLASSIC[name]) if name in CLASSIC else ""] if classic else []
            yield row(f"`{key}`", kind(field.annotation), default(field), *other, described_as(model, name))
        if model is ChecksSettings:
            tables.append((f"{prefix}.TOOL", ToolSettings))
            short = 'true, false, `"auto"` or [a table](#checkstool)'
            yield row("`TOOL`", short, '`"auto"`', "Any tool of [Checks](checks.md).")
        yield ""


def nested(annotation: object, place: str) -> tuple[type[BaseModel] | None, str]:
    """Return the model of a table and its place; a table of tables has the name `NAME`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, place
    if typing.get_origin(annotation) is dict:
        value = typing.get_args(annotation)[1]
        if isinstance(value, type) and issubclass(value, BaseModel):
            return value, f"{place}.NAME"
    return None, place


def verbs() -> Iterator[str]:
    """Every verb with its arguments and flags."""
    group = typer.main.get_command(commands())
    yield "# Verbs\n"
    yield f"{group.help}\n"
    for name, command in commands_of(group):
        yield f"## `setpoint {name}`\n"
        yield f"{command.help}\n"
        parameters = [each for each in command.params if each.name != "help"]
        if not parameters:
            continue
        yield "| argument or flag | default | what it does |"
        yield "|---|---|---|"
        for each in parameters:
            is_flag = each.param_type_name == "option"
            spelled = ", ".join(each.opts) if is_flag else str(each.name).upper()
            value = (
                "required" if each.required else shown(each.default) if each.default not in (None, "") else ""
            )
            yield row(f"`{spelled}`", value if value != "`false`" else "off", getattr(each, "help", "") or "")
        yield ""


def commands_of(group: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield every verb with its name, including verbs of groups."""
    commands: Mapping[str, click.Command] = getattr(group, "commands")  # noqa: B009 - typer hides the type
    for name, command in commands.items():
        if hasattr(command, "commands"):
            if getattr(command, "invoke_without_command", False):
                yield name, command
            yield from ((f"{name} {below}", each) for below, each in commands_of(command))
        else:
            yield name, command


def exit_codes() -> Iterator[str]:
    """Every exit code, and the errors that lead to it."""
    yield "# Exit codes and errors\n"
    yield "| code | name | meaning |"
    yield "|---|---|---|"
    texts = attribute_texts(errors.ExitCode)
    for code in errors.ExitCode:
        yield row(str(code.value), f"`{code.name}`", texts.get(code.name, ""))
    yield "\n## Errors\n"
    yield "Each message says what happened and where, with a hint what to do next.\n"
    yield "| error | code | when |"
    yield "|---|---|---|"
    for name, kind_of in sorted(vars(errors).items()):
        if isinstance(kind_of, type) and issubclass(kind_of, errors.SetpointError):
            yield row(f"`{name}`", str(int(kind_of.exit_code)), first_words(kind_of))


def event_kinds() -> Iterator[str]:
    """Every kind of event with its fields."""
    yield "# Events\n"
    yield (
        "Everything that happens in a run is one of these events, appended to the event log and never "
        "changed. `setpoint show RUN --json` prints them.\n"
    )
    for body in typing.get_args(typing.get_args(events.Body)[0]):
        yield f"## `{body.model_fields['kind'].default}`\n"
        yield f"{first_words(body)}\n"
        yield "| field | type | meaning |"
        yield "|---|---|---|"
        for name, field in body.model_fields.items():
            if name != "kind":
                yield row(f"`{name}`", kind(field.annotation), described_as(body, name))
        yield ""


def guard_table() -> Iterator[str]:
    """Every guard with its limit in both presets."""
    yield "# Guards\n"
    yield (
        "A guard stops a loop, or restarts it, and reports its figures. Guards of the first group end the "
        "run. Guards of the second group first lead to one restart from the best state, if "
        "`limits.restart_on_repeat` allows it. The limits are keys of [`[limits]`](settings.md#limits).\n"
    )
    own = {
        rule(Limits()).name: first_words(rule)
        for rule in (*vars(loop_guards).values(), *vars(progress_guards).values())
        if inspect.isfunction(rule) and list(inspect.signature(rule).parameters) == ["limits"]
    }
    groups = {"Exhausted budgets": loop_guards.exhausting, "No progress": progress_guards.stuck}
    for title, group in groups.items():
        yield f"## {title}\n"
        yield f"{first_words(group)}\n"
        yield "| guard | default | `classic` | fires when |"
        yield "|---|---|---|---|"
        for name in group(Limits()).name.split(" | "):
            limit = shown(getattr(Limits(), name))
            classic = shown(CLASSIC.get(name, getattr(Limits(), name)))
            yield row(f"`{name}`", limit, classic, own.get(name) or first_words(loop_guards.phase_limit))
        yield ""


def pipelines() -> Iterator[str]:
    """The keys of a pipeline file, and the shipped ones."""
    yield "# Pipelines\n"
    yield 'A pipeline is a TOML file. Name it in `setpoint.toml`: `pipeline = "path/of/it.toml"`.\n'
    for title, model in (("Keys", Pipeline), ("Keys of `[[phases]]`", Phase)):
        yield f"## {title}\n"
        yield from fields(model)
    yield "## Kinds of phase\n"
    yield "| kind | what happens |"
    yield "|---|---|"
    for name, text in attribute_texts(PhaseKind).items():
        yield row(f"`{PhaseKind[name]}`", text)
    for name in SHIPPED:
        yield f"\n## Shipped: `{name}`\n"
        yield f"{load_pipeline(name, Path()).description}\n"
        text = resources.files("setpoint.pipelines").joinpath(f"{name}.toml").read_text("utf-8")
        yield f"```toml\n{text.rstrip()}\n```"


def agents() -> Iterator[str]:
    """Every agent of the registry."""
    yield "# Agents\n"
    yield (
        "`setpoint agents` shows which of them are installed here. `mechanic` and `rules` are built in and "
        "need neither key nor network. Add your own as a table [`[agent.NAME]`](settings.md#agentname).\n"
    )
    yield "| name | agent | protocol | command | install | variables | writes |"
    yield "|---|---|---|---|---|---|---|"
    for name, launch in known({}).items():
        variables = ", ".join(f"`{each}`" for each in launch.pass_environment)
        argv = f"`{' '.join(launch.argv)}`"
        writes = ", ".join(f"`{each}`" for each in launch.writes)
        yield row(f"`{name}`", launch.title, launch.protocol, argv, launch.install, variables, writes)


def checks() -> Iterator[str]:
    """Every static tool that is described as data."""
    yield "# Checks\n"
    yield (
        "Setpoint always parses every file, checks test integrity and runs the story's acceptance commands. "
        "It runs pytest and unittest with reporters of its own. These tools are described as data; "
        "[`checks.TOOL`](settings.md#checkstool) configures each of them:\n"
    )
    yield from tool_tables()
    yield "\n## Metrics\n"
    yield (
        "Setpoint measures what is new compared with the base. A metric without measurement is null. "
        "The quality score is the mean of the measured metrics, weighted by [`weights`](settings.md).\n"
    )
    yield from metric_table()
    yield "\n## Formats\n"
    yield (
        "A tool of your own is a table [`[check.NAME]`](settings.md#checkname) that names one of these "
        "formats. Tools that report findings run at every stage; tests and coverage run with the full suite. "
        "How to add one: [Configure and add checks](../how-to/checks.md#add-your-own-check).\n"
    )
    yield "| `format` | content of the report |"
    yield "|---|---|"
    for name, text in attribute_texts(ReportFormat).items():
        yield row(f"`{ReportFormat[name]}`", text)


def port_table() -> Iterator[str]:
    """Every port with its methods."""
    yield "# Ports\n"
    yield f"{first_words(ports)} Each is a `typing.Protocol`; an adapter needs no base class.\n"
    for name, port in vars(ports).items():
        if not getattr(port, "_is_protocol", False):
            continue
        yield f"## `{name}`\n\n{first_words(port)}\n"
        for method_name, method in vars(port).items():
            if inspect.isfunction(method) and not method_name.startswith("_"):
                mark = "async " if inspect.iscoroutinefunction(method) else ""
                yield f"```python\n{mark}def {method_name}{signature(method)}\n```\n"
                yield f"{inspect.getdoc(method)}\n"


def json_shapes() -> Iterator[str]:
    """What each verb prints with `--json`."""
    yield "# JSON output\n"
    yield "Verbs with `--json` print one document on standard output; other output goes to standard error.\n"
    asking = "One object: the question below, and `state`, `exit_code`, `report`, `folder`"
    outcome = "One object: the outcome below, and `mark`, `exit_code`, `story`, `report`, `folder` (paths)."
    shapes: list[tuple[str, str, type[BaseModel]]] = [
        ("run, resume, stop, demo", outcome, RunOutcome),
        ("run, resume: the run waits for a person", f"{asking} (exit code 10).", OpenGate),
        ("answer, answer show", "A list of questions, or one.", OpenGate),
        ("show", "A list of events; `body` is described under [Events](events.md).", events.Event),
        ("status", "A list of runs, newest first.", RunSummary),
        ("story list", "A list of stories, the most urgent first.", Card),
        ("story next", "The most urgent story as in `story list`, or null. Its `action`:", NextAction),
        ("run --auto", "The outcome below, and `exit_code`. `left` is as in `story list`.", BoardOutcome),
        ("run --auto: `worked`", "One story that ran.", StoryOutcome),
        ("work report", "One report. Under `worked`, runs as in `status`.", ShiftReport),
        ("work report: `waits`", "One story that is not done.", WaitingStory),
        ("work status: `workers`", "One worker that lives.", LiveWorker),
        ("check", "One evaluation of the working tree.", Evaluation),
        ("metrics", "One report, with `snapshot` if it was stored.", MetricsReport),
        ("metrics --snapshots", "A list of stored reports, newest first.", Snapshot),
        ("lab mutate", "One object: `score`, `counts` by fate, and these.", MutationReport),
        ("ci signal list, ci signal show", "A list of problems, the latest first, or one.", ProblemView),
        ("ci deploy list, ci deploy record", "A list, newest first, or one with `new`.", Deployment),
        ("verify", "`agrees`, `notes`, and under `checks` a list of these with `agrees` each.", Compared),
    ]
    for verbs_of, text, model in shapes:
        yield f"## {verbs_of}\n"
        yield f"{text}\n"
        yield from fields(model)
    for verb, text, row_type in (
        ("agents", "A list of agents.", AgentRow),
        ("doctor", "`ready`, and under `rows` a list of these.", Diagnosis),
    ):
        yield f"## {verb}\n"
        yield f"{text} Keys: {', '.join(f'`{name}`' for name in row_type._fields)}.\n"
    below = (HeldStory, Mutant, Metric, Part, DayFigure, SignalView, Signal, Frame, Hypothesis, Suspicion)
    for part in below:
        yield f"### `{part.__name__}`\n"
        yield from fields(part)
    yield from progress_shape()


def progress_shape() -> Iterator[str]:
    """What the file of a run's progress holds."""
    yield "## `progress.json`\n"
    yield "Setpoint updates it in the run's folder while the run works.\n"
    for model in (Progress, FeedbackLoop, IterationProgress, RunProgress, Question):
        yield f"### `{model.__name__}`\n"
        yield from fields(model)


def main() -> int:
    """Write all pages; with `--check` only list those that are out of date."""
    stale = [
        name
        for name, text in pages().items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text("utf-8") != text
    ]
    if "--check" in sys.argv:
        for name in stale:
            print(f"out of date: docs/reference/{name} (run `make docs`)")
        return bool(stale)
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
