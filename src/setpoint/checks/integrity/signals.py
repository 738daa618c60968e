"""Rules 4, 5, 7 and 8: signs of tampering that block nothing; they lower the mark and ask for a reason.

A third of honest commits show such signs, so none of them is a verdict. They go to the reviewer, and the
maker is asked why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypedDict, Unpack

from setpoint.checks.integrity.assertion_strength import hollow, strengths, weaker
from setpoint.checks.integrity.expectations import Expected, expected
from setpoint.checks.integrity.hardcoded_values import FEWEST_IN_TABLE, data_suspicion, suspicions
from setpoint.checks.integrity.suppressions import Grown, grown
from setpoint.checks.integrity.syntax_comparison import bodies
from setpoint.checks.integrity.test_detection import SUCCEEDS, Awareness, newly_aware, support
from setpoint.model.finding import Category, Finding, Severity

MOST_OF_A_RULE = 20
"""More signals of one rule than this are summed up in one."""
MOST_NAMED = 3
"""More things that a suppression hides than this are counted."""
RULES = ("strength", "suppression", "under-test", "hard-coded")
"""Rules whose findings are signals."""
_DATA = (".json", ".csv", ".txt", ".yaml", ".yml", ".tsv", ".dat")
_MOST_DATA = 200_000


class _Place(TypedDict, total=False):
    line: int
    symbol: str
    text: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What the work changed, as text, and the tests it is to pass."""

    before: Mapping[str, str]
    """Changed files as they were at the base, by path."""
    after: Mapping[str, str]
    """Changed files as they are now, by path."""
    tests: Mapping[str, str] = field(default_factory=dict)
    """Files of tests, changed or not, by path; read for the values they expect."""
    is_test: Callable[[str], bool]
    """Whether a path belongs to the tests."""
    sources: Collection[str] = ()
    """Every path of the base."""
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the tools say without the new suppressions, by path."""

    def code(self, files: Mapping[str, str]) -> dict[str, str]:
        """Choose the Python files outside the tests."""
        return {path: text for path, text in files.items() if path.endswith(".py") and not self.is_test(path)}

    def of_tests(self, files: Mapping[str, str]) -> dict[str, str]:
        """Choose the Python files of the tests."""
        return {path: text for path, text in files.items() if path.endswith(".py") and self.is_test(path)}


def signals(work: Difference) -> tuple[Finding, ...]:
    """Return every signal of the four rules, at most a readable number of each."""
    found = [
        list(_strength(work)),
        [*_suppression(work), *_stubs(work)],
        list(_under_test(work)),
        list(_hard_coded(work)),
    ]
    return tuple(finding for of_rule in found for finding in _summed(of_rule))


def _strength(work: Difference) -> Iterator[Finding]:
    before, after = work.of_tests(work.before), work.of_tests(work.after)
    standing = {body for text in after.values() for body in bodies(text).values()}
    for path in sorted(before.keys() | after.keys()):
        old, new = strengths(before.get(path, "")), strengths(after.get(path, ""))
        stood, stands = bodies(before.get(path, "")), bodies(after.get(path, ""))
        elsewhere = set(stood.values())
        for name, strength in old.items():
            if name in new:
                if why := weaker(strength, new[name]):
                    yield _weak(path, name, f"demands less than it did: {'; '.join(why)}")
            elif _is_test(name) and stood.get(name) not in standing:
                yield _weak(path, name, f"is gone, with {strength.asserts} assertions")
        for name in new.keys() - old.keys():
            if _is_test(name) and stands.get(name) not in elsewhere and (why := hollow(new[name])):
                yield _weak(path, name, f"is new and proves nothing: {'; '.join(why)}")


def _is_test(name: str) -> bool:
    return name.rpartition("::")[2].startswith("test")


def _weak(path: str, name: str, what: str) -> Finding:
    return _finding("strength", path, f"{path}: {name} {what}", symbol=name)


def _suppression(work: Difference) -> Iterator[Finding]:
    for each in grown(work.before, work.after):
        lines = ", ".join(str(one.line) for one in each.new[:5])
        hides = work.hidden.get(each.path, ())
        message = (
            f"{each.path}: {len(each.new)} new `{each.kind}` (line {lines}; {each.before} before, "
            f"{each.after} now){f'; hides {_listed(hides)}' if hides else ''}"
        )
        yield _finding(
            "suppression", each.path, message, line=each.new[0].line, symbol=each.kind, text=_texts(each),
            detail="\n".join(hides),
        )  # fmt: skip


def _stubs(work: Difference) -> Iterator[Finding]:
    """Report what hides the types of code from those who check it: a new stub beside it, a lost marker."""
    for path in sorted(work.after.keys() - work.before.keys()):
        if path.endswith(".pyi") and path.removesuffix("i") in work.sources:
            message = f"{path}: is new and hides the types of {path.removesuffix('i')} from type checkers"
            yield _finding("suppression", path, message, symbol="stub")
    for path in sorted(work.before.keys() - work.after.keys()):
        if path.rpartition("/")[2] == "py.typed":
            yield _finding(
                "suppression", path, f"{path}: is gone, so that nobody checks the types of its package"
            )


def _texts(each: Grown) -> str:
    return "; ".join(one.text for one in each.new)[:400]


def _listed(hides: tuple[str, ...]) -> str:
    first, rest = hides[:MOST_NAMED], hides[MOST_NAMED:]
    return "; ".join(first) + (f" and {len(rest)} more" if rest else "")


def _under_test(work: Difference) -> Iterator[Finding]:
    found: list[Awareness] = list(newly_aware(work.code(work.before), work.code(work.after)))
    found += support(work.of_tests(work.before), work.of_tests(work.after))
    for each in found:
        message = f"{each.path}: {each.what}: `{each.text}`"
        finding = _finding("under-test", each.path, message, line=each.line, text=each.text)
        yield finding.model_copy(update={"severity": Severity.CRITICAL}) if each.what == SUCCEEDS else finding


def _hard_coded(work: Difference) -> Iterator[Finding]:
    code = work.code(work.after)
    data = {path: text for path, text in work.after.items() if _is_data(path, text, work)}
    if not code and not data:
        return
    wanted = expected(work.tests.values())
    if not wanted.values and not wanted.by_name:
        return
    for path in sorted(code):
        for each in suspicions(path, work.before.get(path, ""), code[path], wanted):
            message = f"{path}: {f'{each.symbol} ' if each.symbol else ''}{each.what}: `{each.text}`"
            yield _finding("hard-coded", path, message, line=each.line, symbol=each.symbol, text=each.text)
    yield from _in_data(data, wanted)


def _in_data(data: Mapping[str, str], wanted: Expected) -> Iterator[Finding]:
    for path in sorted(data):
        if (hits := data_suspicion(data[path], wanted)) >= FEWEST_IN_TABLE:
            yield _finding(
                "hard-coded", path, f"{path}: new data hold {hits} pairs that tests put in and expect"
            )


def _is_data(path: str, text: str, work: Difference) -> bool:
    aside = path.startswith((".", "docs/", "doc/")) or "/." in path
    new = path not in work.before and not work.is_test(path) and not aside
    return new and PurePosixPath(path).suffix in _DATA and len(text) <= _MOST_DATA


def _finding(rule: str, path: str, message: str, **more: Unpack[_Place]) -> Finding:
    return Finding(
        source="integrity",
        rule=rule,
        severity=Severity.WARNING,
        category=Category.INTEGRITY,
        message=message,
        file=path,
        **more,
    )


def _summed(findings: list[Finding]) -> list[Finding]:
    if len(findings) <= MOST_OF_A_RULE:
        return findings
    rest = findings[MOST_OF_A_RULE:]
    more = _finding(
        rest[0].rule,
        "",
        f"{len(rest)} more signals like these",
        detail="\n".join(each.message for each in rest[:200]),
    )
    return [*findings[:MOST_OF_A_RULE], more]
