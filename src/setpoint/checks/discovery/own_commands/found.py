"""The commands for tests, lint, types and build that a project's own files name."""

from __future__ import annotations

import ast
import configparser
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import yaml

from setpoint.checks.discovery.own_commands.ant_targets import test_command
from setpoint.checks.discovery.own_commands.excluded import why_excluded
from setpoint.checks.discovery.own_commands.package_scripts import manifest_of, scripts_of, steps_of
from setpoint.checks.discovery.own_commands.runner_calls import (
    RunnerCall,
    after_runners,
    runner_calls,
    testing,
)
from setpoint.model import syntax
from setpoint.model.shell import Part, parts

_UNREADABLE = (
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    RecursionError,
    configparser.Error,
    yaml.YAMLError,
)
"""What comes of reading a file as something that it is not."""
_TARGET = re.compile(
    r"^(?P<names>[\w.%/ -]+?)\s*:(?!=)[^\n]*\n(?P<recipe>(?:\t[^\n]*\n?|[ \t]*\n)*)", re.MULTILINE
)
_RECIPE = re.compile(
    r"^@?(?P<name>[\w-]+)[^:\n]*:(?!=)[^\n]*\n(?P<recipe>(?:[ \t]+[^\n]*\n?)*)", re.MULTILINE
)
_MADE = re.compile(r"\$\((?P<name>\w+)\)|\$\{(?P<braced>\w+)\}")
_DEFINED = re.compile(r"^(?P<name>\w+)\s*[:?]?=\s*(?P<value>[^\n#]*)", re.MULTILINE)
_FENCE = re.compile(r"^```(?:sh|bash|shell|console|text)?\s*\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
_MORE = re.compile(r"\|\||[()|]|(?<!&)&(?!&)|<<|(?:^|\s)[!{]\s|\b(?:if|for|while|case)\b", re.MULTILINE)
"""What makes a script more than a list of simple commands."""
_DEEPEST = 3
"""Names within names that are followed."""
_OF_TOX = re.compile(r"\{(?:toxinidir|tox_root|envsitepackagesdir|env_site_packages_dir)\}/?")
_POSARGS = re.compile(r"\{posargs(?::(?P<default>[^}]*))?\}|\{\{\s*posargs\s*\}\}")


class Kind(StrEnum):
    """What a command is for."""

    TEST = "test"
    LINT = "lint"
    TYPES = "types"
    BUILD = "build"


_NAMES: Mapping[Kind, tuple[str, ...]] = {
    Kind.TEST: (
        "test",
        "tests",
        "test:unit",
        "test-unit",
        "unit",
        "test:ci",
        "check",
        "py",
        "py3",
        "testenv",
    ),
    Kind.LINT: ("lint", "lint:js", "lint:ts", "eslint", "style", "flake8"),
    Kind.TYPES: ("typecheck", "type-check", "types", "check-types", "check:types", "tsc", "mypy", "typing"),
    Kind.BUILD: ("build", "compile"),
}
"""What scripts, targets and environments of each kind are called, the likeliest first."""
_TESTING = re.compile(
    r"^(?:\S*/)?(?:pytest|mocha|ava|jest|vitest|tap|uvu|mvnw?|gradlew?|ctest|bats|busted|rspec|phpunit)\b"
    r"|^python\S* -m (?:pytest|unittest|nose2|doctest)\b"
    r"|^(?:go|cargo|dotnet|swift|mix|zig|sbt|deno|bun) test\b|^cargo nextest run\b"
    r"|^ant (?:\S+ )*(?:tests?|junit)\b"
    r"|^npm (?:run )?test\b|^(?:yarn|pnpm) (?:run )?test\b|^make (?:check|test)\b|^just test\b"
)
"""How commands in CI and in documents begin that run tests."""


@dataclass(frozen=True, kw_only=True)
class OwnCommand:
    """A command that the project's own people type."""

    kind: Kind
    shown: str
    """As people type it, for example `npm test` or `make test`."""
    file: str
    """The file that names it."""
    folder: str
    """Where it runs, from the root; empty for the root."""
    steps: tuple[Part, ...]
    """The simple commands that it comes to, in their order."""
    opaque: bool = False
    """Whether it holds more than a list of simple commands, so that it is run whole."""
    excluded: str = ""
    """Why Setpoint never runs it; empty where it may."""

    @property
    def script(self) -> str:
        """What a shell is given to run it."""
        text = ""
        for step in self.steps:
            text += f" {step.operator or '&&'} {step}" if text else str(step)
        return text

    @property
    def testing(self) -> str:
        """The same without steps that only check the code, such as a linter."""
        return self.script if self.opaque else testing(self.steps)

    @property
    def unread(self) -> str:
        """What of a test command no reader of Setpoint's runs: all of it, or what comes after the runners."""
        if self.excluded:
            return ""
        return after_runners(self.steps) if self.calls() else self.testing

    @property
    def reason(self) -> str:
        """Say what it is and where it was found."""
        return f"`{self.shown}` of {self.file}"

    def calls(self) -> dict[str, list[RunnerCall]]:
        """Return its calls of runners that Setpoint reads, by runner."""
        found = {} if self.opaque or self.excluded else runner_calls(self.shown, self.steps)
        return {name: [replace(each, file=self.file) for each in calls] for name, calls in found.items()}


def own_commands(texts: Mapping[str, str]) -> tuple[OwnCommand, ...]:
    """Find them in the texts of files, by path; for each kind and folder the strongest source counts."""
    found: dict[tuple[str, Kind], OwnCommand] = {}
    for matches, read in _SOURCES:
        for file in sorted(
            (each for each in texts if matches(each)), key=lambda each: (each.count("/"), each)
        ):
            try:
                commands = list(read(file, texts[file]))
            except _UNREADABLE:
                continue  # whatever it is, it is not what its name says
            for command in commands:
                if command.steps:
                    found.setdefault((command.folder, command.kind), command)
    return tuple(found.values())


def _command(kind: Kind, shown: str, file: str, script: str, steps: list[Part] | None = None) -> OwnCommand:
    listed = parts(script) if steps is None else steps
    opaque = _MORE.search(_unquoted(script)) is not None
    folder = "" if file.startswith(".github/") else file.rpartition("/")[0]
    return OwnCommand(
        kind=kind,
        shown=shown,
        file=file,
        folder=folder,
        steps=(Part("", (script,)),) if opaque and script.strip() else tuple(listed),
        opaque=opaque,
        excluded=why_excluded(script if steps is None else " && ".join(map(str, steps))),
    )


def _unquoted(script: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d?>&\d", "", script)


def _package_json(file: str, text: str) -> Iterator[OwnCommand]:
    manifest = manifest_of(text)
    scripts = scripts_of(manifest)
    for kind, names in _NAMES.items():
        name = next((each for each in names if each in scripts), "")
        if name:
            shown = "npm test" if name == "test" else f"npm run {name}"
            whole = "\n".join(scripts.get(each, "") for each in (f"pre{name}", name, f"post{name}"))
            yield _command(kind, shown, file, whole.strip(), steps_of(name, scripts))


def _makefile(file: str, text: str) -> Iterator[OwnCommand]:
    joined = text.replace("\\\n", " ")
    defined = {found["name"]: found["value"].strip() for found in _DEFINED.finditer(joined)}
    targets: dict[str, str] = {}
    for found in _TARGET.finditer(joined):
        lines = (line.strip().lstrip("@-+") for line in found["recipe"].splitlines())
        for name in found["names"].split():
            targets.setdefault(name, " && ".join(filter(None, lines)) if not targets.get(name) else "")
    yield from _of_targets("make", file, {name: _made(text, defined) for name, text in targets.items()})


def _made(recipe: str, defined: Mapping[str, str], depth: int = 0) -> str:
    """Put what a Makefile defines in the place of its names."""

    def value(found: re.Match[str]) -> str:
        name = found["name"] or found["braced"]
        return defined.get(name, {"PYTHON": "python", "MAKE": "make", "GO": "go"}.get(name, ""))

    made = _MADE.sub(value, recipe).replace("$$", "$")
    return _made(made, defined, depth + 1) if depth < _DEEPEST and _MADE.search(made) else made


def _justfile(file: str, text: str) -> Iterator[OwnCommand]:
    recipes = {
        found["name"]: " && ".join(
            line.strip().lstrip("@-") for line in found["recipe"].splitlines() if line.strip()
        )
        for found in _RECIPE.finditer(text)
    }
    yield from _of_targets("just", file, recipes)


def _of_targets(program: str, file: str, targets: Mapping[str, str]) -> Iterator[OwnCommand]:
    for kind, names in _NAMES.items():
        name = next((each for each in names if targets.get(each)), "")
        if name:
            yield _command(kind, f"{program} {name}", file, targets[name])


def _build_xml(file: str, text: str) -> Iterator[OwnCommand]:
    command = test_command(text)
    yield from [_command(Kind.TEST, command, file, command)] if command else []


def _tox_ini(file: str, text: str) -> Iterator[OwnCommand]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    table = {}
    for section in parser.sections():
        name = section.removeprefix("testenv:")
        if section == "testenv" or name != section:
            lines = (parser.get(section, "commands", fallback="") or "").replace("\\\n", " ").splitlines()
            setting = (
                parser.get(section, "setenv", fallback="")
                or parser.get(section, "set_env", fallback="")
                or ""
            )
            table[name] = _in_environment(lines, setting.splitlines())
    yield from _of_environments("tox -e", file, table)


def _pyproject(file: str, text: str) -> Iterator[OwnCommand]:
    tool = tomllib.loads(text).get("tool", {})
    table = tool.get("tox", {})
    yield from _tox_table(file, table)
    for name, each in tool.get("hatch", {}).get("envs", {}).items():
        yield from _of_scripts(
            f"hatch run {name}:" if name != "default" else "hatch run ", file, each.get("scripts", {})
        )
    yield from _of_scripts("pdm run ", file, tool.get("pdm", {}).get("scripts", {}))
    yield from _of_scripts("poe ", file, tool.get("poe", {}).get("tasks", {}))
    yield from _of_scripts("task ", file, tool.get("taskipy", {}).get("tasks", {}))


def _tox_toml(file: str, text: str) -> Iterator[OwnCommand]:
    yield from _tox_table(file, tomllib.loads(text))


def _tox_table(file: str, table: Mapping[str, Any]) -> Iterator[OwnCommand]:
    if text := table.get("legacy_tox_ini"):
        yield from _tox_ini(file, text)
    found = {"testenv": table.get("env_run_base", {}), **table.get("env", {})}
    lines = {
        name: _in_environment(
            [" ".join(word for word in words if isinstance(word, str)) for words in each.get("commands", ())],
            [],
        )
        for name, each in found.items()
    }
    yield from _of_environments("tox -e", file, lines)


def _plain(words: Iterable[object]) -> str:
    return " ".join(word for word in words if isinstance(word, str))


def _in_environment(lines: list[str], setting: list[str]) -> str:
    """Write the commands of an environment of tox as a script, with its variables that name no other."""
    plain = [_POSARGS.sub(lambda found: found["default"] or "", line).strip().lstrip("-") for line in lines]
    kept = [_OF_TOX.sub("", line.replace("{envpython}", "python")) for line in plain]
    assigned = [
        re.sub(r"\s*=\s*", "=", line.strip(), count=1) for line in setting if "=" in line and "{" not in line
    ]
    words = " ".join(each for each in assigned if " " not in each)
    return " && ".join(f"{words} {line}".strip() for line in kept if line and "{" not in line)


def _of_environments(program: str, file: str, scripts: Mapping[str, str]) -> Iterator[OwnCommand]:
    for kind, names in _NAMES.items():
        wanted = (*names, *(each for each in scripts if kind is Kind.TEST and re.match(r"py\d|test", each)))
        name = next((each for each in wanted if scripts.get(each)), "")
        if name:
            yield _command(kind, "tox" if name == "testenv" else f"{program} {name}", file, scripts[name])


def _of_scripts(program: str, file: str, scripts: Mapping[str, Any]) -> Iterator[OwnCommand]:
    texts = {name: text for name, each in scripts.items() if (text := _script(each, scripts))}
    for kind, names in _NAMES.items():
        name = next((each for each in names if each in texts), "")
        if name:
            yield _command(kind, f"{program}{name}", file, texts[name])


def _script(script: object, others: Mapping[str, Any], depth: int = 0) -> str:
    """Read a script: a line, several, or a table that holds one of these; `{args:x}` is `x`."""
    if isinstance(script, str):
        text = re.sub(r"\{args(?::([^}]*))?\}", lambda found: found[1] or "", script)
        return _script(others[text], others, depth + 1) if text in others and depth < _DEEPEST else text
    if isinstance(script, list):
        return " && ".join(filter(None, (_script(each, others, depth + 1) for each in script)))
    if isinstance(script, dict):
        return _script(script.get("cmd") or script.get("shell") or "", others, depth + 1)
    return ""


def _nox(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the calls of each session; those with words that are not written out are left out."""
    scripts: dict[str, str] = {}
    for node in syntax.parse(text).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        runs = [
            shlex.join(
                each.value
                for each in call.args
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "run"
        ]
        scripts[node.name] = " && ".join(filter(None, runs))
    yield from _of_environments("nox -s", file, scripts)


def _workflow(file: str, text: str) -> Iterator[OwnCommand]:
    for job in yaml.safe_load(text)["jobs"].values():
        for step in job.get("steps", ()):
            if "secrets." in str(step):
                continue
            yield from _typed(file, str(step.get("run", "")))


def _gitlab(file: str, text: str) -> Iterator[OwnCommand]:
    for job in yaml.safe_load(text).values():
        for line in job.get("script", ()) if isinstance(job, dict) else ():
            yield from _typed(file, str(line))


def _document(file: str, text: str) -> Iterator[OwnCommand]:
    for fence in _FENCE.finditer(text):
        yield from _typed(file, re.sub(r"^\s*[$>%] ", "", fence["text"], flags=re.MULTILINE))


def _typed(file: str, script: str) -> Iterator[OwnCommand]:
    """Take those lines of a script that run tests and do nothing else."""
    for line in script.replace("\\\n", " ").splitlines():
        plain = line.partition(" #")[0].strip()
        if _TESTING.match(plain) and "${{" not in plain:
            yield _command(Kind.TEST, plain[:60], file, plain)


def _named(*names: str) -> Callable[[str], bool]:
    return lambda file: file in names


_SOURCES: tuple[tuple[Callable[[str], bool], Callable[[str, str], Iterator[OwnCommand]]], ...] = (
    (lambda file: file.rpartition("/")[2] == "package.json", _package_json),
    (_named("GNUmakefile", "makefile", "Makefile"), _makefile),
    (_named("justfile", ".justfile", "Justfile"), _justfile),
    (_named("build.xml"), _build_xml),
    (_named("tox.ini"), _tox_ini),
    (_named("tox.toml"), _tox_toml),
    (_named("pyproject.toml"), _pyproject),
    (_named("noxfile.py"), _nox),
    (lambda file: re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", file) is not None, _workflow),
    (_named(".gitlab-ci.yml"), _gitlab),
    (lambda file: re.fullmatch(r"(?:\.github/)?CONTRIBUTING\.(?:md|rst)", file) is not None, _document),
)
"""Where commands are named, the strongest source first."""
NAMING = (
    "GNUmakefile", "makefile", "Makefile", "justfile", ".justfile", "Justfile", "build.xml", "tox.ini",
    "tox.toml", "pyproject.toml", "noxfile.py", ".gitlab-ci.yml", "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
)  # fmt: skip
"""Files that name commands, beside manifests and workflows, which other readers ask for too."""
