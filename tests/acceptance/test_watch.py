"""A run of one process, watched by another in a terminal, and by a third that only prints lines."""

import os
import pty
import re
import subprocess
import sys

import pytest

from acceptance.conftest import BUG, RIGHT
from acceptance.test_cancel import begun
from acceptance.test_run_verb import _events, _until

WRONG = BUG.replace("a - b", "a * b")
WAITS = 'until [ -e "{go}" ]; do sleep 0.1; done'
STYLED = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def watching(repository, **more):
    argv = [sys.executable, "-m", "setpoint", "watch"]
    environment = repository.environment(TERM="xterm", COLUMNS="160")
    return subprocess.Popen(argv, cwd=repository.root, env=environment, **more)


@pytest.mark.timeout(240)  # a run and three processes beside it
def test_a_run_is_watched_from_elsewhere_until_it_ends(repository):
    go = repository.root.parent / "go"
    repository.agent(
        [{"shell": WAITS.format(go=go)}, {"write": "calc.py", "text": WRONG}],
        [{"write": "calc.py", "text": RIGHT}],
    )
    running = begun(repository)
    _until(lambda: "agent.started" in _events(repository, running))
    screen, end = pty.openpty()
    terminal = watching(repository, stdin=end, stdout=end, stderr=end)
    os.close(end)
    plain = watching(repository, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = read(screen, until="#1 of 7")
    go.touch()
    seen += read(screen)
    lines, _ = plain.communicate(timeout=60)
    printed, _ = running.communicate(timeout=60)

    assert (running.returncode, terminal.wait(timeout=30), plain.returncode) == (0, 0, 0), printed
    assert "IMPLEMENTATION_VERIFIED" in lines
    assert "bounce 1: evaluate -> implement" in lines
    assert "\x1b" not in lines
    assert STYLED.search(seen)
    told = STYLED.sub("", seen)
    assert "◐ implement" in told
    assert "▸ execute: until [ -e" in told
    assert "of $5.00" in told
    assert "bounce 1: evaluate -> implement" in told
    assert "IMPLEMENTATION_VERIFIED" in told


def read(screen, until=None):
    """Read a terminal until something stands there, or the program in it has ended."""
    seen = b""
    while until is None or until not in seen.decode("utf-8", "replace"):
        try:
            part = os.read(screen, 65536)
        except OSError:  # what Linux says where a terminal has nobody left that writes to it
            part = b""
        if not part:
            assert until is None, seen
            os.close(screen)
            break
        seen += part
    return seen.decode("utf-8", "replace")
