"""The one lane in which stories land: every act is recorded, so that a landing continues after any crash."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from itertools import count

from setpoint.app.landing.after import proved
from setpoint.app.landing.branch import move, require_clean
from setpoint.app.landing.measure import measure
from setpoint.app.landing.queue import branch_at, facts_of, newest, recorded, waiting_work
from setpoint.app.landing.rework import feedback, put_on_board
from setpoint.errors import UsageError
from setpoint.model.events.landing import (
    TRACE,
    AboutLanding,
    DecisionDone,
    Fate,
    LandingBegan,
    LandingCancelled,
    StoryDecided,
)
from setpoint.stories.policy.landing import Act, ActKind, Facts, Landing, landings, moved, next_act
from setpoint.system.git.merge import commit_named, is_ancestor, newest_named
from setpoint.wiring.project import Project

Say = Callable[[str], None]
"""Shows a line about what a landing does."""


def land_once(
    project: Project,
    only: Collection[str] = (),
    *,
    into: str = "",
    branch: str = "",
    say: Say = lambda _: None,
) -> Landing | None:
    """Land what waits, or finish the landing that was interrupted; none where nothing waits.

    Stories land on a new branch, or fast-forward the branch that `into` names. Raises `RunInUse` where
    another process lands in this repository, and `UsageError` where the open landing is another one.
    """
    with project.locks.held(TRACE):
        now = newest(project)
        if now is None or now.ended:
            began = _began(project, only, into, branch)
            if began is None:
                return None
            project.log.append(TRACE, f"{began.landing}:0", [began])
        else:
            began = now.began
            other = (into or branch) not in ("", began.branch) or (into and not began.into)
            if other or not {each.story for each in began.queue}.issuperset(only):
                hint = "`setpoint land` continues it, `setpoint land --cancel` ends it"
                raise UsageError(f"{now.name} is not finished; it lands on {began.branch}", hint=hint)
        return asyncio.run(_worked(project, began, say))


def planned(project: Project, only: Collection[str] = (), into: str = "") -> Landing | None:
    """Say what would land if everything passed; git alone is asked, and no branch is changed."""
    began = _began(project, only, into, "")
    bodies: list[AboutLanding] = [began] if began else []
    while bodies:
        (now,) = landings(bodies).values()
        now = now.model_copy(update={"pending": None})
        facts = facts_of(project, now, now.tip)
        act = next_act(now, facts)
        if act.kind is ActKind.END:
            return now
        fate = Fate.LANDED if act.kind is ActKind.MEASURE else act.fate
        bodies.append(_decided(now, act.model_copy(update={"fate": fate}), facts))
    return None


def cancel(project: Project) -> Landing:
    """End the open landing; what has landed stays, and what is not decided stays so."""
    now = newest(project)
    if now is None or now.ended:
        raise UsageError("no landing is open", hint="`setpoint land` begins one")
    project.log.append(TRACE, f"{now.name}:cancel", [LandingCancelled(landing=now.name)])
    alone = project.locks.owner(TRACE) is None  # else the process that lands ends after its measurement
    return (land_once(project) if alone else None) or now


def _began(project: Project, only: Collection[str], into: str, branch: str) -> LandingBegan | None:
    """Say what a new landing begins with; none where nothing waits."""
    root, prefix = project.root, f"{project.settings.branch_prefix}landing-"
    base = commit_named(root, f"refs/heads/{into}") if into else newest_named(root, "HEAD")
    if base is None:
        raise UsageError(f"{root}: there is no branch '{into}'", hint="name one that is there")
    if branch and commit_named(root, f"refs/heads/{branch}"):
        raise UsageError(f"there is a branch '{branch}' already", hint=f"setpoint land --into {branch}")
    queue = waiting_work(project, base, only)
    begun = len(landings(recorded(project)))
    free = (each for each in count(begun + 1) if not commit_named(root, f"refs/heads/{prefix}{each}"))
    name = f"landing-{next(free)}"
    if not queue:
        return None
    place = into or branch or project.settings.branch_prefix + name
    return LandingBegan(landing=name, branch=place, into=bool(into), base=base, queue=queue)


async def _worked(project: Project, began: LandingBegan, say: Say) -> Landing:
    if began.into:
        await require_clean(project, began.branch)
    said = ""
    while True:
        bodies = [each for each in recorded(project) if each.landing == began.landing]
        (now,) = landings(bodies).values()
        if now.ended is not None:
            return now
        facts = facts_of(project, now, branch_at(project.root, began))
        act = next_act(now, facts)
        if act.kind in (ActKind.MEASURE, ActKind.DECIDE, ActKind.FOLLOW):
            what = act.fate if act.kind is ActKind.DECIDE else act.kind
            line = f"{act.story or began.branch}: {what}{f': {act.reason}' if act.reason else ''}"
            say(line if line != said else f"{line} again")
            said = line
        body = await _done(project, now, act, facts)
        if body is not None:
            project.log.append(TRACE, f"{now.name}:{len(bodies)}", [body])


async def _done(project: Project, now: Landing, act: Act, facts: Facts) -> AboutLanding | None:
    """Carry out an act and return what to record; each may be carried out again after a crash."""
    body: AboutLanding | None = None
    match act.kind:
        case ActKind.DO if now.pending is not None:
            body = await _carried_out(project, now, now.pending)
        case ActKind.FOLLOW:
            held = {each.story for each in now.landed if is_ancestor(project.root, each.commit, facts.at)}
            body = moved(now, facts.at, held)
        case ActKind.MEASURE if act.story is not None and facts.trial is not None:
            queued, commit = now.queued(act.story), facts.trial.commit
            again = bool(now.measurements(act.story, commit))
            body = await measure(project, now, queued, commit, again=again)
        case ActKind.DECIDE if act.story is not None:
            body = _decided(now, act, facts)
            if act.fate is Fate.SENT_BACK:
                told = await feedback(project, now, now.queued(act.story), act.reason, facts)
                body = body.model_copy(update={"feedback": told})
        case ActKind.END:
            body = await proved(project, now, facts.at)
    return body


async def _carried_out(project: Project, now: Landing, decided: StoryDecided) -> DecisionDone | None:
    """Do what was decided; none where somebody else moved the branch meanwhile."""
    if decided.fate is Fate.SENT_BACK:
        put_on_board(project, now.queued(decided.story), decided)
    elif not await move(project, now.began, decided.before, decided.commit):
        return None
    return DecisionDone(landing=now.name, story=decided.story)


def _decided(now: Landing, act: Act, facts: Facts) -> StoryDecided:
    landed = act.fate is Fate.LANDED and facts.trial is not None
    return StoryDecided(
        landing=now.name,
        story=act.story or now.undecided[0].story,
        fate=act.fate,
        before=now.tip,
        commit=facts.trial.commit if landed and facts.trial else now.tip,
        reason=act.reason,
    )
