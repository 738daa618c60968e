"""Find files of a result by a text that they contain."""

from __future__ import annotations

from setpoint.checks.proof.subject import Subject
from setpoint.system.git.git import ask


async def files_with(subject: Subject, text: str) -> tuple[str, ...]:
    """Return the paths of all files of the result that contain a text."""
    place = subject.place
    found = await ask(place.copy.path, "grep", "-l", "-z", "-I", "-F", "-e", text, place.commit)
    names = found.stdout.decode("utf-8", "surrogateescape").split("\0")
    return tuple(name.removeprefix(f"{place.commit}:") for name in names if name)
