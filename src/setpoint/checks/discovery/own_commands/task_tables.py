"""What the tasks of hatch, pdm, poe, rye and taskipy run, with the variables that they set."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from setpoint.checks.discovery.own_commands.command import OwnCommand, named_commands, with_variables
from setpoint.checks.discovery.own_commands.environments import tox_table

_ARGS = re.compile(r"\{args(?::(?P<default>[^}]*))?\}")
_ENV = re.compile(r"\{env:[^:}]+(?::(?P<default>[^}]*))?\}")
_HERE = re.compile(r"\{(?:root|project_root|PDM_PROJECT_ROOT)\}|\$\{POE_ROOT\}")
_CALL = re.compile(r"(?P<module>[\w.]+):(?P<call>\w+)(?P<arguments>\(.*\))?")
_DEEPEST = 5


@dataclass(frozen=True)
class _Tasks:
    """The tasks of one tool; what a line or a list in them means differs."""

    tasks: Mapping[str, Any]
    listed: str = "lines"
    """What a list holds: `lines`, or `names` of other tasks."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What stands for `{name}` in a line."""
    around: bool = False
    """Whether `pre_NAME` and `post_NAME` run before and after."""

    def script(self, name: str, depth: int = 0) -> str:
        """Write what a task runs, with those that it names."""
        if depth > _DEEPEST or name not in self.tasks:
            return ""
        names = (f"pre_{name}", name, f"post_{name}") if self.around else (name,)
        texts = (self._script(self.tasks[each], depth) for each in names if each in self.tasks)
        return " && ".join(filter(None, texts))

    def _script(self, task: object, depth: int) -> str:
        if isinstance(task, str):
            return self._line(task, depth)
        if isinstance(task, list):
            return self._sequence(task, depth, names=self.listed == "names")
        return self._table(task, depth) if isinstance(task, dict) else ""

    def _table(self, task: Mapping[str, Any], depth: int) -> str:
        text = ""
        for key in ("cmd", "shell", "ref", "composite", "chain", "sequence", "script", "call"):
            value = task.get(key)
            if not value:
                continue
            if key in ("script", "call"):
                text = _python(str(value))
            elif key == "cmd" and isinstance(value, list):
                text = self._filled(shlex.join(map(str, value)).replace("'{args}'", "{args}"))
            elif isinstance(value, list):
                text = self._sequence(value, depth, names=True)
            else:
                text = self._line(str(value), depth)
            break
        needs = self._sequence(task.get("deps", []), depth, names=True) if text else ""
        folder = task.get("cwd") or task.get("working_dir") or ""
        text = f"cd {folder} && {text}" if folder and text else text
        text = with_variables(text, _strings(task.get("env")))
        return " && ".join(filter(None, (needs, text)))

    def _sequence(self, items: object, depth: int, *, names: bool) -> str:
        texts = list[str]()
        for each in items if isinstance(items, list) else ():
            first = each.split()[0] if isinstance(each, str) and each.split() else ""
            known = names and first in self.tasks
            texts.append(self._named(each, depth) if known else self._script(each, depth + 1))
        return " && ".join(filter(None, texts))

    def _named(self, line: str, depth: int) -> str:
        name, _, more = self._filled(line).partition(" ")
        return f"{self.script(name, depth + 1)} {more}".strip()

    @staticmethod
    def _filled(line: str) -> str:
        line = _ARGS.sub(lambda found: found["default"] or "", line)
        return _HERE.sub("$PWD", _ENV.sub(lambda found: found["default"] or "", line)).strip()

    def _line(self, line: str, depth: int) -> str:
        line = self._filled(line).removeprefix("- ")
        for name, value in self.variables.items():
            line = line.replace("{" + name + "}", value)
        words = line.split(maxsplit=2)
        if words[:1] == ["task"] and self.around and len(words) > 1 and words[1] in self.tasks:
            return self._named(line.partition(" ")[2].strip(), depth)
        return self._named(line, depth) if words[:1] and words[0] in self.tasks and depth < _DEEPEST else line


def pyproject(file: str, text: str) -> Iterator[OwnCommand]:
    """Read what tox, hatch, pdm, poe, rye and taskipy run by `pyproject.toml`."""
    tool = tomllib.loads(text).get("tool", {})
    yield from tox_table(file, tool.get("tox", {}))
    yield from _hatch(file, tool.get("hatch", {}))
    pdm = tool.get("pdm", {}).get("scripts", {})
    yield from _commands("pdm run ", file, _Tasks(pdm, around=True), _strings(pdm.get("_", {}).get("env")))
    poe = tool.get("poe", {})
    tasks = _Tasks(poe.get("tasks", {}), listed="names")
    yield from _commands("poe ", file, tasks, _strings(poe.get("env")))
    yield from _commands("rye run ", file, _Tasks(tool.get("rye", {}).get("scripts", {})), {})
    taskipy = tool.get("taskipy", {})
    values = {name: each.get("var", "") if isinstance(each, dict) else str(each)
              for name, each in taskipy.get("variables", {}).items()}  # fmt: skip
    tasks = _Tasks(taskipy.get("tasks", {}), variables=values, around=True)
    yield from _commands("task ", file, tasks, {})


def hatch_toml(file: str, text: str) -> Iterator[OwnCommand]:
    """Read `hatch.toml`."""
    yield from _hatch(file, tomllib.loads(text))


def _hatch(file: str, table: Mapping[str, Any]) -> Iterator[OwnCommand]:
    environments = table.get("envs", {})
    for name, each in environments.items():
        template = environments.get(each.get("template", "default"), {})
        inherited = {} if each.get("detached") or each is template else template
        variables = {**_strings(inherited.get("env-vars")), **_strings(each.get("env-vars"))}
        tasks = _Tasks({**inherited.get("scripts", {}), **each.get("scripts", {})})
        own = {name: tasks.script(name) for name in each.get("scripts", {})}
        yield from named_commands(
            f"hatch run {name}:" if name != "default" else "hatch run ",
            file,
            {name: with_variables(script, variables) for name, script in own.items()},
        )


def _commands(program: str, file: str, tasks: _Tasks, variables: Mapping[str, str]) -> Iterator[OwnCommand]:
    scripts = {name: with_variables(tasks.script(name), variables) for name in tasks.tasks if name != "_"}
    yield from named_commands(program, file, scripts)


def _strings(table: object) -> dict[str, str]:
    found = table.items() if isinstance(table, dict) else ()
    texts = {str(name): _HERE.sub("$PWD", text) for name, text in found if isinstance(text, str)}
    return {name: text for name, text in texts.items() if "{" not in text.replace("${", "")}


def _python(reference: str) -> str:
    """Write the call of a function as a command; none where it cannot be read."""
    found = _CALL.fullmatch(reference)
    if found is None:
        return ""
    code = f"import {found['module']}; {found['module']}.{found['call']}{found['arguments'] or '()'}"
    return shlex.join(("python", "-c", code))
