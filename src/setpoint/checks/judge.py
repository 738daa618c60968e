"""From raw results to an evaluation: what is new, what counts, and the evidence for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ConfigDict

from setpoint.checks import quality, results
from setpoint.checks.baseline import (
    Measurements,
    Red,
    beside,
    blamed,
    is_ours,
    ours,
    red_tests,
    without_excused,
)
from setpoint.checks.discovery.generated_files import generated_among
from setpoint.checks.flaky.flaky import flaky_tests, state_of
from setpoint.checks.goals.judge_goals import Tree, with_goals
from setpoint.checks.localise.distance_to_change import Changes, near
from setpoint.checks.localise.readable_failures import readable
from setpoint.checks.notes.all import notes_of
from setpoint.checks.old_tests.findings import not_run, not_run_elsewhere, restored
from setpoint.checks.old_tests.places import PARTS, collected
from setpoint.checks.tools.acceptance import PREFIX
from setpoint.checks.tree_diff import CODE, Work
from setpoint.model.changes.path_globs import matches
from setpoint.model.cover_quality import SOURCE as COVER
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import (
    SUITES,
    CheckResult,
    CheckState,
    Coverage,
    Evidence,
    Fault,
    Outcome,
)
from setpoint.model.finding import Finding, worst_first
from setpoint.model.flaky import Quarantined
from setpoint.model.goals import Goals
from setpoint.model.ids import Commit
from setpoint.model.stories.story import KnownRed, Story
from setpoint.model.suppression import Suppression, suppressed
from setpoint.model.value import Value
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.git.git import changed_files, changed_lines, contents, files_at
from setpoint.version import __version__

MOST_FINDINGS = 200
_PROVING = ("parse", *SUITES, PREFIX)
"""Checks without which nothing is proved; broken ones count whatever the base says."""
_MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What is known of a tree beside its measurements."""

    restored: tuple[str, ...] = ()
    """Files that were restored to the base before it was recorded."""


class FullReport(Value):
    """All that was measured of one tree, as it is kept."""

    stage: Stage
    commit: Commit
    results: tuple[CheckResult, ...]
    """Raw, with every finding and every outcome."""
    findings: tuple[Finding, ...]
    """All that are new."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # earlier versions kept more of it


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Judges trees of one run."""

    story: Story
    base: Commit
    root: Path
    """A repository that holds base and tree."""
    artifacts: Artifacts
    weights: Mapping[str, float]
    coverage_goal: float
    goals: Goals = field(default_factory=Goals)
    """Of the project; those of the story go before them."""
    quarantine: tuple[Quarantined, ...] = ()
    """Tests whose failures do not count."""
    held: tuple[Suppression, ...] = ()
    """Findings that people suppressed."""
    broken: frozenset[str] = frozenset()
    """Tests that count in spite of the quarantine: the work has broken them for good."""
    tests_may_go: bool = False
    """Whether a test of the base that does not run any more blocks nothing."""
    command_of: Callable[[str], str] | None = None  # gives the command that runs one test alone

    async def first(self, raw: Measurements) -> Evaluation:
        """Judge the base itself: nothing is new in it, but its failing tests are reported."""
        tests = raw.tests
        red = red_tests(tests, None, self.story.known_red) if tests else Red()
        red = await self._readable(red, raw.commit, _UNCOMPARED, None)
        existing = sum(len(result.findings) for result in raw.results)
        # What is asked of coverage counts from the start: it says what the work is to be about.
        asked = tuple(each for result in raw.results for each in result.findings if each.source == COVER)
        asking = ((each, each.findings if _asks(each.evidence.check) else ()) for each in raw.results)
        evidence = tuple(_against(each, findings, red, at_base=True) for each, findings in asking)
        evaluation = self._evaluation(raw, evidence, asked, red, _EMPTY)
        tree = Tree(raw=raw, evaluation=evaluation, work=_EMPTY, files=await files_at(self.root, self.base))
        evaluation = with_goals(self.goals.overlaid(self.story.goals), tree)
        unstable = tests.unstable if tests else ()
        return evaluation.model_copy(update={"existing": existing - len(asked), "unstable": unstable})

    async def alone(self, raw: Measurements, work: Work, stood: Measurements | None = None) -> Evaluation:
        """Judge a tree by itself, without findings that `stood` at a base; `work` is all of it."""
        found = [suppressed(work.judged(blamed(result, stood)), self.held) for result in raw.results]
        findings = tuple(finding for each in found for finding in each)
        failures = raw.tests.failures if raw.tests else ()
        own = tuple(each.test for each in failures if is_ours(each))
        red = Red(failures=tuple(each for each in failures if each.test not in own), known=own)
        red = await self._readable(red, raw.commit, _UNCOMPARED, None)
        evidence = tuple(_against(each, new, red) for each, new in zip(raw.results, found, strict=True))
        seen = self._with_goals(self._evaluation(raw, evidence, findings, red, work), raw, work)
        return seen.model_copy(update={"ours": ours(failures)})

    async def against(self, base: Measurements, raw: Measurements, known: Reference) -> Evaluation:
        """Judge a tree by its difference from the base."""
        work = await self._work(raw.commit, collected(base.tests.outcomes if base.tests else ()))
        red = red_tests(raw.tests, base.tests, self.story.known_red) if raw.tests else Red()
        changes = Changes(lines=work.lines, sources=work.after)
        red = await self._readable(red, raw.commit, changes, base.tests.red if base.tests else None)
        new: list[Finding] = []
        evidence: list[Evidence] = []
        for result in raw.results:
            found, said = _new(result, base, work)
            found = suppressed(work.judged(found), self.held)
            new += found
            evidence.append(_blamed(_against(result, found, red, said), base))
        integrity = suppressed((*map(restored, known.restored), *self._not_run(base, raw)), self.held)
        evidence.append(self._of_integrity(raw, integrity, work))
        evaluation = self._evaluation(raw, tuple(evidence), near((*new, *integrity), changes), red, work)
        evaluation = self._with_goals(evaluation, raw, work, base)
        stood = sum(len(result.findings) for result in base.results)
        matched = sum(len(result.findings) for result in raw.results) - len(new)
        return evaluation.model_copy(
            update={
                "existing": max(0, min(stood, matched)),
                "restored": known.restored,
                "contradicted": raw.tests.contradicted if raw.tests else (),
                "unstable": base.tests.unstable if base.tests else (),
                "notes": (*await asyncio.to_thread(notes_of, work), *not_run_elsewhere(base, raw)),
                "agent_wrote_tests": work.wrote_tests,
            }
        )

    async def _readable(
        self, red: Red, commit: Commit, changes: Changes, stood: Collection[str] | None
    ) -> Red:
        """Remove what is in quarantine, and explain the rest."""
        red = without_excused(red, self.quarantine, self.broken)
        shown = await readable(self.root, commit, red.failures, changes, stood, self.command_of)
        return replace(red, failures=shown)

    def _of_integrity(self, raw: Measurements, found: tuple[Finding, ...], work: Work) -> Evidence:
        """Return the evidence of the check, which names what a person released."""
        evidence = results.judged("integrity", raw.tree, found, tool=f"setpoint {__version__}").evidence
        state = CheckState.FAIL if any(each.blocking for each in found) else CheckState.PASS
        tests = [path for path in work.changed if work.is_test(path)]
        released = [path for path in tests if matches(path, self.story.may_change)]
        more = f" and {len(released) - _MOST_NAMED} more" if len(released) > _MOST_NAMED else ""
        named = f"changed, as a person allowed: {', '.join(released[:_MOST_NAMED])}{more}"
        said = named if released else ""
        reason = "; ".join(each for each in (said, work.left_out) if each)
        return evidence.model_copy(update={"state": state, "reason": reason})

    async def _work(self, commit: Commit, of_tests: frozenset[str]) -> Work:
        changed = await changed_files(self.root, self.base, commit)
        before, after = (
            await contents(self.root, self.base, changed),
            await contents(self.root, commit, changed),
        )
        texts = _texts(before), _texts(after)
        return Work(
            changed=changed,
            lines=await changed_lines(self.root, self.base, commit),
            before=texts[0],
            after=texts[1],
            collected=of_tests,
            generated=await generated_among(self.root, self.base, *texts),
        )

    async def whole(self, commit: Commit, generated: frozenset[str] = frozenset()) -> Work:
        """Take every file as new, where there is nothing to compare a tree with."""
        code = [path for path in await files_at(self.root, commit) if path.endswith(CODE)]
        after = _texts(await contents(self.root, commit, code))
        lines = {path: set(range(1, text.count("\n") + 1)) for path, text in after.items()}
        work = Work(changed=tuple(code), lines=lines, before={}, after=after, generated=generated)
        await asyncio.to_thread(lambda: work.shape)
        return work

    def _not_run(self, base: Measurements, raw: Measurements) -> tuple[Finding, ...]:
        """Find tests of the base that do not run any more, and those to be fixed that did not run."""
        if base.tests is None or raw.tests is None or self.tests_may_go:
            return ()
        fixing = self.story.known_red is KnownRed.FIX
        return not_run(base.tests, raw.tests, self.story.may_change, fixing=fixing)

    def _evaluation(
        self,
        raw: Measurements,
        evidence: tuple[Evidence, ...],
        findings: tuple[Finding, ...],
        red: Red,
        work: Work,
    ) -> Evaluation:
        tests = raw.tests
        vector = quality.vector(self._figures(raw, evidence, findings, red, work))
        ordered = worst_first(findings)
        report = FullReport(stage=raw.stage, commit=raw.commit, results=raw.results, findings=ordered)
        return Evaluation(
            stage=raw.stage,
            commit=raw.commit,
            tree=raw.tree,
            evidence=evidence,
            findings=ordered[:MOST_FINDINGS],
            failures=red.failures,
            known_red=red.known,
            flaky=flaky_tests(tests) if tests else (),
            quarantined=tuple(f"{test} (until {each.until:%Y-%m-%d})" for test, each in red.excused),
            test_counts=tests.counts if tests else {},
            coverage=_told(raw.coverage),
            quality=vector,
            score=vector.score(dict(self.weights)),
            report=self.artifacts.keep(report.model_dump_json()),
        )

    def _with_goals(
        self, evaluation: Evaluation, raw: Measurements, work: Work, base: Measurements | None = None
    ) -> Evaluation:
        tree = Tree(raw=raw, evaluation=evaluation, work=work, base=base)
        return with_goals(self.goals.overlaid(self.story.goals), tree)

    def _figures(
        self,
        raw: Measurements,
        evidence: tuple[Evidence, ...],
        findings: tuple[Finding, ...],
        red: Red,
        work: Work,
    ) -> quality.Measured:
        tests = raw.tests
        findings = tuple(each for each in findings if not each.suppressed)
        ran = [each for each in evidence if each.check in SUITES]
        whole = bool(ran) and all(each.state is not CheckState.ERROR for each in ran)
        complete = tests is not None and tests.complete and whole
        green = (Outcome.PASSED, Outcome.XPASSED)
        return quality.Measured(
            evidence=evidence,
            findings=findings,
            failing=len(red.failures),
            passed=sum(outcome in green for outcome in tests.outcomes.values()) if tests else 0,
            complete=complete,
            coverage=raw.coverage,
            coverage_goal=self.coverage_goal,
            changed_lines=work.line_count,
            duplicated_lines=work.repeated(raw.results),
            shape=work.shape,
        )


def _told(coverage: Coverage | None) -> Coverage | None:
    """Leave out what every file had, which is known from the raw results."""
    return coverage.model_copy(update={"files": {}}) if coverage else None


_EMPTY = Work(lines={}, before={}, after={})
_UNCOMPARED = Changes(lines={}, sources={}, known=False)


def _new(result: CheckResult, base: Measurements, work: Work) -> tuple[tuple[Finding, ...], str]:
    """Return what counts against the work, and what is to be said of how it was compared.

    An acceptance command counts also where it failed at the base. Where a tool broke there, nobody knows what
    was there: of its findings those on added or changed lines count, and those of whole files that are new.
    """
    stood, check = base.result(result.evidence.check), result.evidence.check
    if stood is None or _asks(check):
        return result.findings, ""
    if stood.state is not CheckState.ERROR or result.tests is not None:
        return beside(result, stood), ""
    fresh = tuple(each for each in result.findings if work.wrote(each))
    return fresh, f"it broke at the base ({stood.evidence.reason}): only changed lines are compared"


def _against(
    result: CheckResult, found: tuple[Finding, ...], red: Red, said: str = "", *, at_base: bool = False
) -> Evidence:
    """Return the evidence with the state that the difference from the base gives it.

    At the base itself a suite with a failing test fails, whether that is tolerated or not.
    """
    evidence = result.evidence
    if said and not evidence.reason:
        evidence = evidence.model_copy(update={"reason": said})
    if evidence.state in (CheckState.ERROR, CheckState.NOT_MEASURED) or evidence.check in PARTS:
        return evidence
    if result.tests is not None and evidence.check in SUITES:
        red = red.of(result.tests)
        state = state_of(result.tests, failing=bool(red.failures or (at_base and red.known)))
        counts = {**evidence.counts, "counting": len(red.failures), "known_red": len(red.known)}
        if red.excused:
            counts["quarantined"] = len(red.excused)
            named = ", ".join(
                f"{test} until {each.until:%Y-%m-%d}" for test, each in red.excused[:_MOST_NAMED]
            )
            more = f" and {len(red.excused) - _MOST_NAMED} more" if len(red.excused) > _MOST_NAMED else ""
            evidence = evidence.model_copy(update={"reason": f"excused by quarantine: {named}{more}"})
    else:
        calm = CheckState.FLAKY if evidence.state is CheckState.FLAKY else CheckState.PASS
        counted = [each for each in found if not each.suppressed]
        state = CheckState.FAIL if counted else calm
        counts = {**evidence.counts, "new": len(counted)}
        if len(found) > len(counted):
            counts["suppressed"] = len(found) - len(counted)
    return evidence.model_copy(update={"state": state, "counts": counts})


def _asks(check: str) -> bool:
    """Whether a check says what the work is to be about, so that it counts at the base already."""
    return check == COVER or check.startswith(PREFIX)


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode("utf-8", "replace") for path, content in files.items()}


def _blamed(evidence: Evidence, base: Measurements) -> Evidence:
    """A tool that broke at the base too says nothing about the work: it is not measured, and says why.

    One that was asked for and is not installed stays broken: it would never be missed.
    """
    before = next((each for each in base.results if each.evidence.check == evidence.check), None)
    if evidence.state is not CheckState.ERROR or evidence.check.startswith(_PROVING):
        return evidence
    if before is None or before.state is not CheckState.ERROR or evidence.fault is Fault.MISSING_TOOL:
        return evidence
    reason = f"broke at the base commit too: {evidence.reason}"
    return evidence.model_copy(update={"state": CheckState.NOT_MEASURED, "reason": reason})
