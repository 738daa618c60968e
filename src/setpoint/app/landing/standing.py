"""What landings did in a time, what waits to land, and the one command that is next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from setpoint.app.landing.queue import newest, newest_base, sent_back, waiting_work
from setpoint.app.runs.board import list_cards
from setpoint.model.events.landing import TRACE, AboutLanding, Fate, StoryDecided
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Status
from setpoint.model.value import Text, Value
from setpoint.stories.policy.landing import landings
from setpoint.system.git.merge import is_ancestor
from setpoint.wiring.project import Project


class LandingStanding(Value):
    """What became of delivered stories."""

    landed: dict[StoryId, Text] = {}
    """Stories that landed in that time, each with the branch."""
    sent_back: dict[StoryId, Text] = {}
    """Stories that were sent back, each with the reason."""
    asks: dict[StoryId, Text] = {}
    """Stories that landings sent back too often: a person has to look, for this reason."""
    waits: tuple[StoryId, ...] = ()
    """Delivered stories that have not landed."""
    command: Text = ""
    """What lands them, or merges what landed; empty where nothing waits."""

    @property
    def lines(self) -> Iterator[str]:
        """Say all of it but the questions."""
        for branch in dict.fromkeys(self.landed.values()):
            yield f"landed on {branch}: {', '.join(each for each, at in self.landed.items() if at == branch)}"
        yield from (f"sent back by a landing: {story}: {why}" for story, why in self.sent_back.items())
        if self.waits:
            yield f"delivered, not landed: {', '.join(self.waits)}"
        if self.command:
            yield f"land: {self.command}"


def landing_standing(
    project: Project, since: datetime | None = None, until: datetime | None = None
) -> LandingStanding:
    """Look at what landed between two times, and at what waits now."""
    events = [each for each in project.log.replay(TRACE) if isinstance(each.body, AboutLanding)]
    every = landings(each.body for each in events if isinstance(each.body, AboutLanding))
    fates = dict[StoryId, tuple[str, StoryDecided]]()
    for event in events:
        if (since and event.at < since) or (until and event.at >= until):
            continue
        if isinstance(body := event.body, StoryDecided):
            landing = every[body.landing]
            fates[body.story] = (landing.began.branch, landing.decided.get(body.story, body))
    done = {card.id: card.run for card in list_cards(project) if card.status is Status.DONE}
    _, asked = sent_back(project)
    asks = {name: each for name, each in asked.items() if done.get(name) == each.queued(name).run}
    waits = tuple(each.story for each in waiting_work(project, newest_base(project)))
    return LandingStanding(
        landed={name: branch for name, (branch, each) in fates.items() if each.fate is Fate.LANDED},
        sent_back={name: each.reason for name, (_, each) in fates.items() if each.fate is Fate.SENT_BACK},
        asks={name: each.decided[name].reason for name, each in asks.items()},
        waits=waits,
        command=_command(project, waits=bool(waits)),
    )


def _command(project: Project, *, waits: bool) -> str:
    last, into = newest(project), project.settings.board.land
    alone = last.ended if last is not None and last.landed and not last.began.into else None
    if last is not None and alone is not None and not is_ancestor(project.root, alone.commit, "HEAD"):
        return f"git merge --ff-only {last.began.branch}"
    return f"setpoint land{f' --into {into}' if into else ''}" if waits else ""
