"""What a project's own files say about the tools it uses: hooks, sessions, scripts, dependencies, CI.

Nothing is run: `noxfile.py` is read as a syntax tree. What the project's people run counts; what only a lock
file or a CI server knows is a suggestion: the one holds what others need too, the other what nobody may have.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

import yaml

from setpoint.model import syntax
from setpoint.presets import Preset, presets

_WRAPPERS = frozenset(
    {
        "python", "python3", "py", "{envpython}", "$(PYTHON)", "-m", "coverage", "uv", "uvx", "poetry", "pdm",
        "hatch", "pipenv", "npx", "pnpm", "yarn", "npm", "bun", "bunx", "run", "exec", "dlx", "--",
    }
)  # fmt: skip
"""Words that only start what comes after them."""
_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=\S*")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]]*\])?\s*===?\s*(\d[\w.]*)\s*(?:;|$)")
_EXACT = re.compile(r"[v=]?(\d+(?:\.\d+)+)")
_MOST_COMMANDS = 2000
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, SyntaxError, RecursionError)
"""What comes of reading a file as something that it is not."""

Kind = Literal["hook", "command", "package"]


@dataclass(frozen=True, kw_only=True)
class Mention:
    """Something that a file names: the hook's id, the command line, or the package."""

    kind: Kind
    text: str
    version: str = ""
    """The only version that the file allows; empty where it allows several."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A kind of file that tells which tools are used."""

    glob: str
    """Its path from the root of the repository."""
    read: Callable[[str], Iterator[Mention]]
    certain: bool = True
    """It tells what the project's people use; else it is a suggestion."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """Tools that a project uses or may use, with the reason for each."""

    certain: Mapping[str, str]
    suggested: Mapping[str, str]
    pinned: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The version that a file names for a tool, and that file; what people run counts before lock files."""


def sources_among(files: tuple[str, ...]) -> list[str]:
    """Name the files that tell which tools are used."""
    return [file for file in files if any(fnmatchcase(file, source.glob) for source in SOURCES)]


def use_of(texts: Mapping[str, str]) -> Use:
    """Read which tools the files name; the first that names one gives the reason."""
    found: dict[bool, dict[str, str]] = {True: {}, False: {}}
    pinned: dict[str, tuple[str, str]] = {}
    for source in SOURCES:
        for file in sorted(texts):
            if not fnmatchcase(file, source.glob):
                continue
            mentions = _mentions(source, texts[file])
            for name, preset in presets().items():
                if version := _pin(name, preset, mentions):
                    pinned.setdefault(name, (version, file))
                if name not in found[source.certain] and (reason := _reason(name, preset, mentions, file)):
                    found[source.certain][name] = reason
    certain = found[True]
    return Use(
        certain=certain,
        suggested={name: why for name, why in found[False].items() if name not in certain},
        pinned=pinned,
    )


def _mentions(source: Source, text: str) -> list[Mention]:
    try:
        return list(source.read(text))[:_MOST_COMMANDS]
    except (*_UNREADABLE, configparser.Error, yaml.YAMLError):
        return []  # whatever it is, it is not what its name says, and so it tells nothing


def _wanted(name: str, preset: Preset) -> dict[Kind, tuple[str, ...]]:
    signs, plain = preset.signs, name.replace("_", "-")
    return {
        "hook": signs.hooks or (plain,),
        "command": signs.commands or (preset.program, plain),
        "package": signs.packages or (preset.package,),
    }


def _pin(name: str, preset: Preset, mentions: list[Mention]) -> str:
    """Return the version that a file pins a tool to; empty where it names none."""
    wanted = {**_wanted(name, preset), "package": (preset.package,)}
    exact = (each for each in mentions if each.version)
    return next((each.version for each in exact if any(_fits(each, it) for it in wanted[each.kind])), "")


def _reason(name: str, preset: Preset, mentions: list[Mention], file: str) -> str:
    if preset.format.runs_code:
        return ""  # runners of tests are found where the packages are that they test
    wanted = _wanted(name, preset)
    for mention in mentions:
        if not any(_fits(mention, each) for each in wanted[mention.kind]):
            continue
        if mention.kind == "hook":
            return f"{file} has the hook {mention.text}"
        if mention.kind == "command":
            return f"{file} runs `{mention.text[:60]}`"
        return f"{file} names the package {mention.text}"
    return ""


def _fits(mention: Mention, wanted: str) -> bool:
    if mention.kind == "package":
        return _package(mention.text) == _package(wanted)
    return mention.text == wanted or (mention.kind == "command" and mention.text.startswith(f"{wanted} "))


def _package(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _commands(text: str) -> Iterator[Mention]:
    """Yield the programs that shell lines call, free of what only starts them."""
    for part in _SPLIT.split(text.replace("\\\n", " ")):
        words = part.strip().lstrip("@-").split()
        while words and (words[0] in _WRAPPERS or _ASSIGNED.fullmatch(words[0])):
            words = words[1:]
        if words:
            yield Mention(kind="command", text=" ".join([words[0].rpartition("/")[2], *words[1:]]))


def _pre_commit(text: str) -> Iterator[Mention]:
    for repository in yaml.safe_load(text)["repos"]:
        for hook in repository.get("hooks", ()):
            version = _EXACT.fullmatch(str(repository.get("rev", "")))
            yield Mention(kind="hook", text=str(hook["id"]), version=version[1] if version else "")
            yield from _commands(str(hook.get("entry", "")))


def _tox_ini(text: str) -> Iterator[Mention]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    for section in parser.sections():
        for key in ("commands", "commands_pre"):
            yield from _commands(parser.get(section, key, fallback="") or "")
        yield from _requirements(parser.get(section, "deps", fallback="") or "")


def _tox_toml(text: str) -> Iterator[Mention]:
    yield from _tox_table(tomllib.loads(text))


def _tox_table(table: Mapping[str, Any]) -> Iterator[Mention]:
    for environment in (table.get("env_run_base", {}), *table.get("env", {}).values()):
        for command in environment.get("commands", ()):
            yield from _commands(" ".join(str(word) for word in command))
        yield from _requirements("\n".join(str(each) for each in environment.get("deps", ())))


def _nox(text: str) -> Iterator[Mention]:
    for node in ast.walk(syntax.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        words = [
            each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        if node.func.attr in ("run", "run_always"):
            yield from _commands(" ".join(words))
        elif node.func.attr == "install":
            yield from _requirements("\n".join(words))


def _makefile(text: str) -> Iterator[Mention]:
    lines = text.replace("\\\n", " ").splitlines()
    yield from _commands("\n".join(line for line in lines if line.startswith("\t")))


def _pyproject(text: str) -> Iterator[Mention]:
    table = tomllib.loads(text)
    tool, project = table.get("tool", {}), table.get("project", {})
    for group in (
        *project.get("optional-dependencies", {}).values(),
        *table.get("dependency-groups", {}).values(),
    ):
        yield from _requirements("\n".join(each for each in group if isinstance(each, str)))
    poetry = tool.get("poetry", {})
    for group in (
        poetry.get("dev-dependencies", {}),
        *(g.get("dependencies", {}) for g in poetry.get("group", {}).values()),
    ):
        yield from _requirements("\n".join(group))
    for group in tool.get("pdm", {}).get("dev-dependencies", {}).values():
        yield from _requirements("\n".join(group))
    scripts = [tool.get(name, {}) for name in ("taskipy", "poe")]
    tables = [*(each.get("tasks", {}) for each in scripts), tool.get("pdm", {}).get("scripts", {})]
    tables += [each.get("scripts", {}) for each in tool.get("hatch", {}).get("envs", {}).values()]
    for script in (script for each in tables for script in each.values()):
        yield from _script(script)
    yield from _tox_table(tool.get("tox", {}))


def _script(script: object) -> Iterator[Mention]:
    """Read a script: a line, several, or a table that holds one of these as `cmd` or `shell`."""
    if isinstance(script, str):
        yield from _commands(script)
    elif isinstance(script, list):
        for each in script:
            yield from _script(each)
    elif isinstance(script, dict):
        yield from _script(script.get("cmd") or script.get("shell"))


def _requirements(text: str) -> Iterator[Mention]:
    for line in text.splitlines():
        # tox puts the environments that a line is for before it
        plain = line.partition("#")[0].rpartition(": ")[2].strip()
        if (name := _REQUIREMENT.match(plain)) is not None:
            version = _PINNED.match(plain)
            yield Mention(kind="package", text=name.group(), version=version[1] if version else "")


def _package_json(text: str) -> Iterator[Mention]:
    table = json.loads(text)
    for script in table.get("scripts", {}).values():
        yield from _commands(str(script))
    for group in ("devDependencies", "dependencies"):
        for name, wanted in table.get(group, {}).items():
            version = _EXACT.fullmatch(str(wanted))
            yield Mention(kind="package", text=name, version=version[1] if version else "")


def _lock(text: str) -> Iterator[Mention]:
    for package in tomllib.loads(text).get("package", ()):
        version = str(package.get("version", ""))
        yield Mention(kind="package", text=str(package["name"]), version=version)


def _workflow(text: str) -> Iterator[Mention]:
    for job in yaml.safe_load(text)["jobs"].values():
        for step in job.get("steps", ()):
            yield from _commands(str(step.get("run", "")))


def _gitlab(text: str) -> Iterator[Mention]:
    for job in yaml.safe_load(text).values():
        for line in job.get("script", ()) if isinstance(job, dict) else ():
            yield from _commands(str(line))


SOURCES = (
    Source(glob=".pre-commit-config.yaml", read=_pre_commit),
    Source(glob="tox.ini", read=_tox_ini),
    Source(glob="tox.toml", read=_tox_toml),
    Source(glob="noxfile.py", read=_nox),
    Source(glob="package.json", read=_package_json),
    Source(glob="Makefile", read=_makefile),
    Source(glob="pyproject.toml", read=_pyproject),
    Source(glob="requirements*.txt", read=_requirements),
    Source(glob="*requirements.txt", read=_requirements),
    Source(glob="uv.lock", read=_lock, certain=False),
    Source(glob="poetry.lock", read=_lock, certain=False),
    Source(glob="pdm.lock", read=_lock, certain=False),
    Source(glob=".github/workflows/*.yml", read=_workflow, certain=False),
    Source(glob=".github/workflows/*.yaml", read=_workflow, certain=False),
    Source(glob=".gitlab-ci.yml", read=_gitlab, certain=False),
)
"""Files that are read, the strongest sign first."""
