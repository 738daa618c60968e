"""Limits of the preset `classic`."""

from __future__ import annotations

from typing import Any

CLASSIC: dict[str, Any] = {
    "max_iterations": 5,
    "max_review_bounces": 3,
    "max_test_bounces": 2,
    "max_refinement_attempts": 3,
    "freeze_reviews_after": None,
    "restart_on_repeat": False,
    "max_rounds_without_gain": 0,
    "max_rounds_worse": 0,
    "enough_left": False,
    "diminishing_returns": True,
    "stagnation": True,
    "minimum_quality": 0.60,
}
"""Limits of the preset `classic`: the numbers that the five designs give (docs/designs.md)."""
