"""The documents cannot lie: what they name exists, what exists is named, and the reference is fresh."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import typing
from pathlib import Path

import pytest
import typer
import yaml
from pydantic import BaseModel

from house.source import ROOT, python_files, shown
from setpoint import errors, ports
from setpoint.cli.app import commands
from setpoint.cli.verbs import renamed
from setpoint.model import events
from setpoint.settings import Settings
from setpoint.testing.model_server import Scenario

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
WRITTEN = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]
BY_HAND = [path for path in WRITTEN if REFERENCE not in path.parents]


def commands_of(group, before=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            if command.invoke_without_command:
                yield f"{before}{name}", command
            yield from commands_of(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


COMMANDS = dict(commands_of(typer.main.get_command(commands())))


def _leaves(model, prefix=""):
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if typing.get_origin(annotation) is dict:
            annotation = typing.get_args(annotation)[1]
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from _leaves(annotation, f"{prefix}{name}.")
        else:
            yield f"{prefix}{field.alias or name}"


def _blocks(language):
    for path in BY_HAND:
        for block in re.findall(
            rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            yield path.relative_to(ROOT).as_posix(), block


def test_the_reference_is_as_new_as_the_code():
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_every_setting_is_documented():
    text = (REFERENCE / "settings.md").read_text("utf-8")
    missing = [leaf for leaf in _leaves(Settings) if f"| `{leaf.rpartition('.')[2]}` |" not in text]
    assert missing == []


def test_every_event_is_documented():
    text = (REFERENCE / "events.md").read_text("utf-8")
    kinds = [body.model_fields["kind"].default for body in typing.get_args(typing.get_args(events.Body)[0])]
    assert len(kinds) > 15
    assert [kind for kind in kinds if f"## `{kind}`\n" not in text] == []


def test_every_error_and_exit_code_is_documented():
    text = (REFERENCE / "exit-codes.md").read_text("utf-8")
    raised = [
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.SetpointError)
    ]
    assert [name for name in raised if f"| `{name}` |" not in text] == []
    assert [code for code in errors.ExitCode if f"| {code.value} | `{code.name}` |" not in text] == []


def test_every_verb_and_flag_is_documented():
    text = (REFERENCE / "verbs.md").read_text("utf-8")
    for name, command in COMMANDS.items():
        assert f"## `setpoint {name}`\n" in text
        section = text.split(f"## `setpoint {name}`\n")[1].split("\n## ")[0]
        flags = [flag for each in command.params for flag in each.opts if flag.startswith("--")]
        assert [flag for flag in flags if flag != "--help" and flag not in section] == []


def test_every_port_and_its_methods_are_documented():
    text = (REFERENCE / "ports.md").read_text("utf-8")
    protocols = [port for port in vars(ports).values() if getattr(port, "_is_protocol", False)]
    assert len(protocols) >= 8
    for port in protocols:
        section = text.split(f"## `{port.__name__}`\n")[1].split("\n## ")[0]
        methods = [name for name, each in vars(port).items() if callable(each) and not name.startswith("_")]
        assert [name for name in methods if f"def {name}(" not in section] == []
        assert len(methods) <= 5


def test_every_command_in_the_documents_exists():
    wrong = []
    for where, block in [*_blocks("console"), *_blocks("sh"), *_inline()]:
        for verb, rest in re.findall(r"(?<![\w/.-])setpoint ([a-z]+)((?: [^\n`|&;]*)?)", block):
            words = [verb, *rest.split()]
            if where.startswith("docs/decisions/"):  # a decision keeps the words of its day
                words = renamed(words)[0]
            below = " ".join(words[:2])
            named = (COMMANDS.get(" ".join(words[:count])) for count in (3, 2, 1))
            command = next((each for each in named if each), None)
            if command is None:
                wrong.append(f"{where}: setpoint {below}")
                continue
            known = {flag for each in command.params for flag in each.opts} | {"--help"}
            wrong += [
                f"{where}: setpoint {verb} {flag}"
                for flag in re.findall(r"--[a-z-]+", rest)
                if flag not in known
            ]
    assert wrong == []


def _inline():
    for path in BY_HAND:
        for code in re.findall(r"`(setpoint [a-z][^`\n]*)`", path.read_text("utf-8")):
            yield path.relative_to(ROOT).as_posix(), code


def test_every_target_of_make_in_the_documents_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        (path.name, target)
        for path in BY_HAND
        for target in re.findall(r"(?:`|^\s*\$? ?)make ([a-z-]+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert named
    assert {(name, target) for name, target in named if target not in targets} == set()


def test_every_example_of_settings_is_valid():
    for where, block in _blocks("toml"):
        table = tomllib.loads(block)
        if "phases" in table:
            continue
        if "steps" in table:
            assert Scenario.model_validate(table), where
            continue
        assert Settings(**table.get("tool", {}).get("setpoint", table)), where


def test_every_link_between_documents_leads_somewhere():
    broken = []
    for path in WRITTEN:
        for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", path.read_text("utf-8")):
            link = (target[0] or target[1]).partition("#")[0]
            if link and not re.match(r"[a-z]+:", link) and not (path.parent / link).exists():
                broken.append(f"{path.relative_to(ROOT)}: {link}")
    assert broken == []


def test_the_code_points_at_documents_that_are_published():
    unknown = []
    for path in [*python_files("src"), *sorted((ROOT / "src").rglob("*.toml"))]:
        text = path.read_text("utf-8")
        unknown += [
            f"{shown(path)}: {hit}" for hit in re.findall(r"\bspec(?:ification)? ?§[^),.]*|§ ?\d", text)
        ]
        unknown += [
            f"{shown(path)}: {named}"
            for named in re.findall(r"docs/[\w/-]+(?:\.md)?", text)
            if not any((ROOT / named).parent.glob(f"{(ROOT / named).name}*"))
        ]
    assert unknown == []


INDEXES = ("index.md", "pages.md", "measured.md", "decisions/index.md")
"""Pages that lead to those that the menu leaves out."""


def _menu():
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    return yaml.safe_load(re.sub(r"!!python/\S+", "", text))["nav"]


def test_every_page_is_in_the_menu_or_on_a_page_that_lists_others():
    listed = set(_pages(_menu()))
    for name in INDEXES:
        assert name in listed
        links = re.findall(r"\]\(([^):#]+\.md)\)", (DOCS / name).read_text("utf-8"))
        listed |= {Path(name).parent.joinpath(link).as_posix() for link in links}
    assert listed == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_the_menu_is_short():
    sections = [name for entry in _menu() for name, value in entry.items() if isinstance(value, list)]
    assert sections == ["Get started", "Use", "Understand", "Reference"]
    assert len([*_pages(_menu()), *sections]) <= 40


def test_the_list_of_decisions_has_the_title_of_each():
    text = (DOCS / "decisions/index.md").read_text("utf-8")
    listed = dict(re.findall(r"^- \[(.+?)\]\((0.+?\.md)\)", text, re.MULTILINE))
    for path in sorted((DOCS / "decisions").glob("0*.md")):
        number, _, title = path.read_text("utf-8").partition("\n")[0].removeprefix("# ").partition(". ")
        assert listed[f"{int(number)}. {title}"] == path.name


def _pages(entries):
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else _pages(value)


@pytest.mark.parametrize(
    ("path", "most"),
    [(ROOT / "AGENTS.md", 120), *((path, 40) for path in sorted((DOCS / "decisions").glob("0*.md")))],
    ids=lambda value: value.name if isinstance(value, Path) else str(value),
)
def test_what_should_be_short_is_short(path, most):
    assert len(path.read_text("utf-8").splitlines()) <= most


@pytest.mark.parametrize("path", sorted((DOCS / "decisions").glob("0*.md")), ids=lambda path: path.name)
def test_a_decision_has_its_parts_and_a_file_named_by_its_title(path):
    text = path.read_text("utf-8")
    head = re.match(r"# (\d+)\. (.+)\n\nStatus: (.+)\n\nDate: \d{4}-\d\d-\d\d\b.*\n\n## Context\n", text)
    assert head
    number, title, status = head.groups()
    words = re.sub(r"[',]", "", title.lower())
    slug = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
    assert path.name == f"{int(number):04}-{slug}.md"
    assert status.startswith(("accepted", "superseded by"))
    assert text.index("## Context") < text.index("## Decision") < text.index("## Consequences")
