"""The one lane in which stories land: every act is recorded, so that a landing continues after any crash."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from itertools import count
from typing import NamedTuple

from setpoint.app.landing.after import proved
from setpoint.app.landing.branch import LandingBranch, remote_name, require_clean, require_pushed
from setpoint.app.landing.measure import measure
from setpoint.app.landing.queue import facts_of, newest, recorded, waiting_work
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
from setpoint.wiring.forge import remote_of
from setpoint.wiring.project import Project

Say = Callable[[str], None]
"""Shows a line about what a landing does."""


class Asked(NamedTuple):
    """What a landing is asked for."""

    only: tuple[str, ...] = ()
    """Ids of stories; empty: all that wait."""
    into: str = ""
    """An existing branch to fast-forward."""
    branch: str = ""
    """Name of a new branch; empty: `landing-1` and so on."""
    push: bool = False


def land_once(
    project: Project,
    only: Collection[str] = (),
    *,
    into: str = "",
    branch: str = "",
    push: bool = False,
    say: Say = lambda _: None,
) -> Landing | None:
    """Land what waits, or finish the landing that was interrupted; none where nothing waits.

    Stories land on a new branch, or fast-forward the branch that `into` names, with `push` at a remote, too.
    Raises `RunInUse` where another process lands in this repository, and `UsageError` where the open landing
    is another one.
    """
    with project.locks.held(TRACE):
        return asyncio.run(_landed(project, Asked(tuple(only), into, branch, push), say))


async def _landed(project: Project, asked: Asked, say: Say) -> Landing | None:
    now = newest(project)
    if now is None or now.ended:
        began = await _began(project, asked)
        if began is None:
            return None
        if began.remote and not began.into and (remote := await remote_of(project, began.remote)):
            await remote.push(project.root, began.base, [f"refs/heads/{began.branch}"], expected="")
        project.log.append(TRACE, f"{began.landing}:0", [began])
    else:
        began, place = now.began, asked.into or asked.branch
        other = place not in ("", began.branch) or (asked.into and not began.into)
        if other or not {each.story for each in began.queue}.issuperset(asked.only):
            hint = "`setpoint land` continues it, `setpoint land --cancel` ends it"
            raise UsageError(f"{now.name} is not finished; it lands on {began.branch}", hint=hint)
    return await _worked(project, began, say)


def planned(
    project: Project, only: Collection[str] = (), into: str = "", *, push: bool = False
) -> Landing | None:
    """Say what would land if everything passed; git alone is asked, and no branch is changed."""
    began = asyncio.run(_began(project, Asked(tuple(only), into, push=push)))
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


async def _began(project: Project, asked: Asked) -> LandingBegan | None:
    """Say what a new landing begins with; none where nothing waits."""
    root, own, into = project.root, project.settings.branch_prefix, asked.into
    if shared := project.shared():
        await shared.refresh(own)  # what workers of other machines delivered
    name = remote_name(project, push=asked.push)
    base = commit_named(root, f"refs/heads/{into}") if into else newest_named(root, "HEAD")
    if into and (remote := await remote_of(project, name)):
        there = await remote.fetch(root, f"refs/heads/{into}")
        if base is not None:
            require_pushed(project, into, there)
        base = there
    if base is None:
        raise UsageError(f"{root}: there is no branch '{into}'", hint="name an existing one: git branch")
    if asked.branch and commit_named(root, f"refs/heads/{asked.branch}"):
        message = f"there is a branch '{asked.branch}' already"
        raise UsageError(message, hint=f"setpoint land --into {asked.branch}")
    queue = waiting_work(project, base, asked.only)
    begun = len(landings(recorded(project)))
    free = (each for each in count(begun + 1) if not commit_named(root, f"refs/heads/{own}landing-{each}"))
    landing = f"landing-{next(free)}"
    if not queue:
        return None
    place = into or asked.branch or own + landing
    return LandingBegan(landing=landing, branch=place, into=bool(into), base=base, queue=queue, remote=name)


async def _worked(project: Project, began: LandingBegan, say: Say) -> Landing:
    if began.into:
        await require_clean(project, began.branch)
    branch, said = LandingBranch(project, began, await remote_of(project, began.remote)), ""
    while True:
        bodies = [each for each in recorded(project) if each.landing == began.landing]
        (now,) = landings(bodies).values()
        if now.ended is not None:
            return now
        facts = facts_of(project, now, await branch.at())
        act = next_act(now, facts)
        if act.kind in (ActKind.MEASURE, ActKind.DECIDE, ActKind.FOLLOW):
            what = act.fate if act.kind is ActKind.DECIDE else act.kind
            line = f"{act.story or began.branch}: {what}{f': {act.reason}' if act.reason else ''}"
            say(line if line != said else f"{line} again")
            said = line
        body = await _done(branch, now, act, facts)
        if body is not None:
            project.log.append(TRACE, f"{now.name}:{len(bodies)}", [body])


async def _done(branch: LandingBranch, now: Landing, act: Act, facts: Facts) -> AboutLanding | None:
    """Carry out an act and return what to record; each may be carried out again after a crash."""
    project = branch.project
    body: AboutLanding | None = None
    match act.kind:
        case ActKind.DO if now.pending is not None:
            body = await _carried_out(branch, now, now.pending)
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


async def _carried_out(branch: LandingBranch, now: Landing, decided: StoryDecided) -> DecisionDone | None:
    """Do what was decided; none where somebody else moved the branch meanwhile."""
    if decided.fate is Fate.SENT_BACK:
        put_on_board(branch.project, now.queued(decided.story), decided)
    elif not await branch.move(decided.before, decided.commit):
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
        for_person=act.for_person,
    )
