"""Draw measured figures of `halting.py` as plain SVG."""

from __future__ import annotations

from collections.abc import Mapping

WIDTH, LEFT, ROW, BAR = 720, 230, 44, 14
STYLE = "text{font:14px sans-serif;fill:#333}@media(prefers-color-scheme:dark){text{fill:#ddd}}"
FALSE, FOUND = "#c2410c", "#0f766e"


def stagnation_plot(found: Mapping[str, tuple[float, ...]]) -> str:
    """Return bars for each alarm: good runs that it stops, and hopeless ones that it finds."""
    height = 60 + ROW * len(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>Share of good and of hopeless states in which each alarm fires</title>",
        f"<style>{STYLE}</style>",
        _bar(LEFT, 12, 18, FALSE) + f'<text x="{LEFT + 24}" y="24">good states it stops</text>',
        _bar(LEFT + 220, 12, 18, FOUND) + f'<text x="{LEFT + 244}" y="24">hopeless states it finds</text>',
    ]
    for place, (name, (false, _, hopeless)) in enumerate(found.items()):
        top = 44 + ROW * place
        parts.append(f'<text x="{LEFT - 10}" y="{top + 18}" text-anchor="end">{name}</text>')
        for offset, share, colour in ((0, false, FALSE), (BAR + 2, hopeless, FOUND)):
            length = max(1, round(share * (WIDTH - LEFT - 60)))
            parts.append(_bar(LEFT, top + offset, length, colour))
            parts.append(f'<text x="{LEFT + length + 6}" y="{top + offset + 12}">{share:.0%}</text>')
    return "\n".join((*parts, "</svg>")) + "\n"


def _bar(x: int, y: int, width: int, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{BAR}" fill="{colour}"/>'
