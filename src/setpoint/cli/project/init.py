"""`setpoint init`: make a repository ready for runs."""

from __future__ import annotations

from pathlib import Path

from setpoint.cli.render.styles import say


def init() -> None:
    """Create the state folder (ignored by git) and a settings file, with what tests need and git ignores."""
    from setpoint.app.project.new_settings import FILE, write_settings
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    say(f"state:    {project.state} (ignored by git)")
    made = write_settings(project)
    say(f"settings: {project.root / FILE}" + " exists and was not changed" * (not made.written))
    if made.needs:
        say(f"needs:    {made.needs}")
    if made.written:
        say("next:     setpoint doctor")
