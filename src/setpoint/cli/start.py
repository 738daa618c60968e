"""The `setpoint` command: hooks that an agent waits for load little, other verbs are in `cli.app`."""

from __future__ import annotations

import sys

_HOOKS = ("stop", "prompt")


def main() -> None:
    """Run the command line and exit with an `ExitCode`."""
    words = sys.argv[1:]
    waited_for = words[:1] == ["hook"] and len(words) in (2, 3) and words[1] in _HOOKS
    if waited_for and not words[-1].startswith("-"):
        from setpoint.cli.project.hook_calls import answer

        answer(*words[1:])
        sys.exit(0)
    from setpoint.cli.app import main as whole

    whole()
