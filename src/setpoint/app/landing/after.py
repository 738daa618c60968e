"""Prove after a landing that each landed change is in the branch, and that nothing else came."""

from __future__ import annotations

from setpoint.app.landing.queue import trial
from setpoint.model.events.landing import LandingEnded, PatchFound, StoryDecided
from setpoint.model.ids import Commit
from setpoint.stories.policy.landing import Landing
from setpoint.system.git.git import git, tree_of
from setpoint.system.git.merge import is_ancestor
from setpoint.system.git.patches import patch_id, patch_ids
from setpoint.wiring.project import Project

_MOST_OTHERS = 20


async def proved(project: Project, landing: Landing, at: Commit) -> LandingEnded:
    """Compare what the branch holds with what each landed story delivered."""
    root, tree, theirs = project.root, await tree_of(project.root, at), set[str]()
    for each in map(landing.queued, (each.story for each in landing.landed)):
        theirs |= (await patch_ids(root, each.base, each.tip)).keys()
    came = await patch_ids(root, landing.began.base, at)
    told: dict[bool, list[str]] = {True: [], False: []}
    for commit in [commit for name, commit in came.items() if name not in theirs][:_MOST_OTHERS]:
        by_people = any(is_ancestor(root, commit, each.now) for each in landing.moves)
        told[by_people].append((await git(root, "show", "-s", "--format=%h %s", commit)).text)
    return LandingEnded(
        landing=landing.name,
        commit=at,
        tree=tree,
        measured=any(each.evaluation.tree == tree and not each.red for each in landing.measured),
        patches=tuple([await _found(project, landing, each, at) for each in landing.landed]),
        others=tuple(told[True]),
        unexplained=tuple(told[False]),
    )


async def _found(project: Project, landing: Landing, landed: StoryDecided, at: Commit) -> PatchFound:
    """Look for a change by its id; where others changed the same lines in the same way, merge it again."""
    root, queued = project.root, landing.queued(landed.story)
    name = await patch_id(root, queued.base, queued.tip)
    by = "the same patch id" if name == await patch_id(root, landed.before, landed.commit) else ""
    same = trial(root, landing, queued, landed.before).commit == landed.commit
    return PatchFound(
        story=landed.story,
        commit=landed.commit,
        patch_id=name,
        found=same and is_ancestor(root, landed.commit, at),
        by=by or "the same merge, made again",
    )
