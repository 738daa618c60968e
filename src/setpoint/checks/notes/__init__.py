"""Patterns in a change that a reviewer may want to look at; none of them decides anything."""
