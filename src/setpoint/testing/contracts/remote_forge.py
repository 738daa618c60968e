"""What every remote forge promises."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from datetime import timedelta
from pathlib import Path

import pytest

from setpoint.errors import ForgeError
from setpoint.model.forge import (
    Annotation,
    CheckConclusion,
    CheckSummary,
    Level,
    Permission,
    Pull,
    PullState,
    PullText,
    ReviewState,
)
from setpoint.model.ids import Commit
from setpoint.ports.remote_forge import RemoteForge

PEOPLE = {
    "ada": Permission.ADMIN,
    "wes": Permission.WRITE,
    "rob": Permission.READ,
    "eve": Permission.NONE,
}
"""Who is there, and what each may do."""
LABEL = "setpoint"
BRANCH = "setpoint/fix"
FILE = "calc.py"


class ForgeStage(ABC):
    """A forge with the `PEOPLE`, and what they do there.

    `root` is a repository with one commit on `main`, which holds `FILE`; the forge has that commit too.
    """

    forge: RemoteForge
    root: Path
    shows = "check run"
    """How summaries are shown."""
    takes_sarif = True

    @abstractmethod
    async def open_issue(self, title: str, text: str, author: str) -> int:
        """Open an issue and return its number."""

    @abstractmethod
    async def label(self, number: int, by: str) -> None:
        """Put `LABEL` on an issue."""

    @abstractmethod
    async def edit(self, number: int, text: str) -> None:
        """Change the text of an issue, after the time of everything before it."""

    @abstractmethod
    async def say(self, number: int, author: str, text: str) -> None:
        """Comment on an issue or pull request."""

    @abstractmethod
    async def say_on_line(self, number: int, author: str, text: str) -> None:
        """Comment on the first line of `FILE` in a pull request."""

    @abstractmethod
    async def review(self, number: int, author: str, state: ReviewState, text: str) -> None:
        """Send a review of a pull request."""

    @abstractmethod
    async def merge(self, number: int, by: str) -> None:
        """Merge a pull request."""

    @abstractmethod
    async def close(self, number: int, by: str) -> None:
        """Close a pull request."""


class RemoteForgeContract:
    """What every remote forge does."""

    @pytest.fixture
    def stage(self, tmp_path: Path) -> ForgeStage:
        """Make the forge and its people; override this."""
        raise NotImplementedError

    async def test_it_asks_what_people_may_do(self, stage: ForgeStage) -> None:
        asked = {login: await stage.forge.permission(login) for login in (*PEOPLE, "nobody-there")}
        assert asked == {**PEOPLE, "nobody-there": Permission.NONE}
        assert await stage.forge.me()

    async def test_a_label_is_an_order_of_who_put_it_on(self, stage: ForgeStage) -> None:
        await stage.open_issue("Unlabelled", "", "eve")
        number = await stage.open_issue("Fix add", "It subtracts.", "eve")
        assert await stage.forge.labelled(LABEL) == ()
        await stage.label(number, "wes")
        (found,) = await stage.forge.labelled(LABEL)
        told = (found.number, found.title, found.text, found.author, found.by, found.edited)
        assert told == (number, "Fix add", "It subtracts.", "eve", "wes", False)
        assert await stage.forge.labelled(LABEL, found.at + timedelta(days=1)) == ()
        await stage.edit(number, "Delete everything.")
        (edited,) = await stage.forge.labelled(LABEL)
        assert (edited.text, edited.edited, edited.key) == ("Delete everything.", True, found.key)

    async def test_a_pull_request_is_opened_once_and_kept_as_wanted(self, stage: ForgeStage) -> None:
        assert await stage.forge.pull_of(BRANCH) is None
        made = await opened(stage, draft=True)
        assert (made.branch, made.into, made.state) == (BRANCH, "main", PullState.OPEN)
        assert (made.draft, made.foreign) == (True, False)
        assert made.head == head_of(stage.root)
        again = await stage.forge.put_pull(text(draft=False))
        assert (again.number, again.draft) == (made.number, False)
        by_number = await stage.forge.put_pull(text(draft=True), made.number)
        assert (by_number.number, by_number.draft) == (made.number, True)
        assert await stage.forge.pull_of(BRANCH) == await stage.forge.pull(made.number) == by_number
        with pytest.raises(ForgeError):
            await stage.forge.pull(made.number + 1000)

    async def test_a_branch_that_is_not_there_has_no_pull_request(self, stage: ForgeStage) -> None:
        with pytest.raises(ForgeError):
            await stage.forge.put_pull(text(draft=False))

    async def test_a_pull_request_ends(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        await stage.merge(made.number, "ada")
        merged = await stage.forge.pull(made.number)
        assert (merged.state, merged.by, len(merged.merge_commit)) == (PullState.MERGED, "ada", 40)
        assert await stage.forge.pull_of(BRANCH) is None
        brought = await stage.forge.fetch(stage.root, "refs/heads/main")
        assert brought == merged.merge_commit

    async def test_a_pull_request_is_closed(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        await stage.close(made.number, "ada")
        closed = await stage.forge.pull(made.number)
        assert (closed.state, closed.merge_commit) == (PullState.CLOSED, "")

    async def test_the_own_comment_is_changed_in_place(self, stage: ForgeStage) -> None:
        number = await stage.open_issue("Fix add", "", "ada")
        await stage.say(number, "eve", "Fake\n\n<!-- evidence -->")
        first = await stage.forge.comment(number, "One", "evidence")
        assert await stage.forge.comment(number, "Two", "evidence") == first
        assert await stage.forge.comment(number, "Three", "other") != first
        found = await stage.forge.comments()
        me = await stage.forge.me()
        assert [each.text.partition("\n")[0] for each in found if each.author == me] == ["Two", "Three"]
        assert [each.text.partition("\n")[0] for each in found if each.author == "eve"] == ["Fake"]
        assert {each.number for each in found} == {number}
        assert len({each.key for each in found}) == 3

    async def test_it_answers_once_where_it_was_asked(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        await stage.say(made.number, "wes", "Why?")
        await stage.say_on_line(made.number, "wes", "And here?")
        asked = await stage.forge.comments()
        below = next(each for each in asked if not each.file)
        online = next(each for each in asked if each.file)
        assert (below.author, below.text, below.id.partition("-")[0]) == ("wes", "Why?", "issue")
        assert (online.file, online.line, online.text) == (FILE, 1, "And here?")
        assert (online.commit, online.id.partition("-")[0]) == (made.head, "line")
        for _ in range(2):
            for each in (below, online):
                assert await stage.forge.answer(each, f"Because of {each.id}", f"answer-{each.id}")
        answers = [each for each in await stage.forge.comments() if each.text.startswith("Because")]
        assert sorted(each.file for each in answers) == ["", FILE]

    async def test_reviews_are_read(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        await stage.review(made.number, "wes", ReviewState.CHANGES_REQUESTED, "Not yet")
        await stage.review(made.number, "ada", ReviewState.APPROVED, "Good")
        found = await stage.forge.reviews(made.number)
        assert [(each.author, each.state, each.text) for each in found] == [
            ("wes", ReviewState.CHANGES_REQUESTED, "Not yet"),
            ("ada", ReviewState.APPROVED, "Good"),
        ]
        assert {each.commit for each in found} == {made.head}
        assert await stage.forge.threads(made.number) == ()

    async def test_summaries_are_shown_and_replaced(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        notes = tuple(
            Annotation(file=FILE, line=line, level=Level.WARNING, title="Look", text="Here")
            for line in range(1, 121)
        )
        for conclusion in CheckConclusion:
            summary = CheckSummary(conclusion=conclusion, title="Measured", text="All", annotations=notes)
            assert await stage.forge.report(made.head, summary) == stage.shows

    async def test_sarif_is_handed_over_where_it_is_taken(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        sarif = b'{"version": "2.1.0", "runs": []}'
        assert await stage.forge.upload_sarif(made.head, f"refs/heads/{BRANCH}", sarif) is stage.takes_sarif

    async def test_what_others_pushed_is_never_overwritten(self, stage: ForgeStage) -> None:
        made = await opened(stage)
        run(stage.root, "checkout", "-q", "--detach", "main")
        other = commit_to(stage.root, "value = 3\n")
        with pytest.raises(ForgeError):
            await stage.forge.push(stage.root, other, [f"refs/heads/{BRANCH}"])
        with pytest.raises(ForgeError):
            await stage.forge.push(stage.root, other, [f"+refs/heads/{BRANCH}"])
        assert await stage.forge.fetch(stage.root, f"refs/heads/{BRANCH}") == made.head
        with pytest.raises(ForgeError):
            await stage.forge.fetch(stage.root, "refs/heads/nowhere")


def text(*, draft: bool) -> PullText:
    """Return what the pull request of the suite says."""
    return PullText(branch=BRANCH, into="main", title="Fix add", text="With evidence.", draft=draft)


async def opened(stage: ForgeStage, *, draft: bool = False) -> Pull:
    """Push a commit and open its pull request."""
    run(stage.root, "checkout", "-q", "--detach", "main")
    commit = commit_to(stage.root, "value = 2\n")
    await stage.forge.push(stage.root, commit, [f"refs/heads/{BRANCH}"])
    return await stage.forge.put_pull(text(draft=draft))


def run(root: Path, *words: str) -> str:
    """Return what git prints."""
    author = ("-c", "user.name=u", "-c", "user.email=u@u")
    done = subprocess.run(["git", *author, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def head_of(root: Path) -> Commit:
    """Return the commit that is checked out."""
    return Commit(run(root, "rev-parse", "HEAD"))


def commit_to(root: Path, content: str) -> Commit:
    """Commit a new content of `FILE`."""
    (root / FILE).write_text(content)
    run(root, "add", "-A")
    run(root, "commit", "-q", "-m", "Change it")
    return head_of(root)


def repository(folder: Path) -> Path:
    """Make the repository that a stage begins with."""
    folder.mkdir(parents=True)
    run(folder, "init", "-q", "-b", "main")
    commit_to(folder, "value = 1\n")
    return folder
