"""Feedback for the maker: the worst problems first, within a fixed size.

A long list hides its first entries, so the text names at most five causes, each within
1,200 characters, and 6,000 for all (docs/decisions/0019). The rest is counted, and the
whole is stored as an artifact that the text points to.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from setpoint.model.evidence import Failure, Suspect
from setpoint.model.failure_clusters import Cluster, by_importance, clustered
from setpoint.model.finding import Finding, Nearness

MOST = 6000
"""Characters of the whole text."""
MOST_CAUSES = 5
MOST_OF_CAUSE = 1200
MOST_OF_FINDING = 500
MOST_SUSPECTS = 5
MOST_FRAMES = 3
MOST_WHOLE = 2_000_000
"""Characters of the text that is kept as an artifact."""

_FOR_FINDINGS = 1600
"""Characters reserved for findings, if there are as many."""
_ASSERTION_LINES = 8
_STACK = ("at ", "note: ")
"""What comes after the values of a failed assertion, in JavaScript and in Rust."""
_NEARBY = 4
"""Lines between two failures up to which the code around the first one shows the second, too."""
_FENCES = re.compile(r"`{3,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_NEAR = {
    Nearness.LINE: "on a line you changed",
    Nearness.FUNCTION: "in a function you changed",
    Nearness.FILE: "in a file you changed",
}


def feedback(
    failures: Sequence[Failure],
    findings: Sequence[Finding],
    suspects: Sequence[Suspect] = (),
    whole: str = "",
) -> str:
    """Return at most `MOST` characters; `whole` is the path of the full text. Empty: no problem."""
    if not failures and not findings:
        return ""
    clusters, ordered = clustered(failures), by_importance(findings)
    listed = [_finding(finding) for finding in ordered]
    suspicious = _suspects(_telling(suspects, clusters[:MOST_CAUSES])) if clusters else ""
    room = MOST - _last_room(whole) - len(suspicious)
    told_causes, used = _fitting(
        [_cause(number, clusters) for number in range(1, min(MOST_CAUSES, len(clusters)) + 1)],
        _headline(failures, clusters),
        room - min(_FOR_FINDINGS, sum(map(len, listed))),
    )
    told_findings, _ = _fitting(listed, f"\n## Findings: {len(ordered)}, most urgent first\n", room - used)
    shown = sum(len(cluster.failures) for cluster in clusters[: len(told_causes) - 1])
    left_out = (
        len(failures) - shown if told_causes else len(failures),
        len(ordered) - max(0, len(told_findings) - 1),
    )
    return "".join([*told_causes, suspicious, *told_findings, _last(*left_out, whole)]).strip()


def whole_text(failures: Sequence[Failure], findings: Sequence[Finding], suspects: Sequence[Suspect]) -> str:
    """Return all known problems for the artifact, at most `MOST_WHOLE` characters."""
    clusters = clustered(failures)
    text = StringIO()
    for part in _parts(failures, clusters, findings, suspects):
        text.write(part)
        if text.tell() > MOST_WHOLE:
            break
    return text.getvalue()[:MOST_WHOLE]


def _parts(
    failures: Sequence[Failure],
    clusters: Sequence[Cluster],
    findings: Sequence[Finding],
    suspects: Sequence[Suspect],
) -> Iterator[str]:
    yield f"{len(failures)} failing tests with {len(clusters)} causes, {len(findings)} findings\n"
    for number, cluster in enumerate(clusters, start=1):
        yield f"\n=== cause {number}: {len(cluster.failures)} tests\n"
        yield from map(_in_full, cluster.failures)
    for each in suspects:
        yield f"\nsuspicious: {each.file}:{each.line} ({each.score:.3f}) {each.text}\n"
    for finding in by_importance(findings):
        yield f"\n=== {_plain_finding(finding)}\n{finding.detail}\n"
        if finding.fix is not None:
            yield f"suggested fix: {finding.fix.description}\n"


def _headline(failures: Sequence[Failure], clusters: Sequence[Cluster]) -> str:
    causes = "1 cause" if len(clusters) == 1 else f"{len(clusters)} causes"
    return f"## Failing tests: {len(failures)}, with {causes}\n"


def _fitting(blocks: Iterable[str], heading: str, room: int) -> tuple[list[str], int]:
    """Return the blocks that fit, in order, under a heading, and their length."""
    taken, used = [heading], len(heading)
    for block in blocks:
        if used + len(block) > room:
            break
        taken.append(block)
        used += len(block)
    return (taken, used) if len(taken) > 1 else ([], 0)


def _cause(number: int, clusters: Sequence[Cluster]) -> str:
    """Describe failure and location in at most `MOST_OF_CAUSE` characters; cut the rest."""
    cluster = clusters[number - 1]
    first = cluster.first
    shown = any(_same_lines(first, each.first) for each in clusters[: number - 1])
    more = f", and {cluster.more} more with the same cause" if cluster.more else ""
    where = f", at {_span(f'{first.file}:{first.line}', 160)}" if first.file else ""
    near = f", {_NEAR[first.nearness]}" if first.nearness in _NEAR else ""
    state = "new: " if first.new else ""
    text = f"### {number}. {_span(first.test, 200)}{more}\n"
    text += f"- reproduce: {_span(first.command, 300)}\n" if first.command else ""
    what = "cannot build" if first.unbuilt else first.cause
    text += f"- {state}{what}{where}{near}: {_line(first.message, 300)}\n"
    for part in (_assertion(first), "" if shown else first.code, _way(first)):
        text += _fenced(part, MOST_OF_CAUSE - len(text))
    return text


def _same_lines(one: Failure, other: Failure) -> bool:
    """Whether the code around two failures is much the same."""
    return one.file == other.file and abs(one.line - other.line) <= _NEARBY


def _assertion(failure: Failure) -> str:
    """Return what the runner says of the values, without what the message already contains."""
    said = [line[1:].strip() for line in failure.detail[-20_000:].split("\n") if line.startswith("E ")]
    if not said:
        return _values(failure)
    known = " ".join(failure.message.split())
    return "\n".join(
        line[:160] for line in said[1 : _ASSERTION_LINES + 1] if line and " ".join(line.split()) not in known
    )


def _values(failure: Failure) -> str:
    """Return the lines between the message and the stack; the end of the output where no code is shown."""
    lines = [line.strip() for line in failure.detail[:20_000].split("\n")]
    after = itertools.dropwhile(lambda line: not line or line not in failure.message, lines)
    between = itertools.takewhile(lambda line: not line.startswith(_STACK), after)
    values = [line[:160] for line in between if line and line not in failure.message]
    if values:
        return "\n".join(values[:_ASSERTION_LINES])
    return failure.detail[-400:] if not failure.code else ""


def _way(failure: Failure) -> str:
    steps = failure.frames[-MOST_FRAMES:]
    if len(steps) < 2:  # noqa: PLR2004 - one step is the place itself
        return ""
    return "\n".join(f"{step.file}:{step.line} {step.function}".rstrip()[:120] for step in steps)


def _telling(suspects: Sequence[Suspect], shown: Sequence[Cluster]) -> list[Suspect]:
    """Return lines that differ from the rest, and that no cause names already."""
    least = min((each.score for each in suspects), default=0.0)
    named = {(cluster.first.file, cluster.first.line) for cluster in shown}
    return [each for each in suspects if each.score > least and (each.file, each.line) not in named]


def _suspects(suspects: Sequence[Suspect]) -> str:
    if not suspects:
        return ""
    lines = ["\nLines that failing tests run and passing ones do less (a hint, no proof):\n"]
    for each in suspects[:MOST_SUSPECTS]:
        yours = ", changed by you" if each.changed else ""
        code = f": {_span(each.text.strip(), 80)}" if each.text.strip() else ""
        lines.append(f"- {_span(f'{each.file}:{each.line}', 120)} ({each.score:.2f}{yours}){code}\n")
    return "".join(lines)


def _finding(finding: Finding) -> str:
    near = f" {_NEAR[finding.nearness]}" if finding.nearness in (Nearness.LINE, Nearness.FUNCTION) else ""
    rule = f" {_line(finding.rule, 40)}" if finding.rule else ""
    # A maker that declines an objection, or a reviewer that withdraws one, names it by its id.
    name = f", id {finding.fingerprint}" if finding.source.startswith("review:") else ""
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    where = f" {_span(place, 160)}" if finding.file else ""
    who = f"{_line(finding.source, 40)}{rule}{name}"
    head = f"- **{finding.severity}** {finding.category} ({who}){where}{near}: "
    text = head + _line(finding.message, MOST_OF_FINDING - len(head) - 1) + "\n"
    for label, more in (("Suggested fix: ", _fix(finding)), ("", finding.detail)):
        room = MOST_OF_FINDING - len(text) - len(label) - 3
        if more.strip() and room > 20:  # noqa: PLR2004 - less than that says nothing
            text += f"  {label}{_line(more, room)}\n"
    return text


def _fix(finding: Finding) -> str:
    return finding.fix.description if finding.fix is not None else ""


def _last_room(whole: str) -> int:
    return len(_last(10**9, 10**9, whole))


def _last(failures: int, findings: int, whole: str) -> str:
    counted = [
        f"{count} more {name}"
        for count, name in ((failures, "failing tests"), (findings, "findings"))
        if count
    ]
    left = f"Left out here: {' and '.join(counted)}. " if counted else ""
    at = f"All of it in full: {_line(whole, 300)}" if whole else ""
    return f"\n{left}{at}\n" if left or at else ""


def _in_full(failure: Failure) -> str:
    place = f"{failure.file}:{failure.line}" if failure.line else failure.file
    return f"\n--- {failure.test}\n{failure.cause} at {place}: {failure.message}\n{failure.detail}\n"


def _plain_finding(finding: Finding) -> str:
    where = f"{finding.file}:{finding.line} " if finding.file else ""
    return f"{finding.severity} {finding.category} ({finding.source} {finding.rule}) {where}{finding.message}"


def _line(text: str, most: int) -> str:
    """Return a text on one line, cut if it is too long."""
    line = " ".join(_FENCES.sub("'''", _CONTROL.sub("", text[: 4 * most + 100])).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _span(text: str, most: int) -> str:
    """Return a name as a code span that it cannot escape; keep the end of a long one."""
    line = " ".join(_CONTROL.sub("", text[-4 * most - 100 :]).split()).replace("`", "'")
    shown = line if len(line) <= most - 2 else f"…{line[-(most - 3) :]}"
    return f"`{shown}`"


def _fenced(text: str, room: int) -> str:
    """Return lines in a fence that they cannot escape; keep as many whole lines as fit."""
    taken: list[str] = []
    used = len("```\n```\n")
    for line in _FENCES.sub("'''", text[:20_000]).split("\n"):
        shown = _CONTROL.sub("", line).rstrip()[:200]
        if used + len(shown) + 1 > room:
            break
        taken.append(shown)
        used += len(shown) + 1
    return "\n".join(["```", *taken, "```", ""]) if any(taken) else ""
