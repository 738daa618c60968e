"""Rich's console, on which what agents and tools wrote is shown and never acts."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from setpoint.cli.styles import harmless


class Screen(Console):
    """A console that replaces what would move its cursor, wipe a line or turn the reading direction.

    Rich's own movements are control segments, and colours are styles: both stay.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as Rich does; every text on its way to the terminal passes here."""
        for each in super().render(renderable, options):
            yield each if each.control else Segment(harmless(each.text), each.style)
