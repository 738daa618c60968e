"""The port to a forge in memory, over a real bare repository, with the acts of people beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from setpoint.errors import ForgeError
from setpoint.forges.git_remote import GitRemote
from setpoint.forges.marks import carries, marked
from setpoint.model.forge import (
    CheckSummary,
    Deployed,
    ForgeComment,
    ForgeReview,
    Labelled,
    Permission,
    Pull,
    PullState,
    PullText,
    ReviewState,
    ThreadResolved,
)
from setpoint.model.ids import Commit
from setpoint.system.git.git import commit_of, git

WEB = "https://forge.invalid"


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(kw_only=True)
class MemoryIssue:
    """An issue of the fake."""

    title: str
    text: str
    author: str
    changed: datetime
    open: bool = True
    labels: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    """Who put which label on, and when."""
    edited: datetime | None = None
    """When title or text changed last."""


class MemoryForge:
    """Remembers until it is thrown away; branches go to the bare repository at `remote`."""

    def __init__(
        self, remote: Path, *, login: str = "setpoint-bot", now: Callable[[], datetime] = _now
    ) -> None:
        """Begin empty; Setpoint acts as `login`, and `now` gives aware times."""
        self.remote, self.login, self._now = remote, login, now
        self.permissions: dict[str, Permission] = {login: Permission.WRITE}
        self.issues: dict[int, MemoryIssue] = {}
        self.said: list[ForgeComment] = []
        """All comments, oldest first."""
        self.given: list[ForgeReview] = []
        """All reviews, oldest first."""
        self.resolved: list[ThreadResolved] = []
        self.deployed: list[Deployed] = []
        self.pulls: dict[int, Pull] = {}
        self.texts: dict[int, PullText] = {}
        """What each pull request of `pulls` says."""
        self.summaries: dict[tuple[Commit, str], CheckSummary] = {}
        """By commit and name."""
        self.sarif: list[tuple[Commit, str, bytes]] = []
        self._changed: dict[str, datetime] = {}

    # What people do.

    def open_issue(self, title: str, text: str, author: str) -> int:
        """Open an issue and return its number."""
        number = self._number()
        self.issues[number] = MemoryIssue(title=title, text=text, author=author, changed=self._now())
        return number

    def label(self, number: int, label: str, by: str) -> Labelled:
        """Put a label on an issue; gives the news of it."""
        issue = self.issues[number]
        issue.changed = self._now()
        issue.labels[label] = (by, issue.changed)
        return self._labelled(number, issue, label)

    def unlabel(self, number: int, label: str) -> None:
        """Take a label off an issue."""
        self.issues[number].labels.pop(label, None)

    def edit(self, number: int, text: str) -> None:
        """Change the text of an issue."""
        issue = self.issues[number]
        issue.text, issue.edited = text, self._now()
        issue.changed = issue.edited

    def say(
        self, number: int, author: str, text: str, *, file: str = "", line: int = 0, reply_to: str = ""
    ) -> ForgeComment:
        """Comment on an issue or pull request; with `file` on a line of its change."""
        id_ = f"{'line' if file else 'issue'}-{len(self.said) + 1}"
        at = self._now()
        made = ForgeComment(
            id=id_,
            number=number,
            author=author,
            text=text,
            at=at,
            file=file,
            line=line,
            commit=self.pulls[number].head if file else "",
            reply_to=reply_to,
            url=f"{WEB}/{number}#{id_}",
        )
        self.said.append(made)
        self._changed[id_] = at
        return made

    def change(self, id_: str, text: str) -> ForgeComment:
        """Change the text of a comment."""
        place = next(place for place, each in enumerate(self.said) if each.id == id_)
        self.said[place] = self.said[place].model_copy(update={"text": text, "edited": True})
        self._changed[id_] = self._now()
        return self.said[place]

    async def review(self, number: int, author: str, state: ReviewState, text: str = "") -> ForgeReview:
        """Send a review of the head of a pull request."""
        made = ForgeReview(
            id=str(len(self.given) + 1),
            number=number,
            author=author,
            state=state,
            text=text,
            at=self._now(),
            commit=(await self.pull(number)).head,
        )
        self.given.append(made)
        return made

    def resolve(self, number: int, comment: str, by: str) -> ThreadResolved:
        """Resolve the thread that a comment begins."""
        made = ThreadResolved(number=number, comment=comment, by=by)
        self.resolved.append(made)
        return made

    async def merge(self, number: int, by: str) -> Pull:
        """Merge a pull request in the bare repository."""
        pull = await self.pull(number)
        base = await commit_of(self.remote, f"refs/heads/{pull.into}")
        words = ("merge-tree", "--write-tree", base or "", pull.head)
        tree = (await git(self.remote, *words)).text.splitlines()[0]
        parents = ("-p", base or "", "-p", pull.head)
        made = (await git(self.remote, "commit-tree", tree, *parents, "-m", f"Merge #{number}")).text
        await git(self.remote, "update-ref", f"refs/heads/{pull.into}", made)
        return self._put(pull, state=PullState.MERGED, merge_commit=made, by=by)

    async def close(self, number: int, by: str) -> Pull:
        """Close a pull request without merging it."""
        return self._put(await self.pull(number), state=PullState.CLOSED, by=by)

    def deploy(self, commit: Commit, environment: str) -> Deployed:
        """Report that a commit was deployed."""
        id_ = str(len(self.deployed) + 1)
        made = Deployed(id=id_, commit=commit, environment=environment, at=self._now())
        self.deployed.append(made)
        return made

    # The port.

    async def me(self) -> str:
        """Return the login that Setpoint acts under."""
        return self.login

    async def permission(self, login: str) -> Permission:
        """Return what `permissions` says."""
        return self.permissions.get(login, Permission.NONE)

    async def labelled(self, label: str, since: datetime | None = None) -> tuple[Labelled, ...]:
        """Return the open issues with a label."""
        found = [
            self._labelled(number, issue, label)
            for number, issue in self.issues.items()
            if issue.open and label in issue.labels and (since is None or issue.changed >= since)
        ]
        return tuple(sorted(found, key=lambda each: each.at))

    async def comments(self, since: datetime | None = None) -> tuple[ForgeComment, ...]:
        """Return what people and Setpoint wrote or changed since then."""
        return tuple(each for each in self.said if since is None or self._changed[each.id] >= since)

    async def reviews(self, number: int) -> tuple[ForgeReview, ...]:
        """Return the reviews of a pull request."""
        return tuple(each for each in self.given if each.number == number)

    async def threads(self, number: int) -> tuple[ThreadResolved, ...]:
        """Return the threads that were resolved."""
        return tuple(each for each in self.resolved if each.number == number)

    async def deployments(self, since: datetime | None = None) -> tuple[Deployed, ...]:
        """Return what was deployed since then."""
        return tuple(each for each in self.deployed if since is None or each.at >= since)

    async def pull(self, number: int) -> Pull:
        """Return a pull request with the present head of its branch."""
        if number not in self.pulls:
            raise ForgeError(f"{WEB}: there is no pull request {number}")
        pull = self.pulls[number]
        head = await commit_of(self.remote, f"refs/heads/{pull.branch}")
        if pull.state is not PullState.OPEN or head is None:
            return pull
        return self._put(pull, head=head)

    async def pull_of(self, branch: str) -> Pull | None:
        """Return the open pull request of a branch."""
        for number, pull in self.pulls.items():
            if pull.branch == branch and pull.state is PullState.OPEN:
                return await self.pull(number)
        return None

    async def put_pull(self, wanted: PullText, number: int | None = None) -> Pull:
        """Open a pull request, or change the one that is there."""
        present = await self.pull(number) if number else await self.pull_of(wanted.branch)
        if present is None:
            head = await commit_of(self.remote, f"refs/heads/{wanted.branch}")
            if head is None:
                raise ForgeError(f"{WEB}: there is no branch {wanted.branch}", hint="push it first")
            number = self._number()
            url = f"{WEB}/{number}"
            present = Pull(
                number=number,
                state=PullState.OPEN,
                branch=wanted.branch,
                head=head,
                into=wanted.into,
                url=url,
            )
        self.texts[present.number] = wanted
        return self._put(present, draft=wanted.draft, into=wanted.into)

    async def comment(self, number: int, text: str, mark: str) -> str:
        """Write or change the own comment with a mark."""
        own = self._own(number, mark)
        made = (
            self.change(own.id, marked(text, mark))
            if own
            else self.say(number, self.login, marked(text, mark))
        )
        return made.url

    async def answer(self, asked: ForgeComment, text: str, mark: str) -> str:
        """Answer once where it was asked."""
        made = self._own(asked.number, mark)
        if made is None:
            first = (asked.reply_to or asked.id) if asked.file else ""
            made = self.say(
                asked.number,
                self.login,
                marked(text, mark),
                file=asked.file,
                line=asked.line,
                reply_to=first,
            )
        return made.url

    async def report(self, commit: Commit, summary: CheckSummary) -> str:
        """Keep a summary."""
        self.summaries[commit, summary.name] = summary
        return "check run"

    async def upload_sarif(self, commit: Commit, ref: str, sarif: bytes) -> bool:
        """Keep findings."""
        self.sarif.append((commit, ref, sarif))
        return True

    async def push(
        self, root: Path, commit: Commit, refs: Collection[str], *, expected: str | None = None
    ) -> None:
        """Push to the bare repository."""
        await GitRemote(address=str(self.remote)).push(root, commit, refs, expected=expected)

    async def fetch(self, root: Path, ref: str) -> Commit:
        """Fetch from the bare repository."""
        return await GitRemote(address=str(self.remote)).fetch(root, ref)

    def _number(self) -> int:
        return len(self.issues) + len(self.pulls) + 1

    def _own(self, number: int, mark: str) -> ForgeComment | None:
        mine = (each for each in self.said if (each.number, each.author) == (number, self.login))
        return next((each for each in mine if carries(each.text, mark)), None)

    def _put(self, pull: Pull, **changes: object) -> Pull:
        self.pulls[pull.number] = pull.model_copy(update=changes)
        return self.pulls[pull.number]

    def _labelled(self, number: int, issue: MemoryIssue, label: str) -> Labelled:
        by, at = issue.labels[label]
        return Labelled(
            number=number,
            label=label,
            title=issue.title,
            text=issue.text,
            author=issue.author,
            by=by,
            at=at,
            edited=issue.edited is not None and issue.edited > at,
            url=f"{WEB}/{number}",
        )
