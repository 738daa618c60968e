"""The page of the reference about stories and the board."""

from __future__ import annotations

from collections.abc import Iterator

from wording import attribute_texts, fields, first_words, row

from setpoint.domain.board import ActionKind
from setpoint.domain.story import Refinement, Status, Story, StoryRecord
from setpoint.policies.assessor import AUTOMATIC, PRIORITY


def stories() -> Iterator[str]:
    """Every key of a story's front matter."""
    yield "# Stories\n"
    yield (
        "A story is a Markdown file; these keys may stand in the YAML between two lines of `---` at its top. "
        "The text below them is the body. Other keys are left to others.\n"
    )
    yield from fields(Story, leaving="body")
    yield "## What Setpoint keeps there\n"
    yield (
        f"{first_words(StoryRecord)} Besides these there is `PHASE_complete` for each phase: whether it is "
        "done and need not be done again.\n"
    )
    yield from fields(StoryRecord)
    yield "### Keys of `refinement_iterations`\n"
    yield from fields(Refinement)
    yield "## Columns of the board\n"
    yield "| status | what it means |"
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
