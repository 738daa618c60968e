"""Decide which stories ask for dependencies that cannot be: unknown ids, and circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from setpoint.model.ids import StoryId


def graph_faults(needs: Mapping[StoryId, Sequence[StoryId]]) -> dict[StoryId, str]:
    """Say what is wrong with the dependencies of each story; `needs` names those of every story."""
    found = dict[StoryId, str]()
    for story, wanted in needs.items():
        unknown = [each for each in wanted if each not in needs]
        if unknown:
            hint = "`setpoint story list --all` shows the ids"
            found[story] = f"depends_on: no story has the id '{', '.join(unknown)}'; hint: {hint}"
        elif circle := _circle(story, needs):
            path = " > ".join(circle)
            found[story] = f"depends_on goes in a circle: {path}; hint: remove one of these dependencies"
    return found


def _circle(story: StoryId, needs: Mapping[StoryId, Sequence[StoryId]]) -> list[StoryId]:
    """Return the shortest way from a story back to it; empty where there is none."""
    ways, seen = [[story]], set[StoryId]()
    for way in ways:
        for each in needs.get(way[-1], ()):
            if each == story:
                return [*way, story]
            if each not in seen:
                seen.add(each)
                ways.append([*way, each])
    return []
