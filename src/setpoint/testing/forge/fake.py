"""A forge for tests: the server, and what people and machines do on it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from setpoint.testing.forge.events import emit
from setpoint.testing.forge.faults import ForgeFault
from setpoint.testing.forge.naming import stamp
from setpoint.testing.forge.payloads.repository import REPOSITORY_ID
from setpoint.testing.forge.people import People
from setpoint.testing.forge.records import Caller, Role
from setpoint.testing.forge.server import ForgeServer
from setpoint.testing.forge.webhooks import Hook
from setpoint.testing.forge.world import World


def _now() -> datetime:
    return datetime.now(UTC)


class FakeForge(People):
    """A forge with one repository that behaves as GitHub Enterprise Server; it serves inside `with`.

    Every method is one act of a person or a machine and sends the webhooks of that act. Acts that GitHub
    refuses raise `Refused`. Logins in `by` need no preparation; what they may do is in `people`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        repository: str = "octo/shop",
        files: Mapping[str, str] | None = None,
        private: bool = True,
        drafts: bool = True,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """Make the repository under `folder`; with `files`, its branch `main` has them in one commit.

        Without `drafts` it refuses draft pull requests, as GitHub does in private repositories of free plans.
        """
        super().__init__(World(folder, repository, private=private, clock=clock))
        self._world.drafts = drafts
        self._server = ForgeServer(self._world)
        for login in self.people:
            self._world.account(login)
        self.people["setpoint-bot"] = "write"
        if files is not None:
            self._world.bare.write("main", files, "Begin\n", self._world.owner)

    def __enter__(self) -> Self:
        """Begin to serve."""
        self._server.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server and the webhooks; nothing is left of them."""
        for hook in self._world.hooks:
            hook.close()
        self._server.close()

    # where it is

    @property
    def url(self) -> str:
        """Return the address of the server, without a path."""
        return self._world.url

    @property
    def api_url(self) -> str:
        """Return the root of the REST API, as on GitHub Enterprise Server; GraphQL is at `/api/graphql`."""
        return self._world.api

    @property
    def clone_url(self) -> str:
        """Return the address to clone from, without a token."""
        return f"{self._world.page}.git"

    @property
    def repository(self) -> str:
        """Return `OWNER/REPO`."""
        return self._world.full_name

    @property
    def folder(self) -> Path:
        """Return the bare repository."""
        return self._world.bare.path

    def clone_url_as(self, token: str) -> str:
        """Return the address to clone from, with a token."""
        return self.clone_url.replace("http://", f"http://x-access-token:{token}@")

    # who may do what

    @property
    def people(self) -> dict[str, Role]:
        """Return the role of each collaborator by login; it may be changed."""
        return self._world.roles

    @property
    def members(self) -> set[str]:
        """Return the members of the organization that owns the repository; it may be changed."""
        return self._world.members

    @property
    def token(self) -> str:
        """Return the personal token of `setpoint-bot`, who may write."""
        return self.token_of("setpoint-bot")

    def token_of(self, login: str) -> str:
        """Return the personal token of an account, which is as good as its role."""
        with self._world.lock:
            caller = Caller(login=self._world.account(login).login)
            for token, owner in self._world.tokens.items():
                if owner == caller:
                    return token
            made = f"ghp_{secrets.token_hex(18)}"
            self._world.tokens[made] = caller
            return made

    def app_token(self) -> str:
        """Return a new token of the app's installation, which may write and is good for an hour."""
        with self._world.lock:
            world, made = self._world, f"ghs_{secrets.token_hex(18)}"
            login = world.account(f"{world.app_slug}[bot]").login
            world.tokens[made] = Caller(login=login, app=True, expires=world.at() + timedelta(hours=1))
            return made

    def revoke(self, token: str) -> None:
        """Make a token worthless."""
        with self._world.lock:
            self._world.tokens.pop(token, None)

    @property
    def app_id(self) -> int:
        """Return the number of the app."""
        return self._world.app_id

    @property
    def installation_id(self) -> int:
        """Return the number of the app's installation on the repository."""
        return self._world.installation_id

    def trust_app_key(self, modulus: int, exponent: int = 65537) -> None:
        """Check the RS256 signature of the app's JWT with this public key; before, every one is accepted."""
        self._world.app_key = (modulus, exponent)

    # webhooks

    def deliver_to(self, url: str, secret: str) -> Hook:
        """Send the webhook of each change to a URL, beginning with `ping`; an empty secret signs nothing."""
        with self._world.lock:
            world, number = self._world, self._world.next_id()
            hook = Hook(number, url, secret, REPOSITORY_ID)
            address = f"{world.api_repo}/hooks/{number}"
            config = {"content_type": "json", "url": url, "insecure_ssl": "0"}
            times = {"created_at": stamp(hook.created), "updated_at": stamp(hook.created)}
            shown = {
                "type": "Repository",
                "id": number,
                "name": "web",
                "active": True,
                "events": ["*"],
                "config": config | ({"secret": "********"} if secret else {}),
                **times,
                "url": address,
                "test_url": f"{address}/test",
                "ping_url": f"{address}/pings",
                "deliveries_url": f"{address}/deliveries",
                "last_response": {"code": None, "status": "unused", "message": None},
            }
            content = {"zen": "Responsive is better than fast.", "hook_id": number, "hook": shown}
            world.hooks.append(hook)
            emit(world, "ping", world.owner, content, only=hook)
            hook.open()
            return hook

    @property
    def hooks(self) -> list[Hook]:
        """Return the webhooks, oldest first."""
        return self._world.hooks

    # faults and time

    def fail_next(
        self,
        status: int,
        times: int = 1,
        headers: Mapping[str, str] | None = None,
        *,
        path: str = "",
        after: bool = False,
    ) -> None:
        """Refuse the next requests whose path holds `path`, with 403, 429, 500, ...; 0 cuts the connection.

        `headers` are such as `Retry-After`, or `X-RateLimit-Remaining` and `X-RateLimit-Reset`. With `after`,
        the request takes effect and only its answer is lost.
        """
        fault = ForgeFault(status=status, left=times, headers=dict(headers or {}), path=path, after=after)
        self._server.faults.add(fault)

    def slow_next(self, seconds: float, times: int = 1, *, path: str = "") -> None:
        """Answer the next requests correctly, `seconds` late."""
        self._server.faults.add(ForgeFault(status=200, left=times, seconds=seconds, path=path))

    def limit_rate(self, requests: int) -> None:
        """Let every token have this many more requests until the hour ends, then 403."""
        with self._world.lock:
            self._world.used.clear()
            self._world.limit = requests

    def pass_time(self, seconds: float) -> None:
        """Move the forge's clock forward; GitHub's times are whole seconds."""
        with self._world.lock:
            self._world.shift += timedelta(seconds=seconds)

    @property
    def asked(self) -> list[tuple[str, str, int]]:
        """Return method, path and status of each request, the oldest first; 0 is a cut connection."""
        return self._server.asked
