"""From raw results to an evaluation: what is new, what counts, and the evidence for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ConfigDict

from setpoint.checks import quality, results
from setpoint.checks.baseline import Measurements, Red, blamed, new_findings, red_tests, without_excused
from setpoint.checks.discovery.generated_files import generated_among
from setpoint.checks.flaky.flaky import flaky_tests, state_of
from setpoint.checks.goals.judge_goals import Tree, with_goals
from setpoint.checks.integrity.guard import Restored
from setpoint.checks.integrity.inline.doctest_examples import without_moved
from setpoint.checks.integrity.inline.inline_tests import weakened_inline
from setpoint.checks.integrity.isolation import PARTS
from setpoint.checks.integrity.loads import Loads
from setpoint.checks.integrity.lost_tests import lost_in_own_runners
from setpoint.checks.integrity.outcomes import findings_of, silenced, unfixed, vanished, without_renamed
from setpoint.checks.integrity.paths.commands import scripts_added
from setpoint.checks.integrity.paths.protected_paths import collected, matches
from setpoint.checks.integrity.signals import Difference, signals
from setpoint.checks.integrity.thresholds import lowered_settings
from setpoint.checks.localise.distance_to_change import Changes, near
from setpoint.checks.localise.readable_failures import readable
from setpoint.checks.tools.acceptance import PREFIX
from setpoint.checks.tree_diff import CODE, Work
from setpoint.model.cover_quality import SOURCE as COVER
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import SUITES, CheckResult, CheckState, Coverage, Evidence, Fault, Outcome
from setpoint.model.finding import Finding, worst_first
from setpoint.model.flaky import Quarantined
from setpoint.model.goals import Goals
from setpoint.model.ids import Commit
from setpoint.model.stories.story import IntegrityMode, KnownRed, Story
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

    seen: Restored
    """What was restored before it was recorded."""
    suspects: tuple[str, ...] = ()
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What new suppressions hide, by path."""


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
    broken: frozenset[str] = frozenset()
    """Tests that count in spite of the quarantine: the work has broken them for good."""
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
        evidence = tuple(_against(each, findings, red) for each, findings in asking)
        evaluation = self._evaluation(raw, evidence, asked, red, _EMPTY)
        tree = Tree(raw=raw, evaluation=evaluation, work=_EMPTY, files=await files_at(self.root, self.base))
        evaluation = with_goals(self.goals.overlaid(self.story.goals), tree)
        return evaluation.model_copy(update={"existing": existing - len(asked)})

    async def alone(self, raw: Measurements, work: Work, stood: Measurements | None = None) -> Evaluation:
        """Judge a tree by itself, without findings that `stood` at a base; `work` is all of it."""
        found = [work.judged(blamed(result, stood)) for result in raw.results]
        findings = tuple(finding for each in found for finding in each)
        red = Red(failures=raw.tests.failures) if raw.tests else Red()
        red = await self._readable(red, raw.commit, _UNCOMPARED, None)
        evidence = tuple(_against(each, new, red) for each, new in zip(raw.results, found, strict=True))
        return self._with_goals(self._evaluation(raw, evidence, findings, red, work), raw, work)

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
            found = work.judged(found)
            new += found
            evidence.append(_blamed(_against(result, found, red, said), base))
        difference = replace(
            _difference(work, known), sources=frozenset(await files_at(self.root, self.base))
        )
        shown = await asyncio.to_thread(signals, difference)
        # What rewritten tests demand was measured, so that their syntax tells nothing more.
        measured = known.seen.weighed.paths
        shown = tuple(each for each in shown if each.rule != "strength" or each.file not in measured)
        integrity = (*self._integrity(base, raw, work, known), *work.judged(shown))
        evidence.append(self._of_integrity(raw, integrity, work))
        if (weighed := known.seen.weighed.evidence) is not None:
            evidence.append(weighed.model_copy(update={"tree": raw.tree}))
        evaluation = self._evaluation(raw, tuple(evidence), near((*new, *integrity), changes), red, work)
        evaluation = self._with_goals(evaluation, raw, work, base)
        stood = sum(len(result.findings) for result in base.results)
        matched = sum(len(result.findings) for result in raw.results) - len(new)
        return evaluation.model_copy(
            update={
                "existing": max(0, min(stood, matched)),
                "restored": known.seen.restored,
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
        released = [path for path in work.changed if matches(path, self.story.may_change)]
        said = (
            f"judged as the work leaves them, as a person allowed: {', '.join(released)}" if released else ""
        )
        reason = "; ".join(each for each in (said, work.left_out) if each)
        return evidence.model_copy(update={"reason": reason}) if reason else evidence

    async def _work(self, commit: Commit, of_tests: frozenset[str]) -> Work:
        changed = await changed_files(self.root, self.base, commit)
        before, after = (
            await contents(self.root, self.base, changed),
            await contents(self.root, commit, changed),
        )
        texts = _texts(before), _texts(after)
        work = Work(
            changed=changed,
            lines=await changed_lines(self.root, self.base, commit),
            before=texts[0],
            after=texts[1],
            collected=of_tests,
            generated=await generated_among(self.root, self.base, *texts),
        )
        if all(work.is_test(path) for path in changed):
            return work
        every = [path for path in await files_at(self.root, commit) if path.endswith(".py")]
        tests = await contents(self.root, commit, [path for path in every if work.is_test(path)])
        return replace(work, tests=_texts(tests))

    async def whole(self, commit: Commit, generated: frozenset[str] = frozenset()) -> Work:
        """Take every file as new, where there is nothing to compare a tree with."""
        code = [path for path in await files_at(self.root, commit) if path.endswith(CODE)]
        after = _texts(await contents(self.root, commit, code))
        lines = {path: set(range(1, text.count("\n") + 1)) for path, text in after.items()}
        work = Work(changed=tuple(code), lines=lines, before={}, after=after, generated=generated)
        await asyncio.to_thread(lambda: work.shape)
        return work

    def _integrity(
        self, base: Measurements, raw: Measurements, work: Work, known: Reference
    ) -> tuple[Finding, ...]:
        mode, found = self.story.integrity, list(known.seen.findings)
        if base.tests is not None and raw.tests is not None:
            selected = None if raw.tests.complete else known.suspects
            gone: tuple[str, ...] = ()
            if raw.tests.complete or raw.stage is Stage.EVALUATE:
                gone = vanished(base.tests, raw.tests, selected)
                gone = without_renamed(gone, work.before, work.after, raw.tests)
                gone = without_moved(gone, work.before, work.after, raw.tests.outcomes)
                gone = tuple(test for test in gone if _file(test) not in known.seen.weighed.paths)
            quiet = silenced(base.tests, raw.tests)
            for released in (False, True):
                lost, still = (
                    [test for test in tests if matches(_file(test), self.story.may_change) is released]
                    for tests in (gone, quiet)
                )
                found += findings_of(lost, still, raw.tests, IntegrityMode.FREE if released else mode)
        found += lost_in_own_runners(base, raw, mode)
        if base.tests is not None and raw.tests is not None and self.story.known_red is KnownRed.FIX:
            found += unfixed(base.tests, raw.tests)
        found += self._inline(base, work)
        found += self._loaded(base, raw, work)
        found += scripts_added(self.story.acceptance, work.after.keys() - work.before.keys())
        if mode is IntegrityMode.FREE:
            found += lowered_settings(work.before, work.after, self.story.protected)
        elif self.story.may_change:
            after = {path: text for path, text in work.after.items() if matches(path, self.story.may_change)}
            found += lowered_settings(work.before, after, self.story.protected)
        return tuple(found)

    def _inline(self, base: Measurements, work: Work) -> tuple[Finding, ...]:
        """Compare the tests inside sources, without the files that a person released."""
        ran = base.tests.outcomes if base.tests else ()
        before = {
            path: text for path, text in work.before.items() if not matches(path, self.story.may_change)
        }
        return weakened_inline(before, work.after, ran, self.story.integrity)

    def _loaded(self, base: Measurements, raw: Measurements, work: Work) -> list[Finding]:
        """Find what runs before the tests and did not at the base, without what a person released."""
        stood, now = (each.tests.loading if each.tests else None for each in (base, raw))
        if stood is None or now is None:
            return []
        tests = {path: text for path, text in {**work.after, **work.tests}.items() if work.is_test(path)}
        loads = Loads(
            base=stood,
            now=now,
            changed=frozenset(work.changed),
            tests=tuple(text for path, text in tests.items() if not path.endswith("conftest.py")),
            sources=work.after,
            apart=frozenset(filter(work.is_test, work.changed)),
        )
        return [each for each in loads.findings() if not matches(each.file or "", self.story.may_change)]

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
        return new_findings(result.findings, stood.findings), ""
    fresh = tuple(each for each in result.findings if work.wrote(each))
    return fresh, f"it broke at the base ({stood.evidence.reason}): only changed lines are compared"


def _against(result: CheckResult, found: tuple[Finding, ...], red: Red, said: str = "") -> Evidence:
    """Return the evidence with the state that the difference from the base gives it."""
    evidence = result.evidence
    if said and not evidence.reason:
        evidence = evidence.model_copy(update={"reason": said})
    if evidence.state in (CheckState.ERROR, CheckState.NOT_MEASURED) or evidence.check in PARTS:
        return evidence
    if result.tests is not None and evidence.check in SUITES:
        red = red.of(result.tests)
        state = state_of(result.tests, failing=bool(red.failures))
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
        state = CheckState.FAIL if found else calm
        counts = {**evidence.counts, "new": len(found)}
    return evidence.model_copy(update={"state": state, "counts": counts})


def _asks(check: str) -> bool:
    """Whether a check says what the work is to be about, so that it counts at the base already."""
    return check == COVER or check.startswith(PREFIX)


def _difference(work: Work, known: Reference) -> Difference:
    return Difference(
        before=work.before, after=work.after, tests=work.tests, is_test=work.is_test, hidden=known.hidden
    )


def _file(test: str) -> str:
    return test.partition("::")[0]


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
