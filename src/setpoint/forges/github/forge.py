"""The port to a forge, over GitHub's API."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

from setpoint.errors import ForgeError
from setpoint.forges.git_remote import GitRemote
from setpoint.forges.github import reading
from setpoint.forges.github.answers import (
    CommentFacts,
    DeploymentFacts,
    DeploymentState,
    IssueEvent,
    IssueFacts,
    LineCommentFacts,
    PermissionFacts,
    PullFacts,
    ReviewFacts,
    Written,
)
from setpoint.forges.github.graphql import Changed, GraphQL, IssueEdited, ReviewThreads, Thread
from setpoint.forges.github.login import Login, for_git
from setpoint.forges.github.reports import show, upload
from setpoint.forges.http import ForgeHttp, Query
from setpoint.forges.marks import carries, fitted, marked
from setpoint.model.forge import (
    CheckSummary,
    Deployed,
    ForgeComment,
    ForgeReview,
    Labelled,
    Permission,
    Pull,
    PullState,
    PullText,
    ThreadResolved,
)
from setpoint.model.ids import Commit

_ROLES = {
    "admin": Permission.ADMIN,
    "maintain": Permission.WRITE,
    "write": Permission.WRITE,
    "triage": Permission.READ,
    "read": Permission.READ,
}
_UNFINISHED = "[draft] "
"""Begins the title where a repository may have no drafts: private ones of free plans."""
_LATE = timedelta(days=30)
"""A deployment that waits for an approval can succeed so much later than it was made."""


class GitHubForge:
    """A repository at GitHub."""

    def __init__(self, repository: str, http: ForgeHttp, login: Login, remote: GitRemote) -> None:
        """Work on `repository` (`owner/name`); `http` shows the token of `login`, and git uses `remote`."""
        self._owner, _, self._name = repository.partition("/")
        self._http, self._login, self._remote = http, login, remote
        self._graphql = GraphQL(http)
        self._repo = f"/repos/{quote(self._owner)}/{quote(self._name)}"
        self._named: dict[str, str | int | None] = {"owner": self._owner, "name": self._name}
        self._me = ""

    async def me(self) -> str:
        """Return the login of the token, or of the app."""
        self._me = self._me or await self._login.name(self._http)
        return self._me

    async def permission(self, login: str) -> Permission:
        """Ask what a person may do; accounts of apps are no persons, and may do nothing."""
        if not login:
            return Permission.NONE
        path = f"{self._repo}/collaborators/{quote(login, safe='')}/permission"
        reply = await self._http.get(path, also=(HTTPStatus.NOT_FOUND,))
        if reply.status == HTTPStatus.NOT_FOUND:
            return Permission.NONE
        facts = reply.read(PermissionFacts, f"GitHub: {path}")
        if facts.user is None or facts.user.login.casefold() != login.casefold():
            return Permission.NONE
        # A role of an organization's own has its own name; `permission` then says what it is built on.
        return _ROLES.get(facts.permission, Permission.NONE)

    async def labelled(self, label: str, since: datetime | None = None) -> tuple[Labelled, ...]:
        """Return the open issues with a label, as the events of each say who put it on."""
        query = {"labels": label, "state": "open", "sort": "updated", "direction": "asc", **_since(since)}
        issues = await self._http.list(f"{self._repo}/issues", IssueFacts, query)
        found = [await self._order(each, label) for each in issues if each.pull_request is None]
        return tuple(sorted((each for each in found if each), key=lambda each: each.at))

    async def comments(self, since: datetime | None = None) -> tuple[ForgeComment, ...]:
        """Return comments in conversations and on lines."""
        query = {"sort": "updated", "direction": "asc", **_since(since)}
        below = await self._http.list(f"{self._repo}/issues/comments", CommentFacts, query)
        found = [reading.comment(each, reading.number_in(each.issue_url)) for each in below]
        on_lines = await self._http.list(f"{self._repo}/pulls/comments", LineCommentFacts, query)
        # One that waited in a review that was not sent yet has a later time without having been changed.
        doubtful = {reading.number_in(each.pull_request_url) for each in on_lines if _later(each)}
        edited = {id_ for number in doubtful for id_ in await self._edited_lines(number)}
        for each in on_lines:
            number = reading.number_in(each.pull_request_url)
            found.append(reading.line_comment(each, number, edited=each.id in edited))
        return tuple(sorted(found, key=lambda each: each.at))

    async def reviews(self, number: int) -> tuple[ForgeReview, ...]:
        """Return the reviews that were sent."""
        listed = await self._http.list(f"{self._repo}/pulls/{number}/reviews", ReviewFacts)
        found = [sent for each in listed if (sent := reading.review(each, number))]
        return tuple(sorted(found, key=lambda each: each.at))

    async def threads(self, number: int) -> tuple[ThreadResolved, ...]:
        """Return the resolved threads, which GitHub tells by GraphQL alone."""
        found: list[ThreadResolved] = []
        for thread in await self._threads(number):
            first = thread.comments.nodes[0].id if thread.comments.nodes else None
            if thread.resolved and first:
                by = thread.by.login if thread.by else ""
                found.append(ThreadResolved(number=number, comment=f"line-{first}", by=by))
        return tuple(found)

    async def deployments(self, since: datetime | None = None) -> tuple[Deployed, ...]:
        """Return deployments with a report of success; those made a month before `since` are not asked."""
        found: list[Deployed] = []
        for each in await self._made_deployments(since):
            path = f"{self._repo}/deployments/{each.id}/statuses"
            states = await self._http.list(path, DeploymentState)
            succeeded = [state for state in states if state.state == reading.SUCCESS]
            if succeeded:
                first = min(succeeded, key=lambda state: state.created_at)
                if since is None or first.created_at >= since:
                    found.append(reading.deployed(each, first))
        return tuple(sorted(found, key=lambda each: each.at))

    async def pull(self, number: int) -> Pull:
        """Return a pull request; for a closed one GitHub says elsewhere who closed it."""
        return await self._read(await self._facts(number))

    async def pull_of(self, branch: str) -> Pull | None:
        """Return the open pull request of a branch."""
        facts = await self._facts_of(branch)
        return await self._read(facts) if facts else None

    async def put_pull(self, wanted: PullText, number: int | None = None) -> Pull:
        """Open a pull request, or change what differs in the one that is there."""
        facts = await (self._facts(number) if number else self._facts_of(wanted.branch))
        if facts is None:
            facts = await self._opened(wanted)
        return await self._read(await self._brought(facts, wanted))

    async def comment(self, number: int, text: str, mark: str) -> str:
        """Write or change the own comment with a mark."""
        body = {"body": marked(text, mark)}
        path = f"{self._repo}/issues/{number}/comments"
        own = await self._own(await self._http.list(path, CommentFacts), mark)
        if own is None:
            reply = await self._http.send("POST", path, body)
        elif own.body == body["body"]:
            return own.html_url
        else:
            reply = await self._http.send("PATCH", f"{self._repo}/issues/comments/{own.id}", body)
        return reply.read(Written, f"GitHub: {path}").html_url or ""

    async def answer(self, asked: ForgeComment, text: str, mark: str) -> str:
        """Answer in the thread of a line, else in the conversation."""
        body = {"body": marked(text, mark)}
        below = f"{self._repo}/issues/{asked.number}/comments"
        if own := await self._own(await self._http.list(below, CommentFacts), mark):
            return own.html_url
        if asked.id.startswith("line-"):
            path = f"{self._repo}/pulls/{asked.number}/comments"
            if line := await self._own(await self._http.list(path, LineCommentFacts), mark):
                return line.html_url
            first = (asked.reply_to or asked.id).removeprefix("line-")
            gone = (HTTPStatus.NOT_FOUND,)
            reply = await self._http.send("POST", f"{path}/{first}/replies", body, also=gone)
            if reply.status not in gone:
                return reply.read(Written, f"GitHub: {path}").html_url or ""
        return (await self._http.send("POST", below, body)).read(Written, f"GitHub: {below}").html_url or ""

    async def report(self, commit: Commit, summary: CheckSummary) -> str:
        """Make a check run, or a commit status where the token is not an app's."""
        return await show(self._http, self._repo, commit, summary)

    async def upload_sarif(self, commit: Commit, ref: str, sarif: bytes) -> bool:
        """Hand findings to code scanning, where it is on."""
        return await upload(self._http, self._repo, commit, ref, sarif)

    async def push(
        self, root: Path, commit: Commit, refs: Collection[str], *, expected: str | None = None
    ) -> None:
        """Push with the token, or with git's own credentials where the remote is not HTTP."""
        await self._remote.push(root, commit, refs, expected=expected, authorization=await self._for_git())

    async def fetch(self, root: Path, ref: str) -> Commit:
        """Fetch, as `push` pushes."""
        return await self._remote.fetch(root, ref, authorization=await self._for_git())

    async def _for_git(self) -> str:
        return for_git(await self._login.token()) if self._remote.takes_token else ""

    async def _order(self, issue: IssueFacts, label: str) -> Labelled | None:
        """Return who put a label on; none where GitHub does not say it, so nobody is answerable."""
        events = await self._http.list(f"{self._repo}/issues/{issue.number}/events", IssueEvent)
        put_on = [each for each in events if each.event == "labeled" and _names(each, label)]
        if not put_on or put_on[-1].created_at is None:
            return None
        at = put_on[-1].created_at
        edited = any(each.event == "renamed" and each.created_at and each.created_at >= at for each in events)
        if not edited:
            asked = {**self._named, "number": issue.number}
            repository = (await self._graphql.ask("IssueEdited", asked, IssueEdited)).repository
            last = repository.issue.last if repository and repository.issue else None
            edited = last is not None and last >= at
        return reading.labelled(issue, label, put_on[-1].actor, at, edited=edited)

    async def _edited_lines(self, number: int) -> set[int]:
        comments = (each for thread in await self._threads(number) for each in thread.comments.nodes)
        return {each.id for each in comments if each.id and each.last}

    async def _threads(self, number: int) -> list[Thread]:
        found: list[Thread] = []
        after: str | None = None
        while True:
            asked = {**self._named, "number": number, "after": after}
            answer = await self._graphql.ask("ReviewThreads", asked, ReviewThreads)
            if answer.repository is None or answer.repository.pull is None:
                raise ForgeError(f"GitHub: there is no pull request {number}")
            page = answer.repository.pull.threads
            found += page.nodes
            if not page.page.more or not page.page.end:
                return found
            after = page.page.end

    async def _made_deployments(self, since: datetime | None) -> list[DeploymentFacts]:
        """Return the deployments that may have succeeded since then; the newest come first."""
        found: list[DeploymentFacts] = []
        async for page in self._http.pages(f"{self._repo}/deployments", DeploymentFacts):
            found += page
            if since and page and page[-1].created_at < since - _LATE:
                break
        recent = [each for each in found if since is None or each.created_at >= since - _LATE]
        return [each for each in recent if since is None or max(each.created_at, each.updated_at) >= since]

    async def _facts(self, number: int) -> PullFacts:
        path = f"{self._repo}/pulls/{number}"
        return (await self._http.get(path)).read(PullFacts, f"GitHub: {path}")

    async def _facts_of(self, branch: str) -> PullFacts | None:
        query = {"head": f"{self._owner}:{branch}", "state": "open"}
        for each in await self._http.list(f"{self._repo}/pulls", PullFacts, query):
            if each.head.ref == branch and not reading.pull(each).foreign:
                return each
        return None

    async def _read(self, facts: PullFacts) -> Pull:
        pull = reading.pull(facts)
        if pull.state is not PullState.CLOSED:
            return pull
        path = f"{self._repo}/issues/{facts.number}"
        issue = (await self._http.get(path)).read(IssueFacts, f"GitHub: {path}")
        return reading.pull(facts, issue.closed_by)

    async def _opened(self, wanted: PullText) -> PullFacts:
        """Open a pull request, as a draft only where the repository may have drafts."""
        path, refusals = f"{self._repo}/pulls", (HTTPStatus.UNPROCESSABLE_ENTITY,)
        attempts = [wanted.draft, False] if wanted.draft else [False]
        while True:
            draft = attempts.pop(0)
            texts = _texts(wanted, unfinished=wanted.draft and not draft)
            body = {**texts, "head": wanted.branch, "base": wanted.into, "draft": draft}
            reply = await self._http.send("POST", path, body, also=refusals)
            if reply.status not in refusals:
                return reply.read(PullFacts, "GitHub: a new pull request")
            facts = await self._facts_of(wanted.branch)  # somebody else may have opened it meanwhile
            if facts is not None:
                return facts
            if not attempts:
                raise self._http.refused("POST", path, reply)

    async def _brought(self, facts: PullFacts, wanted: PullText) -> PullFacts:
        if facts.state == "open" and bool(facts.draft) != wanted.draft:
            name = "ToDraft" if wanted.draft else "Ready"
            # A repository without drafts refuses; then the title says it.
            with contextlib.suppress(*((ForgeError,) if wanted.draft else ())):
                await self._graphql.ask(name, {"id": facts.node_id}, Changed)
                facts = await self._facts(facts.number)
        unfinished = wanted.draft and not facts.draft
        changes = {
            key: value
            for key, value in _texts(wanted, unfinished=unfinished).items()
            if value != {"title": facts.title, "body": (facts.body or "").rstrip()}[key]
        }
        if facts.base.ref != wanted.into and facts.state == "open":
            changes["base"] = wanted.into
        path = f"{self._repo}/pulls/{facts.number}"
        if changes:
            reply = await self._http.send("PATCH", path, changes)
            facts = reply.read(PullFacts, f"GitHub: {path}")
        return facts

    async def _own(
        self, found: tuple[CommentFacts, ...] | tuple[LineCommentFacts, ...], mark: str
    ) -> CommentFacts | LineCommentFacts | None:
        marked_ones = [each for each in found if carries(each.body or "", mark)]
        if not marked_ones:
            return None
        me = (await self.me()).casefold()
        return next((each for each in marked_ones if reading.login(each.user).casefold() == me), None)


def _texts(wanted: PullText, *, unfinished: bool) -> dict[str, str]:
    title = f"{_UNFINISHED}{wanted.title}" if unfinished else wanted.title
    return {"title": title, "body": fitted(wanted.text)}


def _since(since: datetime | None) -> Query:
    return {"since": since.strftime("%Y-%m-%dT%H:%M:%SZ")} if since else {}


def _later(facts: LineCommentFacts) -> bool:
    return facts.updated_at > facts.created_at


def _names(event: IssueEvent, label: str) -> bool:
    return event.label is not None and event.label.name.casefold() == label.casefold()
