"""What can be done to pull requests and branches; each act sends its webhooks."""

from __future__ import annotations

from dataclasses import dataclass

from setpoint.testing.forge.bare import NOTHING, MergeConflict
from setpoint.testing.forge.events import about_issue, emit
from setpoint.testing.forge.issue_acts import close, note, open_issue, touch
from setpoint.testing.forge.issue_acts import reopen as reopen_issue
from setpoint.testing.forge.payloads.repository import push as push_body
from setpoint.testing.forge.records import Issue, Pull
from setpoint.testing.forge.refusal import Refused, invalid
from setpoint.testing.forge.world import World


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A pull request, before it is opened."""

    title: str
    body: str
    head: str
    base: str
    draft: bool = False


NO_DRAFTS = "Draft pull requests are not supported in this repository."


def open_pull(world: World, proposed: Proposal, by: str) -> Issue:
    """Open a pull request; raises the 422 of GitHub for branches that do not fit."""
    head, base = proposed.head.removeprefix(f"{world.owner}:"), proposed.base
    base_sha, head_sha = world.bare.tip(base), world.bare.tip(head)
    if head_sha is None or base_sha is None:
        raise invalid("PullRequest", "head" if head_sha is None else "base")
    for each in world.pulls():
        if each.state == "open" and (each.merging.head, each.merging.base) == (head, base):
            told = f"A pull request already exists for {world.owner}:{head}."
            raise invalid("PullRequest", "head", message=told)
    if proposed.draft and not world.drafts:
        raise invalid("PullRequest", "base", message=NO_DRAFTS)
    if not world.bare.commits(base_sha, head_sha):
        raise invalid("PullRequest", "head", message=f"No commits between {base} and {head}")
    pull = Pull(head=head, base=base, base_sha=base_sha, head_sha=head_sha, draft=proposed.draft)
    record = open_issue(world, proposed.title, proposed.body, by, pull)
    world.bare.point(f"refs/pull/{record.number}/head", head_sha)
    return record


def set_draft(world: World, record: Issue, by: str, *, draft: bool) -> None:
    """Make a pull request a draft, or ready for review."""
    pull = record.merging
    if pull.draft == draft:
        return
    if draft and not world.drafts:
        raise invalid("PullRequest", "draft", message=NO_DRAFTS)
    pull.draft = draft
    event = "converted_to_draft" if draft else "ready_for_review"
    note(world, record, event.replace("converted_to", "convert_to"), by)
    about_issue(world, record, event, by)


def retarget(world: World, record: Issue, base: str, by: str) -> None:
    """Change the branch that a pull request is merged into."""
    pull = record.merging
    sha = world.bare.tip(base)
    if sha is None:
        raise invalid("PullRequest", "base")
    if base == pull.base:
        return
    changes = {"base": {"ref": {"from": pull.base}, "sha": {"from": pull.base_sha}}}
    pull.base, pull.base_sha = base, sha
    note(world, record, "base_ref_changed", by)
    about_issue(world, record, "edited", by, {"changes": changes})


def merge(world: World, record: Issue, by: str, method: str = "merge", expected: str | None = None) -> str:
    """Merge a pull request and return the commit; raises the 405 and 409 of GitHub."""
    pull = record.merging
    if expected is not None and expected != pull.head_sha:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    if record.state != "open" or pull.draft:
        told = "Pull Request is still a draft" if pull.draft else "Pull Request is not mergeable"
        raise Refused(405, told)
    if method not in ("merge", "squash"):
        raise Refused(405, f"{method.title()} merges are not allowed on this repository.")
    message = f"{record.title} (#{record.number})\n"
    if method == "merge":
        message = f"Merge pull request #{record.number} from {world.owner}/{pull.head}\n\n{record.title}\n"
    before = world.bare.tip(pull.base) or NOTHING
    try:
        made = world.bare.merge(pull.base, pull.head_sha, message, by, method)
    except MergeConflict:
        raise Refused(405, "Pull Request is not mergeable") from None
    _merged(world, record, made, by)
    follow(world, pull.base, before, by)
    return made


def reopen(world: World, record: Issue, by: str) -> None:
    """Open a closed pull request again; raises the 422 of GitHub where its branch is gone."""
    pull = record.merging
    head = world.bare.tip(f"refs/heads/{pull.head}")
    if pull.merged_at is not None or head is None:
        told = "state cannot be changed. The branch was merged or deleted."
        raise invalid("PullRequest", "state", message=told)
    pull.head_sha = head
    reopen_issue(world, record, by)


def revert(world: World, record: Issue, by: str) -> Issue:
    """Open the pull request that takes a merged one back, as GitHub's button does."""
    pull = record.merging
    if not pull.merge_commit:
        raise invalid("PullRequest", "state", message=f"#{record.number} is not merged")
    branch = f"revert-{record.number}-{pull.head}"
    title = f'Revert "{record.title}"'
    text = f"This reverts commit {pull.merge_commit}."
    world.bare.revert(branch, pull.merge_commit, f"{title}\n\n{text}\n", by)
    follow(world, branch, NOTHING, by)
    body = f"Reverts {world.full_name}#{record.number}"
    return open_pull(world, Proposal(title=title, body=body, head=branch, base=pull.base), by)


def follow(world: World, branch: str, before: str, by: str) -> None:
    """Let everything follow a branch that moved: the push event, pull requests from it and into it."""
    after = world.bare.tip(f"refs/heads/{branch}") or NOTHING
    if before == after:
        return
    if world.hooks:
        emit(world, "push", by, push_body(world, branch, before, after, by))
    for record in world.pulls():
        pull = record.merging
        if record.state == "open" and pull.head == branch:
            _moved(world, record, before, after, by)
        elif record.state == "open" and pull.base == branch and after != NOTHING:
            if world.bare.contains(after, pull.head_sha):
                _merged(world, record, after, by)
            else:
                pull.base_sha = after


def _moved(world: World, record: Issue, before: str, after: str, by: str) -> None:
    if after == NOTHING:
        close(world, record, by)
        return
    record.merging.head_sha = after
    world.bare.point(f"refs/pull/{record.number}/head", after)
    touch(world, record)
    about_issue(world, record, "synchronize", by, {"before": before, "after": after})


def _merged(world: World, record: Issue, made: str, by: str) -> None:
    pull = record.merging
    pull.merged_at, pull.merged_by, pull.merge_commit = world.at(), by, made
    note(world, record, "merged", by)
    close(world, record, by)
