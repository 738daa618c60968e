"""What a run teaches, by rule: from what Setpoint measured and people said, never from an agent's word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from setpoint.learning.policy.maintenance import OBSERVED
from setpoint.model.attempt import ToolCall
from setpoint.model.changes.redaction import orders
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Failure
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.finding import Category, Finding
from setpoint.model.ids import TraceId
from setpoint.model.learning import Hint, LearningKind, Proposal, Trust
from setpoint.model.proof import REVIEW
from setpoint.model.run import Round

MOST = 7
"""Learnings that one run teaches at most."""
MOST_DIFF = 900
MOST_TOGETHER = 4
"""Files up to which a change says that they belong together."""
_QUOTED = re.compile(
    r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|\b0x[0-9a-f]+\b|-?\b\d+(?:\.\d+)?\b", re.IGNORECASE
)
_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/|(^|/)(test_[^/]*|[^/]*[_.](test|spec)\.\w+|conftest\.py)$"
)
_SET = re.compile(r"[A-Za-z_]\w*=")
_COMMENT = re.compile(
    r"^\+(?!\+\+ )\s*(?:#(?!\s*(?:include|define|if|ifdef|ifndef|elif|else|endif|undef|pragma|region)\b|!?\[)"
    r"|//|/\*|\*(?:[\s/*]|$)|--\s|<!--|;)"
)
"""An added line that holds nothing but a comment, in the languages that begin one so."""
_BLOB = re.compile(r"^index [0-9a-f]+\.\.([0-9a-f]+)", re.MULTILINE)
_FILE = re.compile(r"^diff --git a/.* b/(.*)$", re.MULTILINE)
_OWN_CALLS = ("repair_", "search_repair")
"""Stages of the mechanic's search; they are not commands."""
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
    diff: str = ""
    """The last round's tree against the base."""
    calls: Mapping[int, tuple[ToolCall, ...]] = field(default_factory=dict)
    """The maker's tool calls, by round."""
    said: tuple[tuple[str, str], ...] = ()
    """What people told the maker meanwhile: who, and what."""
    broken: bool = False
    """Whether an agent or a provider is why it ended, so that its end says nothing of the work."""
    accepted: tuple[tuple[str, str], ...] = ()
    """Who took the work though it was not verified, and why."""


def lessons(run: Account) -> tuple[Proposal, ...]:
    """Return what a run teaches, the most useful first; nothing where nothing was notable."""
    found = [*_persons(run), *_accepted(run), *_flaky(run)]
    if not run.broken:
        found += [*_cleared(run), *_sent_back(run), *_commands(run), *_together(run), *_episode(run)]
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


def _accepted(run: Account) -> Iterator[Proposal]:
    """What a person let pass, with the reason: not a fault here, or not worth another round."""
    for who, why in run.accepted:
        found = blocking(run.rounds[-1])
        red = failures(run.rounds[-1])
        open_ = [*(each.message for each in found[:3]), *(f"{each.test} fails" for each in red[:3])]
        yield Proposal(
            kind=LearningKind.EPISODIC,
            title=f"Taken as it was: {' '.join(why.split())}"[:200],
            body=f"{who} accepted '{run.title}' unverified. Open: {'; '.join(open_) or 'nothing known'}."[
                :1500
            ],
            context=f"{run.title} {' '.join(open_)}"[:600],
            scope=run.scope,
            believed=0.7,
            trust=Trust.HUMAN,
            tags=("human-preference", "accepted"),
            source=_source(run),
            by=who,
            alarms=orders("\n".join((run.title, *open_))),
        )


def _cleared(run: Account) -> Iterator[Proposal]:
    """Failures of one shape, and the change that cleared them in the tree that was verified."""
    if not run.verified:
        return
    last = run.rounds[-1]
    measured = (run.base, *(each.latest for each in run.rounds))
    red = {failure.test: failure for each in measured for failure in each.failures}
    by_shape: dict[tuple[str, str], list[Failure]] = {}
    for failure in red.values():
        by_shape.setdefault((failure.error or str(failure.cause), shape(failure.message)), []).append(failure)
    made = families(run.calls.get(last.number, ()))
    earlier = [name for each in run.rounds[:-1] for name in families(run.calls.get(each.number, ()))]
    for (error, message), of in list(by_shape.items())[:2]:
        files = tuple(path for path in last.snapshot.files if not _TEST.search(path))[:3]
        where = ", ".join(files) or "the tree"
        how = f"by an edit of the family {made[0]}" if made else f"by a change in {where}"
        refused = tuple(dict.fromkeys(name for name in earlier if name not in made))
        body = verified_change(run.diff)
        if refused:
            body += f"\nSent back before: edits of the family {', '.join(refused)}."
        yield Proposal(
            kind=LearningKind.PROCEDURAL,
            title=f"{_named(error, message)} was cleared {how}"[:200],
            body=body.strip()[:4000],
            context=_words(of),
            scope=run.scope,
            believed=0.67,
            tags=_tags(run, "failure", error),
            hint=Hint(template=made[0] if made else "", avoid=refused, files=files),
            source=_source(run),
        )


def verified_change(diff: str) -> str:
    """Quote a change that an agent wrote; where something in it reads like an order, only say why not."""
    quoted = hunks(diff)
    found = orders(quoted)
    if found:
        return f"Setpoint verified a change that is not quoted here, as it holds {', '.join(found)}."
    return f"Setpoint verified this change:\n{quoted}" if diff else ""


def _sent_back(run: Account) -> Iterator[Proposal]:
    """What reviewers and checks sent work back for, to be planned for from the start."""
    seen: dict[tuple[str, str], Finding] = {}
    for each in run.rounds:
        sound = (
            finding
            for finding in blocking(each)
            if finding.rule != REVIEW and finding.category is not Category.INTEGRITY
        )
        for finding in sound if each.bounced_from else ():
            seen.setdefault((finding.category, finding.rule or shape(finding.message)), finding)
    for (category, rule), finding in list(seen.items())[:2]:
        cleared = run.verified
        yield Proposal(
            kind=LearningKind.PROCEDURAL,
            title=f"Work is sent back here for {category} ({rule}): see to it in the first round"[:200],
            body=f"{finding.source} objected: {shape(finding.message)}"
            + (f" (in {finding.file})" if finding.file else "")
            + (". It was fixed in a later round." if cleared else "."),
            context=f"{run.title} {category} {finding.file}",
            scope=run.scope,
            believed=0.65,
            tags=_tags(run, "bounce", category),
            source=_source(run),
        )


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
    """A command of the agent's that worked after another one had not; its word, so a candidate."""
    failed: dict[str, str] = {}
    found: dict[str, tuple[str, str]] = {}
    for number in sorted(run.calls):
        for call in run.calls[number]:
            program = _program(call.title)
            if call.kind != "execute" or not program or call.name.startswith(_OWN_CALLS):
                continue
            if call.ok is False:
                failed[program] = call.title
            elif call.ok and program in failed and failed[program] != call.title:
                found.setdefault(program, (failed[program], call.title))
    for program, (wrong, right) in list(found.items())[:1]:
        yield Proposal(
            kind=LearningKind.SEMANTIC,
            title=f"Here {program} works as: {right}"[:200],
            body=f"Tried before and failed: {wrong}"[:500],
            context=f"run {program} command {run.title}",
            scope=run.scope,
            subject=f"command:{program}",
            believed=0.55,
            trust=Trust.EXTERNAL,
            tags=("command",),
            hint=Hint(command=right[:200]),
            source=_source(run),
        )


def _program(command: str) -> str:
    """Name what a command starts; what is set for it alone (`NAME=value`) may be a secret."""
    words = command.strip("`$ ").split()
    return next((word for word in words if not _SET.match(word)), "")


def _together(run: Account) -> Iterator[Proposal]:
    """Files that a verified change needed together, where the first round had not touched all of them."""
    touched = [set(each.snapshot.files) for each in run.rounds]
    if not run.verified or len(touched) < 2:  # noqa: PLR2004 - one round says nothing about what was missed
        return
    whole = sorted({path for files in touched for path in files})
    missed = sorted(set(whole) - touched[0])
    if not missed or not touched[0] or len(whole) > MOST_TOGETHER:
        return
    yield Proposal(
        kind=LearningKind.SEMANTIC,
        title=f"A change of {', '.join(sorted(touched[0]))} also needs {', '.join(missed)}"[:200],
        body="The first round left it out, and the work was sent back.",
        context=f"{' '.join(whole)} {run.title}",
        scope=run.scope,
        subject=f"together:{','.join(whole)}",
        believed=0.6,
        tags=_tags(run, "files"),
        hint=Hint(files=tuple(whole)),
        source=_source(run),
    )


def _episode(run: Account) -> Iterator[Proposal]:
    """What happened, where it did not go through at once."""
    if not run.rounds or (run.verified and len(run.rounds) == 1):
        return
    tried = "; ".join(
        f"round {each.number} changed {', '.join(each.snapshot.files[:3]) or 'nothing'}: {_outcome(each)}"
        for each in run.rounds
    )
    last = run.rounds[-1]
    took = "took" if run.verified else "was not reached in"
    yield Proposal(
        kind=LearningKind.EPISODIC,
        title=f"'{run.title[:140]}' {took} {len(run.rounds)} rounds",
        body=f"{tried}. {run.reason}"[:1500],
        context=f"{run.title} {_words(failures(last))}",
        scope=run.scope,
        believed=0.6,
        tags=_tags(run, "episode"),
        cites=blobs(run.diff) if run.verified else {},
        source=_source(run),
    )


def families(calls: tuple[ToolCall, ...]) -> tuple[str, ...]:
    """Name the families of edits that the mechanic applied."""
    return tuple(call.title.partition(" at ")[0] for call in calls if call.name == _APPLIED and call.ok)


def blobs(diff: str) -> dict[str, str]:
    """Read the hashes of files' new contents out of git's diff; a diff without them gives none."""
    found: dict[str, str] = {}
    for part in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        name, blob = _FILE.search(part), _BLOB.search(part)
        if name and blob and set(blob.group(1)) != {"0"}:
            found[name.group(1)] = blob.group(1)
    return dict(list(found.items())[:5])


def _outcome(past: Round) -> str:
    if past.verified:
        return "verified"
    red = failures(past)
    found = blocking(past)
    if red:
        return f"{len(red)} tests red, first {red[0].test}"
    return f"{found[0].category}: {shape(found[0].message)}" if found else f"sent back by {past.bounced_from}"


def _named(error: str, message: str) -> str:
    """Name a failure by its type and message, the type once."""
    short = error.rpartition(".")[2]
    rest = message.removeprefix(error).removeprefix(short).lstrip(": ")
    return f"{short}: {rest}" if rest else short


def _words(of: tuple[Failure, ...] | list[Failure]) -> str:
    return " ".join(f"{each.test} {each.error} {each.message} {each.file}" for each in of[:3])[:600]


def hunks(diff: str) -> str:
    """Return changed lines of a diff within bounds; added comments did not help."""
    lines = [
        line
        for line in diff.splitlines()
        if line.startswith(("+", "-", "@@"))
        and not line.startswith(("+++ /dev", "--- /dev", "--- a/"))
        and not _COMMENT.match(line)
    ]
    text = "\n".join(lines)
    return text if len(text) <= MOST_DIFF else f"{text[:MOST_DIFF]}\n…"
