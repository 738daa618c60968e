"""A terminal at which a block of a page is typed."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_ASKS = (b":", b"?")
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_a_terminal(
    argv: Sequence[str], folder: Path, environment: Mapping[str, str], answers: Sequence[str], until: str
) -> subprocess.CompletedProcess[str]:
    """Type a command at a terminal of its own, with an answer to each question, and Ctrl-C after `until`.

    It counts as ended with 0 where `until` was shown, and with 1 where answers are left.
    """
    process, end = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who types it may ignore Ctrl-C
        os.chdir(folder)
        os.execvpe(argv[0], argv, {**environment, "TERM": "xterm", "COLUMNS": "200"})
    shown, left, ends = b"", list(answers), until.encode()
    while True:
        try:
            piece = os.read(end, 4096)
        except OSError:  # the terminal is closed: the command has ended
            break
        shown += piece
        if left and shown.rstrip(b" ").endswith(_ASKS):
            os.write(end, f"{left.pop(0)}\n".encode())
        if ends and ends in shown:
            os.write(end, b"\x03")
            ends = b""
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(end)
    if until or left:
        code = int(bool(ends or left))
    text = _STYLE.sub("", shown.decode("utf-8", "replace")).replace("\r\n", "\n")
    return subprocess.CompletedProcess(argv, code, text, f"not typed: {left}" if left else "")
