"""Branch and remotes of the user's repository, which tests and tools ask for in a copy of the tree."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import NamedTuple

from setpoint.system.files.untrusted_folder import entered, put
from setpoint.system.git.git import ask

_REMOTES = ("config", "-z", "--get-regexp", r"^remote\..*\.url$")
_ACCOUNT = re.compile(r"(?<=://)[^/@]+@")
_NOWHERE = "/dev/null"
"""Address to which nothing can be pushed."""


class RepositoryNames(NamedTuple):
    """What a repository calls itself."""

    branch: str = ""
    """The branch that is checked out; empty where none is."""
    remotes: tuple[tuple[str, str], ...] = ()
    """Names and addresses, without accounts and passwords."""
    user: tuple[str, str] = ("", "")
    """Name and address with which the user commits."""


NAMELESS = RepositoryNames()


async def names_of_repository(root: Path) -> RepositoryNames:
    """Return branch and remotes of the repository at `root`."""
    branch = (await ask(root, "symbolic-ref", "--quiet", "--short", "HEAD")).text
    remotes = []
    for entry in (await ask(root, *_REMOTES)).text.split("\0"):
        key, _, url = entry.partition("\n")
        if url:
            name = key.removeprefix("remote.").removesuffix(".url")
            remotes.append((name, _ACCOUNT.sub("", url)))
    name, mail = [(await ask(root, "config", key)).text for key in ("user.name", "user.email")]
    return RepositoryNames(branch, tuple(remotes), (name, mail))


def show_names(own: Path, names: RepositoryNames) -> None:
    """Have the repository in a copy say the same: its commit under the branch, remotes that take no push.

    Foreign code may have put a link into it, which is not followed; what is in the way stays.
    """
    with contextlib.suppress(OSError), entered(own, ()) as folder:
        commit, told = (own / "HEAD").read_bytes().strip(), (own / "config").read_bytes()
        if names.branch and not commit.startswith(b"ref:"):
            *parts, name = names.branch.split("/")
            with entered(own, ("refs", "heads", *parts), make=True) as heads:
                put(heads, name, commit + b"\n")
            put(folder, "HEAD", f"ref: refs/heads/{names.branch}\n".encode())
        if all(names.user) and b"[user]" not in told:
            who = [_quoted(each) for each in names.user]
            lines = f'[user]\n\tname = "{who[0]}"\n\temail = "{who[1]}"\n'
            told += lines.encode("utf-8", "surrogateescape")
        for name, url in names.remotes:
            title = f'[remote "{_quoted(name)}"]\n'.encode()
            if title not in told:
                fetch = f"+refs/heads/*:refs/remotes/{_quoted(name)}/*"
                lines = f'\turl = "{_quoted(url)}"\n\tpushurl = {_NOWHERE}\n\tfetch = "{fetch}"\n'
                told += title + lines.encode("utf-8", "surrogateescape")
        put(folder, "config", told)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
