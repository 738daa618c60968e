"""A Rich console that prints untrusted text safely."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from setpoint.cli.render.styles import harmless, in_ascii


class Screen(Console):
    """A console that replaces control and bidirectional characters in text.

    Rich's own cursor movements are control segments and its colours are styles, so both remain.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as Rich does, with unsafe characters replaced."""
        for each in super().render(renderable, options):
            yield each if each.control else Segment(harmless(each.text), each.style)


def print_line(console: Console, text: str, style: str = "", *, start: str = "", whole: bool = False) -> None:
    """Print a text that may be untrusted behind `start`; a terminal breaks it at words, unless `whole`."""
    rows = [text] if whole or not console.is_terminal else broken(text, console.width - len(start))
    plain = not console.encoding.lower().startswith("utf")
    for number, row in enumerate(rows):
        shown = " " * len(start) + row.strip() if number else start + row
        console.print(Text(in_ascii(shown) if plain else harmless(shown), style), soft_wrap=True)


def broken(text: str, width: int) -> list[str]:
    """Break a text at words into rows of a width; further rows of a line are indented."""
    rows: list[str] = []
    for each in text.expandtabs(2).splitlines() or [""]:
        indent = " " * (len(each) - len(each.lstrip()) + 2)
        rows += textwrap.wrap(each, max(width, 12), subsequent_indent=indent, break_on_hyphens=False) or [""]
    return rows
