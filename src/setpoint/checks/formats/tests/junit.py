"""JUnit XML, which test runners of nearly every language can write."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from setpoint.checks.formats.parsing import bad, from_xml, number
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests.stack_frames import cause_in, place_in
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.model.evidence import Outcome, TestReport

_NOT_RUN = ("notrun", "disabled", "skipped", "suppressed")
_AGAIN = ("flakyFailure", "flakyError")


def read(text: bytes, sources: Sources) -> TestReport:
    """Read a report; one that counts failing tests and names none, or holds no test, is not believed."""
    root = from_xml(text, sources, ("testsuites", "testsuite"))
    cases = tuple(_cases(root, "", sources))
    errors = tuple(_told(each) for suite in root.iter("testsuite") for each in suite.findall("error"))
    report = report_of(cases, sources, errors)
    suites = (root, *root.iter("testsuite"))
    where = f"at <{root.tag}>"
    counted = max(
        number(suite.attrib, "failures", sources, where) + number(suite.attrib, "errors", sources, where)
        for suite in suites
    )
    if counted and not report.red and not errors:
        raise bad(sources, f"it counts {counted} failing tests and names none", where)
    if not report.outcomes:
        raise bad(sources, "it holds no test", where)
    return report


def _cases(suite: Element, file: str, sources: Sources) -> Iterator[Case]:
    file = suite.get("file") or file
    for each in suite:
        if each.tag == "testsuite":
            yield from _cases(each, file, sources)
        elif each.tag == "testcase":
            yield _case(each, suite, file, sources)


def _case(case: Element, suite: Element, file: str, sources: Sources) -> Case:
    name = case.get("name")
    if not name:
        raise bad(sources, "a test has no name", f"at suite {suite.get('name', '')[:60]!r}")
    group = case.get("classname") or suite.get("name") or ""
    outcome, why = _outcome(case)
    text = (why.text or "") if why is not None else ""
    line = number(case.attrib, "line", sources, f"at test {name[:60]!r}")
    place = place_in(text, sources) if outcome.red else ("", 0)
    kind = why.get("type", "") if why is not None and outcome.red else ""
    return Case(
        id=f"{group}::{name}" if group else name,
        outcome=outcome,
        message=why.get("message", "") if why is not None else "",
        text=text,
        file=place[0] or case.get("file") or file,
        line=place[1] or line,
        cause=cause_in(kind),
    )


def _outcome(case: Element) -> tuple[Outcome, Element | None]:
    for tag, outcome in (("error", Outcome.ERROR), ("failure", Outcome.FAILED), ("skipped", Outcome.SKIPPED)):
        if (why := case.find(tag)) is not None:
            return outcome, why
    if case.get("status", "").lower() in _NOT_RUN:
        return Outcome.SKIPPED, None
    again = next((each for each in case if each.tag in _AGAIN), None)
    return (Outcome.PASSED if again is None else Outcome.FLAKY), None


def _told(error: Element) -> str:
    return error.get("message") or (error.text or "").strip()[:200] or "a suite broke"
