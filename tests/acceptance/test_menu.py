"""The menu in a real terminal: asked at once, answered by keyboard, without colours, or from elsewhere."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from acceptance.conftest import ASKING, RIGHT, WISH

FIX = {"write": "calc.py", "text": RIGHT}
WRONG = [{"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
PATIENCE_S = 120


class Terminal:
    """A process on a pseudo-terminal, as a person sees it."""

    def __init__(self, repository, *words, **environment):
        self._own, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "setpoint", *words],
            cwd=repository.root,
            env=repository.environment(TERM="xterm", COLUMNS="200", **environment),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""
        self.at = 0

    def until(self, text):
        """Read until a text is shown behind the one waited for before; gives all that came up to it."""
        end = time.monotonic() + PATIENCE_S
        while text not in self.shown[self.at :]:
            assert time.monotonic() < end, f"{text!r} is not shown: {self.shown[-2000:]}"
            if not self._read():
                assert text in self.shown[self.at :], f"it ended without {text!r}: {self.shown[-2000:]}"
        begun, self.at = self.at, self.shown.index(text, self.at) + len(text)
        return self.shown[begun : self.at]

    def type(self, line):
        os.write(self._own, f"{line}\n".encode())

    def end(self):
        """Read to the end; gives the exit code."""
        while self._read():
            pass
        return self.process.wait(PATIENCE_S)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._own)

    def _read(self):
        if not select.select([self._own], [], [], PATIENCE_S)[0]:
            return False
        try:
            data = os.read(self._own, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += ESCAPES.sub("", data.decode("utf-8", "replace"))
        return bool(data)


@pytest.fixture
def terminal(repository):
    opened = []

    def begin(*words, **environment):
        opened.append(Terminal(repository, *words, **ASKING, **environment))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def stopping(repository, *more):
    repository.agent(WRONG, *more, settings="[limits]\nmax_iterations = 1\n", counter="count")
    return ("run", WISH, "--agent", "actor")


def test_a_person_at_the_terminal_lets_the_run_go_on(repository, terminal):
    words = stopping(repository, [{"expect": "Mind the sign."}, FIX])
    seen = terminal(*words, NO_COLOR="1")

    asked = seen.until("your answer: ")
    assert "waits for a person: 1 of 1 iterations are used up" in asked
    assert "c  continue: continue with 3 more iterations" in asked
    assert asked.index("continue:") < asked.index("accept:") < asked.index("cancel:") < asked.index("later:")
    seen.type("what?")
    seen.until("unknown answer")
    seen.until("your answer: ")
    seen.type("h")
    assert "guard max_iterations" in seen.until("your answer: ")
    seen.type("c")
    seen.until("how many more iterations")
    seen.type("99")
    seen.until("a number from 0 to 10")
    seen.type("2")
    seen.until("new approach")
    seen.type("")
    seen.until("an instruction for the maker")
    seen.type("Mind the sign.")

    assert "IMPLEMENTATION_VERIFIED" in seen.until("details: setpoint show")
    assert seen.end() == 0


def test_the_question_may_be_left_open_and_is_settled_from_another_terminal(repository, terminal):
    words = stopping(repository)
    seen = terminal(*words)
    seen.until("your answer: ")
    seen.type("l")
    assert "setpoint answer accept run-" in seen.until("and then:")
    assert seen.end() == 10

    again = terminal("resume")
    again.until("your answer: ")
    assert repository.setpoint("answer", "cancel").returncode == 0
    assert "CANCELLED" in again.until("details: setpoint show")
    assert again.end() == 12
