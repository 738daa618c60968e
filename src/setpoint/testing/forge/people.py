"""What people and machines do on a fake forge, as methods for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from setpoint.testing.forge import issue_acts, pull_acts, report_acts, review_acts
from setpoint.testing.forge.bare import NOTHING
from setpoint.testing.forge.records import (
    CheckRun,
    Comment,
    CommitStatus,
    Deployment,
    DeploymentStatus,
    Issue,
    LineComment,
    Review,
    SarifUpload,
    Thread,
)
from setpoint.testing.forge.review_acts import Remark
from setpoint.testing.forge.world import World

_EVENTS = {"approved": "APPROVE", "changes_requested": "REQUEST_CHANGES", "commented": "COMMENT"}
ReviewState = Literal["approved", "changes_requested", "commented"]


class People:
    """The acts of people and machines; each sends its webhooks, or raises `Refused` as GitHub would."""

    def __init__(self, world: World) -> None:
        """Act on a world."""
        self._world = world

    def open_issue(self, title: str, text: str = "", *, by: str, labels: Iterable[str] = ()) -> Issue:
        """Open an issue."""
        with self._world.lock:
            record = issue_acts.open_issue(self._world, title, text, by)
            for name in labels:
                issue_acts.label(self._world, record, name, by)
            return record

    def issue(self, number: int) -> Issue:
        """Return an issue or a pull request as it is now; raises `Refused` for an unknown number."""
        with self._world.lock:
            return self._world.issue(number)

    def edit(self, issue: int, *, by: str, title: str | None = None, text: str | None = None) -> None:
        """Change title or text of an issue or a pull request."""
        with self._world.lock:
            issue_acts.edit(self._world, self.issue(issue), by, title=title, body=text)

    def label(self, issue: int, name: str, *, by: str) -> None:
        """Add a label to an issue or a pull request."""
        with self._world.lock:
            issue_acts.label(self._world, self.issue(issue), name, by)

    def unlabel(self, issue: int, name: str, *, by: str) -> None:
        """Remove a label."""
        with self._world.lock:
            issue_acts.unlabel(self._world, self.issue(issue), name, by)

    def close(self, issue: int, *, by: str) -> None:
        """Close an issue, or a pull request without merging it."""
        with self._world.lock:
            issue_acts.close(self._world, self.issue(issue), by)

    def reopen(self, issue: int, *, by: str) -> None:
        """Open a closed issue or pull request again."""
        with self._world.lock:
            record = self.issue(issue)
            (pull_acts if record.pull else issue_acts).reopen(self._world, record, by)

    def lock(self, issue: int, *, by: str) -> None:
        """Lock the conversation of an issue or a pull request."""
        with self._world.lock:
            issue_acts.lock(self._world, self.issue(issue), by, locked=True)

    def comment(self, issue: int, text: str, *, by: str) -> Comment:
        """Comment on an issue, or in the conversation of a pull request."""
        with self._world.lock:
            return issue_acts.comment(self._world, self.issue(issue), text, by)

    def edit_comment(self, comment: Comment, text: str, *, by: str) -> None:
        """Change the text of a comment, in a conversation or on a line."""
        with self._world.lock:
            if isinstance(comment, LineComment):
                record, _, written = review_acts.find_remark(self._world, comment.id)
                review_acts.edit_remark(self._world, record, written, text, by)
            else:
                issue_acts.edit_comment(
                    self._world, *issue_acts.find_comment(self._world, comment.id), text, by
                )

    # branches and pull requests

    def push(
        self, branch: str, files: Mapping[str, str | None], *, by: str, message: str = "Change files"
    ) -> str:
        """Commit files and return the commit; a new branch begins at `main`, None deletes a file."""
        with self._world.lock:
            before = self._world.bare.branches().get(branch, NOTHING)
            self._world.account(by)
            made = self._world.bare.write(branch, files, f"{message}\n", by)
            pull_acts.follow(self._world, branch, before, by)
            return made

    def delete_branch(self, branch: str, *, by: str) -> None:
        """Delete a branch; open pull requests from it are closed."""
        with self._world.lock:
            before = self.branches()[branch]
            self._world.bare.git("update-ref", "-d", f"refs/heads/{branch}")
            pull_acts.follow(self._world, branch, before, by)

    def branches(self) -> dict[str, str]:
        """Return the commit of each branch."""
        return self._world.bare.branches()

    def read(self, ref: str, path: str) -> str | None:
        """Return the content of a file at a branch or a commit; None where it is not there."""
        return self._world.bare.text(ref, path)

    def open_pull(
        self, head: str, title: str, text: str = "", *, by: str, target: str = "main", draft: bool = False
    ) -> Issue:
        """Open a pull request from a branch into `target`."""
        with self._world.lock:
            proposed = pull_acts.Proposal(title=title, body=text, head=head, base=target, draft=draft)
            return pull_acts.open_pull(self._world, proposed, by)

    def pulls(self) -> list[Issue]:
        """Return the pull requests as they are now, oldest first."""
        with self._world.lock:
            return self._world.pulls()

    def set_draft(self, pull: int, *, by: str, draft: bool) -> None:
        """Make a pull request a draft, or ready for review."""
        with self._world.lock:
            pull_acts.set_draft(self._world, self.issue(pull), by, draft=draft)

    def merge(self, pull: int, *, by: str, method: Literal["merge", "squash"] = "merge") -> str:
        """Merge a pull request in the repository and return the commit."""
        with self._world.lock:
            return pull_acts.merge(self._world, self.issue(pull), by, method)

    def revert(self, pull: int, *, by: str, merge: bool = True) -> Issue:
        """Open the pull request that reverts a merged one, as GitHub's button does, and merge it."""
        with self._world.lock:
            record = pull_acts.revert(self._world, self.issue(pull), by)
            if merge:
                pull_acts.merge(self._world, record, by)
            return record

    # reviews

    def review(
        self,
        pull: int,
        state: ReviewState,
        text: str = "",
        *,
        by: str,
        comments: Iterable[tuple[str, int, str]] = (),
    ) -> Review:
        """Submit a review; each comment is path, line at the head, text."""
        remarks = [Remark(path=path, line=line, text=said) for path, line, said in comments]
        with self._world.lock:
            return review_acts.review(self._world, self.issue(pull), _EVENTS[state], text, remarks, by)

    def dismiss(self, pull: int, review: Review, *, by: str) -> None:
        """Dismiss a review."""
        with self._world.lock:
            review_acts.dismiss(self._world, self.issue(pull), review, by)

    def threads(self, pull: int) -> list[Thread]:
        """Return the threads of a pull request as they are now, oldest first."""
        with self._world.lock:
            return self.issue(pull).merging.threads

    def reply(self, thread: Thread, text: str, *, by: str) -> LineComment:
        """Answer in a thread."""
        with self._world.lock:
            record, *_ = review_acts.find_remark(self._world, thread.comments[0].id)
            return review_acts.reply(self._world, record, thread.comments[0].id, text, by)

    def resolve(self, thread: Thread, *, by: str, resolved: bool = True) -> None:
        """Resolve a thread, or open it again."""
        with self._world.lock:
            record, *_ = review_acts.find_remark(self._world, thread.comments[0].id)
            review_acts.resolve(self._world, record, thread, by, resolved=resolved)

    # machines

    def deploy(self, ref: str, environment: str, state: str, *, by: str = "deployer") -> DeploymentStatus:
        """Report the state of a deployment of a commit or a branch; the first report makes the deployment."""
        with self._world.lock:
            sha = report_acts.known(self._world, ref, "Deployment")
            made = next(
                (each for each in self.deployments if (each.sha, each.environment) == (sha, environment)),
                None,
            ) or report_acts.deploy(self._world, ref, environment, "", by)
            return report_acts.deployed(self._world, made, {"state": state}, by)

    @property
    def deployments(self) -> list[Deployment]:
        """Return the deployments, oldest first."""
        return self._world.deployments

    @property
    def checks(self) -> list[CheckRun]:
        """Return the check runs, oldest first."""
        return self._world.checks

    @property
    def statuses(self) -> list[CommitStatus]:
        """Return the commit statuses, oldest first."""
        return self._world.statuses

    @property
    def sarifs(self) -> list[SarifUpload]:
        """Return the SARIF documents that were uploaded, oldest first."""
        return self._world.sarifs
