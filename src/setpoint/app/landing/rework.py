"""Send a story back that cannot land: it is done again on what has landed, with both changes as feedback."""

from __future__ import annotations

import re

from setpoint.app.runs.board import find_card, set_keys, story_folder, story_path
from setpoint.errors import UsageError
from setpoint.model.events.landing import Queued, StoryDecided
from setpoint.model.stories.story import Status
from setpoint.stories.policy.landing import Facts, Landing
from setpoint.system.git.patches import diff_of
from setpoint.wiring.project import Project

_ASKED = "Do it again on top of what has landed, so that both changes are there and everything passes."
_MOST_DIFF = 8000
"""Characters of each change that a maker reads."""


async def feedback(project: Project, now: Landing, queued: Queued, reason: str, facts: Facts) -> str:
    """Say why a story goes back, and show what it changes and what landed since it began."""
    trial = facts.trial
    paths = trial.conflicts if trial else ()
    own = await diff_of(project.root, queued.base, queued.tip, paths)
    since = await diff_of(project.root, queued.base, now.tip, paths)
    known = now.measurements(queued.story, trial.commit)[-1:] if trial and not paths else ()
    red = "\n".join(f"- {line}" for each in known for line in each.red)
    landed = ", ".join(each.story for each in now.landed) or "commits of others"
    parts = [
        f"## Sent back by {now.name}",
        f"The work of this story (branch `{queued.branch}`) {reason}. {_ASKED}",
        *([f"What fails:\n\n{red}"] * bool(red)),
        f"What landed since it began ({landed}):\n\n{_fenced(since)}",
        f"What the work of this story changed:\n\n{_fenced(own)}",
    ]
    return "\n\n".join(parts)


def _fenced(diff: bytes) -> str:
    text = diff.decode("utf-8", "replace").rstrip()
    more = f"\n(cut; {len(text) - _MOST_DIFF} more characters)" if len(text) > _MOST_DIFF else ""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}diff\n{text[:_MOST_DIFF]}{more}\n{fence}"


def put_on_board(project: Project, queued: Queued, back: StoryDecided) -> None:
    """Have a story done again, once; one that is gone or has a newer run stays as it is."""
    try:
        card = find_card(project, queued.story)
    except UsageError:
        return
    if card.run == queued.run:
        story_folder(project).append(story_path(project, queued.story), back.feedback)
        set_keys(project, queued.story, (f"base='{back.before}'", f"status={Status.READY}"))
