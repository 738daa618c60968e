"""The port to a forge: the issues, pull requests and comments of a repository on GitHub and its like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol

from setpoint.model.forge import (
    CheckSummary,
    Delivery,
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


class ForgePeople(Protocol):
    """Who works at a forge."""

    async def me(self) -> str:
        """Return the login that Setpoint acts under."""

    async def permission(self, login: str) -> Permission:
        """Ask what a person may do in the repository; `NONE` for those that the forge does not know."""


class ForgeReader(Protocol):
    """What happened at a forge."""

    async def labelled(self, label: str, since: datetime | None = None) -> tuple[Labelled, ...]:
        """Return the open issues that carry a label and changed since then, oldest label first.

        Each with the person who put the label on last, and whether its text changed after that.
        """

    async def comments(self, since: datetime | None = None) -> tuple[ForgeComment, ...]:
        """Return the comments of the repository that were written or changed since then, oldest first."""

    async def reviews(self, number: int) -> tuple[ForgeReview, ...]:
        """Return the reviews of a pull request that were sent, oldest first."""

    async def threads(self, number: int) -> tuple[ThreadResolved, ...]:
        """Return the threads of a pull request that are resolved; none where the forge does not tell."""

    async def deployments(self, since: datetime | None = None) -> tuple[Deployed, ...]:
        """Return what was deployed with success since then, oldest first."""


class ForgePulls(Protocol):
    """The pull requests of a repository at a forge."""

    async def pull(self, number: int) -> Pull:
        """Return a pull request as it is now."""

    async def pull_of(self, branch: str) -> Pull | None:
        """Return the open pull request of a branch of this repository; none where there is none."""

    async def put_pull(self, wanted: PullText, number: int | None = None) -> Pull:
        """Open a pull request, or bring the one with this number to the wanted text and state of draft.

        Opening it a second time for the same branch brings the one that is there to the wanted state.
        """


class ForgeWriter(Protocol):
    """What Setpoint says at a forge."""

    async def comment(self, number: int, text: str, mark: str) -> str:
        """Write a comment on an issue or pull request; gives its address on the web.

        The own comment there that carries the mark (hidden, one word) is changed instead, where there is one.
        """

    async def answer(self, asked: ForgeComment, text: str, mark: str) -> str:
        """Answer where it was asked: in the thread of a line, else below the issue; once for each mark."""

    async def report(self, commit: Commit, summary: CheckSummary) -> str:
        """Show a summary at a commit; gives how: `check run`, or `commit status` where only that is allowed.

        A second summary of the same name at the same commit replaces the first.
        """

    async def upload_sarif(self, commit: Commit, ref: str, sarif: bytes) -> bool:
        """Hand over findings as SARIF; return whether the forge takes them."""


class ForgeGit(Protocol):
    """The git repository at a forge."""

    async def push(
        self, root: Path, commit: Commit, refs: Collection[str], *, expected: str | None = None
    ) -> None:
        """Push a commit of the repository at `root` to each of these full refs, never by force.

        Raises `ForgeError` where the other side holds what this commit does not; with `expected`, an older
        commit, also where the refs hold anything else than that; empty: where they are there.
        """

    async def fetch(self, root: Path, ref: str) -> Commit:
        """Bring the commit of a full ref of the forge into the repository at `root`, without a new ref."""


class RemoteForge(ForgePeople, ForgeReader, ForgePulls, ForgeWriter, ForgeGit, Protocol):
    """One repository at a forge.

    Each call raises `ForgeError` where the forge refuses, cannot be reached, or answers what it never should;
    `ForgeBusy` (a `ForgeError`) carries the seconds to wait where it asks for patience. Lists are whole: the
    adapter follows pages. Text of people arrives as it is; who uses it fences and caps it.
    """


class DeliveryReader(Protocol):
    """Reads what a forge sends to a webhook."""

    def __call__(self, headers: Mapping[str, str], body: bytes, secret: str) -> Delivery:
        """Check the signature of the raw body, then read it.

        Header names are lower-case. Raises `DeliveryRefused` where the signature is missing or wrong, and
        `UsageError` where this forge does not write such messages.
        """
