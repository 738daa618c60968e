"""One example of every event of a forge."""

from datetime import UTC, datetime

from setpoint.model.events import forge as f
from setpoint.model.forge import Labelled
from setpoint.model.ids import Commit, StoryId, TraceId

AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
STORY = StoryId("issue-12-totals-are-wrong")
RUN = TraceId("run-0totals")
HEAD = Commit("d" * 40)
LABELLED = Labelled(
    number=12, label="setpoint", title="Totals are wrong", text="They are.", author="ana", by="ana", at=AT
)
ABOUT_FORGE = (
    f.NewsStored(news=LABELLED),
    f.DeliveryStored(id="72d3162e-cc78-11e3-81ab-4c9367dc0958", news=1),
    f.NewsSettled(
        news=LABELLED.key, action=f.NewsAction.STORY, reason="ordered by ana", by="ana", story=STORY
    ),
    f.PullPublished(
        story=STORY,
        run=RUN,
        number=13,
        branch=f"setpoint/{STORY}",
        head=HEAD,
        url="https://forge.example/shop/pull/13",
    ),
    f.PublishRefused(story=STORY, run=RUN, number=13, reason="the branch has other commits"),
    f.QuestionShown(story=STORY, run=RUN, gate="escalation-1", number=13),
    f.ReworkOrdered(story=STORY, number=13, base=HEAD, news=("comment:line-5",)),
)
