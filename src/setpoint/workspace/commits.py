"""The user's own commits: who is their author, how they are signed, and what the hooks for messages say."""

from __future__ import annotations

import os
import re
import tempfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.config.delivery import NAMED
from setpoint.model.ids import StoryId, Tree
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story
from setpoint.system.environment import clean_environment
from setpoint.system.git.as_user import git_as_user
from setpoint.system.git.git import VARIABLES
from setpoint.system.git.hooks_folder import hooks_folder
from setpoint.system.processes import Command, Completed, run

_SETPOINT = {
    name: text for name, text in VARIABLES.items() if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))
}
_TYPES: Mapping[WorkKind, str] = {
    WorkKind.REPAIR: "fix",
    WorkKind.BEHAVIOUR: "feat",
    WorkKind.REFACTOR: "refactor",
    WorkKind.DOCS: "docs",
    WorkKind.TESTS: "test",
    WorkKind.CHORE: "chore",
}
"""How conventional commits call a kind of work."""
_TYPED = re.compile(r"^\w+(?:\([^)]*\))?!?: ")
_TRAILER = re.compile(r"^[A-Z][\w-]*: .+$")
_WIDTH, _MOST_WORDS = 72, 300
_HOOK_S = 120.0
_HOOKS: Mapping[str, tuple[str, ...]] = {"prepare-commit-msg": ("message",), "commit-msg": ()}
"""The hooks that git asks of a message that it is given, in this order, with what it says behind the file."""


@dataclass(kw_only=True)
class Commits:
    """Makes commits in a repository of Setpoint as the user would make them at `root`."""

    root: Path
    objects: Path
    """The folder of objects in which they are written."""
    author: str = "user"
    """As in `DeliverySettings`."""
    notes: list[str] = field(default_factory=list)
    """What a person should know of them."""

    async def message(self, text: str) -> str:
        """Run the hooks for messages; where one refuses it, it is written once more in the common form."""
        refused, made = await self._through(text)
        if refused is None:
            return made
        refused, again = await self._through(conventional(text))
        if refused is None:
            return again
        hook, done = refused
        said = " ".join(f"{done.text}\n{done.errors}".split())[-_MOST_WORDS:]
        self._note(
            f"the {hook.name} hook ({hook}) refuses the message: {said or done.ending}; "
            "hint: write it again with `git commit --amend` on the branch"
        )
        return text

    async def commit(self, tree: Tree, parent: str, text: str) -> str:
        """Write a commit, signed where the user's commits are; unsigned where that fails."""
        who = await self._people()
        words = ("commit-tree", tree, "-p", parent, "-F", "-")
        into = {**who, "GIT_OBJECT_DIRECTORY": str(self.objects)}
        sent = text.encode("utf-8", "surrogateescape")
        if (await self._setting("--type=bool", "commit.gpgSign")) == "true":
            signed = await git_as_user(self.root, *words, "-S", stdin=sent, environment=into)
            if signed.ok:
                return signed.text.strip()
            said = " ".join(signed.errors.split())[-_MOST_WORDS:]
            self._note(
                f"the commit is not signed, though commit.gpgSign is set: {said or signed.ending}; "
                "hint: sign it with `git commit --amend --no-edit -S` on the branch"
            )
        done = await git_as_user(self.root, *words, stdin=sent, environment=into)
        return done.text.strip() if done.ok else ""

    async def _people(self) -> dict[str, str]:
        """Return who is author and committer, as variables; none of them where git knows it by itself."""
        if self.author == "setpoint":
            return _SETPOINT
        known = all([await self._known(each) for each in ("AUTHOR", "COMMITTER")])
        named = NAMED.fullmatch(self.author)
        if not known and named is None:
            self._note(
                "git does not know you, so Setpoint is the author of the commit; hint: git config user.name "
                "'Your Name' && git config user.email you@example.org"
            )
        mine = {} if known else _SETPOINT
        if named is None:
            return mine
        return {**mine, "GIT_AUTHOR_NAME": named["name"], "GIT_AUTHOR_EMAIL": named["mail"]}

    async def _known(self, who: str) -> bool:
        return (await git_as_user(self.root, "-c", "user.useConfigOnly=true", "var", f"GIT_{who}_IDENT")).ok

    async def _setting(self, *words: str) -> str:
        return (await git_as_user(self.root, "config", "--get", *words)).text.strip()

    async def _through(self, text: str) -> tuple[tuple[Path, Completed] | None, str]:
        """Run the hooks on a message, which they may change; gives the one that refuses, and the message."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            file = Path(folder) / "COMMIT_EDITMSG"
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
            variables = clean_environment({"GIT_EDITOR": ":", "GIT_TERMINAL_PROMPT": "0"})
            refused = None
            for name, words in _HOOKS.items():
                hook = hooks_folder(self.root) / name
                if refused is not None or not os.access(hook, os.X_OK):
                    continue
                command = Command(
                    argv=(str(hook), str(file), *words),
                    cwd=self.root,
                    environment=variables,
                    timeout_s=_HOOK_S,
                    writes=(file.parent,),
                )
                done = await run(command)
                refused = None if done.ok else (hook, done)
            return refused, file.read_bytes().decode("utf-8", "surrogateescape")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def conventional(text: str) -> str:
    r"""Write a message as a conventional commit: a typed subject and a body in short lines.

    >>> conventional("The price of 3 is wrong.\\n\\nSetpoint-Run: run-1\\n")
    'fix: the price of 3 is wrong\\n\\nSetpoint-Run: run-1\\n'
    """
    subject, _, body = text.partition("\n")
    if not _TYPED.match(subject):
        kind, _ = kind_of_request(Story(id=StoryId("message"), title=subject))
        second = subject[1:2]
        plain = subject if second.isupper() else subject[:1].lower() + subject[1:]
        subject = f"{_TYPES.get(kind, 'chore')}: {plain.rstrip('. ')}"
    lines = [
        part
        for line in body.splitlines()
        for part in ([line] if _TRAILER.match(line) else textwrap.wrap(line, _WIDTH) or [""])
    ]
    return "\n".join([textwrap.shorten(subject, _WIDTH, placeholder=" ..."), *lines]).rstrip() + "\n"
