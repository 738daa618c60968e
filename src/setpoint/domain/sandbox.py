"""What holds the processes of agents and checks back from the rest of the machine."""

from __future__ import annotations

from enum import StrEnum


class Means(StrEnum):
    """By what a process is confined."""

    AUTO = "auto"
    """The first of those below that works on this machine; without any the process runs as it is."""
    LANDLOCK = "landlock"
    """Rules of the Linux kernel that a process puts on itself before it becomes the program."""
    BWRAP = "bwrap"
    """The program bubblewrap: another view of the file system and of the processes."""
    NONE = "none"
    """Nothing."""
