# Attacks in plain calls:
# ruff: noqa: PTH116, PTH118, PTH123, PTH208, PTH211, E501
"""Looks for a secret wherever a process can look; prints where it found it. Words: root, pids to look into."""

import hashlib
import os
import sys

ROOT = sys.argv[1]
MARK = hashlib.sha256(ROOT.encode()).hexdigest().encode()
PIDS = sys.argv[2:]
MOST = 400 << 20


def holds(path):
    try:
        with open(path, "rb") as file:
            return MARK in file.read(1 << 20)
    except (OSError, ValueError):
        return False


def below(folder):
    return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]


def by_path():
    yield from below(os.path.join(ROOT, "var"))
    yield from below(os.path.join(ROOT, "project", ".setpoint"))
    yield from below(os.path.join(ROOT, "cache", "measured"))


def by_symlink():
    os.symlink(os.path.join(ROOT, "var"), "link")
    yield from below("link/hidden")


def by_hard_link():
    for number, path in enumerate(by_path()):
        try:
            os.link(path, f"hard-{number}")
            yield f"hard-{number}"
        except OSError:
            continue


def by_proc(part):
    for pid in PIDS:
        yield f"/proc/{pid}/{part}"


def below_proc(part, inside=""):
    for pid in PIDS:
        yield from below(f"/proc/{pid}/{part}{inside}")


def by_descriptor():
    for pid in PIDS:
        try:
            yield from (f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            continue


def in_memory():
    for pid in PIDS:
        try:
            with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
                for line in maps:
                    area, rights = line.split()[:2]
                    low, high = (int(each, 16) for each in area.split("-"))
                    if rights.startswith("rw") and high - low < MOST and "/" not in line:
                        memory.seek(low)
                        if MARK in memory.read(high - low):
                            return True
        except (OSError, ValueError, OverflowError):
            continue
    return False


WAYS = {
    "path": by_path,
    "symlink": by_symlink,
    "hard link": by_hard_link,
    "root": lambda: below_proc("root", f"{ROOT}/var"),
    "cwd": lambda: below_proc("cwd"),
    "environ": lambda: by_proc("environ"),
    "cmdline": lambda: by_proc("cmdline"),
    "descriptor": by_descriptor,
    "disk": lambda: [name for name in below("/dev") if readable_disk(name)],
}


def readable_disk(name):
    import stat

    try:
        if not stat.S_ISBLK(os.stat(name).st_mode):
            return False
        with open(name, "rb") as disk:
            disk.read(1)
        print("found: a disk can be read")
    except OSError:
        pass
    return False


if __name__ == "__main__":
    for way, places in WAYS.items():
        if any(holds(path) for path in list(places())):
            print("found:", way)
    if in_memory():
        print("found: memory")
    print("looked")
