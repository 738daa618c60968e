"""Who plays which role in a run: settled once, before it begins, with a reason for each choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from setpoint.agents.registry import BUILT_IN
from setpoint.agents.selection import Agents
from setpoint.errors import PipelineError, UsageError
from setpoint.model.attempt import BY_RULE, NEXT_MAKER, NEXT_REVIEWER, RULES, Role
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.phase.candidates import PREFIX
from setpoint.settings import MOST_CANDIDATES, AgentsSettings
from setpoint.wiring.agents import agents_of
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import sandbox_in_words

ROLE_SETTINGS = {
    Role.REVIEWER: "reviewer",
    Role.PLANNER: "planner",
    Role.RESEARCHER: "researcher",
    Role.TESTER: "tester",
    Role.TEST_DESIGNER: "test_designer",
    Role.REFLECTOR: "reflector",
}
"""The key under `[agents]` that names who plays a role beside the maker."""


MAKER = "maker"
"""Names the maker's own program for another role, in a session of its own."""
MOST_NEXT = 3
"""Agents of the order that may be asked where a reviewer gives no answer."""


class RoleAssignment(NamedTuple):
    """Who plays what."""

    names: dict[str, str]
    """Agent by role; the reviewer of one kind alone under `reviewer:KIND`."""
    pipeline: Pipeline
    """The pipeline with the kinds of review that are wanted."""
    notes: list[str]
    passed_over: list[str]
    """Agents that `auto` did not take, each with the reason."""


UNFIT = {"mechanic": "it repairs failing tests, and this request asks for something else"}
"""Why a built-in agent is not taken for any kind of work."""


async def assign_roles(project: Project, pipeline: Pipeline, *, repairs: bool) -> RoleAssignment:
    """Settle who plays each role; `auto` becomes a name.

    `repairs` says whether the work is to make failing tests pass, which the mechanic can do. Raises
    `UsageError` where a reviewer is of the maker's vendor and another one is asked for.
    """
    wanted = project.settings.agents
    pipeline = with_reviews(pipeline, wanted.reviews)
    casting = _RoleAssigner(wanted, agents_of(project), {} if repairs else UNFIT)
    names = await casting.makers()
    makers = tuple(dict.fromkeys(names.values()))
    designs = any(phase.role is Role.TEST_DESIGNER for phase in pipeline.phases)
    for role, key in ROLE_SETTINGS.items():
        asked = str(getattr(wanted, key))
        if asked == MAKER:
            asked = RULES if designs else casting.with_model(names[Role.MAKER])
        if asked:
            names[role] = await casting.settle(key, asked, makers)
    kinds = {kind for phase in pipeline.phases for kind in phase.reviews}
    if unknown := sorted(set(wanted.reviewers) - kinds):
        message = f"setting agents.reviewers: no review of kind '{unknown[0]}' is asked for"
        raise UsageError(message, hint=f"name one of {', '.join(sorted(kinds))}, or add it to agents.reviews")
    for kind in sorted(kinds):
        name = wanted.reviewers.get(kind)
        names[f"{Role.REVIEWER}:{kind}"] = (
            names[Role.REVIEWER] if name is None else await casting.settle(f"reviewer:{kind}", name, makers)
        )
    names |= await casting.next_reviewers(names, makers)
    names |= await casting.next_makers(names)
    if not designs and names.get(Role.TEST_DESIGNER) in BUILT_IN:
        del names[Role.TEST_DESIGNER]  # only a model writes tests from the request alone
    await casting.note_sandbox(names.values())
    casting.notes_made.append(f"sandbox of checks: {await sandbox_in_words(project.settings)}")
    return RoleAssignment(names, pipeline, casting.notes_made, casting.passed_over)


def with_reviews(pipeline: Pipeline, kinds: tuple[str, ...]) -> Pipeline:
    """Return a pipeline with the kinds of review that the settings ask for; none leaves it as it is."""
    if not kinds:
        return pipeline
    return pipeline.model_copy(update={"phases": tuple(_asked(phase, kinds) for phase in pipeline.phases)})


def _asked(phase: Phase, kinds: tuple[str, ...]) -> Phase:
    if phase.kind is not PhaseKind.REVIEW:
        return phase
    if missing := [kind for kind in kinds if not {kind, "fresh"} & set(phase.prompts)]:
        message = f"setting agents.reviews: phase '{phase.name}' has no prompt for '{missing[0]}'"
        hint = f"use {', '.join(sorted(phase.prompts))}, or a pipeline of your own with a prompt for it"
        raise PipelineError(message, hint=hint)
    return phase.model_copy(update={"reviews": tuple(dict.fromkeys(kinds))})


def agent_names(wanted: AgentsSettings, phase: Phase) -> str:
    """Say who would play a phase by the settings, with nobody tried out; empty where Setpoint does it."""
    if phase.role is None:
        return ""
    if phase.role is Role.MAKER:
        pool = wanted.candidates or (wanted.maker,)
        count = max(wanted.attempts, len(pool))
        return ", ".join(pool[number % len(pool)] for number in range(count))
    own = str(getattr(wanted, ROLE_SETTINGS[phase.role])) or "nobody"
    named = [f"{kind}: {wanted.reviewers[kind]}" for kind in phase.reviews if kind in wanted.reviewers]
    rest = len(phase.reviews) > len(named) or not phase.reviews
    return ", ".join([*([own] if rest else []), *named])


class _RoleAssigner:
    """Settles names and remembers why."""

    def __init__(self, wanted: AgentsSettings, agents: Agents, unfit: Mapping[str, str]) -> None:
        self._wanted, self._agents, self._unfit = wanted, agents, unfit
        self.notes_made = list(agents.plugged.left_out)
        self.passed_over: list[str] = []

    async def makers(self) -> dict[str, str]:
        """Say who makes the work: one, or several candidates of which the first stands for all."""
        wanted = self._wanted
        count = max(wanted.attempts, len(wanted.candidates))
        if 1 < wanted.attempts < len(wanted.candidates):
            message = f"{len(wanted.candidates)} agents cannot share {wanted.attempts} attempts"
            raise UsageError(message, hint="give as many attempts as agents or more, or no number")
        if count > MOST_CANDIDATES:
            raise UsageError(f"{count} candidates are too many", hint=f"name {MOST_CANDIDATES} at most")
        if count == 1:
            return {Role.MAKER: await self.settle("maker", (*wanted.candidates, wanted.maker)[0])}
        pool = wanted.candidates or (wanted.maker,)
        settled = {name: await self.settle("maker", name) for name in dict.fromkeys(pool)}
        names = [settled[pool[number % len(pool)]] for number in range(count)]
        self.notes_made.append(f"candidates: {', '.join(names)} ({wanted.candidates_at_once} at once)")
        numbered = {f"{PREFIX}{number}": name for number, name in enumerate(names, start=1)}
        return {Role.MAKER: names[0], **numbered}

    def with_model(self, maker: str) -> str:
        """Return the maker where it has a model of its own; empty otherwise."""
        return maker if maker not in BUILT_IN and self._agents.has_model(maker) else ""

    async def settle(self, part: str, name: str, makers: tuple[str, ...] = ()) -> str:
        """Make a name of a setting."""
        reviews = part.startswith(str(Role.REVIEWER))
        if name == "auto":
            order = [
                each
                for each in self._wanted.order
                if not (reviews and self._kin(each, makers)) and not (reviews and each == "mechanic")
            ]
            unfit = self._unfit if part == str(Role.MAKER) else {}
            choice = await self._agents.choose((*order, RULES) if reviews else order, unfit)
            why = (
                "the first of agents.order that works here" if choice.name != RULES else "no agent works here"
            )
            self.notes_made.append(f"{part}: {choice.name} ({why})")
            self.passed_over += [f"{part}: not {each.name}: {each.reason}" for each in choice.passed_over]
            return choice.name
        if name not in BUILT_IN:
            self._agents.make(name)  # an unknown name ends here, before anything is begun
        if reviews and (kin := self._kin(name, makers)):
            message = f"{part} '{name}' is of the same vendor as the maker '{kin}'"
            hint = "name another agent, set its vendor under [agent.NAME], or agents.other_vendor = false"
            raise UsageError(message, hint=hint)
        return name

    async def next_reviewers(self, names: Mapping[str, str], makers: tuple[str, ...]) -> dict[str, str]:
        """Say who is asked where a reviewer gives no answer: those named, else those of `auto`; then rules.

        Reviewers of other kinds are among them: the settings name them for the same change.
        """
        wanted = self._wanted
        reviewers = {name for role, name in names.items() if role.startswith(Role.REVIEWER)}
        if reviewers <= set(BUILT_IN):
            return {}
        found = [await self.settle("reviewer after others", name, makers) for name in wanted.next_reviewers]
        if not found and "auto" in (wanted.reviewer, *wanted.reviewers.values()):
            rest = [each for each in wanted.order if each not in BUILT_IN and not self._kin(each, makers)]
            found = [each for each in rest if await self._agents.installed(each)][:MOST_NEXT]
        if len(others := sorted(reviewers - set(BUILT_IN))) > 1:
            found += others
        numbered = {
            f"{NEXT_REVIEWER}{number}": name for number, name in enumerate(dict.fromkeys(found), start=1)
        }
        return {**numbered, BY_RULE: RULES}

    async def next_makers(self, names: Mapping[str, str]) -> dict[str, str]:
        """Say who takes over where the maker stays broken: those named; after `auto` the rest of `order`.

        Candidates have each other, and what is built in breaks for no provider's sake. Nobody gets work that
        it cannot do, or that a reviewer of its own vendor would judge where another vendor is asked for.
        """
        wanted, first = self._wanted, names[Role.MAKER]
        if any(role.startswith(PREFIX) for role in names) or not wanted.hand_over or first in BUILT_IN:
            return {}
        found = [await self.settle("maker after others", name) for name in wanted.next_makers]
        if not found and (*wanted.candidates, wanted.maker)[0] == "auto":
            later = wanted.order[wanted.order.index(first) + 1 :]
            found = [each for each in later if await self._agents.installed(each)][:MOST_NEXT]
        reviewers = tuple(name for role, name in names.items() if "reviewer" in role)
        unfit = {first, *self._unfit, *(each for each in found if self._kin(each, reviewers))}
        fit = [each for each in dict.fromkeys(found) if each not in unfit]
        if fit:
            self.notes_made.append(f"maker where {first} stays broken: {', '.join(fit)}")
        return {f"{NEXT_MAKER}{number}": name for number, name in enumerate(fit, start=1)}

    async def note_sandbox(self, names: Iterable[str]) -> None:
        """Say what will hold the agents; one that cannot be held as asked for ends here."""
        told: dict[str, list[str]] = {}
        for name in dict.fromkeys(names):
            if by := await self._agents.held_by(name):
                told.setdefault(by, []).append(name)
        for by, held in told.items():
            warning = "; they can write wherever you can" if by.startswith("none") else ""
            self.notes_made.append(f"sandbox of {', '.join(held)}: {by}{warning}")

    def _kin(self, name: str, makers: tuple[str, ...]) -> str:
        """Name a maker of the same vendor where another is asked for; what is built in has no model."""
        if not self._wanted.other_vendor or name in BUILT_IN:
            return ""
        own = self._agents.vendor(name)
        others = (each for each in makers if each not in BUILT_IN)
        return next((each for each in others if self._agents.vendor(each) == own), "")
