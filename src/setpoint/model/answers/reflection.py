"""What a reflector answers with."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.answers.role_answers import Shape
from setpoint.model.learning import LearningKind


class TaughtShape(Shape):
    """One thing that a run taught."""

    kind: LearningKind
    title: str = Field(min_length=8, max_length=200)
    """One line that says what to know or to do."""
    body: str = Field(default="", max_length=2000)
    """More, where one line does not do: concrete, no general advice."""
    context: str = ""
    """When it is relevant, in words that a later task would use."""
    confidence: float = Field(default=0.6, ge=0.0, le=1.0)
    """How sure you are."""
    cites: str = ""
    """Number of the measured learning that it puts into better words; empty: it is something else."""
    tags: tuple[str, ...] = ()


class ReflectionShape(Shape):
    """What a run taught, empty where nothing was notable."""

    EXAMPLE = {
        "learnings": [
            {
                "kind": "procedural",
                "title": "Run `make schema` after a change of models.py, or test_schema fails",
                "body": "tests/test_schema.py compares models.py with schema.json.",
                "context": "adding or renaming a field of a model",
                "confidence": 0.8,
            }
        ]
    }

    learnings: tuple[TaughtShape, ...] = Field(default=(), max_length=7)
