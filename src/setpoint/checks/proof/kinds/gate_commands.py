"""Find the commands by which a project judges its own tests, with the thresholds that they enforce."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from setpoint.checks.discovery.own_commands.command import Kind
from setpoint.checks.discovery.own_commands.found import own_commands

READ = ("package.json", "pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", ".coveragerc")
"""Files at the root that say how a project is tested."""
_NO_TEST = re.compile(r"no test specified|^\s*(exit\b|true\b|:|echo\b[^&|;]*$|$)")
_LEAVES = re.compile(r"\b(publish|deploy|release|upload|push)\b", re.IGNORECASE)
"""What a script does that reaches others; such a script is never run."""
_STEPS = ("pretest", "test", "posttest")


class GateCommand(NamedTuple):
    """One command of the project, and what it adds to the tests."""

    command: str
    shown: str
    """How people write it."""
    demands: str
    """The threshold that it enforces, in words; empty where it only runs the tests."""


def gate_commands(texts: Mapping[str, str], python: str, args: tuple[str, ...]) -> Iterator[GateCommand]:
    """Yield the commands; `python` is the project's interpreter, `args` are for every run of pytest."""
    yield from _npm(texts.get("package.json", ""))
    yield from _python(texts, python, args)


def _npm(text: str) -> Iterator[GateCommand]:
    manifest = _json(text)
    scripts = manifest.get("scripts")
    steps = [str(scripts[step]) for step in _STEPS if step in scripts] if isinstance(scripts, dict) else []
    if not isinstance(scripts, dict) or _NO_TEST.search(str(scripts.get("test", ""))):
        return
    if any(_LEAVES.search(step) for step in steps):
        return
    own = own_commands({"package.json": text})
    if any(each.kind is Kind.TEST and each.excluded for each in own):
        return
    thresholds = _at(manifest, "jest").get("coverageThreshold")
    yield GateCommand("npm test", "npm test", "jest's coverageThreshold" if thresholds else "")


def _python(texts: Mapping[str, str], python: str, args: tuple[str, ...]) -> Iterator[GateCommand]:
    """Yield a run of pytest as it is configured, or of coverage, where either enforces a threshold."""
    options, least = _options(texts), _fail_under(texts)
    own = f"{shlex.quote(python)} -m"
    more = "".join(f" {shlex.quote(each)}" for each in args)
    if found := re.search(r"--cov-fail-under[= ](\S+)", options):
        yield GateCommand(f"{own} pytest{more}", "pytest", f"--cov-fail-under={found[1]}")
    elif least and re.search(r"--cov\b", options):
        yield GateCommand(f"{own} pytest{more}", "pytest", f"fail_under = {least}")
    elif least:
        command = f"{own} coverage run -m pytest{more} && {own} coverage report"
        yield GateCommand(command, "coverage run -m pytest && coverage report", f"fail_under = {least}")


def _options(texts: Mapping[str, str]) -> str:
    tables = [
        _at(_toml(texts.get("pyproject.toml", "")), "tool", "pytest", "ini_options"),
        *(_ini(texts.get(name, ""), "pytest") for name in ("pytest.ini", ".pytest.ini", "tox.ini")),
        _ini(texts.get("setup.cfg", ""), "tool:pytest"),
    ]
    words = (table.get("addopts", "") for table in tables)
    return " ".join(" ".join(map(str, each)) if isinstance(each, list) else str(each) for each in words)


def _fail_under(texts: Mapping[str, str]) -> str:
    tables = [
        _ini(texts.get(".coveragerc", ""), "report"),
        _ini(texts.get("setup.cfg", ""), "coverage:report"),
        _ini(texts.get("tox.ini", ""), "coverage:report"),
        _at(_toml(texts.get("pyproject.toml", "")), "tool", "coverage", "report"),
    ]
    found = next((str(table["fail_under"]) for table in tables if "fail_under" in table), "")
    return "" if found in ("0", "0.0") else found


def _ini(text: str, section: str) -> dict[str, Any]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}  # the project's own tools say so
    return dict(parser[section]) if parser.has_section(section) else {}


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}  # the project's own tools say so


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}  # the project's own tools say so
    return found if isinstance(found, dict) else {}


def _at(table: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        found = table.get(key)
        table = found if isinstance(found, dict) else {}
    return table
