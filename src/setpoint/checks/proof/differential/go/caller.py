"""Answer recorded calls of Go by a test that lies in the package for this alone."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.proof.differential.functions import Comparable
from setpoint.checks.proof.differential.go.choice import Held, chosen
from setpoint.checks.proof.differential.go.functions import folder_of, sources_of
from setpoint.checks.proof.differential.go.harness import Answering, harness
from setpoint.checks.proof.differential.go.source import Function, Source, joined, package_in
from setpoint.checks.proof.instrument.importable import package_of_go
from setpoint.checks.proof.subject import Subject
from setpoint.checks.suites.go import narrowed
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.ports import Measured
from setpoint.system.processes import Completed
from setpoint_probe.wire.calls import Answer, CallsRequest, CallsResult

_REACHES = "it writes files, starts processes or uses the network"
_OTHERS = "its types belong to other packages"


@dataclass(kw_only=True)
class GoCaller:
    """Calls functions of Go; it keeps the calls that it chose on the result for those at the base."""

    functions: Comparable
    suite: PackageSuite
    runners: frozenset[str] = frozenset({"go_test"})
    again: int = 1
    """The test answers each call several times by itself."""
    word: str = field(default_factory=lambda: f"answers{secrets.token_hex(5)}")
    held: list[Held] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    async def answered(
        self, subject: Subject, there: Measured, request: CallsRequest, _hashes: int
    ) -> CallsResult:
        """Answer calls in a place; what is recorded is chosen from and varied first."""
        tree = Path(there.copy.path)
        folders = sorted({folder for folder, _ in self.functions.now.values()})
        packages = {folder: await asyncio.to_thread(package_in, tree / folder) for folder in folders}
        if request.recorded:
            self.held, self.left = await asyncio.to_thread(chosen, request, self._makers(packages))
            await asyncio.to_thread(self._leave_out, tree, packages)
        scratch = subject.scratch / "answers-go"
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch / "home").mkdir(parents=True)
        asked = [each for each in self.held if not request.only or each.call.number in request.only]
        (scratch / "calls.jsonl").write_text("".join(each.line for each in asked), "utf-8")
        modules: dict[str, list[str]] = defaultdict(list)
        for folder, package in packages.items():
            functions = self._called(asked, folder, package)
            if functions and (module := self._module(folder)) is not None:
                modules[module].append(folder)
                place = Answering(
                    word=self.word,
                    scratch=scratch,
                    module=package_of_go(tree, self.suite.folders, module),
                    wall_s=request.wall_s,
                )
                text = harness(place, package, functions, self.functions.loose, _errors(subject, folder))
                await asyncio.to_thread(_put, tree / folder, self.word, text)
        done = [await self._run(tree, module, inner, scratch) for module, inner in modules.items()]
        answers = await asyncio.to_thread(_answers, scratch / "answers.jsonl")
        silent = bool(asked) and not answers
        reason = "; ".join(f"the calls were not answered: {each.ending}{results.tail(each)}" for each in done)
        return CallsResult(
            reason=reason if silent else "",
            calls=[each.call for each in self.held],
            answers=answers,
            left=dict(self.left),
        )

    def _leave_out(self, tree: Path, packages: Mapping[str, Source]) -> None:
        """Leave out the calls that reach what tests may not touch, and those with types of other packages."""
        known = {
            folder: package.reaching(self._reached(tree, folder)) for folder, package in packages.items()
        }
        kept: list[Held] = []
        for each in self.held:
            places = [(self.functions.now[step.name], step) for step in each.used]
            if any(own in known[folder] for (folder, own), _ in places):
                self.left.setdefault(each.call.name, _REACHES)
            elif any("." in _plain(step.kinds, packages[folder]) for (folder, _), step in places):
                self.left.setdefault(each.call.name, _OTHERS)
            else:
                kept.append(each)
        self.held = kept

    def _makers(self, packages: Mapping[str, Source]) -> dict[str, str]:
        """Return the functions that make objects, with what the names of the methods begin with."""
        found: dict[str, str] = {}
        for name, (folder, own) in self.functions.now.items():
            function = packages[folder].functions.get(own)
            if function is not None and function.gives in packages[folder].types:
                found[name] = f"{name.rpartition('::')[0]}::{function.gives}."
        return found

    def _reached(self, tree: Path, folder: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return the last names of functions of the project's other packages that reach such things."""
        module = self._module(folder)
        path = package_of_go(tree, self.suite.folders, module) if module is not None else ""
        named = b"".join(each.read_bytes() for each in sorted((tree / folder).glob("*.go")))
        found: set[str] = set()
        for inner in set(re.findall(rf'"{re.escape(path)}/([\w./-]+)"', named.decode("utf-8", "replace"))):
            other = f"{module}/{inner}".strip("/")
            if path and other not in seen and other != folder:
                words = self._reached(tree, other, seen | {folder, other})
                reaching = package_in(tree / other).reaching(words)
                found |= {name.rpartition(".")[2] for name in reaching}
        return found

    def _module(self, folder: str) -> str | None:
        """Return the folder of the module that holds a folder."""
        modules = [each for each in self.suite.folders if not each or f"{folder}/".startswith(f"{each}/")]
        return max(modules, key=len, default=None)

    def _called(self, asked: Iterable[Held], folder: str, package: Source) -> dict[str, tuple[Function, str]]:
        """Return the functions of a package that are called, by the key of their calls."""
        found: dict[str, tuple[Function, str]] = {}
        for step in (step for each in asked for step in each.used):
            there, own = self.functions.now[step.name]
            function, kinds = package.functions.get(own), _plain(step.kinds, package)
            if there == folder and function is not None and len(function.kinds) in (0, len(kinds.split(","))):
                found[step.key] = (function, kinds)
        return found

    async def _run(self, tree: Path, module: str, folders: Iterable[str], scratch: Path) -> Completed:
        packages = [f"./{each.removeprefix(module).strip('/')}" for each in folders]
        with tempfile.TemporaryDirectory(prefix="setpoint-") as other:
            start = self.suite.start(tree, module, Path(other))
            start = replace(start, variables={**start.variables, "TMPDIR": str(scratch / "home")})
            start = replace(start, writable=(scratch,))
            words = ("-run", f"^Test{self.word.title()}$")
            return await start.call((*start.argv(*narrowed(start), *words), *packages), merged=True)


def _put(folder: Path, word: str, text: str) -> None:
    """Put a test into a package in place of its own ones, which may need what this side does not have."""
    for each in folder.glob("*_test.go"):
        each.unlink()
    (folder / f"{word}_test.go").write_text(text, "utf-8")


def _plain(kinds: str, package: Source) -> str:
    """Return types as the package itself names them."""
    return re.sub(rf"(?<![\w.]){re.escape(package.package)}\.(?=\w)", "", kinds)


def _errors(subject: Subject, folder: str) -> frozenset[str]:
    """Return the known errors of the changed sources that both sides declare, and all of unchanged ones."""
    one, other = (
        joined(source for path, source in sources_of(subject, texts).items() if folder_of(path) == folder)
        for texts in (subject.before, subject.after)
    )
    return one.errors ^ other.errors


def _answers(path: Path) -> list[Answer]:
    """Return the answers that can be read: the project's own process has written them."""
    found: list[Answer] = []
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    for line in lines:
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            raw = json.loads(line)
            kind, told, shown, vague = (str(raw[name]) for name in ("kind", "told", "shown", "vague"))
            found.append(Answer(int(raw["number"]), kind, told, shown, vague=vague))
    return found
