"""Find the commit that a change is compared with, also in a checkout without history."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path

from setpoint.app.ci.change import Change
from setpoint.errors import UsageError
from setpoint.model.ids import Commit
from setpoint.settings import inherited
from setpoint.system.git.git import ask, commit_of, git, head
from setpoint.system.processes import NETWORK_KEEP

STEPS = (50, 200, 1000, 5000)
"""Commits by which a shallow checkout is deepened, one step after the other; then all are fetched."""
_REMOTE = "origin"
_KEPT = "refs/setpoint-ci/base"
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules")
_HINT = "check out with `fetch-depth: 0`, or name a commit of the checkout with --base"


async def base_of(root: Path, change: Change, variables: Mapping[str, str], asked: str = "") -> Commit | None:
    """Return the merge base of what is checked out at `root` and the other side of the change.

    `asked` names the other side in place of what the event says. A shallow checkout is deepened from
    `origin`. None where there is nothing to compare with: the first commit of a repository. Raises
    `UsageError` where the checkout holds another commit, and where no merge base can be found.
    """
    now = await head(root)
    if now not in change.accepted:
        raise UsageError(
            f"{root}: {now} is checked out; the event is about {' or '.join(dict.fromkeys(change.accepted))}",
            hint="use actions/checkout without `ref`",
        )
    remote = _Remote(root, variables)
    if not asked and now == change.merged:
        parents = await _parents(root, now)
        if len(parents) > 1:  # GitHub made this commit: its first parent is the tip of the base
            return await remote.fetched(parents[0])
    other = await _other_side(root, change, remote, asked)
    found = await _merge_base(root, now, other, remote)
    if found != now:
        return found
    parents = await _parents(root, now)  # what is checked out is on the other side already
    return await remote.fetched(parents[0]) if parents else None


async def _other_side(root: Path, change: Change, remote: _Remote, asked: str) -> Commit:
    if asked and (known := await commit_of(root, asked) or await commit_of(root, f"{_REMOTE}/{asked}")):
        return known
    if wanted := asked or change.base:
        return await remote.fetched(wanted)
    branch = change.default_branch
    if not branch:
        raise UsageError("the event names no commit to compare with", hint="name one with --base")
    return await commit_of(root, f"refs/remotes/{_REMOTE}/{branch}") or await remote.fetched(
        f"refs/heads/{branch}"
    )


async def _parents(root: Path, commit: str) -> tuple[Commit, ...]:
    """Read the parents from the commit itself: a shallow checkout hides them from all other questions."""
    text = (await git(root, "cat-file", "commit", commit)).text
    lines = text.partition("\n\n")[0].splitlines()
    return tuple(Commit(line.split()[1]) for line in lines if line.startswith("parent "))


async def _merge_base(root: Path, now: Commit, other: Commit, remote: _Remote) -> Commit:
    for step in (*STEPS, None):
        answer = await ask(root, "merge-base", now, other)
        if answer.ok and answer.text:
            return Commit(answer.text)
        if not await remote.deepen(step, now, other):
            break
    answer = await ask(root, "merge-base", now, other)
    if answer.ok and answer.text:
        return Commit(answer.text)
    raise UsageError(f"{root}: {now} and {other} have no common commit in this checkout", hint=_HINT)


class _Remote:
    """Fetches what a checkout lacks."""

    def __init__(self, root: Path, variables: Mapping[str, str]) -> None:
        self._root, self._variables = root, variables

    async def fetched(self, name: str) -> Commit:
        """Return a commit that the checkout holds, or that the remote gives."""
        if (known := await commit_of(self._root, name)) is not None:
            return known
        answer = await self._fetch("--depth=1", _REMOTE, f"+{name}:{_KEPT}")
        if answer is None and (known := await commit_of(self._root, _KEPT)) is not None:
            return known
        raise UsageError(f"{self._root}: {name} cannot be fetched from {_REMOTE}: {answer}", hint=_HINT)

    async def deepen(self, step: int | None, *commits: str) -> bool:
        """Fetch more of the history of commits; false where the checkout has all of it or nothing comes."""
        if (await ask(self._root, "rev-parse", "--is-shallow-repository")).text != "true":
            return False
        much = "--unshallow" if step is None else f"--deepen={step}"
        refusals = [await self._fetch(much, _REMOTE, each) for each in commits]
        return not all(refusals)

    async def _fetch(self, *words: str) -> str | None:
        """Fetch; none where git was content, else what it said."""
        known = {**inherited(NETWORK_KEEP), **await self._permission()}
        answer = await ask(self._root, *_FETCH, *words, environment=known)
        return None if answer.ok else answer.stderr.decode("utf-8", "replace").strip()[:500] or "no message"

    async def _permission(self) -> dict[str, str]:
        """Hand the job's token to git, for its own server alone and not in a command line."""
        token, server = self._variables.get("GITHUB_TOKEN", ""), self._variables.get("GITHUB_SERVER_URL", "")
        url = (await ask(self._root, "remote", "get-url", _REMOTE)).text
        own = await ask(self._root, "config", "--get-regexp", r"^http\..*\.extraheader$")
        if not token or not server.startswith("https://") or not url.startswith(f"{server}/") or own.text:
            return {}
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        return {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{server}/.extraheader",
            "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {secret}",
        }
