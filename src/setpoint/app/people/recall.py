"""What memory holds about a text, for whoever asks outside a run."""

from __future__ import annotations

from setpoint.errors import UsageError
from setpoint.learning.loop import searched
from setpoint.learning.policy.at_hand import MOST_QUESTION, AtHand, at_hand
from setpoint.learning.policy.recall import recollections
from setpoint.model.ids import TraceId
from setpoint.model.learning import Recollection
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import Project

_ASIDE = TraceId("recall")


def recall(project: Project, about: str | AtHand) -> tuple[Recollection, ...]:
    """Return the learnings about a text or a step, best first; nothing is withheld by chance.

    Raises `UsageError` for an empty text.
    """
    at = at_hand(about[:MOST_QUESTION]) if isinstance(about, str) else about
    if not at.text.strip():
        raise UsageError("nothing is asked of memory", hint="say what the learnings should be about")
    terms = project.settings.memory.model_copy(update={"hold_out": 0.0, "withhold": 0.0})
    found = recollections(searched(memory_of(project), at), at, _ASIDE, str(project.root), terms)
    return tuple(each for each in found if each.shown)
