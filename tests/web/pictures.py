"""Pictures of pages, at two widths and in both themes: `python tests/web/pictures.py FOLDER` takes all.

They are of projects with no run, with some ten, and with 500 (`bench/scale.py` makes these), so that a person
can look at each. What is wider than its window is printed.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from subprocess import PIPE

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from playwright.sync_api import sync_playwright  # noqa: E402 - the folders of the tests are found from here on
from scale import CARDS, LONGEST, fill  # noqa: E402 - as above

from checks.conftest import git, write  # noqa: E402 - as above
from setpoint.wiring.project import open_project  # noqa: E402 - as above
from web.browsing import PROGRAM  # noqa: E402 - as above
from web.conftest import ASKING, HOSTILE, VERIFIED, make_project  # noqa: E402 - as above

WIDTHS, THEMES = (1440, 390), ("light", "dark")
HEIGHTS = {1440: 900, 390: 844}
MOST_TALL = 1800
"""Pixels of a page that a picture shows."""
LISTS = (
    "/",
    "/gates",
    "/board",
    "/learnings",
    "/learnings/alike",
    "/production",
    "/metrics",
    "/metrics/halting",
)
RUNS = (
    *(f"/runs/{which}" for which in (VERIFIED, ASKING, HOSTILE, LONGEST)),
    f"/runs/{VERIFIED}/checks/2/pytest",
    f"/runs/{VERIFIED}/diff/0",
)
FOUND = ("/?words=totals&group=day", "/?state=cancelled", f"/?again={VERIFIED}")
MORE = ("/doctor", "/nothing")


def pages(
    link: str,
    into: Path,
    paths: Iterable[str],
    widths: Iterable[int] = WIDTHS,
    themes: Iterable[str] = THEMES,
) -> list[str]:
    """Take a picture of each page behind a login link; gives what is wider than its window."""
    wide = []
    into.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        context = browser.new_context(base_url=link.partition("/login")[0])
        page = context.new_page()
        page.goto(link)
        page.wait_for_url("**/")
        for theme in themes:
            page.emulate_media(color_scheme=theme)
            for width in widths:
                page.set_viewport_size({"width": width, "height": HEIGHTS.get(width, 900)})
                for path in paths:
                    page.goto(path)
                    name = "".join(each if each.isalnum() else "-" for each in path).strip("-") or "home"
                    page.wait_for_timeout(150)
                    tall = min(page.evaluate("document.documentElement.scrollHeight"), MOST_TALL)
                    shown = {"x": 0, "y": 0, "width": width, "height": tall}
                    page.screenshot(path=into / f"{name}-{width}-{theme}.png", full_page=True, clip=shown)
                    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                        wide.append(f"{into.name} {path} at {width}")
        browser.close()
    return wide


def project_of(place: Path, runs: int) -> None:
    """Make a project with so many runs, or about."""
    if runs == 0:
        write(place, {"a.py": "x = 1\n"})
        git(place, "init", "-q")
        git(place, "add", "-A")
        git(place, "-c", "user.name=Ada", "-c", "user.email=a@localhost", "commit", "-qm", "base")
        open_project(place).store.close()
        return
    project = make_project(place)
    if runs > 100:
        for number in range(CARDS):
            title = f"Totals must be right {number}"
            write(
                project.state,
                {f"stories/story-{number:04}.md": f"---\nid: story-{number:04}\n---\n# {title}\n"},
            )
    fill(project.store, place, runs, runs * 10)
    project.store.close()


def main(into: Path) -> None:
    """Take the pictures of every page with 0, 10 and 500 runs."""
    for runs in (0, 10, 500):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "shop"
            project_of(place, runs)
            serve = [sys.executable, "-m", "setpoint", "serve", "--port", "0"]
            quiet = {**os.environ, "PYTHONUNBUFFERED": "1"}
            with subprocess.Popen(serve, cwd=place, env=quiet, stdout=PIPE, text=True) as serving:
                link = serving.stdout.readline().strip()
                paths = [*LISTS, *MORE, *((*RUNS, *FOUND) if runs else ())]
                print(*pages(link, into / str(runs), paths), sep="\n")
                serving.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
