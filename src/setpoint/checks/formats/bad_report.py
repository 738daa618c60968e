"""What is wrong with a report."""

from __future__ import annotations


class BadReport(Exception):
    """A tool wrote no report, half of one, or something else: the tool broke, and nothing was measured.

    Never leaves `evaluators`: it becomes a check result with state `error`.
    """
