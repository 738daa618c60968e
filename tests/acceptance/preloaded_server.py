"""Forks a process for each call of the command line, with all of Setpoint imported.

Importing takes most of the time of a short verb. The path of the socket is the only argument. A call is a
JSON object (`argv`, `cwd`, `environment`) with three file descriptors for its input, output and errors. The
answers are its process id, then its exit code and the processor seconds that it took. The server ends when
its standard input is closed.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import time
import traceback
from typing import NoReturn

import setpoint

APART = (".inside", ".engine", ".sample", ".testing", ".migrations", ".__main__")
"""Parts that run in the interpreter of another project, or not in the command line."""


def main() -> None:
    """Import, listen, and fork for each call until standard input is closed."""
    load()
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(sys.argv[1])
        door.listen(64)
        print("ready", flush=True)
        while door in select.select([door, sys.stdin], [], [])[0]:
            call, _ = door.accept()
            if os.fork() == 0:
                door.close()
                attend(call)
            call.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def load() -> None:
    """Import all modules of Setpoint, and so what they need."""
    for found in pkgutil.walk_packages(setpoint.__path__, "setpoint.", onerror=lambda name: None):
        if not any(part in f"{found.name}." for part in (f"{each}." for each in APART)):
            importlib.import_module(found.name)
    for name in ("acp", "alembic.command", "dbos", "sqlalchemy.dialects.sqlite"):
        importlib.import_module(name)


def attend(call: socket.socket) -> NoReturn:
    """Fork once more: the child becomes the command, this process waits for it and answers."""
    raw, ends, _, _ = socket.recv_fds(call, 1 << 20, 3)
    asked = json.loads(raw)
    pid = os.fork()
    if pid == 0:
        call.close()
        become(asked, ends)
    call.sendall(f"{pid}\n".encode())
    _, status, used = os.wait4(pid, 0)
    with contextlib.suppress(OSError):
        seconds = used.ru_utime + used.ru_stime
        call.sendall(f"{os.waitstatus_to_exitcode(status)} {seconds}\n".encode())
    os._exit(0)


def become(asked: dict, ends: list[int]) -> NoReturn:
    """Run the command line as `python -m setpoint` does, and end as it ends."""
    for target, end in enumerate(ends):
        os.dup2(end, target)
        os.close(end)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    sys.path[0] = asked["cwd"]
    sys.argv = ["setpoint", *asked["argv"]]
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - open as long as the process
        for number, mode in enumerate("rww")
    )
    code = 0
    try:
        runpy.run_module("setpoint", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:  # noqa: BLE001 - the end of the process, which tells it
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
