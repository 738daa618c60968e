"""What GitHub tells by GraphQL alone: edits, threads, and the state of draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

import httpx2
from pydantic import AwareDatetime, Field

from setpoint.errors import ForgeBusy, ForgeError
from setpoint.forges.github.answers import Account
from setpoint.forges.http import Answered, ForgeHttp

T = TypeVar("T", bound=Answered)

QUERIES = {
    "Me": "query Me { viewer { login } }",
    "IssueEdited": """query IssueEdited($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) { lastEditedAt } }
}""",
    "ReviewThreads": """query ReviewThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        isResolved
        resolvedBy { login }
        comments(first: 100) { nodes { databaseId lastEditedAt } }
      }
    }
  } }
}""",
    "ToDraft": """mutation ToDraft($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}""",
    "Ready": """mutation Ready($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}""",
}
_BUSY_S = 60.0


class Viewer(Answered):
    """Whose token it is."""

    viewer: Account


class Edited(Answered):
    """When a text was changed last."""

    last: AwareDatetime | None = Field(default=None, alias="lastEditedAt")


class EditedRepository(Answered):
    """The repository in `IssueEdited`."""

    issue: Edited | None = None


class IssueEdited(Answered):
    """Answers `IssueEdited`."""

    repository: EditedRepository | None = None


class ThreadComment(Edited):
    """A comment of a thread."""

    id: int | None = Field(default=None, alias="databaseId")


class ThreadComments(Answered):
    """The comments of a thread."""

    nodes: tuple[ThreadComment, ...] = ()


class Thread(Answered):
    """A thread of comments on a line."""

    resolved: bool = Field(alias="isResolved")
    by: Account | None = Field(default=None, alias="resolvedBy")
    comments: ThreadComments


class Page(Answered):
    """Where a list continues."""

    more: bool = Field(alias="hasNextPage")
    end: str | None = Field(default=None, alias="endCursor")


class Threads(Answered):
    """A page of threads."""

    page: Page = Field(alias="pageInfo")
    nodes: tuple[Thread, ...]


class PullThreads(Answered):
    """The pull request in `ReviewThreads`."""

    threads: Threads = Field(alias="reviewThreads")


class ThreadsRepository(Answered):
    """The repository in `ReviewThreads`."""

    pull: PullThreads | None = Field(default=None, alias="pullRequest")


class ReviewThreads(Answered):
    """Answers `ReviewThreads`."""

    repository: ThreadsRepository | None = None


class Changed(Answered):
    """Answers a mutation; its content does not matter."""


class Problem(Answered):
    """Why GraphQL refuses."""

    message: str = ""
    type: str = ""


class Envelope(Answered, Generic[T]):
    """Around every answer of GraphQL."""

    data: T | None = None
    errors: tuple[Problem, ...] = ()


class GraphQL:
    """Asks GraphQL at the host of an API."""

    def __init__(self, http: ForgeHttp) -> None:
        """Ask over `http`."""
        self._http = http
        # Enterprise Server: /api/v3 and /api/graphql; github.com: / and /graphql.
        api = httpx2.URL(http.site.api_url)
        path = api.path.rstrip("/").removesuffix("/v3") + "/graphql"
        self._url = str(api.copy_with(path=path))

    async def ask(self, name: str, variables: Mapping[str, str | int | None], shape: type[T]) -> T:
        """Ask one of `QUERIES`; they may all be repeated. Raises `ForgeError`."""
        body = {"operationName": name, "query": QUERIES[name], "variables": dict(variables)}
        reply = await self._http.send("POST", self._url, body, again=True)
        what = f"GitHub: GraphQL {name}"
        answer: Envelope[T] = reply.read(Envelope[shape], what)  # type: ignore[valid-type] # a class at run time
        for problem in answer.errors:
            if problem.type == "RATE_LIMITED":
                raise ForgeBusy(f"{what}: {problem.message}", wait_s=_BUSY_S)
        if answer.data is None or answer.errors:
            told = "; ".join(each.message for each in answer.errors) or "an answer without data"
            raise ForgeError(f"{what}: {told}", hint="look at the permissions of the token")
        return answer.data
