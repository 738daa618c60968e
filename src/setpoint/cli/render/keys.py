"""Keys of the live view: pause, hint, stop, and the agent's text."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from setpoint.app.people.steering import continue_run, give_hint, pause_run, stop_run
from setpoint.cli.render.presenter import Presenter
from setpoint.cli.render.styles import harmless
from setpoint.errors import SetpointError
from setpoint.model.ids import TraceId
from setpoint.wiring.project import Project

ENTER, ESCAPE = "\r\n", "\x1b"
BACKSPACE = "\x7f\x08"
MOST_CHARS = 1000


@dataclass(kw_only=True)
class Keyboard:
    """Takes keys one by one; what they mean depends on what is being typed."""

    pause: Callable[[], None]
    """Pauses the run, or lets it continue."""
    hint: Callable[[str], None]
    stop: Callable[[], None]
    text: Callable[[], None]
    """Shows the agent's text, or hides it."""
    leave: str = "^C interrupt"
    _typed: str | None = field(default=None)
    """The hint so far; none where none is typed."""
    _sure: bool = False
    """Whether it was asked if the run is to be stopped."""

    @property
    def row(self) -> tuple[str, ...]:
        """What the keys do now."""
        if self._typed is not None:
            return (f"hint: {self._typed}_", "(Enter sends, Esc drops it)")
        if self._sure:
            return ("stop the run and keep its best state?", "y yes", "n no")
        return ("p pause", "h hint", "s stop", "v text", self.leave)

    def press(self, keys: str) -> None:
        """Take keys in the order in which they were pressed."""
        for key in keys:
            if self._typed is not None:
                self._type(key)
            elif self._sure:
                self._sure = False
                if key in "yY":
                    self.stop()
            else:
                self._command(key)

    def _command(self, key: str) -> None:
        match key:
            case "p":
                self.pause()
            case "h" | "i":
                self._typed = ""
            case "s":
                self._sure = True
            case "v":
                self.text()
            case _:
                pass

    def _type(self, key: str) -> None:
        typed = self._typed or ""
        if key in ENTER or key == ESCAPE:
            self._typed = None
            if key in ENTER and typed.strip():
                self.hint(typed.strip())
        elif key in BACKSPACE:
            self._typed = typed[:-1]
        elif key.isprintable():
            self._typed = harmless(typed + key)[:MOST_CHARS]


def keyboard(
    project: Project, trace_id: TraceId, presenter: Presenter, leave: str = "^C interrupt"
) -> Keyboard:
    """Return the keys that act on a run and on how it is shown."""

    def reported(act: Callable[[], None]) -> None:
        try:
            act()
        except SetpointError as error:  # shown beside the run, which continues
            presenter.notice(str(error), datetime.now(UTC))

    def pause() -> None:
        act = continue_run if presenter.run.paused else pause_run
        reported(lambda: act(project, trace_id))

    def text() -> None:
        presenter.everything = not presenter.everything

    return Keyboard(
        pause=pause,
        hint=lambda said: reported(lambda: give_hint(project, trace_id, said)),
        stop=lambda: reported(lambda: stop_run(project, trace_id, "stopped with a key")),
        text=text,
        leave=leave,
    )


@contextmanager
def pressed(*, wanted: bool) -> Iterator[Callable[[float], str] | None]:
    """Yield what waits some seconds for keys and returns them; none where there is no keyboard.

    The terminal gives each key at once and does not print it; afterwards it is as it was.
    """
    if not wanted or not sys.stdin.isatty():
        yield None
        return
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield lambda seconds: _read(number, seconds)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def _read(number: int, seconds: float) -> str:
    ready, _, _ = select.select([number], [], [], seconds)
    return os.read(number, 1024).decode("utf-8", "replace") if ready else ""
