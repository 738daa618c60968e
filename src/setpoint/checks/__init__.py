"""Measuring a tree: checks that Setpoint runs itself, compared with the base commit."""

from setpoint.checks.measurement import CheckListener
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.survey import Survey, Surveyor
from setpoint.checks.tree_evaluator import TreeEvaluator

__all__ = ["CheckListener", "ProjectEvaluator", "Survey", "Surveyor", "TreeEvaluator"]
