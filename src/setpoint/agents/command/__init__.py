"""Agents that are a plain command: one process for each attempt, judged by what it leaves."""
