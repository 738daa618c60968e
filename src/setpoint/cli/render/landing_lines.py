"""Describe what a landing did, line by line and at its end."""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.cli.render.line import Line
from setpoint.model.events.landing import (
    AboutLanding,
    BranchMoved,
    CombinationMeasured,
    Fate,
    LandingBegan,
    LandingEnded,
    StoryDecided,
)
from setpoint.model.wording import counted
from setpoint.stories.policy.landing import Landing

_STYLES = {Fate.LANDED: "green", Fate.SENT_BACK: "yellow", Fate.HELD: "yellow", Fate.GONE: "bold red"}


def of_landing(body: AboutLanding) -> Line:
    """Return the line for one event of a landing."""
    match body:
        case LandingBegan():
            line = Line(f"{body.landing}: {counted(len(body.queue), 'story')} on {body.branch}")
        case CombinationMeasured():
            style = "yellow" if body.red else "green"
            line = Line(f"{body.story}: {body.red[0] if body.red else 'passes'}", style)
        case StoryDecided():
            line = _story(body)
        case BranchMoved():
            line = Line(f"somebody moved the branch to {body.now[:10]}", "yellow")
        case LandingEnded():
            proof = "holds just what was landed" if body.proved else "does NOT hold just what was landed"
            line = Line(f"{body.commit[:10]} {proof}", "green" if body.proved else "bold red")
        case _:
            line = Line(body.kind, "dim")
    return line


def _story(body: StoryDecided) -> Line:
    why = f" as {body.commit[:10]}" if body.fate is Fate.LANDED else f": {body.reason}"
    return Line(f"{body.story}: {body.fate}{why}", _STYLES[body.fate], more=body.feedback)


def planned_lines(landing: Landing) -> Iterator[Line]:
    """Yield what would come of each story if every measurement passed."""
    for each in landing.decided.values():
        lands = each.fate is Fate.LANDED
        what = "merges cleanly, and would be measured" if lands else f"would be {each.fate}: {each.reason}"
        yield Line(f"{each.story}: {what}", _STYLES[each.fate])


def closing_lines(landing: Landing) -> Iterator[Line]:
    """Yield what came of each story, what was measured and proved, and the next command."""
    yield from map(_story, landing.decided.values())
    yield from (Line(f"{each.story}: not decided", "yellow") for each in landing.undecided)
    if (ended := landing.ended) is not None:
        measured = "measured as it is" if ended.measured else "not measured as it is"
        yield Line(f"{landing.began.branch}: commit {ended.commit[:10]}, tree {ended.tree[:10]}, {measured}")
        for each in ended.patches:
            found = f"there ({each.by})" if each.found else "NOT there"
            yield Line(
                f"patch {each.patch_id[:10]} of {each.story}: {found}", "" if each.found else "bold red"
            )
        yield from (Line(f"commit of somebody else: {each}", "yellow") for each in ended.others)
        yield from (Line(f"commit that is of no story: {each}", "bold red") for each in ended.unexplained)
    if landing.ended and landing.landed and not landing.began.into:
        yield Line(f"merge: git merge --ff-only {landing.began.branch}", "bold")
    if any(each.fate is Fate.SENT_BACK for each in landing.decided.values()):
        again = f"setpoint land --into {landing.began.branch}" if landing.began.into else "setpoint land"
        yield Line(
            f"again: setpoint work --now, then {again}{' --push' * bool(landing.began.remote)}", "bold"
        )
    stuck = (each.story for each in landing.decided.values() if each.for_person)
    yield from (Line(f"look: setpoint story show {story}", "bold") for story in stuck)
