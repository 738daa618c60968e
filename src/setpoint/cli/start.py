"""The `setpoint` command: hooks that an agent waits for load little, other verbs are in `cli.app`."""

from __future__ import annotations

import sys

_HOOKS = ("stop", "prompt")
_LENGTHS = (2, 3)
"""Of the words of such a call, with the agent and without."""


def main() -> None:
    """Run the command line and exit with an `ExitCode`."""
    words = sys.argv[1:]
    if (
        words[:1] == ["hook"]
        and words[1:2]
        and words[1] in _HOOKS
        and not words[3:]
        and "-" not in words[-1][:1]
    ):
        from setpoint.cli.project.hook_calls import answer

        answer(*words[1:])
        sys.exit(0)
    from setpoint.cli.app import main as whole

    whole()
