"""What the environments of tox and the sessions of nox run, with the variables that they set."""

from __future__ import annotations

import ast
import configparser
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from setpoint.checks.discovery.own_commands.command import NAMES, Kind, OwnCommand, command, with_variables
from setpoint.model import syntax

_FOLDER = re.compile(r"\{(?:toxinidir|tox_root|config_dir)\}")
_PACKAGES = re.compile(r"\{(?:envsitepackagesdir|env_site_packages_dir)\}/?")
_POSARGS = re.compile(r"\{posargs(?::(?P<default>[^}]*))?\}|\{\{\s*posargs\s*\}\}")
_OF_SHELL = re.compile(r"\{env:[^:}]+(?::(?P<default>(?:[^{}]|\{[^{}]*\})*))?\}")
_ELSEWHERE = re.compile(r"\{\[(?P<section>[^\]]+)\](?P<key>[^}]+)\}")
_FACTORS = re.compile(r"(?P<names>(?:[\w.,!-]|\{[\w.,!-]+\})+):\s+(?P<rest>.*)")
_OF_TESTS = re.compile(r"!|(?<![a-z])py|\btests?\b|\bunit\b")
"""Factors of environments that run tests; those that are only not another one belong to them, too."""
_DEEPEST = 3


def tox_ini(file: str, text: str) -> Iterator[OwnCommand]:
    """Read `tox.ini`."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    scripts = {}
    for section in parser.sections():
        if section == "testenv" or section.startswith("testenv:"):
            name = section.removeprefix("testenv:")
            lines = [*_lines(parser, section, "commands_pre"), *_lines(parser, section, "commands")]
            setting = _lines(parser, section, "setenv") or _lines(parser, section, "set_env")
            pairs = (line.partition("=") for line in setting if "=" in line)
            folder = "".join(_lines(parser, section, "changedir") or _lines(parser, section, "change_dir"))
            scripts[name] = _script(lines, {key.strip(): value.strip() for key, _, value in pairs}, folder)
    yield from _of_environments("tox -e ", file, scripts)


def tox_toml(file: str, text: str) -> Iterator[OwnCommand]:
    """Read `tox.toml`."""
    yield from tox_table(file, tomllib.loads(text))


def tox_table(file: str, table: Mapping[str, Any]) -> Iterator[OwnCommand]:
    """Read the table of tox in `pyproject.toml`, or all of `tox.toml`."""
    if text := table.get("legacy_tox_ini"):
        yield from tox_ini(file, text)
    base = table.get("env_run_base", {})
    scripts = {}
    for name, each in {"testenv": base, **table.get("env", {})}.items():
        known = {**base, **each}
        lines = [
            " ".join(_words(words))
            for key in ("commands_pre", "commands")
            for words in known.get(key, ())
            if isinstance(words, list)
        ]
        values = {**base.get("set_env", {}), **each.get("set_env", {})}
        given = {
            key: value.get("default") if isinstance(value, dict) else value for key, value in values.items()
        }
        plain = {key: value for key, value in given.items() if isinstance(value, str)}
        scripts[name] = _script(lines, plain, str(known.get("change_dir", "")))
    yield from _of_environments("tox -e ", file, scripts)


def nox_sessions(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the calls of each session; words that are not written out are left out."""
    scripts: dict[str, str] = {}
    for node in syntax.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            scripts[_name(node)] = _session(node)
    yield from _of_environments("nox -s ", file, scripts)


def _of_environments(program: str, file: str, scripts: Mapping[str, str]) -> Iterator[OwnCommand]:
    for kind, names in NAMES.items():
        wanted = (*names, *(each for each in scripts if kind is Kind.TEST and re.match(r"py\d|test", each)))
        name = next((each for each in wanted if scripts.get(each)), "")
        if name:
            yield command(kind, "tox" if name == "testenv" else f"{program}{name}", file, scripts[name])


def _lines(parser: configparser.RawConfigParser, section: str, key: str, depth: int = 0) -> list[str]:
    """Return the lines of a setting; an environment without one has that of `testenv`."""
    text = parser.get(section, key, fallback=None)
    if text is None and section.startswith("testenv:") and parser.has_section("testenv"):
        text = parser.get("testenv", key, fallback=None)
    found = list[str]()
    for line in (text or "").replace("\\\n", " ").splitlines():
        bare = line.strip()
        factors = _FACTORS.fullmatch(bare)
        if factors and not _OF_TESTS.search(factors["names"]):
            continue
        bare = factors["rest"] if factors else bare
        other = _ELSEWHERE.fullmatch(bare)
        if other and depth < _DEEPEST and parser.has_section(other["section"]):
            found += _lines(parser, other["section"], other["key"], depth + 1)
        elif bare and not bare.startswith("#"):
            found.append(
                _ELSEWHERE.sub(lambda each: parser.get(each["section"], each["key"], fallback=""), bare)
            )
    return found


def _script(lines: list[str], setting: Mapping[str, str], folder: str) -> str:
    """Write the commands of an environment of tox as a script; what names the environment is left out."""
    kept = [_filled(line, "").lstrip("-!@ ") for line in lines]
    values = {name: _filled(value, "$PWD") for name, value in setting.items() if name.isidentifier()}
    known = {name: value for name, value in values.items() if "{" not in value}
    elsewhere = folder.startswith((".tox", "{")) or any(_FOLDER.search(line) for line in lines)
    place = "" if elsewhere else _filled(folder, "").strip("/")
    commands = " && ".join(line for line in kept if line and "{" not in line)
    return with_variables(f"cd {place} && {commands}" if place and commands else commands, known)


def _filled(text: str, folder: str) -> str:
    text = _POSARGS.sub(lambda found: found["default"] or "", text)
    text = _OF_SHELL.sub(lambda found: found["default"] or "", text)
    text = _PACKAGES.sub("", text)
    text = _FOLDER.sub(folder, text) if folder else re.sub(_FOLDER.pattern + "/?", "", text)
    return re.sub(r"\{(?:envpython|env_python)\}", "python", text).replace("{/}", "/").strip()


def _words(words: Iterable[object]) -> Iterator[str]:
    for word in words:
        if isinstance(word, str):
            yield shlex.quote(word) if "{" not in word else word
        elif isinstance(word, dict) and word.get("replace") in ("posargs", "env"):
            default = word.get("default", ())
            yield from map(str, default if isinstance(default, list) else [default])


def _name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    for each in node.decorator_list:
        for word in each.keywords if isinstance(each, ast.Call) else ():
            if word.arg == "name" and isinstance(word.value, ast.Constant):
                return str(word.value.value)
    return node.name


def _session(node: ast.AST) -> str:
    runs, always = list[str](), dict[str, str]()
    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            target = each.targets[0]
            if isinstance(target, ast.Subscript) and _attribute(target.value) == "env":
                always |= _pairs([target.slice], [each.value])
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            words = [word for argument in each.args if (word := _text(argument))]
            name = each.func.attr
            if name == "update" and _attribute(each.func.value) == "env":
                always |= _table(each.args[0] if each.args else None)
            elif name == "run" and words:
                given = next((word.value for word in each.keywords if word.arg == "env"), None)
                runs.append(with_variables(shlex.join(words), _table(given)))
            elif name in ("chdir", "cd") and words:
                runs.append(shlex.join(("cd", *words)))
    return with_variables(" && ".join(runs), always)


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _attribute(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _table(node: ast.expr | None) -> dict[str, str]:
    return _pairs(node.keys, node.values) if isinstance(node, ast.Dict) else {}


def _pairs(keys: Iterable[ast.expr | None], values: Iterable[ast.expr]) -> dict[str, str]:
    return {
        key.value: value.value
        for key, value in zip(keys, values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }
