"""The tests of any build tool that writes JUnit files into the tree, driven by its preset alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.suites.runner import Once, Start, read, selected
from setpoint.model.evidence import Cause, Failure, Outcome, TestReport
from setpoint.model.wording import shortened
from setpoint.presets import Reports
from setpoint.system.processes import Completed

_GROUP = re.compile(r"[\w$]+(?:\.[\w$]+)*")
_PLAIN = re.compile(r"[\w$]+")
_DECLARED = re.compile(rb"^\s*(?:\xef\xbb\xbf)?<\?xml[^>]*\?>")
_CASE = b"<testcase"
_MOST_WORDS = 300


@dataclass(frozen=True, kw_only=True)
class ReportedRunner:
    """Runs the build, and reads the files that it wrote; those of an earlier run are removed before."""

    reports: Reports

    def owns(self, test: str) -> bool:
        """Whether an identifier names a class, as JUnit does, or a source that did not compile."""
        group, _, name = test.partition("::")
        if re.search(r"\.(?:java|kt|scala|groovy)$", group):
            return not name
        return bool(name) and _GROUP.fullmatch(group) is not None

    async def run(self, start: Start, only: Selection) -> Once:
        """Run all tests of a package and the packages in it, or a selection."""
        for old in await asyncio.to_thread(self._written, start.place):
            old.unlink(missing_ok=True)
        done = await start.call(start.argv(*self._selection(only)), merged=True)
        if missing := re.search(self.reports.missing, done.text, re.MULTILINE):
            said = shortened(missing[0].strip(), _MOST_WORDS)
            return Once(done=done, broken=f"not all is on this machine: {self.reports.brings} ({said})")
        unbuilt = tuple(self._unbuilt(start, done))
        text = await asyncio.to_thread(self._joined, start.place)
        once = _without_report(start, done, only) if text is None else read(start, done, text)
        if unbuilt:
            return Once(done=done, report=_with_unbuilt(once.report, unbuilt, only))
        if once.report is None:
            return once
        left = bool(self.reports.partly and re.search(self.reports.partly, done.text, re.MULTILINE))
        report = once.report.model_copy(update={"complete": False}) if left else once.report
        return Once(done=done, report=selected(report, only), broken=once.broken)

    def _selection(self, only: Selection) -> tuple[str, ...]:
        """Name tests; one whose name is not plain is chosen with all of its class."""
        chosen = sorted({self._named(test) for test in only or () if "::" in test})
        if not chosen:
            return ()
        if not any("{test}" in word for word in self.reports.selects):
            return tuple(word.replace("{tests}", ",".join(chosen)) for word in self.reports.selects)
        return tuple(word.replace("{test}", test) for test in chosen for word in self.reports.selects)

    def _named(self, test: str) -> str:
        group, _, name = test.partition("::")
        method = re.split(r"[\[({ ]", name, maxsplit=1)[0]
        if " " in name.partition("[")[0] or _PLAIN.fullmatch(method) is None:
            return group
        return self.reports.one.format(group=group, name=method)

    def _written(self, place: Path) -> list[Path]:
        return sorted(each for each in place.glob(self.reports.files) if each.is_file())

    def _joined(self, place: Path) -> bytes | None:
        """Make one report of all files; none where none of them holds a test."""
        parts, left = [], MOST_BYTES
        for file in self._written(place):
            with file.open("rb") as held:
                text = held.read(left + 1)  # one more than is read, so that more than that is noticed
            if _CASE in text:
                parts.append(_DECLARED.sub(b"", text))
                left = max(0, left - len(text))
        return b"<testsuites>" + b"".join(parts) + b"</testsuites>" if parts else None

    def _unbuilt(self, start: Start, done: Completed) -> Iterator[Failure]:
        sources, seen = start.sources(), set()
        within = f"{start.folder}/" if start.folder else ""
        for told in re.finditer(self.reports.unbuilt, done.text, re.MULTILINE):
            file = sources.relative(told["file"])
            file = file if sources.holds(file) else f"{within}{file}"
            if file in seen or not sources.holds(file):
                continue
            seen.add(file)
            yield Failure(
                test=file, cause=Cause.SYNTAX, message=told["message"], file=file, line=int(told["line"])
            )


def _without_report(start: Start, done: Completed, only: Selection) -> Once:
    """Tell a package without tests from a build that broke."""
    if done.ok:
        return Once(done=done, report=TestReport(outcomes={}, complete=only is None))
    return Once(done=done, broken=f"{start.name} wrote no report: {done.ending}{results.tail(done)}")


def _with_unbuilt(report: TestReport | None, unbuilt: tuple[Failure, ...], only: Selection) -> TestReport:
    """Add a red entry for each source that does not compile; tests that were asked for could not run."""
    report = report or TestReport(outcomes={})
    outcomes = {**dict.fromkeys(only or (), Outcome.ERROR), **report.outcomes}
    outcomes |= dict.fromkeys((each.test for each in unbuilt), Outcome.ERROR)
    told = tuple(f"{each.test}: it does not compile" for each in unbuilt)
    return TestReport(
        outcomes=outcomes,
        failures=(*report.failures, *unbuilt),
        collection_errors=(*report.collection_errors, *told),
        complete=False,
    )
