"""What `cargo test` prints, both streams as one; libtest's own JSON is not stable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests.stack_frames import cause_in, place_in
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.model.evidence import Cause, Outcome, TestReport

_TARGET = re.compile(r"\s{3,}Running (?:unittests )?(?P<source>\S+) \((?P<program>.+)\)")
_DOCS = re.compile(r"\s{3}Doc-tests (?P<crate>\S+)")
_BEGIN = re.compile(r"running (?P<count>\d{1,9}) tests?")
_TEST = re.compile(
    r"test (?P<name>.+?)(?: \(line \d+\))?(?: - [a-z ]+)? \.\.\. "
    r"(?P<outcome>ok|FAILED|ignored)(?:, .*)?(?: <[\d.]+s>)?"
)
_RESULT = re.compile(
    r"test result: (?:ok|FAILED)\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
    r"(?P<ignored>\d{1,9}) ignored; .*"
)
_SAID = re.compile(r"---- (?P<name>.+?)(?: \(line \d+\))?(?: - [a-z ]+)? stdout ----")
_LISTED = re.compile(r"(?P<name>.+?)(?: \(line \d+\))?(?: - [a-z ]+)?: (?:test|benchmark)")
_UNMET = re.compile(r"note: (?:test did not panic as expected|panic did not contain expected string)")
"""What libtest says where a test marked `should_panic` does not panic as it should."""
_OUTCOMES = {"ok": Outcome.PASSED, "FAILED": Outcome.FAILED, "ignored": Outcome.SKIPPED}


@dataclass
class _Section:
    """One test program, or the documentation tests of one crate."""

    target: str
    first: int
    expected: int = -1
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    said: dict[str, list[str]] = field(default_factory=dict)
    speaks: str = ""
    counted: tuple[int, int, int] | None = None

    @property
    def counts(self) -> tuple[int, int, int]:
        held = list(self.outcomes.values())
        return held.count(Outcome.PASSED), held.count(Outcome.FAILED), held.count(Outcome.SKIPPED)


def read(text: bytes, sources: Sources) -> TestReport:
    """Read what was printed; sections whose counts differ from what they list are not believed."""
    return report_by_target(text, sources, {})


def report_by_target(text: bytes, sources: Sources, targets: Mapping[str, str]) -> TestReport:
    """Read what was printed; `targets` names the source file of each test program, by its path.

    A test is named by its target: `src/lib.rs::tests::adds`, `tests/cli.rs::prints`, and an example in the
    documentation `doc calc::src/lib.rs - add`, without its line, which every edit above it changes.
    """
    sections = list(_sections(lines_of(text, sources), sources, targets))
    if not any(section.outcomes for section in sections):
        raise bad(sources, "it holds no test")
    return report_of((case for section in sections for case in _cases(section, sources)), sources)


def listed(text: bytes, sources: Sources, targets: Mapping[str, str]) -> frozenset[str]:
    """Read what `cargo test -- --list` prints: the names of all tests, as `report_by_target` gives them."""
    names: set[str] = set()
    seen: Counter[str] = Counter()
    target = ""
    for line in lines_of(text, sources):
        if (head := _target(line, targets)) is not None:
            target = head
        elif name := _LISTED.fullmatch(line):
            test = f"{target}::{name['name']}"
            seen[test] += 1
            names.add(test if seen[test] == 1 else f"{test} #{seen[test]}")
    return frozenset(names)


def _target(line: str, targets: Mapping[str, str]) -> str | None:
    if found := _TARGET.fullmatch(line):
        return targets.get(found["program"], found["source"])
    found = _DOCS.fullmatch(line)
    return f"doc {found['crate']}" if found else None


def _sections(lines: list[str], sources: Sources, targets: Mapping[str, str]) -> Iterator[_Section]:
    target, section = "", None
    for number, line in enumerate(lines, start=1):
        head = _target(line, targets)
        begin = _BEGIN.fullmatch(line) if section is None else None
        if head is not None:
            if section is not None:
                yield _ended(section, sources, "the test program ended before it told how its tests did")
            target, section = head, None
        elif begin is not None:
            section = _Section(target=target, first=number, expected=int(begin["count"]))
        elif section is not None and _note(section, line):
            yield _ended(section, sources, "")
            section = None
    if section is not None:
        yield _ended(section, sources, "the test program ended before it told how its tests did")


def _note(section: _Section, line: str) -> bool:
    """Take note of a line; gives whether it ends the section."""
    if result := _RESULT.fullmatch(line):
        section.counted = int(result["passed"]), int(result["failed"]), int(result["ignored"])
        return True
    if said := _SAID.fullmatch(line):
        section.speaks = said["name"]
        section.said.setdefault(section.speaks, [])
    elif section.speaks:
        if line == "failures:":
            section.speaks = ""
        else:
            section.said[section.speaks].append(line)
    elif test := _TEST.fullmatch(line):
        name, count = test["name"], 1
        while name in section.outcomes:  # several examples in the documentation of one item
            count += 1
            name = f"{test['name']} #{count}"
        section.outcomes[name] = _OUTCOMES[test["outcome"]]
    return False


def _ended(section: _Section, sources: Sources, fault: str) -> _Section:
    where = f"in the section of line {section.first}"
    if fault:
        raise bad(sources, fault, where)
    if section.counted != section.counts or sum(section.counts) != section.expected:
        counts = f"it counts {section.counted} tests passed, failed, ignored and lists {section.counts}"
        raise bad(sources, counts, where)
    return section


def _cause(said: str, message: str) -> Cause:
    return Cause.ASSERTION if _UNMET.search(said) else cause_in(message) or Cause.RUNTIME


def _cases(section: _Section, sources: Sources) -> Iterator[Case]:
    for name, outcome in section.outcomes.items():
        said = "\n".join(section.said.get(name, ())) if outcome.red else ""
        file, line = place_in(said, sources) if said else ("", 0)
        lines = [each.strip() for each in said.splitlines() if each.strip()]
        panic = next((at for at, each in enumerate(lines) if " panicked at " in each), None)
        message = lines[panic + 1] if panic is not None and panic + 1 < len(lines) else next(iter(lines), "")
        yield Case(
            id=f"{section.target}::{name}" if section.target else name,
            outcome=outcome,
            message=message,
            text=said.partition("\nstack backtrace:")[0],  # the end is what is kept, and values come before
            file=file,
            line=line,
            cause=_cause(said, message) if said else None,
        )
