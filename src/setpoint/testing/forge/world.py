"""The state of a fake forge, and what every part of it needs: accounts, tokens, a clock, numbers, events."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from setpoint.testing.forge.bare import BareRepository
from setpoint.testing.forge.records import (
    Account,
    Caller,
    CheckRun,
    CommitStatus,
    Deployment,
    Issue,
    Pull,
    Role,
    SarifUpload,
)
from setpoint.testing.forge.refusal import missing
from setpoint.testing.forge.webhooks import Hook

RATE_LIMIT = 5000
TOKEN_LIFE = timedelta(hours=1)
LABEL_COLOR = "ededed"


class World:
    """Everything that the forge knows. Whoever reads or changes it holds `lock`."""

    def __init__(self, folder: Path, name: str, *, private: bool, clock: Callable[[], datetime]) -> None:
        """Keep the repository `name` (`OWNER/REPO`) under `folder`."""
        self.owner, self.repo = name.split("/")
        self.private = private
        self.drafts = True
        """Whether pull requests may be drafts; GitHub refuses them in private repositories of free plans."""
        self.url = ""
        """Address of the server, without a path."""
        self.folder = folder
        self.lock = threading.RLock()
        self.shift = timedelta()
        self._clock = clock
        self._last_id = 1000
        self.roles: dict[str, Role] = {self.owner: "admin"}
        self.members: set[str] = set()
        self.accounts: dict[str, Account] = {}
        self.tokens: dict[str, Caller] = {}
        self.app_id, self.installation_id, self.app_slug = 4711, 815, "setpoint"
        self.app_key: tuple[int, int] | None = None
        """Modulus and exponent of the app's public key; None accepts every signature."""
        self.issues: dict[int, Issue] = {}
        self.labels: dict[str, int] = {}
        self.checks: list[CheckRun] = []
        self.statuses: list[CommitStatus] = []
        self.deployments: list[Deployment] = []
        self.sarifs: list[SarifUpload] = []
        self.hooks: list[Hook] = []
        self.used: dict[tuple[str, int], int] = {}
        """Requests that counted, by token and hour."""
        self.limit = RATE_LIMIT
        self.created = self.at()
        self.bare = BareRepository(folder / self.owner / f"{self.repo}.git", self.at)

    @property
    def full_name(self) -> str:
        """Return `OWNER/REPO`."""
        return f"{self.owner}/{self.repo}"

    @property
    def api(self) -> str:
        """Return the root of the REST API, as on GitHub Enterprise Server."""
        return f"{self.url}/api/v3"

    @property
    def api_repo(self) -> str:
        """Return the address of the repository in the REST API."""
        return f"{self.api}/repos/{self.full_name}"

    @property
    def page(self) -> str:
        """Return the address of the repository for people."""
        return f"{self.url}/{self.full_name}"

    def at(self) -> datetime:
        """Return the forge's time in whole seconds."""
        return (self._clock() + self.shift).replace(microsecond=0)

    def resets_at(self) -> int:
        """Return when the rate limit begins again: the next full hour, in seconds since 1970."""
        return (int(self.at().timestamp()) // 3600 + 1) * 3600

    def spent(self, token: str, more: int = 0) -> int:
        """Count `more` requests of a token, and return how many it made in this hour."""
        key = (token, self.resets_at())
        self.used[key] = self.used.get(key, 0) + more
        return self.used[key]

    def next_id(self) -> int:
        """Return a number that nothing else on this forge has."""
        self._last_id += 1
        return self._last_id

    def account(self, login: str) -> Account:
        """Return the account of a login; one that is new signs up."""
        if login not in self.accounts:
            self.accounts[login] = Account(id=self.next_id(), login=login)
        return self.accounts[login]

    def role(self, login: str) -> Role:
        """Return what an account may do here; third parties read what is public."""
        return self.roles.get(login, "none" if self.private else "read")

    def may_write(self, login: str) -> bool:
        """Return whether an account may push; the bot of the app may."""
        return login == f"{self.app_slug}[bot]" or self.role(login) in ("admin", "maintain", "write")

    def association(self, login: str) -> str:
        """Return GitHub's `author_association` of an account."""
        if login == self.owner:
            return "OWNER"
        if login in self.members:
            return "MEMBER"
        if self.roles.get(login, "none") != "none":
            return "COLLABORATOR"
        merged = (each for each in self.pulls() if each.author == login and each.merging.merged_at)
        return "CONTRIBUTOR" if any(merged) else "NONE"

    def label_id(self, name: str) -> int:
        """Return the number of a label; one that is new is made."""
        if name not in self.labels:
            self.labels[name] = self.next_id()
        return self.labels[name]

    def issue(self, number: int) -> Issue:
        """Return an issue or a pull request; raises the 404 of GitHub."""
        if number not in self.issues:
            raise missing()
        return self.issues[number]

    def pulls(self) -> list[Issue]:
        """Return the pull requests, oldest first."""
        return [each for each in self.issues.values() if each.pull is not None]

    def pull(self, number: int) -> tuple[Issue, Pull]:
        """Return a pull request; raises the 404 of GitHub."""
        issue = self.issue(number)
        if issue.pull is None:
            raise missing()
        return issue, issue.pull
