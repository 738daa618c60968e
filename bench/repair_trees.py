"""Real packages for `bench/repair.py`: sources with tests, an environment, and what each test reaches."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

from environments import environment

TUNED = {
    "boltons": "26.2.0",
    "more-itertools": "11.2.1",
    "inflection": "0.5.1",
    "toolz": "1.2.0",
    "cachetools": "8.0.1",
    "marshmallow": "4.4.0",
    "tomlkit": "0.15.2",
    "sqlparse": "0.6.1",
}
"""Packages whose misses were looked at while the engine was worked on, with the version."""
FRESH = {
    "glom": "25.12.0",
    "humanize": "4.17.0",
    "idna": "3.20",
    "itsdangerous": "2.2.0",
    "jinja2": "3.1.6",
    "markupsafe": "3.0.4",
    "pathspec": "1.1.1",
    "python-slugify": "9.2.0",
    "schema": "0.7.8",
    "tabulate": "0.10.0",
    "voluptuous": "0.16.0",
}
"""Packages of which nothing but the figures was looked at."""
NEEDED = (
    "pytest", "coverage", "freezegun", "face", "attrs", "pyyaml", "text-unidecode", "markupsafe", "orjson",
    "simplejson", "trio", "hypothesis", "pytest-mock", "pytz", "tzdata",
)  # fmt: skip
WATCHER = """
import json, os
import coverage, pytest

class Watcher:
    def __init__(self, wanted, lines):
        self.wanted, self.outcomes = wanted, {}
        self.coverage = coverage.Coverage(data_file=None, source=["."]) if lines else None
        if self.coverage:
            self.coverage.start()

    def pytest_collection_modifyitems(self, items):
        if self.wanted is not None:
            items[:] = [item for item in items if item.nodeid in self.wanted]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        if self.coverage:
            self.coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid] = "failed"
        elif report.skipped:
            self.outcomes.setdefault(report.nodeid, "skipped")
        elif report.when == "call":
            self.outcomes.setdefault(report.nodeid, "passed")

    def pytest_unconfigure(self):
        reached = {}
        if self.coverage:
            self.coverage.stop()
            data = self.coverage.get_data()
            for file in data.measured_files():
                lines = data.contexts_by_lineno(file)
                reached[os.path.relpath(file)] = {n: [c for c in tests if c] for n, tests in lines.items()}
        told = {"outcomes": self.outcomes, "reached": reached}
        with open(os.environ["WATCHED"], "w") as stream:
            json.dump(told, stream)

def pytest_configure(config):
    asked = json.load(open(os.environ["WATCH"]))
    wanted = asked["tests"]
    config.pluginmanager.register(Watcher(wanted and set(wanted), asked["lines"]))
"""


class Package(NamedTuple):
    """One package that was unpacked and run."""

    name: str
    root: Path
    reached: dict[str, dict[str, list[str]]]
    """Tests by file and line."""
    green: frozenset[str]
    """Tests that pass on the sources as they were published."""


def interpreter(folder: Path) -> Path:
    """Make an environment with pytest, coverage and what the packages import."""
    return environment(folder / "environment", *NEEDED)


def unpacked(name: str, version: str, folder: Path) -> Path:
    """Fetch and unpack a source archive; gives the root of the sources."""
    stem = f"{name}-{version}".replace("-", "_")
    archives = folder / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    found = [path for path in archives.glob("*.tar.gz") if path.name.replace("-", "_").startswith(stem)]
    if not found:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps"]
        subprocess.run([*pip, "-d", str(archives), f"{name}=={version}"], check=True, stdout=sys.stderr)
        return unpacked(name, version, folder)
    target = folder / "trees" / name
    if not target.exists():
        with tarfile.open(found[0]) as archive:
            archive.extractall(target, filter="data")
    return next(path for path in target.iterdir() if path.is_dir())


def package(name: str, folder: Path) -> Package:
    """Unpack a package and run its tests once, unless that was done before."""
    root = unpacked(name, {**TUNED, **FRESH}[name], folder)
    kept = folder / "reached" / f"{name}.json"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        told = run_tests(root, folder, None, lines=True, timeout_s=600.0)
        if told is None:
            raise SystemExit(f"{name}: its tests did not come to an end")
        kept.write_text(json.dumps(told), encoding="utf-8")
    told = json.loads(kept.read_text(encoding="utf-8"))
    green = frozenset(test for test, outcome in told["outcomes"].items() if outcome == "passed")
    return Package(name, root, told["reached"], green)


def run_tests(
    root: Path,
    folder: Path,
    tests: list[str] | None,
    *,
    lines: bool = False,
    timeout_s: float = 60.0,
    only: tuple[str, ...] = (),
) -> dict[str, dict[str, Any]] | None:
    """Run tests, all of them or those of the files in `only`, in a fresh process.

    Gives outcomes and lines, or none where it took too long.
    """
    plugin = folder / "watcher" / "repair_watcher.py"
    plugin.parent.mkdir(exist_ok=True)
    plugin.write_text(WATCHER, encoding="utf-8")
    scratch = folder / "watcher" / str(os.getpid())
    scratch.mkdir(exist_ok=True)
    asked, told = scratch / "asked.json", scratch / "told.json"
    asked.write_text(json.dumps({"tests": tests, "lines": lines}), encoding="utf-8")
    told.unlink(missing_ok=True)
    files = only or tuple(dict.fromkeys(test.split("::", 1)[0] for test in tests or ()))
    words = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "repair_watcher", *files]
    environment = {
        "PATH": f"{interpreter(folder).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{root / 'src'}:{root}:{plugin.parent}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "HOME": str(scratch),
        "LANG": "C.UTF-8",
        "WATCH": str(asked),
        "WATCHED": str(told),
    }
    try:
        subprocess.run(
            [str(interpreter(folder)), "-m", "pytest", *words],
            cwd=root,
            env=environment,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return (
        dict(json.loads(told.read_text(encoding="utf-8")))
        if told.exists()
        else {"outcomes": {}, "reached": {}}
    )


def copied(root: Path, target: Path) -> Path:
    """Copy a tree without what running left in it."""
    shutil.rmtree(target, ignore_errors=True)
    return Path(
        shutil.copytree(root, target, ignore=shutil.ignore_patterns("__pycache__", ".git", ".hypothesis"))
    )
