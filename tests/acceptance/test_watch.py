"""A run of one process, watched by another in a terminal of its own, and sent to a collector when it ends."""

import os
import pty
import subprocess
import sys

from acceptance.conftest import RIGHT
from acceptance.test_cancel import begun
from acceptance.test_run_verb import _events, _until
from integrations.test_otlp import attributes, listening

WRONG = {"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}


def watching(repository, **more):
    argv = [sys.executable, "-m", "setpoint", "watch"]
    return subprocess.Popen(
        argv, cwd=repository.root, env=repository.environment(TERM="xterm", COLUMNS="160"), **more
    )


def test_a_run_is_watched_from_elsewhere_until_it_ends_and_then_sent(repository):
    repository.agent([{"sleep": 2}, WRONG], [{"write": "calc.py", "text": RIGHT}])
    with listening() as collector:
        running = begun(repository, SETPOINT_TELEMETRY__OTLP=collector.url)
        _until(lambda: "agent.started" in _events(repository, running))
        screen, end = pty.openpty()
        terminal = watching(repository, stdin=end, stdout=end, stderr=end)
        os.close(end)
        plain = watching(repository, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seen = read(screen)
        lines, _ = plain.communicate(timeout=60)
        printed, _ = running.communicate(timeout=60)
    assert (running.returncode, terminal.wait(timeout=30), plain.returncode) == (0, 0, 0), printed
    assert "IMPLEMENTATION_VERIFIED" in lines.splitlines()[-1]
    assert "bounce 1: evaluate -> implement" in lines
    assert "\x1b" not in lines
    assert "\x1b[" in seen
    assert "of $5.00" in seen
    assert "iteration 1 of 7" in seen
    assert "IMPLEMENTATION_VERIFIED" in seen
    (root,) = (span for span in collector.spans if not span.parent_span_id)
    assert attributes(root.attributes)["setpoint.run.ending"] == "verified"
    assert {span.name for span in collector.spans} >= {"iteration", "invoke_agent actor", "evaluate test"}


def read(screen):
    """Read a terminal until the program in it has ended."""
    parts = []
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:  # what Linux says where a terminal has nobody left that writes to it
            break
        if not part:
            break
        parts.append(part)
    os.close(screen)
    return b"".join(parts).decode("utf-8", "replace")
