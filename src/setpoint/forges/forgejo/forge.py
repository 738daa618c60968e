"""The port to a forge, over the API of Forgejo and Gitea."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Collection
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

import httpx2

from setpoint.forges.commit_status import COMMIT_STATUS, status_of
from setpoint.forges.forgejo import reading
from setpoint.forges.forgejo.answers import (
    Account,
    CommentFacts,
    IssueFacts,
    LineCommentFacts,
    PermissionFacts,
    PullFacts,
    ReviewFacts,
    TimelineEntry,
    Written,
)
from setpoint.forges.http import ForgeHttp, Query, Site
from setpoint.forges.marks import carries, fitted, marked
from setpoint.forges.place import Place
from setpoint.model.forge import (
    CheckConclusion,
    CheckSummary,
    Deployed,
    ForgeComment,
    ForgeReview,
    Labelled,
    Permission,
    Pull,
    PullText,
    ThreadResolved,
)
from setpoint.model.ids import Commit

_ROLES = {
    "owner": Permission.ADMIN,
    "admin": Permission.ADMIN,
    "write": Permission.WRITE,
    "read": Permission.READ,
}
_SAME = timedelta(seconds=1)
"""The label and the issue may be written in two seconds."""
_PERMISSION_HINT = "the token needs a scope that it lacks (docs/how-to/forgejo.md)"


class ForgejoForge:
    """A repository at Forgejo or Gitea: without check runs, SARIF and deployments."""

    def __init__(
        self,
        place: Place,
        token: str,
        *,
        login_hint: str = "",
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """Work on the repository at `place`; `transport` is for tests."""

        async def authorize() -> str:
            return f"token {token}"

        self._http = ForgeHttp(
            Site(
                name="Forgejo",
                api_url=place.api_url,
                authorize=authorize,
                page_size="limit",
                login_hint=login_hint,
                permission_hint=lambda _: _PERMISSION_HINT,
                transport=transport,
            )
        )
        owner, _, name = place.repository.partition("/")
        self._repo = f"/repos/{quote(owner)}/{quote(name)}"
        self._remote = place.remote
        self._git_login = "Basic " + base64.b64encode(f"setpoint:{token}".encode()).decode()
        self._me = ""

    async def me(self) -> str:
        """Return the login of the token."""
        if not self._me:
            self._me = (await self._http.get("/user")).read(Account, "Forgejo: /user").login
        return self._me

    async def permission(self, login: str) -> Permission:
        """Ask what a person may do; the token must be of somebody who administers the repository."""
        if not login:
            return Permission.NONE
        path = f"{self._repo}/collaborators/{quote(login, safe='')}/permission"
        reply = await self._http.get(path, also=(HTTPStatus.NOT_FOUND,))
        if reply.status == HTTPStatus.NOT_FOUND:
            return Permission.NONE
        facts = reply.read(PermissionFacts, f"Forgejo: {path}")
        if facts.user is None or facts.user.login.casefold() != login.casefold():
            return Permission.NONE
        return _ROLES.get(facts.permission, Permission.NONE)

    async def labelled(self, label: str, since: datetime | None = None) -> tuple[Labelled, ...]:
        """Return the open issues with a label.

        Forgejo does not say when a text was edited: an issue that changed in any way after the label was put
        on counts as edited.
        """
        query = {"labels": label, "state": "open", "type": "issues", **_since(since)}
        issues = await self._http.list(f"{self._repo}/issues", IssueFacts, query)
        # A label that does not exist filters nothing out.
        having = [each for each in issues if any(one.name == label for one in each.labels or ())]
        found = [await self._order(each, label) for each in having]
        return tuple(sorted((each for each in found if each), key=lambda each: each.at))

    async def comments(self, since: datetime | None = None) -> tuple[ForgeComment, ...]:
        """Return comments in conversations, and those on lines of pull requests that changed since then."""
        listed = await self._http.list(f"{self._repo}/issues/comments", CommentFacts, _since(since))
        found = [reading.comment(each, number) for each in listed if (number := reading.number_of(each))]
        async for number in self._changed_pulls(since):
            lines = await self._lines(number)
            recent = [each for each in lines if since is None or each.updated_at >= since]
            found += [reading.line_comment(each, number) for each in recent]
        return tuple(sorted(found, key=lambda each: each.at))

    async def reviews(self, number: int) -> tuple[ForgeReview, ...]:
        """Return the reviews that were sent."""
        found = (reading.review(each, number) for each in await self._reviews(number))
        return tuple(sorted((each for each in found if each), key=lambda each: each.at))

    async def threads(self, number: int) -> tuple[ThreadResolved, ...]:
        """Return the threads whose first comment names who resolved them."""
        resolved = [each for each in await self._lines(number) if each.resolver]
        return tuple(
            ThreadResolved(number=number, comment=f"line-{each.id}", by=reading.login(each.resolver))
            for each in resolved
        )

    async def deployments(self, since: datetime | None = None) -> tuple[Deployed, ...]:  # noqa: ARG002 - the port's
        """Return nothing: Forgejo knows no deployments."""
        return ()

    async def pull(self, number: int) -> Pull:
        """Return a pull request."""
        return reading.pull(await self._facts(number))

    async def pull_of(self, branch: str) -> Pull | None:
        """Return the open pull request of a branch."""
        facts = await self._facts_of(branch)
        return reading.pull(facts) if facts else None

    async def put_pull(self, wanted: PullText, number: int | None = None) -> Pull:
        """Open a pull request, or change what differs in the one that is there; a draft begins with WIP."""
        facts = await (self._facts(number) if number else self._facts_of(wanted.branch))
        path = f"{self._repo}/pulls"
        if facts is None:
            body = {**_texts(wanted), "head": wanted.branch, "base": wanted.into}
            reply = await self._http.send("POST", path, body, also=(HTTPStatus.CONFLICT,))
            if reply.status != HTTPStatus.CONFLICT:
                return reading.pull(reply.read(PullFacts, "Forgejo: a new pull request"))
            facts = await self._facts_of(wanted.branch)  # somebody else may have opened it meanwhile
            if facts is None:
                raise self._http.refused("POST", path, reply)
        present = {"title": facts.title, "body": (facts.body or "").rstrip()}
        changes = {key: value for key, value in _texts(wanted).items() if value != present[key]}
        if facts.base.ref != wanted.into and facts.state == "open":
            changes["base"] = wanted.into
        if changes:
            await self._http.send("PATCH", f"{path}/{facts.number}", changes)
            facts = await self._facts(facts.number)
        return reading.pull(facts)

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
        return reply.read(Written, f"Forgejo: {path}").html_url or ""

    async def answer(self, asked: ForgeComment, text: str, mark: str) -> str:
        """Answer in the conversation, or on the same line, which Forgejo shows as one thread."""
        below = f"{self._repo}/issues/{asked.number}/comments"
        if own := await self._own(await self._http.list(below, CommentFacts), mark):
            return own.html_url
        if not asked.id.startswith("line-"):
            reply = await self._http.send("POST", below, {"body": marked(text, mark)})
            return reply.read(Written, f"Forgejo: {below}").html_url or ""
        if line := await self._own(tuple(await self._lines(asked.number)), mark):
            return line.html_url
        note = {"path": asked.file, "body": marked(text, mark), "new_position": asked.line}
        body = {"event": "COMMENT", "commit_id": asked.commit, "comments": [note]}
        path = f"{self._repo}/pulls/{asked.number}/reviews"
        return (await self._http.send("POST", path, body)).read(Written, f"Forgejo: {path}").html_url or ""

    async def report(self, commit: Commit, summary: CheckSummary) -> str:
        """Set a commit status; it has no room for annotations."""
        body = status_of(summary)
        if summary.conclusion is CheckConclusion.NEUTRAL:
            body["state"] = "warning"
        await self._http.send("POST", f"{self._repo}/statuses/{commit}", body, again=True)
        return COMMIT_STATUS

    async def upload_sarif(self, commit: Commit, ref: str, sarif: bytes) -> bool:  # noqa: ARG002 - the port's
        """Return false: Forgejo takes no SARIF."""
        return False

    async def push(
        self, root: Path, commit: Commit, refs: Collection[str], *, expected: str | None = None
    ) -> None:
        """Push with the token, or with git's own credentials where the remote is not HTTP."""
        await self._remote.push(root, commit, refs, expected=expected, authorization=self._for_git)

    async def fetch(self, root: Path, ref: str) -> Commit:
        """Fetch, as `push` pushes."""
        return await self._remote.fetch(root, ref, authorization=self._for_git)

    @property
    def _for_git(self) -> str:
        return self._git_login if self._remote.takes_token else ""

    async def _order(self, issue: IssueFacts, label: str) -> Labelled | None:
        """Return who put a label on; none where the timeline does not say it."""
        path = f"{self._repo}/issues/{issue.number}/timeline"
        entries = await self._http.list(path, TimelineEntry)
        labels = (each for each in entries if each.type == "label" and each.label)
        put_on = [each for each in labels if each.body == "1" and each.label and each.label.name == label]
        if not put_on:
            return None
        last = max(put_on, key=lambda each: each.created_at)
        return Labelled(
            number=issue.number,
            label=label,
            title=issue.title,
            text=issue.body or "",
            author=reading.login(issue.user),
            by=reading.login(last.user),
            at=last.created_at,
            edited=issue.updated_at > last.created_at + _SAME,
            url=issue.html_url,
        )

    async def _changed_pulls(self, since: datetime | None) -> AsyncIterator[int]:
        query = {"state": "all", "sort": "recentupdate"}
        async for page in self._http.pages(f"{self._repo}/pulls", PullFacts, query):
            for each in page:
                if since and each.updated_at and each.updated_at < since:
                    return
                yield each.number

    async def _reviews(self, number: int) -> tuple[ReviewFacts, ...]:
        return await self._http.list(f"{self._repo}/pulls/{number}/reviews", ReviewFacts)

    async def _lines(self, number: int) -> list[LineCommentFacts]:
        found: list[LineCommentFacts] = []
        for review in await self._reviews(number):
            if review.state != "PENDING" and review.comments_count:
                path = f"{self._repo}/pulls/{number}/reviews/{review.id}/comments"
                found += await self._http.list(path, LineCommentFacts)
        return found

    async def _facts(self, number: int) -> PullFacts:
        path = f"{self._repo}/pulls/{number}"
        return (await self._http.get(path)).read(PullFacts, f"Forgejo: {path}")

    async def _facts_of(self, branch: str) -> PullFacts | None:
        for each in await self._http.list(f"{self._repo}/pulls", PullFacts, {"state": "open"}):
            if each.head.ref == branch and not reading.pull(each).foreign:
                return each
        return None

    async def _own(
        self, found: tuple[CommentFacts, ...] | tuple[LineCommentFacts, ...], mark: str
    ) -> CommentFacts | LineCommentFacts | None:
        marked_ones = [each for each in found if carries(each.body or "", mark)]
        me = (await self.me()).casefold() if marked_ones else ""
        return next((each for each in marked_ones if reading.login(each.user).casefold() == me), None)


def _texts(wanted: PullText) -> dict[str, str]:
    title = f"{reading.DRAFT}{wanted.title}" if wanted.draft else wanted.title
    return {"title": title, "body": fitted(wanted.text)}


def _since(since: datetime | None) -> Query:
    return {"since": since.isoformat()} if since else {}
