"""Measure what verbs, checks and runs cost beside the project's own tests, by kind of process.

    python bench/run_cost.py [--only NAME ...] [--json]

For the demo's project and for public packages from the package index: the verbs that read, the project's
own tests, `setpoint check` cold, unchanged and after an edit of a function, and a run of one round by a
maker that is a script; for the demo `setpoint demo`. CPU seconds are those of all processes that a command
starts, as the kernel adds them up; which kind of process used them is sampled, and what ends within a moment
is not seen. A ratio is one of CPU seconds. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import ctypes
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections import defaultdict
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from environments import environment

SETPOINT = (sys.executable, "-m", "setpoint")
VERBS = (("--help",), ("status",), ("story", "list"), ("show",), ("init",))
SUBREAPER = 36
"""Of prctl(2): what an ended process leaves behind becomes a child of ours, so that it is counted."""
EVERY_S = 0.02
TICKS = os.sysconf("SC_CLK_TCK")
MAKER = "maker_of_the_bench.py"
KINDS = (
    (MAKER, "maker"),
    ("setpoint_report", "tests"),
    ("pytest", "tests"),
    ("setpoint_probe", "probe"),
    ("sys.path.append(sys.argv.pop(1)", "supervisor"),
    ("setpoint", "setpoint"),
)
"""What a command line holds, and of which kind such a process is; the first that fits, else its program."""
WORK = """import pathlib, sys
module, test, name = sys.argv[1:]
with open(module, "a") as file:
    file.write("\\n\\ndef twice_of_the_bench(value: int) -> int:\\n    return value * 2\\n")
pathlib.Path(test).write_text(
    f"from {name} import twice_of_the_bench\\n\\n\\n"
    "def test_twice():\\n    assert twice_of_the_bench(4) == 8\\n    assert twice_of_the_bench(-3) == -6\\n"
)
"""


class Subject(NamedTuple):
    """A project, where the maker adds a function, and which function is edited."""

    package: str
    """As the package index has it; none: the project of the demo."""
    module: str
    imported: str
    edited: str
    """A function of the module."""
    needs: tuple[str, ...] = ()


SUBJECTS = {
    "demo": Subject("", "src/corner_shop/money.py", "corner_shop.money", "share"),
    "itsdangerous": Subject(
        "itsdangerous==2.2.0",
        "src/itsdangerous/encoding.py",
        "itsdangerous.encoding",
        "base64_encode",
        ("freezegun",),
    ),
    "jinja2": Subject("jinja2==3.1.6", "src/jinja2/utils.py", "jinja2.utils", "urlize", ("trio",)),
    "marshmallow": Subject(
        "marshmallow==3.26.1", "src/marshmallow/utils.py", "marshmallow.utils", "from_rfc", ("simplejson",)
    ),
    "tomlkit": Subject("tomlkit==0.13.3", "tomlkit/api.py", "tomlkit.api", "value", ("pyyaml",)),
    "more_itertools": Subject(
        "more-itertools==10.7.0", "more_itertools/more.py", "more_itertools.more", "chunked"
    ),
    "sqlglot": Subject(
        "sqlglot==26.33.0",
        "sqlglot/time.py",
        "sqlglot.time",
        "subsecond_precision",
        ("duckdb", "pandas", "pytz"),
    ),
}


class Cost(NamedTuple):
    """What a command took."""

    wall_s: float
    cpu_s: float
    maker_s: float | None
    """Wall seconds until the maker began; none where there was none."""
    kinds: dict[str, tuple[int, float]]
    """Processes that were seen and their CPU seconds, by kind."""
    exit_code: int


class _Sampler(threading.Thread):
    """Notes which processes run below this one, and what they have used."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = threading.Event()
        self.seen: dict[tuple[int, str], tuple[str, float]] = {}
        self.maker_at: float | None = None

    def run(self) -> None:
        """Look again and again until `ended`."""
        while not self.ended.wait(EVERY_S):
            names = (each.name for each in Path("/proc").iterdir())
            rows = {int(each): row for each in names if each.isdigit() and (row := _stat(each))}
            for pid, row in rows.items():
                above = row
                while (parent := int(above[1])) not in (os.getpid(), 0, 1) and parent in rows:
                    above = rows[parent]
                if parent == os.getpid():
                    kind = _kind(pid) or self.seen.get((pid, row[19]), ("other",))[0]
                    self.seen[pid, row[19]] = (kind, (int(row[11]) + int(row[12])) / TICKS)
                    if kind == "maker" and self.maker_at is None:
                        self.maker_at = time.perf_counter()


def _stat(pid: str) -> list[str]:
    """Return the fields of a process after its name: state, parent, ...; none where it has ended."""
    with contextlib.suppress(OSError):
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    return []


def _kind(pid: int) -> str:
    try:
        words = Path("/proc", str(pid), "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    line = " ".join(words)
    return next((kind for held, kind in KINDS if held in line), Path(words[0]).name)


def measured(argv: tuple[str, ...], folder: Path, variables: dict[str, str]) -> Cost:
    """Run a command and all that it starts to the end."""
    sampler = _Sampler()
    sampler.start()
    began, before = time.perf_counter(), _children_s()
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(argv, cwd=folder, env=variables, stdout=output, stderr=output, check=False)
        wall_s = time.perf_counter() - began
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass
        sampler.ended.set()
        sampler.join()
        output.seek(0)
        if done.returncode not in (0, 1, 13):
            sys.stderr.write(f"{argv}: {output.read().decode('utf-8', 'replace')[-2000:]}\n")
    kinds: dict[str, list[float]] = defaultdict(list)
    for kind, used_s in sampler.seen.values():
        kinds[kind].append(used_s)
    maker_s = None if sampler.maker_at is None else sampler.maker_at - began
    told = {kind: (len(used), round(sum(used), 2)) for kind, used in sorted(kinds.items())}
    return Cost(wall_s, _children_s() - before, maker_s, told, done.returncode)


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def made(name: str, subject: Subject, place: Path) -> tuple[Path, dict[str, str]]:
    """Make a repository of a project, set up as its people have it; return it with a shell's variables."""
    root = place / name
    if subject.package:
        index = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:")
        subprocess.run([*index, "-d", place, subject.package], check=True)
        with tarfile.open(next(place.glob(f"{name}-*.tar.gz"))) as archive:
            archive.extractall(place, filter="data")
        next(each for each in place.glob(f"{name}-*") if each.is_dir()).rename(root)
    else:
        with resources.as_file(resources.files("setpoint.cli").joinpath("sample")) as sample:
            shutil.copytree(sample, root, ignore=shutil.ignore_patterns("__pycache__"))
    python = environment(place / f"{name}-env", "pytest", *subject.needs)
    subprocess.run([python, "-m", "pip", "install", "-q", "-e", root], check=True)
    maker = place / MAKER
    maker.write_text(WORK, "utf-8")
    test = "tests/test_of_the_bench.py"
    command = json.dumps([str(python), str(maker), subject.module, test, subject.imported])
    (root / "setpoint.toml").write_text(
        f'[agents]\nmaker = "own"\n[agent.own]\ncommand = {command}\n[checks]\npython = "{python}"\n', "utf-8"
    )
    git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run([*git, *words], cwd=root, check=True)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    # What runs once compiled for people is not to compile anew with each start here.
    variables = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return root, {**variables, "PATH": path, "SETPOINT_CACHE_DIR": str(place / "cache")}


def _edited(source: str, function: str) -> str:
    """Add a statement to a function that changes nothing."""
    tree = ast.parse(source)
    found = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == function)
    last, lines = found.body[-1], source.splitlines(keepends=True)
    lines.insert(last.lineno - 1, f"{' ' * last.col_offset}edited_by_the_bench = 1\n")
    return "".join(lines)


def figures(name: str, place: Path) -> dict[str, Cost]:
    """Measure everything on one project."""
    root, variables = made(name, SUBJECTS[name], place)
    module, found = root / SUBJECTS[name].module, {}

    def take(what: str, *argv: str) -> None:
        found[what] = measured(argv, root, variables)

    for verb in (*VERBS[-1:], *VERBS):  # the first one compiles
        take(" ".join(verb), *SETPOINT, *verb)
    take("own tests, first", "python", "-m", "pytest", "-q")
    take("own tests", "python", "-m", "pytest", "-q")
    take("check, cold", *SETPOINT, "check")
    take("check, unchanged", *SETPOINT, "check")
    before = module.read_text("utf-8")
    module.write_text(_edited(before, SUBJECTS[name].edited), "utf-8")
    take("check --fast, edited", *SETPOINT, "check", "--fast")
    take("check, edited", *SETPOINT, "check")
    module.write_text(before, "utf-8")
    if SUBJECTS[name].package:
        take("doctor --base", *SETPOINT, "doctor", "--base")
        take("run", *SETPOINT, "run", f"add twice_of_the_bench to {SUBJECTS[name].module}, with tests")
    else:
        found["setpoint demo"] = measured((*SETPOINT, "demo", str(place / "shown")), place, variables)
    return found


def main() -> None:
    """Print a table for each project."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=list(SUBJECTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)
    sys.stdout.write(f"Python {platform.python_version()}, {os.cpu_count()} cores\n")
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            found = figures(name, Path(folder))
        if options.json:
            sys.stdout.write(
                json.dumps({name: {what: cost._asdict() for what, cost in found.items()}}) + "\n"
            )
            continue
        own_s = found["own tests"].cpu_s
        sys.stdout.write(f"\n{name}: wall s, CPU s, / own tests, maker after s, exit code, by kind\n")
        for what, cost in found.items():
            maker = "" if cost.maker_s is None else f"{cost.maker_s:.1f}"
            kinds = ", ".join(
                f"{kind} {used_s:.1f} ({number})" for kind, (number, used_s) in cost.kinds.items()
            )
            sys.stdout.write(
                f"{what:21}{cost.wall_s:7.2f}{cost.cpu_s:7.2f}{cost.cpu_s / own_s:7.1f} {maker:>6}"
                f"{cost.exit_code:4}  {kinds}\n"
            )


if __name__ == "__main__":
    main()
