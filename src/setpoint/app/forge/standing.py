"""What is recorded of a project's forge, for people to read."""

from __future__ import annotations

from setpoint.model.events.forge import TRACE
from setpoint.model.value import Text, Value
from setpoint.people.policy.forge_record import ForgeRecord
from setpoint.wiring.project import Project

MOST_SHOWN = 10


class IssueStanding(Value):
    """An issue that became a story."""

    issue: int
    story: Text
    pull: int = 0
    """Its pull request; 0 where there is none yet."""
    state: Text = ""
    """Of the pull request."""
    url: Text = ""
    runs: tuple[Text, ...] = ()
    """Runs whose work the pull request shows."""
    waiting: int = 0
    """What people said that the next rework takes up."""


class ForgeStanding(Value):
    """What became of issues, and what was ignored last."""

    issues: tuple[IssueStanding, ...] = ()
    ignored: tuple[Text, ...] = ()
    """The newest last, each with its reason."""
    unsettled: int = 0
    """Messages that were stored and not worked on yet."""


def forge_record(project: Project) -> ForgeRecord:
    """Return what is recorded of the forge of a project."""
    return ForgeRecord().after(project.log.replay(TRACE))


def forge_standing(project: Project) -> ForgeStanding:
    """Return what became of the issues of a project's forge."""
    record = forge_record(project)
    rows = []
    for story, issue in record.stories.items():
        pull = record.pull_of(story)
        rows.append(
            IssueStanding(
                issue=issue,
                story=story,
                pull=pull.number if pull else 0,
                state=str(pull.state) if pull else "",
                url=pull.url if pull else "",
                runs=pull.runs if pull else (),
                waiting=len(record.wants_rework(story)),
            )
        )
    ignored = [f"{each.news}: {each.reason}" for each in record.settled.values() if each.action == "ignored"]
    return ForgeStanding(
        issues=tuple(rows),
        ignored=tuple(ignored[-MOST_SHOWN:]),
        unsettled=len(tuple(record.open_news())),
    )
