"""Measuring a tree: checks that Setpoint runs itself, compared with the base commit."""

from setpoint.evaluators.measuring import Told
from setpoint.evaluators.project import ProjectEvaluator, Survey

__all__ = ["ProjectEvaluator", "Survey", "Told"]
