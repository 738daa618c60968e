"""Bring commits to a forge and from it, with git.

The address and the token reach git in its environment: other users of the machine can read arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.errors import ForgeError, WorkspaceError
from setpoint.model.ids import Commit
from setpoint.settings import inherited
from setpoint.system.git.git import Answer, ask
from setpoint.system.processes import NETWORK_KEEP

NAME = "setpoint-forge"
"""The remote as git knows it for one command; it is written to no configuration file."""
_OWN_LOGIN = ("SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_NO_VERIFY", "GIT_SSL_CAINFO")
_PUSH = ("push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--refmap=")
_REF = re.compile(r"refs(/[^\x00-\x20~^:?*\[\\\x7f]+)+")
_LOGIN_IN_URL = re.compile(r"(?<=://)[^/@\s]*@")
_BEHIND = ("fetch first", "non-fast-forward", "stale info", "already exists")
_LOGIN = ("Authentication failed", "could not read Username", "Permission denied", "403", "401")
_PROTECTED = ("protected branch", "hook declined", "GH006", "GH013")
_TRIES = 3
_MOST_SAID = 600


@dataclass(frozen=True, kw_only=True)
class GitRemote:
    """A repository that git reaches."""

    address: str = field(repr=False)
    """A URL, an ssh address such as `git@host:owner/name.git`, or a path."""

    elsewhere: bool = False
    """Whether it is at another host than the API, which must not see the token."""

    @property
    def takes_token(self) -> bool:
        """Whether a token opens it; otherwise git uses its own credentials."""
        return self.address.startswith(("http://", "https://")) and not self.elsewhere

    async def push(
        self,
        root: Path,
        commit: Commit,
        refs: Collection[str],
        *,
        expected: str | None = None,
        authorization: str = "",
    ) -> None:
        """Push a commit of the repository at `root` to full refs, never by force.

        With `expected`, a commit in the history of this one, only where the refs hold just that; empty: where
        they are not there. `authorization` is the value of that HTTP header; empty: git's own credentials.
        Raises `ForgeError`.
        """
        for ref in refs:
            _checked(ref)
        if not refs:
            return
        leases = [f"--force-with-lease={ref}:{expected}" for ref in refs if expected is not None]
        targets = [f"{commit}:{ref}" for ref in refs]
        answer = await self._ask(root, (*_PUSH, *leases, NAME, *targets), authorization)
        if answer.ok:
            return
        refused = [line.split("\t", 2)[1:] for line in answer.text.splitlines() if line.startswith("!\t")]
        told = "; ".join(f"{target.partition(':')[2]} {why}" for target, why in refused if target) or said(
            answer
        )
        if any(word in told for word in _BEHIND):
            message = f"{self.shown}: it holds what {commit[:12]} does not: {told}"
            raise ForgeError(message, hint="fetch the branch, and build on what it holds")
        raise ForgeError(f"{self.shown}: git push is refused: {told}", hint=_hint(told, authorization))

    async def fetch(self, root: Path, ref: str, *, authorization: str = "") -> Commit:
        """Bring the commit of a full ref into the repository at `root`; nothing there is named after it."""
        _checked(ref)
        for _ in range(_TRIES):  # between the two questions somebody may push
            commit = await self._tip(root, ref, authorization)
            answer = await self._ask(root, (*_FETCH, NAME, ref), authorization)
            if not answer.ok:
                told = said(answer)
                message = f"{self.shown}: git fetch of {ref} failed: {told}"
                raise ForgeError(message, hint=_hint(told, authorization))
            if (await self._ask(root, ("cat-file", "-e", f"{commit}^{{commit}}"), "")).ok:
                return commit
        raise ForgeError(f"{self.shown}: {ref} changes with every look", hint="try again in a minute")

    async def default_branch(self, root: Path, *, authorization: str = "") -> str:
        """Return the branch that is the remote's HEAD; empty where it has none."""
        answer = await self._ask(root, ("ls-remote", "--symref", NAME, "HEAD"), authorization)
        first = answer.text.partition("\t")[0]
        return first.removeprefix("ref: refs/heads/") if answer.ok and first.startswith("ref: ") else ""

    @property
    def shown(self) -> str:
        """Return the address without credentials."""
        return without_login(self.address)

    async def _tip(self, root: Path, ref: str, authorization: str) -> Commit:
        answer = await self._ask(root, ("ls-remote", NAME, ref), authorization)
        if not answer.ok:
            told = said(answer)
            message = f"{self.shown}: git cannot read it: {told}"
            raise ForgeError(message, hint=_hint(told, authorization))
        named = (line.split("\t", 1) for line in answer.text.splitlines() if "\t" in line)
        commit = next((sha for sha, name in named if name == ref), "")
        if not commit:
            raise ForgeError(f"{self.shown}: there is no {ref}", hint=f"git ls-remote {self.shown}")
        return Commit(commit)

    async def _ask(self, root: Path, words: Iterable[str], authorization: str) -> Answer:
        own = inherited((*NETWORK_KEEP, *_OWN_LOGIN))
        environment = {**own, **self._configuration(authorization)}
        try:
            return await ask(root, *words, environment=environment)
        except WorkspaceError as error:
            raise ForgeError(f"{self.shown}: {without_login(error.message)}", hint=error.hint) from None

    def _configuration(self, authorization: str) -> dict[str, str]:
        # A token goes to this address alone, however the user's configuration rewrites addresses.
        address = self.shown if authorization else self.address
        pairs = [(f"remote.{NAME}.url", address)]
        if authorization and self.takes_token:
            header = f"http.{address}.extraHeader"
            pairs += [("credential.helper", ""), ("core.askPass", ""), (header, "")]
            pairs += [(header, f"Authorization: {authorization}")]
        named = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for place, (key, value) in enumerate(pairs):
            named |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
        return named


def said(answer: Answer) -> str:
    """Return git's own words in one line, without credentials."""
    words = answer.stderr.decode("utf-8", "replace") or answer.text or f"exit code {answer.exit_code}"
    return " ".join(without_login(words).split())[:_MOST_SAID]


def without_login(text: str) -> str:
    """Remove user names and passwords from the URLs in a text."""
    return _LOGIN_IN_URL.sub("", text)


def _checked(ref: str) -> None:
    if not _REF.fullmatch(ref) or ".." in ref:
        raise ForgeError(f"{ref!r} is no full name of a ref", hint="for example refs/heads/main")


def _hint(told: str, authorization: str) -> str:
    if any(word in told for word in _PROTECTED):
        return "a protected branch takes no push: use the merge queue of the forge (docs/how-to/landing.md)"
    if not any(word in told for word in _LOGIN):
        return "look whether the address is right and can be reached: git remote -v"
    if authorization:
        return "the token needs permission to write contents"
    return "give git its credentials for this remote, or Setpoint a token"
