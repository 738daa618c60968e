"""The command line, in processes forked from one that has imported everything."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import tiers

SERVER = Path(__file__).with_name("preloaded_server.py")


@cache
def address():
    """Start the server; it ends with this process, whose end of the pipe is then closed."""
    folder = tempfile.mkdtemp(prefix="setpoint-tests-")
    path = f"{folder}/call"
    argv = [sys.executable, str(SERVER), path]
    serving = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    started.append(serving)
    assert serving.stdout.readline() == "ready\n"
    return path


started = []
"""The server, held open."""


def call(words, folder, environment, timeout):
    """Run `setpoint` with these words; gives what `subprocess.run` gives."""
    argv = [str(word) for word in words]
    asked = {"argv": argv, "cwd": str(folder), "environment": environment}
    with contextlib.ExitStack() as stack:
        line = stack.enter_context(socket.socket(socket.AF_UNIX))
        line.settimeout(timeout)
        line.connect(address())
        out, errors = (stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in "12")
        nothing = stack.enter_context(Path(os.devnull).open())
        ends = [each.fileno() for each in (nothing, out, errors)]
        socket.send_fds(line, [json.dumps(asked).encode()], ends)
        told = stack.enter_context(line.makefile())
        pid = int(told.readline())
        try:
            code, seconds = told.readline().split()
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise
        tiers.Meter.elsewhere_s += float(seconds)
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(argv, int(code), out.read(), errors.read())
