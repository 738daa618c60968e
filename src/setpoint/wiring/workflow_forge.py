"""The forge as a workflow of GitHub Actions reaches it: repository, address and token from the runner."""

from __future__ import annotations

import re
from collections.abc import Mapping

from setpoint.errors import UsageError
from setpoint.forges.git_remote import GitRemote
from setpoint.forges.github.answers import PullFacts
from setpoint.forges.github.forge import GitHubForge
from setpoint.forges.github.login import TokenLogin, lacking
from setpoint.forges.http import ForgeHttp, Site

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_API = re.compile(r"https://\S+|http://(127\.0\.0\.1|localhost)(:\d+)?(/\S*)?")
_HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}


class WorkflowForge:
    """The repository of a workflow: the port's comment, and one question beside the port."""

    def __init__(self, repository: str, site: Site, token: str) -> None:
        """Ask nothing yet."""
        self._repository, self._http = repository, ForgeHttp(site)
        login, remote = TokenLogin(value=token), GitRemote(address="")
        self._forge = GitHubForge(repository, self._http, login, remote)

    async def open_pulls(self, owner: str, branch: str) -> tuple[PullFacts, ...]:
        """Return the open pull requests from a branch of an owner, who may be the owner of a fork."""
        query = {"state": "open", "head": f"{owner}:{branch}"}
        return await self._http.list(f"/repos/{self._repository}/pulls", PullFacts, query)

    async def comment(self, number: int, text: str, mark: str) -> str:
        """Write the comment of this token with a mark, or change it; gives its address on the web."""
        return await self._forge.comment(number, text, mark)


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

    async def authorization() -> str:
        return f"Bearer {token}"

    site = Site(
        name="GitHub",
        api_url=api.rstrip("/"),
        authorize=authorization,
        headers=_HEADERS,
        login_hint="hand the job's token on: token: ${{ github.token }}",
        permission_hint=lacking,
    )
    return WorkflowForge(repository, site, token)
