"""A Rich console that prints untrusted text safely."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from setpoint.cli.render.styles import harmless


class Screen(Console):
    """A console that replaces control and bidirectional characters in text.

    Rich's own cursor movements are control segments and its colours are styles, so both remain.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as Rich does, with unsafe characters replaced."""
        for each in super().render(renderable, options):
            yield each if each.control else Segment(harmless(each.text), each.style)
