"""Commands for tests that people or servers type: steps of CI, and code in documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from setpoint.checks.discovery.own_commands.command import Kind, OwnCommand, command, with_variables
from setpoint.checks.discovery.own_commands.steps import started
from setpoint.model.shell import ASSIGNED, parts, unquoted

_TESTING = re.compile(
    r"(?:\S*/)?(?:pytest|mocha|ava|jest|vitest|tap|uvu|mvnw?|gradlew?|ctest|bats|busted|rspec|phpunit)\b"
    r"|python\S* -m (?:pytest|unittest|nose2|doctest)\b|coverage run -m (?:pytest|unittest)\b"
    r"|(?:go|cargo|dotnet|swift|mix|zig|sbt|deno|bun) test\b|cargo nextest run\b"
    r"|ant (?:\S+ )*(?:tests?|junit)\b"
    r"|npm (?:run )?test\b|(?:yarn|pnpm) (?:run )?test\b|make (?:check|test)\b|just test\b"
    r"|(?:(?:ba)?sh )?(?:\./)?(?:[\w.-]+/)*(?:run[-_]?)?(?:unit[-_]?)?tests?\.(?:sh|bash)(?= |$)"
    r"|(?:\./(?:[\w.-]+/)*|(?:[\w.-]+/)+)(?:run[-_]?)?(?:unit[-_]?)?tests?(?= |$)"
)
"""How commands in CI and in documents begin that run tests."""
_FENCE = re.compile(r"^```(?:sh|bash|shell|console|text)?\s*\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"::[^\n]*\n(?:[ \t]+:[^\n]*\n)*\n(?P<text>(?:[ \t]+[^\n]*\n|\n)+)")
_HEADING = re.compile(r"^(?:#+ (?P<marked>.*)|(?P<lined>[^\n]+)\n[=~^*-]{3,})$", re.MULTILINE)
_ABOUT_TESTS = re.compile(r"\b(?:tests?|testing|develop\w*|contribut\w*|hacking)\b", re.IGNORECASE)
_UNFILLED = "${{"


def workflow(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the steps of a workflow of GitHub; steps that want secrets are left out."""
    whole = yaml.safe_load(text)
    for job in whole["jobs"].values():
        apart = "services" in job or "container" in job  # its variables name what is not here
        outer = {} if apart else {**_strings(whole.get("env")), **_strings(job.get("env"))}
        for step in job.get("steps", ()):
            if "secrets." in str(step):
                continue
            variables = {**outer, **({} if apart else _strings(step.get("env")))}
            folder = step.get("working-directory") or _default_folder(job) or _default_folder(whole)
            for each in _typed(file, str(step.get("run", "")), variables):
                yield replace(each, folder=str(folder or "").strip("./"))


def gitlab(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the jobs of GitLab's CI."""
    whole = yaml.safe_load(text)
    for job in whole.values():
        if isinstance(job, dict) and "script" in job:
            apart = "services" in job or "services" in whole
            variables = (
                {} if apart else {**_strings(whole.get("variables")), **_strings(job.get("variables"))}
            )
            lines = job["script"] if isinstance(job["script"], list) else [job["script"]]
            yield from _typed(file, "\n".join(map(str, lines)), variables)


def document(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the code in a document for contributors."""
    for code in _code(text):
        yield from _typed(file, code, {})


def readme(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the code below those headings of a README that speak of tests or of development."""
    headings = [*_HEADING.finditer(text)]
    ends = [*(each.start() for each in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        if _ABOUT_TESTS.search(heading["marked"] or heading["lined"] or ""):
            yield from document(file, text[heading.end() : end])


def _code(text: str) -> Iterator[str]:
    for found in (*_FENCE.finditer(text), *_INDENTED.finditer(text)):
        yield re.sub(r"^\s*(?:[$>%] )?", "", found["text"], flags=re.MULTILINE)


def _typed(file: str, script: str, variables: Mapping[str, str]) -> Iterator[OwnCommand]:
    """Take those lines of a script that end with a run of tests, with what is exported before."""
    known = dict(variables)
    for line in script.replace("\\\n", " ").splitlines():
        plain = line.partition(" #")[0].strip()
        listed = parts(plain)
        if len(listed) == 1 and listed[0].words[0] == "export":
            assigned = (ASSIGNED.fullmatch(unquoted(word)) for word in listed[0].words[1:])
            known |= {found["name"]: found["value"] for found in assigned if found}
            continue
        program = " ".join(started(listed[-1].words)) if listed else ""
        listing = all(each.operator in ("", "&&") for each in listed)
        if listing and _TESTING.match(program) and _UNFILLED not in plain:
            whole = with_variables(plain, known)
            yield command(Kind.TEST, plain[:60], file, whole)


def _default_folder(table: Mapping[str, Any]) -> str:
    return str(((table.get("defaults") or {}).get("run") or {}).get("working-directory") or "")


def _strings(table: object) -> dict[str, str]:
    """Return the variables whose values are written out."""
    found = table.items() if isinstance(table, dict) else ()
    texts = {str(name): str(value) for name, value in found if isinstance(value, str | int | float)}
    return {name: text for name, text in texts.items() if _UNFILLED not in text and "\n" not in text}
