"""Writes docs/reference/ from the code, so that the reference says what the program does.

`make docs` runs it; a test fails where a page is older than the code. Pages hold facts alone: names, types,
defaults and the first words of docstrings. What they mean together stands in the pages written by hand.
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
from tools import metric_table, tool_tables
from wording import anchor, attribute_texts, default, fields, first_words, kind, row, shown, signature, told

from setpoint import errors, ports
from setpoint.agents.registry import known
from setpoint.agents.rules import REVIEW_RULES
from setpoint.cli.app import app
from setpoint.domain import events
from setpoint.domain.board import Card, NextAction
from setpoint.domain.custom_check import ReportFormat
from setpoint.domain.evaluation import Evaluation
from setpoint.domain.mutation import Mutant, MutationReport
from setpoint.domain.pipeline import Phase, PhaseKind, Pipeline
from setpoint.domain.production import Deployment, Frame, Hypothesis, Signal, Suspicion
from setpoint.domain.run import Limits, RunOutcome
from setpoint.events.metrics import DayFigure, Metric, MetricsReport, Part
from setpoint.events.progress import FeedbackLoop, IterationProgress, Progress, Question, RunProgress
from setpoint.events.queries import RunSummary
from setpoint.events.snapshots import Snapshot
from setpoint.loops.verifying import Compared
from setpoint.pipelines import SHIPPED, load_pipeline
from setpoint.policies import guards
from setpoint.presets.asked import ChecksSettings, ToolSettings
from setpoint.settings import CLASSIC, Settings
from setpoint.wiring import OpenGate, ProblemView, SignalView
from setpoint.wiring.doctor import AgentRow, Diagnosis
from setpoint.wiring.runs.crew import BoardOutcome, Worked

FOLDER = Path(__file__).resolve().parent / "reference"
WRITTEN = "<!-- Written by docs/generate.py from the code; change the code, then run `make docs`. -->\n"


def pages() -> dict[str, str]:
    """Give every page of the reference by its file name."""
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
        "Read from `setpoint.toml`, or from `[tool.setpoint]` in `pyproject.toml`. A variable goes before a "
        "file, a flag before both. The variable of a key is `SETPOINT_` and its path, with `__` between the "
        "parts: `limits.max_iterations` is `SETPOINT_LIMITS__MAX_ITERATIONS`.\n"
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
        yield f"| key | type | default |{preset} what it sets |"
        yield "|---|---|---|---|" + ("---|" if classic else "")
        for name, field in model.model_fields.items():
            inner, place = nested(field.annotation, f"{prefix}.{name}".lstrip("."))
            if inner is not None:
                tables.append((place, inner))
                yield row(
                    f"[`{name}`](#{anchor(place)})",
                    "table",
                    "",
                    *([""] if classic else []),
                    told(model, name),
                )
                continue
            other = [shown(CLASSIC[name]) if name in CLASSIC else ""] if classic else []
            yield row(f"`{name}`", kind(field.annotation), default(field), *other, told(model, name))
        if model is ChecksSettings:
            tables.append((f"{prefix}.TOOL", ToolSettings))
            short = 'true, false, `"auto"` or [a table](#checkstool)'
            yield row("`TOOL`", short, '`"auto"`', "Any tool of [Checks](checks.md).")
        yield ""


def nested(annotation: object, place: str) -> tuple[type[BaseModel] | None, str]:
    """Give the model of a table, and its place; a table of tables is named by `NAME`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, place
    if typing.get_origin(annotation) is dict:
        value = typing.get_args(annotation)[1]
        if isinstance(value, type) and issubclass(value, BaseModel):
            return value, f"{place}.NAME"
    return None, place


def verbs() -> Iterator[str]:
    """Every verb with its arguments and flags."""
    group = typer.main.get_command(app)
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
    """Give every verb with its name, those of groups of verbs too."""
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
    yield "| code | name | what it means |"
    yield "|---|---|---|"
    texts = attribute_texts(errors.ExitCode)
    for code in errors.ExitCode:
        yield row(str(code.value), f"`{code.name}`", texts.get(code.name, ""))
    yield "\n## Errors\n"
    yield "Each says what is wrong, where, and how to mend it.\n"
    yield "| error | code | when |"
    yield "|---|---|---|"
    for name, kind_of in sorted(vars(errors).items()):
        if isinstance(kind_of, type) and issubclass(kind_of, errors.SetpointError):
            yield row(f"`{name}`", str(int(kind_of.exit_code)), first_words(kind_of))


def event_kinds() -> Iterator[str]:
    """Every kind of event with its fields."""
    yield "# Events\n"
    yield (
        "All that happens in a run is one of these, appended to the event log and never changed. "
        "`setpoint show RUN --json` prints them.\n"
    )
    for body in typing.get_args(typing.get_args(events.Body)[0]):
        yield f"## `{body.model_fields['kind'].default}`\n"
        yield f"{first_words(body)}\n"
        yield "| field | type | what it says |"
        yield "|---|---|---|"
        for name, field in body.model_fields.items():
            if name != "kind":
                yield row(f"`{name}`", kind(field.annotation), told(body, name))
        yield ""


def guard_table() -> Iterator[str]:
    """Every guard with its limit in both presets."""
    yield "# Guards\n"
    yield (
        "A guard stops or turns a loop and says what it saw. Those of the first group end the run; "
        "those of the second lead to one restart from the best state first, where `limits.restart_on_repeat` "
        "allows it. The figures are keys of [`[limits]`](settings.md#limits).\n"
    )
    own = {
        rule(Limits()).name: first_words(rule)
        for rule in vars(guards).values()
        if inspect.isfunction(rule) and list(inspect.signature(rule).parameters) == ["limits"]
    }
    for title, group in (("What is used up", guards.exhausting), ("Going nowhere", guards.stuck)):
        yield f"## {title}\n"
        yield f"{first_words(group)}\n"
        yield "| guard | default | `classic` | when it fires |"
        yield "|---|---|---|---|"
        for name in group(Limits()).name.split(" | "):
            limit = shown(getattr(Limits(), name))
            classic = shown(CLASSIC.get(name, getattr(Limits(), name)))
            yield row(f"`{name}`", limit, classic, own.get(name) or first_words(guards.max_bounces))
        yield ""


def pipelines() -> Iterator[str]:
    """The keys of a pipeline file, and the shipped ones."""
    yield "# Pipelines\n"
    yield 'A pipeline is a TOML file: `setpoint.toml` names it with `pipeline = "path/of/it.toml"`.\n'
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
        "`setpoint agents` says which of them are installed here. `mechanic` and `rules` are built in and "
        "need neither key nor network. Your own is a table [`[agent.NAME]`](settings.md#agentname).\n"
    )
    yield "| name | agent | protocol | started as | install | variables it is given | writes |"
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
        "Setpoint always parses every file, judges test integrity and runs the story's acceptance commands. "
        "pytest and unittest run through reporters of Setpoint's own. These tools are described as data; "
        "[`checks.TOOL`](settings.md#checkstool) switches each of them on or off:\n"
    )
    yield from tool_tables()
    yield "\n## Metrics\n"
    yield (
        "Measured on what is new against the base; one that was not measured is null, neither good nor bad. "
        "The quality score is the mean by [`weights`](settings.md) of those that were measured.\n"
    )
    yield from metric_table()
    yield "\n## Formats\n"
    yield (
        "A tool of your own is a table [`[check.NAME]`](settings.md#checkname) that names one of these "
        "formats. Tools that tell of findings run at every stage; tests and coverage, with the full suite. "
        "How to add one: [Checks of your own](../how-to/checks.md).\n"
    )
    yield "| `format` | what the report tells of |"
    yield "|---|---|"
    for name, text in attribute_texts(ReportFormat).items():
        yield row(f"`{ReportFormat[name]}`", text)


def review_rules() -> Iterator[str]:
    """Every rule of the built-in reviewer."""
    yield "# Review rules\n"
    yield (
        "The built-in reviewer `rules` looks for these in added lines. It judges form, not intent: its "
        "approval says that nothing of this was found. `error` and `critical` block.\n"
    )
    yield "| rule | severity | category | what is found | in tests too |"
    yield "|---|---|---|---|---|"
    for rule in REVIEW_RULES:
        tests = "yes" if rule.in_tests else "no"
        yield row(f"`{rule.name}`", rule.severity, rule.category, rule.message, tests)


def port_table() -> Iterator[str]:
    """Every port with its methods."""
    yield "# Ports\n"
    yield f"{first_words(ports)} Each is a `typing.Protocol`; nothing has to be subclassed.\n"
    for name, port in vars(ports).items():
        if not (
            isinstance(port, type)
            and getattr(port, "_is_protocol", False)
            and port.__module__ == "setpoint.ports"
        ):
            continue
        yield f"## `{name}`\n"
        yield f"{first_words(port)}\n"
        for method_name, method in vars(port).items():
            if inspect.isfunction(method) and not method_name.startswith("_"):
                mark = "async " if inspect.iscoroutinefunction(method) else ""
                yield f"```python\n{mark}def {method_name}{signature(method)}\n```\n"
                yield f"{inspect.getdoc(method)}\n"


def json_shapes() -> Iterator[str]:
    """What each verb prints with `--json`."""
    yield "# JSON output\n"
    yield "Verbs with `--json` print one document to standard output; all else goes to standard error.\n"
    asking = "One object: the question below, and `state`, `exit_code`, `report`, `folder`"
    outcome = "One object: the outcome below, and `mark`, `exit_code`, `story`, `report`, `folder` (paths)."
    shapes: list[tuple[str, str, type[BaseModel]]] = [
        ("run, resume, cancel, demo", outcome, RunOutcome),
        ("run, resume: the run waits for a person", f"{asking} (exit code 10).", OpenGate),
        ("gate list, gate show", "A list of questions, or one.", OpenGate),
        ("show", "A list of events; `body` is described under [Events](events.md).", events.Event),
        ("status", "A list of runs, newest first.", RunSummary),
        ("story list", "A list of stories, what is most urgent first.", Card),
        ("story next", "The most urgent story as in `story list`, or null. Its `action`:", NextAction),
        (
            "run --auto",
            "The outcome below, and `exit_code`. Under `left`, stories as in `story list`.",
            BoardOutcome,
        ),
        ("run --auto: `worked`", "One story that was taken up.", Worked),
        ("check", "One evaluation of the working tree.", Evaluation),
        ("metrics", "One report, with `snapshot` where it was stored too.", MetricsReport),
        ("metrics --snapshots", "A list of stored reports, newest first.", Snapshot),
        ("mutate", "One object: `score`, `counts` by fate, and these.", MutationReport),
        ("signal list, signal show", "A list of problems, the one seen last first, or one.", ProblemView),
        ("deploy list, deploy record", "A list of deployments, newest first, or one with `new`.", Deployment),
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
    for part in (Mutant, Metric, Part, DayFigure, SignalView, Signal, Frame, Hypothesis, Suspicion):
        yield f"### `{part.__name__}`\n"
        yield from fields(part)
    yield "## `progress.json`\n"
    yield "Kept up to date in the run's folder.\n"
    for model in (Progress, FeedbackLoop, IterationProgress, RunProgress, Question):
        yield f"### `{model.__name__}`\n"
        yield from fields(model)


def main() -> int:
    """Write all pages; with `--check` only say which are out of date."""
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
