"""The project's own Python: where it is, what it holds, and the environment its commands get."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import shutil
import sys
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.errors import SettingsError
from setpoint.model.config.local_needs import NOTHING, Needs
from setpoint.presets import Via, presets
from setpoint.presets.check_settings import ChecksSettings
from setpoint.settings import inherited
from setpoint.system.git.git import ceiling
from setpoint.system.processes import Command, clean_environment, run
from setpoint.version import INSTALLED
from setpoint_probe.plugin import FOLDER, PROBE

PROBED = ("pytest", "coverage", "pytest-cov", "pytest-xdist")
"""Distributions beside those of the presets whose presence changes what Setpoint does."""
PROBE_S = 60.0
_DEEPER = tuple(f"{deep}/{name}/bin/python" for deep in ("*", "*/*") for name in (".venv", "venv"))
_OF_ROOT = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "pytest.ini", "Pipfile")
"""Files beside which the Python of a project is that of its root, not of a folder in it."""
_INSTALLED = (".dist-info", ".egg-info", ".pth", ".egg-link")


@dataclass(frozen=True, kw_only=True)
class Interpreter:
    """An interpreter that was asked what it is."""

    path: str
    """What to start."""
    reason: str
    """Why it was chosen."""
    version: str
    """For example `3.12.4`."""
    prefix: str
    """Root of its environment."""
    modules: dict[str, str]
    """Version of each distribution in `PROBED` and of the presets that it holds."""
    fingerprint: str
    """Changes whenever something is installed or removed."""
    folders: tuple[str, ...] = ()
    """Where it imports from."""

    bytecode: str = ""
    """Folder from which held checks read compiled files (`bytecode`); empty: from beside the sources."""

    passed: tuple[str, ...] = ()
    """Names of variables of the user's that commands get beside the usual ones."""

    def with_reason(self, reason: str) -> Interpreter:
        """Return the same interpreter, chosen for another reason."""
        return replace(self, reason=reason)

    def has(self, *distributions: str) -> bool:
        """Whether it holds all of these."""
        return all(name in self.modules for name in distributions)


@dataclass(frozen=True, kw_only=True)
class Interpreters:
    """The two environments from which Python tools come."""

    project: Interpreter
    own: Interpreter
    """Setpoint's, for tools that the project does not bring."""
    needs: Needs = NOTHING
    """What the checks get beside what git holds."""


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    version: str
    build: str
    executable: str = ""
    prefix: str
    path: tuple[str, ...]
    """What it imports from: folders and archives."""


async def probe(path: str, reason: str, root: Path = Path("/")) -> Interpreter | str:
    """Ask an interpreter what it is, and list its folders; return why if it does not answer.

    A shim, which looks at each start which Python the folder wants, is asked in `root`, and answered for by
    that Python: so all is measured with the one, and none of the later starts asks again.
    """
    command = Command(argv=(path, "-I", str(PROBE), "interpreter"), cwd=root, timeout_s=PROBE_S)
    done = await run(command)
    if done.exit_code is None and done.fault:  # killed from outside, which says nothing of the interpreter
        done = await run(command)
    if not done.ok:
        return f"{done.ending} {done.errors.strip()[-300:]}".strip()
    try:
        answer = _Answer.model_validate(literal(done.stdout))
        return await asyncio.to_thread(_seen, path, reason, answer)
    except ValidationError as error:
        return f"its answer is not readable: {error.errors()[0]['msg']}"
    except (ValueError, OSError) as error:
        return f"its answer is not readable: {error}"


def is_shim(path: str) -> bool:
    """Whether a program is one of pyenv's, asdf's or mise's, which start another."""
    return Path(path).parent.name == "shims"


def literal(answer: bytes) -> object:
    """Read what the probe wrote; raises `ValueError` if it is something else."""
    try:
        return ast.literal_eval(answer.decode("ascii"))
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(str(error)) from error


def installed(folders: Iterable[str]) -> Iterator[str]:
    """Name all that is installed in folders, each with its time: what changes with every install."""
    for folder in folders:
        for entry in sorted(Path(folder).iterdir()):
            if entry.name.endswith(_INSTALLED):
                yield f"{entry} {entry.stat().st_mtime_ns}"


def _seen(path: str, reason: str, answer: _Answer) -> Interpreter:
    """Look up what an interpreter holds; quicker than it could, which would have to import what reads it."""
    folders = tuple(sorted(each for each in answer.path if Path(each).is_dir()))
    if is_shim(path) and Path(answer.executable).is_file():
        path = answer.executable
    facts = "\n".join((answer.build, *installed(folders)))
    return Interpreter(
        path=path,
        reason=reason,
        version=answer.version,
        prefix=answer.prefix,
        modules=dict(_versions(answer.path)),
        fingerprint=hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()[:16],
        folders=folders,
    )


def _versions(path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    tools = {preset.package for preset in presets().values() if preset.via in (Via.MODULE, Via.SCRIPT)}
    for name in (*PROBED, *sorted(tools)):
        found = next(iter(metadata.distributions(name=name, path=list(path))), None)
        if found is not None and "Version" in found.metadata:
            yield name, found.metadata["Version"]


Ask = Callable[[str, str], Awaitable[Interpreter | str]]
"""Asks the interpreter at a path, chosen for a reason, what it is; gives why where it does not answer."""


async def find_interpreter(root: Path, checks: ChecksSettings, ask: Ask = probe) -> Interpreter:
    """Find the project's interpreter; one that the settings name and that does not work is an error.

    An environment inside the project is taken as it is. Where there is none, one that holds pytest is
    preferred.
    """
    if checks.python:
        named = await ask(str(_resolved(root, checks.python)), "setting checks.python")
        if isinstance(named, str):
            raise SettingsError(
                f"checks.python: {checks.python!r} is not a working Python: {named}",
                hint="name the interpreter that runs the project's tests",
            )
        return named
    working = []
    for path, reason, certain in _candidates(root):
        found = await ask(path, reason)
        if isinstance(found, Interpreter):
            if certain or found.has("pytest"):
                return found
            working.append(found)
    return working[0]  # Setpoint's own interpreter is among the candidates, and it works


async def own_interpreter(ask: Ask = probe) -> Interpreter:
    """Ask the interpreter that Setpoint itself runs in."""
    found = await ask(sys.executable, "Setpoint's own")
    if isinstance(found, str):
        raise SettingsError(
            f"Setpoint's own interpreter does not answer: {found}", hint="install Setpoint again"
        )
    return found


def environments(root: Path, checks: ChecksSettings) -> tuple[Path, ...]:
    """Return the folders with programs and packages of every Python that the project may turn out to use."""
    named = [str(_resolved(root, checks.python))] if checks.python else []
    pythons = [Path(each) for each in (*named, *(path for path, _, _ in _candidates(root)))]
    prefixes = dict.fromkeys(each.parent.parent for each in pythons if each.is_absolute())
    return tuple(folder for prefix in prefixes for folder in _programs(prefix))


def own_code() -> tuple[Path, ...]:
    """Return the folders that hold Setpoint itself, its packages and the Python it runs in."""
    prefixes = dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix)))
    packages = (INSTALLED, *(INSTALLED.with_name(f"setpoint_{name}") for name in ("mechanic", "probe")))
    return (*packages, *(each for prefix in prefixes for each in _programs(prefix)))


def _programs(prefix: Path) -> tuple[Path, ...]:
    """Return an environment as a whole; of a Python of the system, beside which much else lies, its parts."""
    if (prefix / "pyvenv.cfg").is_file():
        return (prefix,)
    return prefix / "bin", prefix / "lib"


OF_CHECKS = (
    "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONHASHSEED", "GIT_TERMINAL_PROMPT",
    "GIT_CEILING_DIRECTORIES",
)  # fmt: skip
"""Variables of every check that a person's own shell would not have; docs/how-to/checks.md says why."""


HASH_SEED = "0"
"""The seed of Python's hashes in every check; a command that sets another one keeps it."""


def as_in_a_shell(variables: Mapping[str, str], others: Collection[str] = ()) -> dict[str, str]:
    """Return variables without those that Setpoint sets for its own sake, and without some others."""
    return {name: text for name, text in variables.items() if name not in {*OF_CHECKS, *others}}


def as_typed(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for what people type themselves: such a program may compile in its own way."""
    return {name: text for name, text in variables.items() if name != "PYTHONPYCACHEPREFIX"}


def environment(interpreter: Interpreter, tree: Path, imports: tuple[str, ...]) -> dict[str, str]:
    """Return what a command of the project sees: its own tools and the measured code before all others.

    `imports` are folders of the tree. Setpoint's environment is taken off PATH: tests that look for a tool
    must find what the project's people would find.
    """
    bin_folder = str(Path(interpreter.path).parent)
    path = [bin_folder, *(part for part in _path() if part not in (bin_folder, _own_bin()))]
    variables = {
        "PATH": ":".join(path),
        "PYTHONPATH": ":".join([*(str(tree / folder) for folder in imports), str(FOLDER)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": HASH_SEED,  # names of tests can hang on it, so base and result get the same
        "GIT_TERMINAL_PROMPT": "0",
        **ceiling(tree),
    }
    if interpreter.bytecode:
        variables["PYTHONPYCACHEPREFIX"] = interpreter.bytecode
    if (Path(interpreter.prefix) / "pyvenv.cfg").is_file():
        variables["VIRTUAL_ENV"] = interpreter.prefix
    return clean_environment(inherited(interpreter.passed) | variables)


def _candidates(root: Path) -> Iterator[tuple[str, str, bool]]:
    for folder in (".venv", "venv"):
        python = root / folder / "bin" / "python"
        if python.exists():
            yield str(python), f"{folder} in the project", True
    if active := inherited(("VIRTUAL_ENV",)).get("VIRTUAL_ENV"):
        yield str(Path(active) / "bin" / "python"), "the active environment (VIRTUAL_ENV)", False
    inside = [python for each in _DEEPER for python in root.glob(each) if "node_modules" not in python.parts]
    if len(inside) == 1 and not any((root / name).exists() for name in _OF_ROOT):
        yield str(inside[0]), f"{inside[0].parents[1].relative_to(root)}, the only one in the project", False
    for name in ("python3", "python"):
        if found := shutil.which(name, path=":".join(part for part in _path() if part != _own_bin())):
            yield found, f"{name} on PATH", False
    yield sys.executable, "Setpoint's own, as none of the project's holds pytest", False


def _resolved(root: Path, python: str) -> Path | str:
    if "/" not in python:
        return shutil.which(python) or python
    return root / Path(python).expanduser()


def _path() -> list[str]:
    return [part for part in inherited(("PATH",)).get("PATH", "/usr/bin:/bin").split(":") if part]


def programs_stamp() -> Iterator[str]:
    """Yield the folders of PATH with when a program came to each or went."""
    for folder in _path():
        try:
            yield f"{folder} {Path(folder).stat().st_mtime_ns}"
        except OSError:  # not there, or closed to us
            yield folder


def _own_bin() -> str:
    return str(Path(sys.executable).parent) if sys.prefix != sys.base_prefix else ""
