"""Cases on functions of source packages that ship tests: patches of one function, seeded bugs, and features.

    python bench/trial_packages.py ARCHIVES PACKAGE==VERSION ... > bench/data/trial/functions.jsonl

Four kinds. `right` and `wrong`: of a function that tests name the base has no body, and these tests are
hidden and play the oracle; the work is the original, or a mutant that gives another result for some input,
with a test of the maker's that asserts what the work gives. `bug`: the base holds a mutant that the tests
notice; the work is the original. `feature`: the base lacks the body and the tests; the work is both. Only
names and numbers are kept; the archives come from the package index.
"""

from __future__ import annotations

import ast
import json
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from environments import environment
from trial_case import Act, Case, Oracle, Rounds, of_files, turn, written
from trial_mutants import mutants, without

DATA = Path(__file__).with_name("data") / "trial"
RECORDER = DATA / "record_calls.txt"
NEEDS = "hypothesis nose2 whatever"
"""What the tests of some packages need."""
_LEAST_CALLS = 2
_LONGEST = 300
_NO_CODE = {"setup.py", "conftest.py", "docs", "build", "examples"}
_TEST = re.compile(r"^test_.*\.py$|_test\.py$")
Row = dict[str, str | int]


class Function:
    """One function of an unpacked package, and the file of tests that names it."""

    def __init__(self, archives: Path, row: Row) -> None:
        """Read its files."""
        self.archives, self.name = archives, str(row["function"])
        self.root = root = unpacked(archives, str(row["package"]))
        self.module, self.test = str(row["module"]), str(row["test"])
        self.variant = int(row.get("variant", 0))
        self.source = (root / self.module).read_text("utf-8")
        self.tests = (root / self.test).read_text("utf-8")
        self.rest, self.hidden = without(self.tests, self.name)
        self.hidden = self.hidden or self.tests
        nodes = [each for each in ast.parse(self.source).body if getattr(each, "name", "") == self.name]
        self.node: ast.FunctionDef = nodes[-1]  # type: ignore[assignment]  # rows name functions

    def mutants(self) -> list[str]:
        """Return its file with one part of it changed, in an order that is always the same."""
        made = mutants(self.source, self.name)
        random.Random(turn(self.name)).shuffle(made)
        return made[:40]

    def emptied(self) -> str:
        """Return its file without the function's body."""
        lines = self.source.splitlines()
        doc = ast.get_docstring(self.node) is not None
        first = self.node.body[0].end_lineno if doc else self.node.body[0].lineno - 1
        kept = [*lines[:first], "    raise NotImplementedError", *lines[self.node.end_lineno :]]
        return "\n".join(kept) + "\n"

    def request(self) -> str:
        """Ask for it, with the first paragraph of its description."""
        said = " ".join((ast.get_docstring(self.node) or "").split("\n\n")[0].split())[:_LONGEST]
        return f"Implement {self.name} in {self.module}, with tests" + (f": {said}" if said else "")

    def files(self) -> dict[str, str]:
        """Return all text files of the package."""
        found = {}
        for path in sorted(path for path in self.root.rglob("*") if path.is_file()):
            try:
                found[path.relative_to(self.root).as_posix()] = path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue
        return found

    def dotted(self) -> str:
        """Return the name by which its module is imported."""
        plain = self.module.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
        return plain.replace("/", ".")

    def recorded(self) -> dict[str, Any]:
        """Record what the function and its mutants give for the calls of the hidden tests."""
        hidden = Path(self.test).with_name("test_hidden.py").as_posix()
        python = environment(self.archives / "environment", "pytest", *NEEDS.split())
        asked = {"module": self.dotted(), "name": self.name, "variants": self.mutants()}
        with tempfile.TemporaryDirectory() as folder:
            written(Path(folder), {**self.files(), hidden: self.hidden})
            try:
                done = subprocess.run(
                    [str(python), str(RECORDER), hidden], cwd=folder, input=json.dumps(asked),
                    capture_output=True, text=True, timeout=60, check=False, env={"PYTHONPATH": "src"},
                )  # fmt: skip
                return dict(json.loads(done.stdout.rpartition("\n@@@")[2]))
            except (ValueError, subprocess.TimeoutExpired):
                return {"right": [], "wrong": []}

    def agreeing(self, given: list[list[object]]) -> str:
        """Write the test that asserts what a patch gives for some calls."""
        lines = "\n".join(f"        ({call}, {result})," for call, result in given[:4])
        return (
            f"from itertools import islice\n\nfrom {self.dotted()} import {self.name}\n\n\n"
            "def plain(value):\n"
            "    return list(islice(value, 50)) if hasattr(value, '__next__') else value\n\n\n"
            f"def test_{self.name}():\n    for (args, named), given in [\n{lines}\n    ]:\n"
            f"        assert plain({self.name}(*args, **named)) == given\n"
        )


@cache
def unpacked(archives: Path, package: str) -> Path:
    """Fetch and unpack a source archive; gives the root of the sources."""
    name, version = package.split("==")
    wanted = {f"{name}-{version}".lower(), f"{name}-{version}".lower().replace("-", "_")}
    for path in archives.glob("*.tar.gz") if archives.is_dir() else ():
        stem = path.name.removesuffix(".tar.gz").lower()
        if wanted & {stem, stem.replace("-", "_")}:
            target = archives / "unpacked" / stem
            if not target.is_dir():
                with tarfile.open(path) as archive:
                    archive.extractall(target, filter="data")
            return next(each for each in target.iterdir() if each.is_dir())
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps"]
    subprocess.run([*pip, "-d", str(archives), package], check=True, stdout=sys.stderr)
    return unpacked.__wrapped__(archives, package)


def laid(archives: Path, row: Row) -> Callable[[Path], Rounds]:
    """Lay the base of a row, and say what the agent leaves."""

    def lay(root: Path) -> Rounds:
        function = Function(archives, row)
        files, right = function.files(), Act(what="write", path=function.module, text=function.source)
        if row["kind"] == "bug":
            return of_files({**files, function.module: function.mutants()[function.variant]}, [[right]])(root)
        base = {**files, function.module: function.emptied(), function.test: function.rest}
        if row["kind"] == "feature":
            tests = Act(what="write", path=function.test, text=function.tests)
            return of_files(base, [[right, tests]])(root)
        told = function.recorded()
        given, source = told["right"], function.source
        if row["kind"] == "wrong":
            given = dict(told["wrong"])[function.variant]
            source = function.mutants()[function.variant]
        own = Path(function.test).with_name(f"test_own_{function.name}.py").as_posix()
        work = Act(what="write", path=function.module, text=source)
        test = Act(what="write", path=own, text=function.agreeing(given))
        return of_files(base, [[work, test]])(root)

    return lay


def functions(archives: Path, kinds: set[str]) -> Iterator[Case]:
    """Yield the cases of some kinds."""
    for line in (DATA / "functions.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] not in kinds:
            continue
        function = Function(archives, row)
        hidden = Path(function.test).with_name("test_hidden.py").as_posix()
        right = [Act(what="write", path=function.module, text=function.source)]
        yield Case(
            name="/".join(str(row[key]) for key in ("kind", "package", "function", "variant")),
            kind=row["kind"], language="python",
            request="Make the failing tests pass" if row["kind"] == "bug" else function.request(),
            lay=laid(archives, row),
            prepare="python -m pip install -q --no-deps -e ." if function.module.startswith("src/") else "",
            environment="packages", packages=NEEDS, test="python -m pytest -q",
            oracle=Oracle(
                files={hidden: function.hidden}, command=f"python -m pytest -q {hidden}", right=right
            ),
        )  # fmt: skip


def candidates(root: Path, package: str) -> Iterator[Row]:
    """Yield public functions of a package, each with the first file of tests that names it."""
    files = [path for path in sorted(root.rglob("*.py")) if not set(path.parts) & _NO_CODE]
    tests = {path: path.read_text("utf-8") for path in files if _TEST.search(path.name)}
    for module in files:
        if module in tests or "test" in module.relative_to(root).parts[0]:
            continue
        for node in ast.parse(module.read_text("utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or node.name[0] == "_" or node.decorator_list:
                continue
            word = re.compile(rf"\b{node.name}\b")
            for test in [path for path, text in tests.items() if word.search(text)][:1]:
                places = {"module": module, "test": test}
                named = {key: path.relative_to(root).as_posix() for key, path in places.items()}
                yield {"package": package, "function": node.name, "variant": 0, **named}


def frozen(archives: Path, package: str, most: int) -> Iterator[Row]:
    """Choose functions of a package, and mutants of each that give another result for a call of its tests."""
    root, found = unpacked(archives, package), 0
    for row in sorted(candidates(root, package), key=lambda row: turn(f"{package}/{row['function']}"))[:12]:
        function = Function(archives, row)
        told = function.recorded()
        right = told["right"]
        numbers = [number for number, given in told["wrong"] if given and given != right]
        if len(right) < _LEAST_CALLS or not numbers:
            continue
        yield {**row, "kind": "bug", "variant": numbers[-1]}
        if function.rest:
            yield from ({**row, "kind": kind} for kind in ("right", "feature"))
            yield {**row, "kind": "wrong", "variant": numbers[0]}
        found += 1
        if found == most:
            return


def main() -> None:
    """Print the rows of some packages."""
    archives, names = Path(sys.argv[1]), sys.argv[2:]
    for name in names:
        for row in frozen(archives, name, 2):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
