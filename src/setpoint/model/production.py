"""What runs in production: what was deployed, what monitoring says of it, and which change is suspected."""

from __future__ import annotations

import hashlib
import re

from pydantic import Field

from setpoint.model.finding import Severity
from setpoint.model.ids import Commit
from setpoint.model.value import Instant, Text, Value

FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class Frame(Value):
    """One call of a stack, as the running program told it."""

    file: Text
    """A path on the machine it ran on."""
    line: int = Field(default=0, ge=0)
    """1-based; 0 where it was not told."""
    function: Text = ""

    @property
    def shown(self) -> str:
        """Write it as people do: file, line and function."""
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where} in {self.function}" if self.function else where


class Signal(Value):
    """One thing that monitoring saw in production."""

    source: Text
    """Who saw it; with `id` it is the same signal however often it comes."""
    id: Text
    """Its name at the source."""
    fingerprint: str
    """The same for signals of one problem, 16 hexadecimal digits."""
    severity: Severity
    title: Text
    body: Text = ""
    """What the source says beside the title."""
    environment: Text = ""
    """Empty: the one that is deployed to."""
    release: Text = ""
    """What the source says was running: a release's name, or a commit."""
    frames: tuple[Frame, ...] = ()
    """The stack, the innermost call first."""
    labels: dict[Text, Text] = {}
    """What the source told beside, by name."""
    occurred_at: Instant
    """When it began."""
    url: Text = ""
    """Where the source shows it."""
    ends: bool = False
    """Whether its source says when it is over."""

    @property
    def name(self) -> str:
        """Name it within Setpoint, for example `sig-0123456789ab`."""
        return signal_name(self.source, self.id)


def signal_name(source: str, id_: str) -> str:
    """Name a signal by its source and its id there."""
    return f"sig-{digest(source, id_)[:12]}"


def digest(*parts: str) -> str:
    """Make 16 hexadecimal digits of texts; what stands between two of them cannot be shifted."""
    told = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()[:16]


class Deployment(Value):
    """A commit began to run somewhere."""

    environment: Text
    commit: Commit
    release: Text = ""
    """What it is called; empty where it has no name but the commit."""
    at: Instant
    """When it began to run."""
    id: Text = ""
    """Its name at whoever recorded it; the same id in an environment is recorded once."""

    @property
    def shown(self) -> str:
        """Name it for people, for example `v1.4.2 (0123456789)`."""
        return f"{self.release} ({self.commit[:10]})" if self.release else self.commit[:10]


class Change(Value):
    """A commit that a deployment brought."""

    commit: Commit
    title: Text
    """The first line of its message."""
    at: Instant
    """When it was committed."""
    files: tuple[Text, ...] = ()
    """What it changed, from the root of the repository."""


class Blame(Value):
    """A line that a stack names, and the commit that it comes from."""

    place: int
    """Which frame of the stack, 0 for the innermost."""
    path: Text
    """From the root of the repository."""
    line: int
    """The line that the frame names, in the deployed commit."""
    commit: Commit
    """The commit that last changed the line, or one near to it."""
    distance: int = 0
    """Lines between the line that is named and the one that the commit changed."""


class Suspicion(Value):
    """A commit that may have caused a signal; a hypothesis, never a verdict."""

    commit: Commit
    title: Text
    at: Instant
    score: float = Field(ge=0, le=1)
    """How much speaks for it, from 0 to 1; no probability."""
    reasons: tuple[Text, ...]
    """What speaks for it, in words, the strongest first."""


class Hypothesis(Value):
    """What may have caused a signal."""

    deployment: Deployment | None = None
    """What ran when it began; none where nothing was recorded."""
    previous: Deployment | None = None
    """What ran before that in the same environment."""
    how: Text = ""
    """How the deployment was found."""
    brought: int = 0
    """Commits that the deployment brought."""
    suspects: tuple[Suspicion, ...] = ()
    """The strongest first."""
    notes: tuple[Text, ...] = ()
    """What speaks against all of them, or was not known."""
