"""What memory holds about a text, for whoever asks outside a run."""

from __future__ import annotations

from setpoint.errors import UsageError
from setpoint.learning.policy.recall import recollections
from setpoint.model.ids import TraceId
from setpoint.model.learning import Recollection
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import Project

_ASIDE = TraceId("recall")
MOST_QUESTION = 4000


def recall(project: Project, about: str) -> tuple[Recollection, ...]:
    """Return the learnings about a text, best first, chosen as for a run; nothing is withheld by chance.

    Raises `UsageError` for an empty text.
    """
    if not about.strip():
        raise UsageError("nothing is asked of memory", hint="say what the learnings should be about")
    asked = about[:MOST_QUESTION]
    terms = project.settings.memory.model_copy(update={"hold_out": 0.0, "withhold": 0.0})
    hits = memory_of(project).search(asked)
    return tuple(each for each in recollections(hits, asked, _ASIDE, str(project.root), terms) if each.shown)
