"""Asking git: the plumbing that workspace and evaluators share.

Git is started straight, not under the supervisor: it runs neither hooks nor programs of the user's
configuration here, so it leaves nothing behind, and a run asks it many small questions. The questions below
write to no work tree and no index, and git may not refresh the index either (`GIT_OPTIONAL_LOCKS=0`).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.ids import Commit, Tree
from setpoint.system.environment import clean_environment
from setpoint.system.git.separate_repository import named

NEUTRAL = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "core.pager": "cat",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
    "protocol.file.allow": "always",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "clone.defaultRemoteName": "origin",
    "clone.rejectShallow": "false",
    "init.templateDir": "",
    "safe.bareRepository": "all",
}
"""Configuration that is set aside: whatever would run a program, ask a person or change the result."""

VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_EDITOR": "true",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_AUTHOR_NAME": "Setpoint",
    "GIT_AUTHOR_EMAIL": "setpoint@localhost",
    "GIT_COMMITTER_NAME": "Setpoint",
    "GIT_COMMITTER_EMAIL": "setpoint@localhost",
}
TIMEOUT_S = 600.0
DIFF = ("diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color")
"""Plumbing, because `git diff` obeys the user's taste in diffs."""

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([abtnvfr\"\\]|[0-7]{3})")
_PLAIN = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What git said."""

    argv: tuple[str, ...]
    """The question, without the configuration put before it."""
    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def ok(self) -> bool:
        """Whether git was content."""
        return self.exit_code == 0

    @property
    def text(self) -> str:
        """Standard output as text without the last line end; bytes that are not UTF-8 become surrogates."""
        return os.fsdecode(self.stdout).rstrip("\n")


async def ask(
    root: Path | str, *argv: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Answer:
    """Run git in `root` and give its answer, whatever it is; raises `WorkspaceError` if git cannot run.

    In a tree for measuring it reads the repository that lies apart, never the `.git` that tests could write.
    """
    import asyncio  # noqa: PLC0415 - a verb that asks for the root alone does without it

    with _startable(root):
        process = await asyncio.create_subprocess_exec(
            *_words(argv),
            cwd=root,
            env=_environment(root, environment),
            stdin=asyncio.subprocess.PIPE if stdin else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            stdout, stderr = await process.communicate(stdin or None)
    except TimeoutError:
        raise _late(root, argv) from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return Answer(argv=argv, exit_code=process.returncode or 0, stdout=stdout, stderr=stderr)


def ask_at_once(root: Path | str, *argv: str, environment: Mapping[str, str] | None = None) -> Answer:
    """Ask git what it answers within a moment, such as where something lies; otherwise as `ask`."""
    with _startable(root):
        try:
            done = subprocess.run(
                _words(argv),
                cwd=root,
                env=_environment(root, environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _late(root, argv) from None
    return Answer(argv=argv, exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)


def _words(argv: Iterable[str]) -> list[str]:
    settings = [word for name, value in NEUTRAL.items() for word in ("-c", f"{name}={value}")]
    return ["git", *settings, *argv]


def _environment(root: Path | str, environment: Mapping[str, str] | None) -> dict[str, str]:
    return clean_environment({**VARIABLES, **ceiling(root), **named(root), **(environment or {})})


@contextmanager
def _startable(root: Path | str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        if not Path(root).is_dir():
            raise WorkspaceError(
                f"{root}: no such directory", hint="name a directory of the repository"
            ) from error
        raise WorkspaceError(f"git cannot be started: {error}", hint="install git 2.30 or newer") from error


def _late(root: Path | str, argv: Iterable[str]) -> WorkspaceError:
    return WorkspaceError(f"{root}: git {' '.join(argv)} took more than {TIMEOUT_S:g} s")


def ceiling(root: Path | str) -> dict[str, str]:
    """Keep git from looking for a repository above `root`.

    A copy may lie inside another repository, such as a home folder under git: were the copy's `.git` deleted,
    git would find that one.
    """
    return {"GIT_CEILING_DIRECTORIES": str(Path(root).absolute().parent)}


def located(repository: str, work_tree: str) -> dict[str, str]:
    """Name the repository of a work tree instead of having it looked for; empty means the one inside."""
    return {"GIT_DIR": repository, "GIT_WORK_TREE": work_tree} if repository else {}


_LOST = "the repository has lost an object: `git fsck` names all; fetch or clone it again"


async def git(
    root: Path | str, *argv: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Answer:
    """Run git in `root`; raises `WorkspaceError` with git's own words where it fails."""
    return checked(root, await ask(root, *argv, stdin=stdin, environment=environment))


def checked(root: Path | str, answer: Answer) -> Answer:
    """Return an answer of git in `root`; raises `WorkspaceError` with git's own words where it failed."""
    if not answer.ok:
        words = answer.stderr.decode("utf-8", "replace").strip() or "no message"
        message = f"{root}: git {' '.join(answer.argv)} failed ({answer.exit_code}): {words}"
        raise WorkspaceError(message, hint=_LOST if "unable to read sha1 file" in words else "")
    return answer


def repository_root(path: Path | str) -> Path:
    """Find the root of the work tree that `path` lies in."""
    answer = ask_at_once(path, "rev-parse", "--show-toplevel", environment={"GIT_CEILING_DIRECTORIES": ""})
    if answer.ok and answer.text:
        return Path(answer.text)
    words = answer.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
    if "dubious ownership" in words:
        raise WorkspaceError(f"{path}: {words}")
    hint = (
        "run it inside a git repository with a work tree, or make one: git init && git add -A && git commit"
    )
    raise WorkspaceError(f"{path}: not in the work tree of a git repository ({words})", hint=hint)


async def head(root: Path | str) -> Commit:
    """Return the commit that is checked out; raises `WorkspaceError` where there is none yet."""
    answer = await ask(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not answer.ok:
        raise WorkspaceError(
            f"{root}: the repository has no commit yet", hint="git add -A && git commit -m 'Begin'"
        )
    return Commit(answer.text)


async def is_dirty(root: Path | str, leaving: str = "", *, untracked: bool = True) -> bool:
    """Return whether the tree or the index differs from the checked-out commit.

    Ignored files do not count, nor does the folder that is left out, given from the root.
    """
    words = ["status", "--porcelain", "-z", f"--untracked-files={'normal' if untracked else 'no'}"]
    if leaving:
        words += ["--", ".", f":(exclude,literal){leaving}"]
    return bool((await git(root, *words)).stdout)


async def commit_of(root: Path | str, name: str) -> Commit | None:
    """Return the commit that a branch, ref or abbreviated id names, if there is one."""
    answer = await ask(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return Commit(answer.text) if answer.ok else None


async def tree_of(root: Path | str, commit: str) -> Tree:
    """Return the tree of a commit."""
    answer = await ask(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
    if not answer.ok:
        raise WorkspaceError(f"{root}: there is no commit {commit}")
    return Tree(answer.text)


async def files_at(root: Path | str, commit: str) -> tuple[str, ...]:
    """List all files of a commit, submodules as their directory, with `/` between the parts of a path."""
    return names_of((await git(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)).stdout)


async def show(root: Path | str, commit: str, path: str) -> bytes | None:
    """Return a file of a commit; none where it does not exist there."""
    return (await contents(root, commit, [path])).get(path)


async def contents(root: Path | str, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return files of a commit, by path; those that do not exist there are left out."""
    wanted = list(dict.fromkeys(paths))
    await tree_of(root, commit)
    found: dict[str, bytes] = {}
    simple = [path for path in wanted if "\n" not in path]
    for path in wanted:
        if "\n" in path and (answer := await ask(root, "cat-file", "blob", f"{commit}:{path}")).ok:
            found[path] = answer.stdout
    if not simple:
        return found
    asked = b"".join(b"%s:%s\n" % (commit.encode(), os.fsencode(path)) for path in simple)
    output = memoryview((await git(root, "cat-file", "--batch", stdin=asked)).stdout)
    for path in simple:
        line = bytes(output[: len(os.fsencode(path)) + 120]).partition(b"\n")[0]
        output = output[len(line) + 1 :]
        if line.endswith(b" missing"):
            continue
        _, kind, size = line.split()
        if kind == b"blob":
            found[path] = bytes(output[: int(size)])
        output = output[int(size) + 1 :]
    return found


async def changed_files(root: Path | str, base: str, head: str) -> tuple[str, ...]:
    """List the paths that differ between two commits; a renamed file counts with both of its names."""
    return names_of(
        (await git(root, "diff-tree", "-r", "-z", "--no-renames", "--name-only", base, head)).stdout
    )


async def changed_lines(root: Path | str, base: str, head: str) -> dict[str, set[int]]:
    """Return the lines that `head` adds or changes against `base`, 1-based, by path in `head`.

    A file that only lost lines, was deleted or is binary has no entry.
    """
    answer = await git(root, *DIFF, "-p", "-U0", "--src-prefix=a/", "--dst-prefix=b/", base, head)
    return {path: lines for path, lines in added_lines(answer.stdout) if lines}


def added_lines(patch: bytes) -> Iterator[tuple[str, set[int]]]:
    """Read a patch without context: each file with the numbers of the lines it gains."""
    path, lines, body = "", set[int](), 0
    for line in patch.split(b"\n"):
        if body:  # inside a hunk, where a line may look like a header
            body -= line[:1] in (b"+", b"-")
        elif line.startswith(b"diff --git "):
            yield path, lines
            path, lines = "", set()
        elif line.startswith((b"+++ b/", b'+++ "b/')):
            path = os.fsdecode(unquoted(line[4:].rstrip(b"\t"))[2:])
        elif (hunk := _HUNK.match(line)) is not None:
            removed, start, added = (1 if group is None else int(group) for group in hunk.groups())
            lines.update(range(start, start + added))
            body = removed + added
    yield path, lines


def unquoted(name: bytes) -> bytes:
    """Read a path as git writes it, in quotes and with escapes where it holds control characters."""
    if not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda match: _unescaped(match[1]), name[1:-1])


def _unescaped(code: bytes) -> bytes:
    if len(code) > 1:
        return bytes([int(code, 8)])
    return _PLAIN.get(code, code)


def names_of(listing: bytes) -> tuple[str, ...]:
    """Read paths that git ends with zero bytes."""
    return tuple(os.fsdecode(name) for name in listing.split(b"\0") if name)


async def blobs_at(root: Path | str, commit: str) -> dict[str, str]:
    """Return the id of each file's content in a commit, by path; submodules with the id of their commit."""
    listing = (await git(root, "ls-tree", "-r", "-z", "--full-tree", commit)).stdout
    found = {}
    for entry in listing.split(b"\0"):
        facts, tab, name = entry.partition(b"\t")
        if tab:
            found[os.fsdecode(name)] = facts.split()[2].decode()
    return found


async def contents_of(root: Path | str, blobs: Iterable[str]) -> dict[str, bytes]:
    """Return contents by their ids; those that are not in the repository are left out."""
    wanted = list(dict.fromkeys(blobs))
    if not wanted:
        return {}
    output = (
        await git(root, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in wanted).encode())
    ).stdout
    found: dict[str, bytes] = {}
    place = 0
    for blob in wanted:
        end = output.index(b"\n", place)
        facts, place = output[place:end].split(), end + 1
        if facts[1] == b"blob":
            size = int(facts[2])
            found[blob] = output[place : place + size]
            place += size + 1
        elif facts[-1] != b"missing":
            place += int(facts[2]) + 1
    return found
