"""What a run teaches, by rule: from what Setpoint measured and people said, never from an agent's word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest

from setpoint.learning.policy.causes import Cause, Step, Without, causes
from setpoint.learning.policy.changes import COMMENT, Change
from setpoint.learning.policy.commands import works_here
from setpoint.learning.policy.maintenance import OBSERVED
from setpoint.model.attempt import ToolCall
from setpoint.model.changes.redaction import orders
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Failure
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.finding import Finding
from setpoint.model.ids import TraceId
from setpoint.model.learning import Hint, LearningKind, Proposal, Trust
from setpoint.model.run import Round

MOST = 7
"""Learnings that one run teaches at most."""
MOST_OF_TESTS = 3
"""Of these, what cleared failing tests."""
MOST_DIFF = 900
_LONG = 44
"""Letters of a line of code that a sentence quotes whole."""
_QUOTED = re.compile(
    r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|\b0x[0-9a-f]+\b|-?\b\d+(?:\.\d+)?\b", re.IGNORECASE
)
_APPLIED = "apply_patch"
"""The tool call by which the mechanic tells the family of an edit."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """A run as it is looked back on."""

    trace_id: TraceId
    scope: str
    title: str
    """Of the story."""
    verified: bool
    reason: str
    """Why it ended."""
    base: Evaluation
    rounds: tuple[Round, ...]
    steps: tuple[Step, ...] = ()
    """From one measured tree to the next."""
    without: Without = field(default_factory=dict)
    """What fails where a change is removed from the last tree."""
    diff: str = ""
    """The last round's tree against the base."""
    calls: Mapping[int, tuple[ToolCall, ...]] = field(default_factory=dict)
    """The maker's tool calls, by round."""
    said: tuple[tuple[str, str], ...] = ()
    """What people told the maker meanwhile: who, and what."""
    broken: bool = False
    """Whether an agent or a provider is why it ended, so that its end says nothing of the work."""


def lessons(run: Account) -> tuple[Proposal, ...]:
    """Return what a run teaches, the most useful first; nothing where nothing was notable."""
    found = [*_persons(run), *_flaky(run)]
    if not run.broken:
        found += [*_cleared(run), *_commands(run)]
    distinct = {proposal.content_hash: proposal for proposal in found}
    return tuple(distinct.values())[:MOST]


def account_text(run: Account) -> str:
    """Tell a run in words, within bounds, for a reader who draws lessons from it."""
    lines = [f"Base: {len(run.base.failures)} tests red."]
    lines += [f"  {each.test}: {each.message[:160]}" for each in run.base.failures[:5]]
    for each in run.rounds:
        files = ", ".join(each.snapshot.files[:6]) or "nothing"
        lines.append(f"Round {each.number} ({each.mode}) changed {files}: {_outcome(each)}.")
        lines += [f"  {finding.severity} {finding.message[:160]}" for finding in blocking(each)[:4]]
        wrong = [call for call in run.calls.get(each.number, ()) if call.ok is False]
        lines += [f"  failed call: {call.title[:120]}" for call in wrong[:4]]
    lines += [f"{who} said: {text}" for who, text in run.said]
    if run.diff:
        lines.append(f"The change in the end:\n{hunks(run.diff)}")
    return "\n".join(lines)[:8000]


def shape(message: str) -> str:
    """Return what a message has in common with others of its kind: names and numbers left out."""
    return " ".join(_QUOTED.sub("…", message).split())[:160]


def _source(run: Account) -> str:
    return f"run:{run.trace_id}"


def _tags(run: Account, *more: str) -> tuple[str, ...]:
    return (*more, OBSERVED) if run.verified else more


def _persons(run: Account) -> Iterator[Proposal]:
    for who, text in run.said:
        if text.rstrip().endswith("?"):
            continue
        yield Proposal(
            kind=LearningKind.PROCEDURAL,
            title=f"A person asked: {' '.join(text.split())}"[:200],
            body=text if len(text) > 180 else "",  # noqa: PLR2004 - a short text is in the title
            context=run.title,
            scope=run.scope,
            believed=0.8,
            trust=Trust.HUMAN,
            tags=("human-preference",),
            source=_source(run),
            by=who,
        )


def _cleared(run: Account) -> Iterator[Proposal]:
    """What was cleared by a change of its own: rules and objections first, then failing tests."""
    known = causes(run.steps, run.without)
    rules = {(each.wrong.source, each.wrong.rule or each.wrong.message): each for each in reversed(known)
             if isinstance(each.wrong, Finding)}  # fmt: skip
    tests: dict[str, Cause] = {}
    for each in known:
        if isinstance(each.wrong, Failure):
            tests.setdefault("\n".join(change.patch for change in each.changes), each)
    yield from (_of_finding(run, each) for each in list(rules.values())[::-1])
    yield from (_of_test(run, each) for each in list(tests.values())[:MOST_OF_TESTS])


def _of_finding(run: Account, cause: Cause) -> Proposal:
    """Say what a rule or a reviewer refuses, where, and what was taken instead."""
    finding = cause.wrong
    assert isinstance(finding, Finding)  # noqa: S101 - for the type checker
    where = (
        cause.changes[0].place if cause.changes else f"`{finding.file}`" if finding.file else "this project"
    )
    symbols = [each.symbol for each in cause.changes] or [finding.symbol]
    if finding.source.startswith("review"):
        title = f"Reviewers insist, in {where}: {_one_line(finding.message)}"
    else:
        rule = f" ({finding.rule})" if finding.rule else ""
        instead = f"; there {_instead(cause.changes[0])}" if cause.changes else ""
        title = f"{finding.source} refuses in {where}: {_one_line(finding.message)[:90]}{rule}{instead}"
    return _taught(
        run, title, cause, symbols, (finding.rule or finding.fingerprint,), (finding.file,)
    ).model_copy(update={"tags": _tags(run, "convention", finding.category)})


def _of_test(run: Account, cause: Cause) -> Proposal:
    """Say what a test failed with, and what had to be changed where."""
    failure = cause.wrong
    assert isinstance(failure, Failure)  # noqa: S101 - for the type checker
    error = failure.error.rpartition(".")[2] or str(failure.cause)
    message = "" if error == "AssertionError" else f": {_said(failure, error)}"
    test = failure.test.rpartition("::")[2].partition("[")[0]
    by_file = {each.file: each for each in sorted(cause.changes, key=lambda each: bool(each.symbol))}
    first, *others = (by_file[path] for path in dict.fromkeys(each.file for each in cause.changes))
    if others:
        also = " and ".join(each.place for each in others[:2])
        title = f"A change of {first.place} also needs {also}, or {test} fails with {error}{message}"
    else:
        title = f"In {first.place} {_instead(first)}, or {test} fails with {error}{message}"
    made = families(run.calls.get(cause.number, ()))
    earlier = [
        name
        for each in run.rounds
        if each.number < cause.number and failure.test in {red.test for red in failures(each)}
        for name in families(run.calls.get(each.number, ()))
    ]
    symbols = [each.symbol for each in cause.changes]
    taught = _taught(
        run, title, cause, symbols, (failure.test, failure.error), [each.file for each in cause.changes]
    )
    hint = taught.hint.model_copy(
        update={
            "template": made[0] if made else "",
            "avoid": tuple(dict.fromkeys(name for name in earlier if name not in made)),
        }
    )
    context = f"{taught.context} {_said(failure, error)}"
    return taught.model_copy(update={"hint": hint, "context": context, "tags": _tags(run, "failure")})


def _taught(
    run: Account, title: str, cause: Cause, symbols: Sequence[str], rules: Sequence[str], files: Sequence[str]
) -> Proposal:
    symbols, rules, files = (tuple(dict.fromkeys(filter(None, each))) for each in (symbols, rules, files))
    return Proposal(
        kind=LearningKind.PROCEDURAL,
        title=title[:200],
        body=quoted_change("\n".join(change.patch for change in cause.changes))[:4000],
        context=" ".join((*files, *symbols, *rules)),
        scope=run.scope,
        believed=0.67,
        hint=Hint(files=files, symbols=symbols, rules=rules),
        source=_source(run),
    )


def _instead(change: Change) -> str:
    """Say what was written in place of what; the first lines that differ stand for the rest."""
    out, put = (
        [line.strip() for line in some if not COMMENT.match(line)] for some in (change.out, change.put)
    )
    if not out:
        return f"write {_code(put[-1])}"
    if not put:
        return f"leave out {_code(out[0])}"
    old, new = next(((a, b) for a, b in zip_longest(out, put, fillvalue="") if a != b), (out[0], put[0]))
    if not old or not new:
        return f"write {_code(new)}" if new else f"leave out {_code(old)}"
    if max(len(old), len(new)) <= _LONG:
        return f"write {_code(new)}, not {_code(old)}"
    same = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    head = max(same[0][2] if same[0][0] == "equal" else 0, 0)
    head = len(re.sub(r"\w+$", "", old[:head]))
    tail = same[-1][2] - same[-1][1] if same[-1][0] == "equal" else 0
    tail = len(re.sub(r"^\w+", "", old[len(old) - tail :]))
    old, new = (
        f"{'…' if head else ''}{each[head : len(each) - tail].strip()}…"[: _LONG + 9] for each in (old, new)
    )
    return f"write `{new}`, not `{old}`"


def _code(line: str) -> str:
    return f"`{line if len(line) <= _LONG else f'{line[:_LONG]}…'}`"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _said(failure: Failure, error: str) -> str:
    """Return what a failure says, without its type."""
    message = failure.message.removeprefix(failure.error).removeprefix(error).lstrip(": ")
    text = _one_line(message)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def quoted_change(patch: str) -> str:
    """Quote a change that an agent wrote; where something in it reads like an order, only say why not."""
    quoted = hunks(patch)
    found = orders(quoted)
    if found:
        return f"The change that cleared it is not quoted here, as it holds {', '.join(found)}."
    return f"The change that cleared it:\n{quoted}" if quoted else ""


def _flaky(run: Account) -> Iterator[Proposal]:
    flaky = {test: None for each in (run.base, *(r.latest for r in run.rounds)) for test in each.flaky}
    for test in list(flaky)[:2]:
        yield Proposal(
            kind=LearningKind.SEMANTIC,
            title=f"{test} fails by chance"[:200],
            body="It failed and then passed alone on the same tree; its failure says nothing about a change.",
            context=test,
            scope=run.scope,
            subject=f"flaky:{test}",
            believed=0.7,
            tags=("flaky", OBSERVED),
            source=_source(run),
        )


def _commands(run: Account) -> Iterator[Proposal]:
    """A way to call a tool that works here where another does not; the agent's word, so a candidate."""
    for tool, wrong, right in works_here(tuple(run.calls[number] for number in sorted(run.calls)))[:1]:
        yield Proposal(
            kind=LearningKind.SEMANTIC,
            title=f"Here `{right}` works, `{wrong}` does not"[:200],
            context=f"run {tool} command",
            scope=run.scope,
            subject=f"command:{tool}",
            believed=0.55,
            trust=Trust.EXTERNAL,
            tags=("command",),
            hint=Hint(command=right[:200]),
            source=_source(run),
        )


def families(calls: tuple[ToolCall, ...]) -> tuple[str, ...]:
    """Name the families of edits that the mechanic applied."""
    return tuple(call.title.partition(" at ")[0] for call in calls if call.name == _APPLIED and call.ok)


def _outcome(past: Round) -> str:
    if past.verified:
        return "verified"
    red = failures(past)
    found = blocking(past)
    if red:
        return f"{len(red)} tests red, first {red[0].test}"
    return f"{found[0].category}: {shape(found[0].message)}" if found else f"sent back by {past.bounced_from}"


def hunks(diff: str) -> str:
    """Return changed lines of a diff within bounds; added comments did not help."""
    lines = [
        line
        for line in diff.splitlines()
        if line.startswith(("+", "-", "@@"))
        and not line.startswith(("+++ /dev", "--- /dev", "--- a/"))
        and not (
            line[0] == "+" and not line.startswith("+++ ") and line[1:].strip() and COMMENT.match(line[1:])
        )
    ]
    text = "\n".join(lines)
    return text if len(text) <= MOST_DIFF else f"{text[:MOST_DIFF]}\n…"
