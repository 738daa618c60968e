"""Clones that borrow all objects of their source, also where the source is a shallow or a partial clone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.system.git.git import ask, ask_at_once, checked, git

_REFS = ("for-each-ref", "--format=create %(refname) %(objectname)", "refs/heads", "refs/tags")
PROMISORS = ("config", "--name-only", "--get-regexp", r"^remote\..*\.promisor$")
"""What names the remotes that a partial clone fetches missing objects from."""
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--stdin")
_ROUNDS = 2
"""Missing folders come first: they name the files."""


async def clone_shared(source: Path, target: Path, *words: str) -> None:
    """Clone a repository to an empty folder without its objects, and without a remote.

    `words` are `--bare` or `--no-checkout`. `git clone` copies the objects of a shallow source, so Setpoint
    makes that clone itself, with the same end of history.
    """
    directory = git_directory(source)
    if not (directory / "shallow").is_file():
        await git(target.parent, "clone", "--quiet", "--shared", *words, str(source), str(target))
        await git(target, "remote", "remove", "origin")
        return
    kind = (await git(source, "rev-parse", "--show-object-format")).text
    bare = ("--bare",) if "--bare" in words else ()
    await git(target.parent, "init", "--quiet", *bare, f"--object-format={kind}", str(target))
    own = target if bare else target / ".git"
    (own / "objects" / "info" / "alternates").write_bytes(os.fsencode(f"{directory / 'objects'}\n"))
    shutil.copyfile(directory / "shallow", own / "shallow")
    refs = (await git(source, *_REFS)).stdout
    await git(target, "update-ref", "--stdin", stdin=refs)


def git_directory(root: Path) -> Path:
    """Find the git directory that holds the objects of the work tree at `root`."""
    answer = ask_at_once(root, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return Path(checked(root, answer).text)


def private_folders(root: Path) -> list[Path]:
    """Return the git directories of a work tree, without git: its own, and the one that holds the objects."""
    own = root / ".git"
    try:
        if own.is_file():
            own = root / own.read_text("utf-8").removeprefix("gitdir: ").strip()
        shared = own / "commondir"
        return [own, own / shared.read_text("utf-8").strip()] if shared.is_file() else [own]
    except (OSError, UnicodeDecodeError):
        return []


async def fetch_missing(root: Path, commit: str) -> None:
    """Fetch the files of a commit that a partial clone has not fetched yet."""
    promisors = (await ask(root, *PROMISORS)).text.splitlines()
    for _ in range(_ROUNDS if promisors else 0):
        words = ("rev-list", "--objects", "--no-walk", "--missing=print", commit)
        missing = [line[1:] for line in (await git(root, *words)).text.splitlines() if line.startswith("?")]
        if not missing:
            return
        remote = promisors[0].removeprefix("remote.").removesuffix(".promisor")
        answer = await ask(root, *_FETCH, remote, stdin="\n".join((*missing, "")).encode())
        if not answer.ok:
            said = answer.stderr.decode("utf-8", "replace").strip()
            raise WorkspaceError(
                f"{root}: this partial clone lacks files of {commit}, which {remote} refuses: {said}",
                hint=f"fetch them when {remote} can be reached: git checkout {commit}",
            )
