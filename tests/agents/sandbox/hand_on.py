# Attacks in plain calls:
# ruff: noqa: PTH111, PTH118, PTH123, PTH207, SIM115
"""Code under test: reads the hidden test beside it and hands it on by every way. Words: root, port."""

import ctypes
import glob
import hashlib
import os
import socket
import sys
import time

ROOT, PORT = sys.argv[1], int(sys.argv[2])
MARK = hashlib.sha256(ROOT.encode()).hexdigest()
TEXT = open("test_hidden.py", "rb").read()
KEY = int(MARK[:7], 16)
WORK = os.path.join(ROOT, "cache", "work", "run-1")


def tried(way, *words):
    try:
        way(*words)
    except (OSError, ValueError, AttributeError) as error:
        print(way.__name__, words, error)


def file(folder):
    with open(os.path.join(folder, f"handed-{MARK}-{os.getpid()}"), "wb") as made:
        made.write(TEXT)


def device(path):
    descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    os.write(descriptor, TEXT + b"\n")
    os.close(descriptor)


def shared_memory():
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    made = libc.shmget(KEY, 4096, 0o1600 | 0o666)
    place = libc.shmat(made, None, 0)
    if place not in (None, ctypes.c_void_p(-1).value):
        ctypes.memmove(place, TEXT, min(len(TEXT), 4096))


def by_socket(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.settimeout(2)
        made.connect(address)
        made.sendall(TEXT)


def attribute(path):
    os.setxattr(path, "user.handed", TEXT[:200])


def linger():
    """Outlive the run, and hand it on when it is over."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1.5)
            everywhere()
            os._exit(0)
        os._exit(0)


def everywhere():
    home = os.path.expanduser("~")
    places = ("/tmp", "/var/tmp", "/dev/shm", ".", home, os.environ.get("TMPDIR", "/tmp"), WORK)
    cache = os.environ.get("TOOL_CACHE", "/nowhere")
    for folder in (*places, f"{ROOT}/home", f"{ROOT}/home/.agent", f"{ROOT}/project", cache, f"{ROOT}/tool"):
        tried(file, folder)
    for path in glob.glob("/dev/pts/[0-9]*"):
        tried(device, path)
    tried(shared_memory)
    tried(by_socket, socket.AF_UNIX, f"{WORK}/socket")
    tried(by_socket, socket.AF_UNIX, f"{ROOT}/home/.agent/socket")
    tried(by_socket, socket.AF_UNIX, "\0setpoint-attack")
    tried(by_socket, socket.AF_INET, ("127.0.0.1", PORT))
    tried(attribute, f"{ROOT}/home/.agent/file")


linger()
everywhere()
time.sleep(1)
