"""The forge as a workflow of GitHub Actions reaches it: repository, address and token from the runner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from setpoint.errors import ForgeError, UsageError
from setpoint.forges.marks import carries, marked

TIMEOUT_S = 30.0
PER_PAGE = 100
MOST_PAGES = 50
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_API = re.compile(r"https://\S+|http://(127\.0\.0\.1|localhost)(:\d+)?(/\S*)?")
_MOST_SAID = 200
_FORBIDDEN = 403
_HEADERS = {
    "accept": "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    "user-agent": "setpoint",
}
_ME = "query { viewer { login } }"

T = TypeVar("T")


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Account(_Facts):
    login: str


class _Repository(_Facts):
    full_name: str = ""


class PullHead(_Facts):
    """The head of a pull request; a fork that was deleted has no repository."""

    sha: str
    repo: _Repository | None = None


class OpenPull(_Facts):
    """An open pull request."""

    number: int
    head: PullHead


class _Comment(_Facts):
    id: int
    body: str | None = None
    user: _Account | None = None
    html_url: str = ""


class _Viewer(_Facts):
    viewer: _Account


class _ViewerAnswer(_Facts):
    data: _Viewer


class WorkflowForge:
    """The repository of a workflow, with the token of its job."""

    def __init__(self, repository: str, api_url: str, token: str) -> None:
        """Ask nothing yet."""
        self._repository, self._api_url = f"/repos/{repository}", api_url
        self._headers = {**_HEADERS, "authorization": f"Bearer {token}"}

    async def open_pulls(self, owner: str, branch: str) -> tuple[OpenPull, ...]:
        """Return the open pull requests from a branch of an owner, who may be the owner of a fork."""
        query = {"state": "open", "head": f"{owner}:{branch}"}
        return await self._list(f"{self._repository}/pulls", OpenPull, query)

    async def comment(self, number: int, text: str, mark: str) -> str:
        """Write the comment of this token with a mark, or change it; gives its address on the web."""
        body, path = {"body": marked(text, mark)}, f"{self._repository}/issues/{number}/comments"
        found = [each for each in await self._list(path, _Comment) if carries(each.body or "", mark)]
        me = await self._me() if found else ""
        own = next((each for each in found if each.user and each.user.login == me), None)
        if own is not None:
            path = f"{self._repository}/issues/comments/{own.id}"
        answer = await self._asked("PATCH" if own else "POST", path, body=body)
        return _read(answer, TypeAdapter(_Comment)).html_url

    async def _me(self) -> str:
        """Return the login of the token; GitHub names it by GraphQL alone where it is a workflow's."""
        answer = await self._asked("GET", "/user", also=_FORBIDDEN)
        if answer.status_code != _FORBIDDEN:
            return _read(answer, TypeAdapter(_Account)).login
        graphql = f"{self._api_url.removesuffix('/v3')}/graphql"
        answer = await self._asked("POST", graphql, body={"query": _ME})
        return _read(answer, TypeAdapter(_ViewerAnswer)).data.viewer.login

    async def _list(self, path: str, shape: type[T], query: Mapping[str, str] | None = None) -> tuple[T, ...]:
        adapter: TypeAdapter[list[T]] = TypeAdapter(list[shape])  # type: ignore[valid-type] # known at run time
        found: list[T] = []
        for page in range(1, MOST_PAGES + 1):
            asked = {**(query or {}), "per_page": str(PER_PAGE), "page": str(page)}
            got = _read(await self._asked("GET", path, query=asked), adapter)
            found += got
            if len(got) < PER_PAGE:
                return tuple(found)
        raise ForgeError(f"GitHub: {path}: the list has more than {MOST_PAGES} pages")

    async def _asked(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        also: int = 0,
    ) -> httpx2.Response:
        url = path if path.startswith("http") else self._api_url + path
        try:
            async with httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as client:
                answer = await client.request(
                    method, url, params=dict(query or {}), json=body, headers=self._headers
                )
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ForgeError(
                f"GitHub: {url} cannot be reached: {why}", hint="run the job again later"
            ) from None
        if answer.is_success or answer.status_code == also:
            return answer
        told = " ".join(answer.text.split())[:_MOST_SAID]
        hint = "the job needs `permissions: pull-requests: write`" if answer.status_code == _FORBIDDEN else ""
        raise ForgeError(f"GitHub: {method} {path}: {answer.status_code} {told}".rstrip(), hint=hint)


def workflow_forge(variables: Mapping[str, str]) -> WorkflowForge:
    """Reach the repository of the workflow; raises `UsageError` where the runner does not name it."""
    repository, api = variables.get("GITHUB_REPOSITORY", ""), variables.get("GITHUB_API_URL", "")
    token = variables.get("GITHUB_TOKEN", "")
    if not _REPOSITORY.fullmatch(repository) or not _API.fullmatch(api):
        raise UsageError(
            "GITHUB_REPOSITORY and GITHUB_API_URL do not name a repository",
            hint="run it in a job of GitHub Actions",
        )
    if not token.isascii() or not token.isprintable() or " " in token or not token:
        raise UsageError(
            "the variable GITHUB_TOKEN holds no token", hint="env: GITHUB_TOKEN: ${{ github.token }}"
        )
    return WorkflowForge(repository, api.rstrip("/"), token)


def _read(answer: httpx2.Response, adapter: TypeAdapter[T]) -> T:
    try:
        return adapter.validate_json(answer.content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ForgeError(f"GitHub: an answer that cannot be read: {place}: {first['msg']}") from None
