# Attacks in plain calls:
# ruff: noqa: PTH118, PTH123, PTH207
"""A process of the maker that goes on: takes what is handed on, by every way. Words: root."""

import ctypes
import glob
import hashlib
import os
import pty
import select
import socket
import sys
import threading
import time

ROOT = sys.argv[1]
MARK = hashlib.sha256(ROOT.encode()).hexdigest().encode()
KEY = int(MARK[:7], 16)


def note(way):
    with open("found", "a") as file:
        file.write(f"{way}\n")


def serve(name, family, address):
    made = socket.socket(family, socket.SOCK_STREAM)
    made.bind(address)
    made.listen()

    def take():
        while True:
            other, _ = made.accept()
            if MARK in other.recv(1 << 16):
                note(name)

    threading.Thread(target=take, daemon=True).start()
    return made.getsockname()


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read(1 << 16)
    except (OSError, ValueError):
        return b""


def files():
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        yield from glob.glob(f"{folder}/handed-{MARK.decode()}-*")
        yield from glob.glob(f"{folder}/setpoint-*/**/*", recursive=True)
    for place, _, names in os.walk(ROOT):
        yield from (os.path.join(place, name) for name in names if name != "stderr")


def shared_memory():
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    found = libc.shmget(KEY, 4096, 0)
    place = libc.shmat(found, None, 0)
    if place in (None, ctypes.c_void_p(-1).value):
        return b""
    data = ctypes.string_at(place, 4096)
    libc.shmctl(found, 0, None)  # so that nothing of a test stays
    libc.shmdt(ctypes.c_void_p(place))
    return data


master, slave = pty.openpty()
port = serve("loopback", socket.AF_INET, ("127.0.0.1", 0))[1]
serve("abstract socket", socket.AF_UNIX, "\0setpoint-attack")
serve("socket in the work copy", socket.AF_UNIX, "socket")
serve("socket in the agent's state", socket.AF_UNIX, f"{ROOT}/home/.agent/socket")
open(f"{ROOT}/home/.agent/file", "w").close()
print("begun", port, flush=True)
while True:
    for path in files():
        if not path.endswith("/found") and MARK in read(path):
            note(f"file {path}")
    if MARK in shared_memory():
        note("shared memory")
    if select.select([master], [], [], 0)[0] and MARK in os.read(master, 1 << 16):
        note("terminal")
    try:
        if MARK in os.getxattr(f"{ROOT}/home/.agent/file", "user.handed"):
            note("attribute")
    except OSError:
        pass
    time.sleep(0.02)
