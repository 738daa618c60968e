"""Stands in for processes."""

import contextlib
import io
import subprocess
from unittest import mock


@contextlib.contextmanager
def recorded_processes(output, code=0):
    """Start no process: each prints `output` and ends with `code`. Gives the list of the commands."""
    started = []

    class Process(subprocess.Popen):
        def __init__(self, args, *_args, **words):
            started.append(args)
            named = words.get("encoding") or words.get("errors")
            text = words.get("text") or words.get("universal_newlines") or named
            make = io.StringIO if text else io.BytesIO
            self.args, self.pid, self.returncode = args, 4711, None
            self.stdin = make() if words.get("stdin") == subprocess.PIPE else None
            data = output if text else output.encode()
            self.stdout = make(data) if words.get("stdout") == subprocess.PIPE else None
            self.stderr = make() if words.get("stderr") == subprocess.PIPE else None

        def __del__(self):
            pass

        def communicate(self, input=None, timeout=None):
            self.wait(timeout)
            return tuple(stream and stream.read() for stream in (self.stdout, self.stderr))

        def wait(self, timeout=None):
            self.returncode = code
            return code

        def poll(self):
            return self.wait()

        def send_signal(self, sig):
            self.wait()

    with mock.patch.object(subprocess, "Popen", Process):
        yield started
