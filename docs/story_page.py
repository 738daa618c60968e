"""The page of the reference about stories and the board."""

from __future__ import annotations

from collections.abc import Iterator

from wording import attribute_texts, fields, first_words, row

from setpoint.model.stories.board import ActionKind
from setpoint.model.stories.story import Refinement, Status, Story, StoryRecord
from setpoint.stories.policy.assessor import AUTOMATIC, PRIORITY


def stories() -> Iterator[str]:
    """Yield every key of a story's front matter."""
    yield "# Stories\n"
    yield (
        "A story is a Markdown file. Write these keys in the YAML between two lines of `---` at its top. "
        "The text below is the body. Keys of your own begin with `x-`; other keys are refused.\n"
    )
    yield from fields(Story, leaving="body")
    yield "## Keys that Setpoint writes\n"
    yield (
        f"{first_words(StoryRecord)} `PHASE_complete` exists for each phase: whether it is "
        "finished and need not be repeated.\n"
    )
    yield from fields(StoryRecord)
    yield "### Keys of `refinement_iterations`\n"
    yield from fields(Refinement)
    yield "## Columns of the board\n"
    yield "| status | meaning |"
    yield "|---|---|"
    for name, text in attribute_texts(Status).items():
        yield row(f"`{Status[name]}`", text)
    yield "\n## Next actions\n"
    yield "| action | urgency | needs no person | what happens |"
    yield "|---|---|---|---|"
    texts = attribute_texts(ActionKind)
    for action in ActionKind:
        free = "yes" if action in AUTOMATIC else ""
        yield row(f"`{action}`", str(PRIORITY[action]), free, texts[action.name])
