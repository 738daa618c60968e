"""What the tests in a real browser share: when they run, how pages are checked, pictures of them."""

import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".tools" / "web" / "node_modules" / "axe-core" / "axe.min.js"
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ASSETS = ROOT / "docs" / "assets"
SCREENSHOTS = os.environ.get("SCREENSHOTS_INTO", "")
"""Folder in which pictures of the pages are to be left, for the documents."""
SLOW_MS = 90_000
"""Milliseconds that a run of a small project may take on a busy machine."""

in_a_browser = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(PROGRAM is None and not os.environ.get("CI"), reason="no Chromium on PATH"),
]


def picture(page, name):
    """Leave a picture of a page for the documents, with its words; else look if the page still has them."""
    size = page.viewport_size
    page.set_viewport_size({"width": 1100, "height": 820})
    kept = ASSETS / f"dashboard-{name}.txt"
    if SCREENSHOTS:
        tall = page.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
        page.set_viewport_size({"width": 1100, "height": min(tall, 820)})
        page.wait_for_timeout(300)  # what is drawn to measure is drawn anew
        page.screenshot(path=str(Path(SCREENSHOTS) / f"dashboard-{name}.png"))
        Path(SCREENSHOTS, kept.name).write_text("\n".join(_lines(page, 820)) + "\n", "utf-8")
    elif "PYTEST_XDIST_WORKER" not in os.environ:  # tests before it left what a page shows
        page.wait_for_timeout(300)  # as above
        shown = set(_lines(page))
        gone = [line for line in kept.read_text("utf-8").splitlines() if line not in shown]
        assert gone == [], f"{kept.stem} shows {gone}, which the page no longer says; hint: make screenshots"
    page.set_viewport_size(size)


def _lines(page, most_px=10_000_000):
    """Return the texts of a page above a height, without what is another each time."""
    texts = page.evaluate(_TEXTS, most_px)
    lines = (re.sub(_CHANGING, "…", " ".join(text.split())) for text in texts)
    return list(dict.fromkeys(line for line in lines if re.search(r"[A-Za-z]{2}", line)))


_NUMBER = r"[\d.,:\N{EN DASH}-]*\d[\d.,:\N{EN DASH}-]*"
_CHANGING = re.compile(
    rf"\b(run|lrn)-\w+|\b[0-9a-f]{{6,40}}\b|\b(just )?now\b|{_NUMBER}( ?(ms|s|m|h|d|%|\w+ ago|UTC|Z)\b)*"
    r"|\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b"
)
_TEXTS = """(most) => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width && box.height && box.bottom > 0 && box.top < most) found.push(walker.currentNode.data);
  }
  return found;
}"""
"""The texts that a page shows, in their order; closed parts, which may have a size or none, are left out."""


def open_form(page):
    """Open the form that begins a run, and give the field of its request."""
    field = page.get_by_label("Request (a sentence)")
    if not field.is_visible():
        page.locator("#start > summary").click()
    return field


def tab_to(page, wanted):
    """Go to a part of a page as somebody without a mouse does."""
    for _ in range(100):
        if wanted.evaluate("(each) => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not lead to {wanted}")


def opened_answer(section, choice):
    """Open one answer to a question, with its fields; the others close."""
    answer = section.locator(f"details[name][id$='-{choice}']")
    answer.locator("summary").first.click()
    return answer


def assert_usable(page, paths):
    """Look for faults of accessibility that axe finds, and for too wide pages."""
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip("tests/web/install.sh was not run")
    found = {}
    for path in paths:
        page.goto(path)
        page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
        expect(page.get_by_text("The lines are being read.")).to_have_count(0)
        page.evaluate(AXE.read_text("utf-8"))
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for each in result["violations"]:
            found[path, each["id"]] = [node["html"][:200] for node in each["nodes"][:3]]
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        page.set_viewport_size({"width": 1280, "height": 900})
    assert found == {}, found
