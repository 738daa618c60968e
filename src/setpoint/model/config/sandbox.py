"""What holds the processes of agents and checks back from the rest of the machine."""

from __future__ import annotations

from enum import StrEnum

from setpoint.model.value import Value


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


class SandboxSettings(Value):
    """What keeps the processes of agents, and of checks, from changing what is not theirs."""

    agents: Means = Means.AUTO
    """What holds agents: auto (the first that works here), landlock, bwrap or none."""
    checks: Means = Means.AUTO
    """What holds checks, which run the code of the work: auto, landlock, bwrap or none.

    A held check writes to its measured copy, and to a home and a temporary folder of its own.
    """
    checks_write: tuple[str, ...] = ()
    """More folders and files that held checks may write to; `~` and `$NAME` are replaced."""
    devices: tuple[str, ...] = ("/dev/dri", "/dev/nvidia*", "/dev/kfd", "/dev/accel", "/dev/kvm")
    """Devices that held agents and checks may use: graphics cards, accelerators, KVM; never a disk."""
    caches: bool = True
    """Whether agents may write to the caches of package tools in your home (`~/.cache`, `~/.npm`, ...)."""
    writes: tuple[str, ...] = ()
    """More folders and files that every agent may write to; `~` and `$NAME` are replaced."""
    hide: tuple[str, ...] = ()
    """Folders and files that no agent may even read, for example `~/.ssh`; bwrap alone can do that."""
    forge_credentials: bool = False
    """Whether agents get credentials of forges: `GH_TOKEN`, `gh`'s login, git's credential helpers, ssh keys.

    Without it git works in the copy and reads what is public; it can push nowhere.
    """
