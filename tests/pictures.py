"""Record `setpoint demo --tour` for the documents: `make screenshots` runs it.

It writes `tour.svg`, which shows each line when it came, and its words as `tour.txt` into docs/assets. The
end of the run goes into the README. A test compares the words with those of a run of today.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "docs" / "assets"
README = ROOT / "README.md"
WIDTH = 100
LONGEST_S = 2.5
"""Most seconds between two lines of the recording, which waits less than the run did."""
FRAME = re.compile(r"(<!-- frame: [^\n]*-->\n```text\n)(.*?)(```\n)", re.DOTALL)
_RUNS = "clean room|nothing lost|hidden tests|witness|sabotage|canary|elsewhere|same calls"
_CHANGING = (
    (r"\S*/(?=setpoint-demo)", "~/"),
    (r"\brun-\w+", "run-…"),
    (r"\b[0-9a-f]{7,40}\b", "…"),
    (r"\b\d+m\d+s?\b|\b\d+(\.\d+)?\s?s\b", "…"),
    (r"\s+", " "),
    # A slow machine has no time left for some runs of the proof.
    (rf"(; runs? not possible here: )?((?:{_RUNS})(, )?)+", ""),
    (r"\s+", " "),
)


def words(text: str) -> str:
    """Return a text without what is another in each run: places, names of runs, commits, and times."""
    for pattern, instead in _CHANGING:
        text = re.sub(pattern, instead, text)
    return text.strip()


def tour(folder: Path) -> list[tuple[float, str]]:
    """Take the tour as in a terminal; return its lines, each with the seconds since the start."""
    environment = {
        **{name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")},
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "HOME": str(folder),
        "COLUMNS": str(WIDTH),
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONUNBUFFERED": "1",
    }
    argv = [sys.executable, "-m", "setpoint", "demo", "--tour"]
    begun = time.monotonic()
    with subprocess.Popen(argv, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as running:
        lines = [(time.monotonic() - begun, line.rstrip("\n")) for line in running.stdout or ()]
    if running.returncode:
        raise SystemExit("\n".join([*(line for _, line in lines), f"exit code {running.returncode}"]))
    return lines


def plain(lines: list[tuple[float, str]]) -> str:
    """Return the lines as text without colours."""
    return "".join(re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() + "\n" for _, line in lines)


def frame(text: str) -> str:
    """Return the closing block of the tour: what a run prints when it has ended."""
    lines = text.splitlines()
    first = max(number for number, line in enumerate(lines) if line.startswith("✓ VERIFIED"))
    last = next(number for number in range(first, len(lines)) if lines[number].startswith("  You get"))
    return "\n".join(lines[first:last]).rstrip() + "\n"


def drawn(lines: list[tuple[float, str]]) -> str:
    """Return a picture of the terminal whose lines appear one after the other."""
    from rich.console import Console
    from rich.text import Text

    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere)
        for _, line in lines:
            console.print(Text.from_ansi(line), soft_wrap=False)
        svg = console.export_svg(title="setpoint demo --tour", unique_id="tour")
    shown_s, before, delays = 0.0, 0.0, []
    for at, line in lines:
        shown_s += min(at - before, LONGEST_S)
        before = at
        rows = Console(width=WIDTH).render_lines(Text.from_ansi(line), pad=False)
        delays += [shown_s] * len(rows)
    style = (
        "@keyframes appear { to { opacity: 1 } } .later { opacity: 0; animation: appear .2s forwards }"
        " @media (prefers-reduced-motion: reduce) { .later { opacity: 1; animation: none } }"
    )
    svg = svg.replace("<style>", f"<style>\n    {style}", 1)

    def later(match: re.Match[str]) -> str:
        return (
            f'<text style="animation-delay:{delays[int(match[2])]:.1f}s" class="later {match[1]}{match[2]})"'
        )

    return re.sub(r'<text class="([^>]*?clip-path="url\(#tour-line-)(\d+)\)"', later, svg)


def main() -> None:
    """Make the recording, its words, and the block of the README."""
    with tempfile.TemporaryDirectory() as folder:
        lines = tour(Path(folder))
    lines = [(at, re.sub(r"\S*/(?=setpoint-demo)", "~/", line)) for at, line in lines]
    told = plain(lines)
    (ASSETS / "tour.svg").write_text(drawn(lines), "utf-8")
    (ASSETS / "tour.txt").write_text(told, "utf-8")
    readme = README.read_text("utf-8")
    README.write_text(FRAME.sub(lambda block: block[1] + frame(told) + block[3], readme), "utf-8")
    print(ASSETS / "tour.svg")


if __name__ == "__main__":
    main()
