"""What happens at a forge, and what Setpoint made of it, recorded under the trace `forge` of a project."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from setpoint.model.forge import ForgeNews
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.value import Text, Value

TRACE = TraceId("forge")
"""Names the record of a project's forge; it is not a run."""


class NewsStored(Value):
    """Something happened at the forge; stored before anything is made of it."""

    kind: Literal["forge.news_stored"] = "forge.news_stored"
    news: Annotated[ForgeNews, Field(discriminator="kind")]


class DeliveryStored(Value):
    """A message to the webhook was accepted; a second one of the same content is not."""

    kind: Literal["forge.delivery_stored"] = "forge.delivery_stored"
    id: Text
    """As the forge names it."""
    news: int
    """How many things it says that Setpoint uses."""


class NewsAction(StrEnum):
    """What Setpoint made of a piece of news."""

    IGNORED = "ignored"
    STORY = "story"
    """It became a story."""
    FEEDBACK = "feedback"
    """It was recorded as feedback and changes nothing by itself."""
    REWORK = "rework"
    """It was recorded as feedback that orders rework."""
    COMMAND = "command"
    """It was a command."""
    STATE = "state"
    """It says what became of a pull request, a thread or a deployment."""


class NewsSettled(Value):
    """Setpoint acted on a piece of news, or decided that it has nothing to do about it."""

    kind: Literal["forge.news_settled"] = "forge.news_settled"
    news: Text
    """Its key."""
    action: NewsAction
    reason: Text
    by: Text = ""
    """Login of the person behind it."""
    story: StoryId | None = None


class PullPublished(Value):
    """The result of a run is shown at the forge."""

    kind: Literal["forge.pull_published"] = "forge.pull_published"
    story: StoryId
    run: TraceId
    number: int = Field(ge=0)
    """Of the pull request; 0 where the run delivered nothing, which the issue was told."""
    branch: Text = ""
    """At the forge."""
    head: Commit | None = None
    """The commit that was pushed."""
    draft: bool = False
    url: Text = ""


class PublishRefused(Value):
    """The result of a run could not be pushed, because people pushed to the branch meanwhile."""

    kind: Literal["forge.publish_refused"] = "forge.publish_refused"
    story: StoryId
    run: TraceId
    number: int
    reason: Text


class QuestionShown(Value):
    """The question of a waiting run is shown at the forge."""

    kind: Literal["forge.question_shown"] = "forge.question_shown"
    story: StoryId
    run: TraceId
    gate: str
    number: int
    """Of the issue or pull request."""


class ReworkOrdered(Value):
    """A story is worked on again because of what people said about its pull request."""

    kind: Literal["forge.rework_ordered"] = "forge.rework_ordered"
    story: StoryId
    number: int
    """Of the pull request."""
    base: Commit
    """The head of the pull request, from which the work continues."""
    news: tuple[Text, ...]
    """Keys of what people said."""


AboutForge = (
    NewsStored | DeliveryStored | NewsSettled | PullPublished | PublishRefused | QuestionShown | ReworkOrdered
)
"""What is recorded of a forge."""
