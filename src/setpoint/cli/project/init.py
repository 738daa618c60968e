"""`setpoint init`: make a repository ready for runs."""

from __future__ import annotations

from pathlib import Path

from setpoint.cli.render.styles import say

EXAMPLE = """\
# Settings of Setpoint. Every key has a default, so this file may stay empty.
# All keys: docs/reference/settings.md

# [agents]
# maker = "auto"            # or claude, codex, gemini, copilot, opencode, mechanic, or your own

# [limits]
# max_iterations = 7
# max_cost_usd = 5

# [agent.mine]
# command = ["my-agent", "--task", "{prompt}"]
"""


def init() -> None:
    """Create the state folder (ignored by git) and an example settings file."""
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    settings = project.root / "setpoint.toml"
    say(f"state:    {project.state} (ignored by git)")
    if settings.exists():
        say(f"settings: {settings} exists and was not changed")
        return
    settings.write_text(EXAMPLE, "utf-8")
    say(f"settings: {settings}")
    say("next:     setpoint doctor")
