"""`setpoint init`: make a repository ready for runs."""

from __future__ import annotations

from pathlib import Path

from setpoint.cli.styles import say

EXAMPLE = """\
# Settings of Setpoint; every key has a default, so this file may stay as empty as it is.
# All keys: docs/reference/settings.md

# [agents]
# maker = "auto"            # or claude, codex, gemini, copilot, opencode, mechanic, or one of your own

# [limits]
# max_iterations = 7
# max_cost_usd = 5

# [agent.mine]
# command = ["my-agent", "--task", "{prompt}"]
"""


def init() -> None:
    """Make the state folder, which git does not see, and an example of the settings."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    settings = project.root / "setpoint.toml"
    say(f"state:    {project.state} (ignored by git)")
    if settings.exists():
        say(f"settings: {settings} stands already and was left as it is")
        return
    settings.write_text(EXAMPLE, "utf-8")
    say(f"settings: {settings}")
    say("next:     setpoint doctor")
