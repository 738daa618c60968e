"""The page Production in a real browser: what comes in appears, and a person lets the story be worked on."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from checks.conftest import git, write
from setpoint.app.production.signals import ProductionRecord, ingest_events, record_deployment
from setpoint.wiring.project import open_project
from web.browsing import assert_usable, in_a_browser, picture, tab_to

pytestmark = in_a_browser
STACK = 'Traceback:\n  File "/srv/shop/shop/cart.py", line 6, in average\nZeroDivisionError'
CART = "def total(of):\n    return sum(of)\n\n\ndef average(of):\n    return total(of) / len(of)\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("production") / "shop"
    write(place, {"shop/cart.py": CART.replace("len(of)", "max(len(of), 1)"), "README.md": "Shop\n"})
    git(place, "init", "-q", "-b", "main")
    git(place, "config", "user.name", "Ada")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "Begin")
    made = open_project(place)
    book = ProductionRecord(made)
    now = datetime.now(UTC)
    record_deployment(book, "HEAD", release="v1.4.1", at=now - timedelta(days=1))
    for message, files in (
        ("Say hello", {"README.md": "# Shop\n"}),
        ("Shorten the average", {"shop/cart.py": CART}),
    ):
        write(place, files)
        git(place, "commit", "-qam", message)
    record_deployment(book, "HEAD", release="v1.4.2", at=now - timedelta(minutes=20))
    yield made
    made.store.close()


def event(**data):
    told = {"title": "ZeroDivisionError in average", "severity": "critical", "stacktrace": STACK, **data}
    return {
        "specversion": "1.0",
        "id": told["title"],
        "source": "shop/errors",
        "type": "app.error",
        "time": datetime.now(UTC).isoformat(),
        "data": told,
    }


def tell(project, *events):
    """Take signals in and work on them, as another process would: here a browser's event loop runs."""
    book = ProductionRecord(project)
    ingest_events(book, json.dumps(events).encode())
    with ThreadPoolExecutor(1) as pool:
        pool.submit(book.work).result()


def test_a_signal_appears_by_itself_and_a_person_lets_its_story_be_worked_on(page, project):
    page.goto("/production")
    expect(page.get_by_text("No signals yet.")).to_be_visible()
    expect(page.get_by_role("row", name="v1.4.2")).to_be_visible()
    tell(project, event(release="v1.4.2"), event(title="A drill"))
    problem = page.locator("article", has=page.get_by_role("heading", name="ZeroDivisionError in average"))
    expect(problem.locator("tbody tr").first).to_contain_text("Shorten the average")
    expect(problem).to_contain_text("last changed shop/cart.py:6 (the innermost frame of the stack)")
    expect(problem.locator(".mark", has_text="waits")).to_be_visible()
    problem.locator("summary").click()
    expect(problem.locator("details")).to_contain_text("/srv/shop/shop/cart.py:6 in average")
    problem.locator("summary").click()
    drill = page.locator("article", has=page.get_by_role("heading", name="A drill"))
    drill.get_by_label("Reason, for the record").fill("we broke it on purpose")
    drill.get_by_role("button", name="Dismiss: A drill").click()
    expect(drill).to_contain_text("Ada: we broke it on purpose")
    problem.evaluate("(each) => each.scrollIntoView()")
    picture(page, "production")
    problem.get_by_role("button", name="Approve: ZeroDivisionError in average").click()
    expect(problem.locator(".mark", has_text="story")).to_be_visible()
    expect(problem.get_by_role("button", name="Approve")).to_have_count(0)
    problem.get_by_role("link", name="production-zerodivisionerror").click()
    expect(page.get_by_role("button", name="Start: Fix in production: ZeroDivisionError")).to_be_visible()


def test_a_problem_is_let_be_worked_on_by_keyboard_alone(page, project):
    tell(project, event(title="Too slow", release="v1.4.2"))
    page.goto("/production")
    problem = page.locator("article", has=page.get_by_role("heading", name="Too slow"))
    tab_to(page, problem.get_by_label("Reason, for the record"))
    page.keyboard.type("customers wait")
    page.keyboard.press("Tab")
    expect(problem.get_by_role("button", name="Approve: Too slow")).to_be_focused()
    page.keyboard.press("Enter")
    expect(problem.locator(".mark", has_text="story")).to_be_visible()
    page.goto("/board")
    action = page.get_by_role("button", name="Start: Fix in production: Too slow")
    tab_to(page, action)
    expect(action).to_be_focused()


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_the_page_can_be_used_by_everybody_and_on_a_small_screen(page, project):
    tell(project, event(title="Averages " * 20, release="v1.4.2"))
    page.goto("/production")
    expect(page.locator("tbody tr").first).to_be_visible()
    assert_usable(page, ["/production", "/board"])
