"""The world as the loops see it: one Protocol per neighbour, each with at most five methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from setpoint.domain.attempt import Attempt, Brief, ModelCall, ToolCall, Usage
from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.events import Body, Event
from setpoint.domain.evidence import CheckResult
from setpoint.domain.ids import Commit, LearningId, StoryId, TraceId, Tree
from setpoint.domain.learning import Hit, LearningEvidence, Proposal, Standing
from setpoint.domain.production import Blame, Change, Frame
from setpoint.domain.run import RunOrder, Snapshot
from setpoint.domain.story import Status, Story
from setpoint.domain.value import Value

T = TypeVar("T", bound=Value)


class Observer(Protocol):
    """Is told what an agent does while it does it."""

    def called(self, call: ToolCall) -> None:
        """Take note of a finished tool call."""

    def asked(self, call: ModelCall) -> None:
        """Take note of a call of a model."""

    def spent(self, usage: Usage) -> bool:
        """Take note of what the attempt has used so far; true where it has to end, for nothing is left."""


class Agent(Protocol):
    """Someone who plays a role: edits the work copy, or answers with a text."""

    name: str

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Make one attempt; breakage is returned as a value, never raised. Cancelling ends its processes."""

    async def close(self) -> None:
        """End whatever the agent keeps running between attempts."""


class WorkCopy(NamedTuple):
    """A place where an agent may work."""

    trace_id: TraceId
    path: str
    """Root of the work copy."""
    base: Commit
    """The commit it started from."""
    base_tree: Tree
    """The content of that commit."""
    repository: str = ""
    """Setpoint's own git directory for it, out of the agent's reach; empty: the `.git` inside."""


class Workspace(Protocol):
    """Work copies of the user's repository; the user's own tree is never touched."""

    async def open(self, trace_id: TraceId, base: Commit) -> WorkCopy:
        """Make the work copy of a run, or open it again; uncommitted work of an ended attempt is salvaged."""

    async def find(self, copy: WorkCopy, label: str) -> Snapshot | None:
        """Give the snapshot made under this label, if there is one."""

    async def snapshot(
        self, copy: WorkCopy, label: str, attempt: Attempt, restored: Sequence[str] = ()
    ) -> Snapshot:
        """Commit all that stands in the work copy under a label; the same label twice gives the first."""

    async def restore(self, copy: WorkCopy, commit: Commit, *, of: WorkCopy | None = None) -> None:
        """Make the work copy equal a commit, ignored files included; uncommitted work is salvaged first.

        A commit `of` another work copy is fetched from there, and kept here from then on.
        """

    async def diff(self, copy: WorkCopy, base: Commit, head: Commit) -> str:
        """Give the change between two commits as a unified diff."""


class Appendix(NamedTuple):
    """Text that Setpoint appends to a file of the branch, as a commit of its own behind the work."""

    path: str
    """From the root of the repository."""
    title: str
    """Heads the file where it is begun with this."""
    text: str
    message: str
    """Of the commit."""


class Forge(Protocol):
    """Where finished work goes."""

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> str:
        """Bring a commit to the user as a branch, once; gives the branch's real name."""


class Measured(NamedTuple):
    """A commit of a work copy that is to be measured; what else lies in the work copy does not count."""

    copy: WorkCopy
    commit: Commit
    tree: Tree
    stage: Stage
    suspects: tuple[str, ...] = ()
    """Tests that failed last time; the evaluate stage runs these first."""


class Check(Protocol):
    """One measurement of a tree."""

    @property
    def name(self) -> str:
        """Name the check, for example `pytest`."""

    async def run(self, measured: Measured) -> CheckResult:
        """Measure; a broken tool is a result with state `error`, never an exception."""


class Toolbox(NamedTuple):
    """What a project can be measured with."""

    checks: dict[str, str]
    """Check by name, with the reason it was chosen."""
    python: str
    """The project's own interpreter; empty where it has none."""


class Evaluator(Protocol):
    """Runs the checks on a tree and compares them with the base."""

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Choose the checks for the project; done again when a run is resumed."""

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Put protected files that the maker changed back as they stood at base; gives their paths."""

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""


class EventLog(Protocol):
    """The append-only record of all runs."""

    def append(self, trace_id: TraceId, key: str, bodies: Sequence[Body]) -> tuple[Event, ...]:
        """Record facts under a key, durably; a key that was recorded before gives what stands there."""

    def replay(self, trace_id: TraceId, after: int = 0) -> tuple[Event, ...]:
        """Give a run's events in order, those with `seq` above `after`."""

    def traces(self) -> tuple[TraceId, ...]:
        """Give all runs, newest first."""


class Memory(Protocol):
    """What was learnt from runs and people, with all that speaks for and against it."""

    def learn(self, proposals: Sequence[Proposal]) -> tuple[LearningId, ...]:
        """Take proposals in, as learnings or as evidence for those that say the same; once per source."""

    def weigh(self, evidence: Sequence[LearningEvidence]) -> tuple[LearningEvidence, ...]:
        """Add evidence, once per source; gives what was new."""

    def search(self, question: str, most: int = 50) -> tuple[Hit, ...]:
        """Give the learnings that share words with a question, the most relevant first."""

    def standings(self, which: Collection[LearningId] | None = None) -> tuple[Standing, ...]:
        """Give learnings as they stand now, oldest first: the named ones, or all."""

    def refresh(self, root: Path, scope: str) -> tuple[LearningEvidence, ...]:
        """Compare the files that a project's learnings rest on with those there are; gives what changed."""


class Lineage(Protocol):
    """How the code came to be what it is; asked for the change behind a signal from production."""

    async def brought(self, older: Commit, newer: Commit) -> tuple[Change, ...]:
        """Give the commits that `newer` holds and `older` does not, newest first."""

    async def blamed(self, at: Commit, frames: Sequence[Frame]) -> tuple[Blame, ...]:
        """Give the commits behind the lines that frames name and near them; none for foreign frames."""

    async def told(self, commits: Collection[Commit]) -> tuple[Change, ...]:
        """Describe commits, newest first; those that are not there are left out."""

    async def holds(self, commit: Commit, run: TraceId, since: datetime) -> bool:
        """Say whether a commit holds what a run delivered, which was merged `since` then."""


class Board(Protocol):
    """The stories of a project."""

    def status(self, story: StoryId) -> Status | None:
        """Give the column that a story stands in; none where there is no such story."""

    def put(self, story: Story, *, ready: bool) -> StoryId:
        """Write a story, kept back by `backlog` unless it is ready; one that is there stays as it is."""

    def mended_by(self, story: StoryId) -> TraceId | None:
        """Give the newest run of a story, where it ended with work that was verified or accepted."""

    def changed_at(self, story: StoryId) -> datetime | None:
        """Say when a story was last written to, by whomever; none where there is no such story."""

    def reopen(self, story: StoryId, more: str, *, ready: bool) -> None:
        """Open a story again, with more words at its end; where they stand there already, they stay once."""


class Durable(Protocol):
    """Runs a loop so that it survives the end of its process."""

    async def step(self, name: str, act: Callable[[], Awaitable[T]], returning: type[T]) -> T:
        """Do something once; after a crash a finished step gives its recorded result again.

        An unfinished step is done again, so `act` must look at what is there before it acts.
        """

    async def wait_for(self, topic: str, returning: type[T], *, timeout_s: float) -> T | None:
        """Wait for a message from outside, durably; none when the time is up."""


class Clock(Protocol):
    """Time, so that tests need not wait for it."""

    def now(self) -> datetime:
        """Give the present, aware, in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class World(NamedTuple):
    """All neighbours of a run, as the composition root wires them."""

    agents: dict[str, Agent]
    """By role."""
    workspace: Workspace
    forge: Forge
    evaluator: Evaluator
    log: EventLog
    durable: Durable
    clock: Clock
    keep: Callable[[str], str]
    """Keeps a text as an artifact and gives its sha256."""
    place_of: Callable[[str], str]
    """Says where an artifact lies, by its sha256."""
    render: Callable[[str, dict[str, object]], str]
    """Renders a prompt template by name."""
    publish: Callable[[TraceId], None]
    """Brings the files a person can open up to date."""
    folder: str
    """Where these files lie."""
    memory: Memory | None = None
    """What earlier runs and people taught; none: nothing is recalled and nothing is kept."""
