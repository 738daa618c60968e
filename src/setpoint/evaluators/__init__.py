"""Measuring a tree: checks that Setpoint runs itself, compared with the base commit."""

from setpoint.evaluators.measuring import Told
from setpoint.evaluators.project import ProjectEvaluator
from setpoint.evaluators.survey import Survey, Surveyor
from setpoint.evaluators.tree import TreeEvaluator

__all__ = ["ProjectEvaluator", "Survey", "Surveyor", "Told", "TreeEvaluator"]
