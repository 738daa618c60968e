"""What is the same on every page: keys, theme, copying, a small screen; and a run begun by keyboard alone."""

import pytest
from playwright.sync_api import expect

from acceptance.conftest import BUG, TESTS
from checks.conftest import write
from setpoint.model.events.run import RunStarted
from web.browsing import SLOW_MS, in_a_browser, tab_to
from web.conftest import ASKING, VERIFIED, make_project

pytestmark = in_a_browser
RED = "python -c 'import calc; assert calc.add(1, 2) == 3'"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("keys") / "shop"
    write(place, {"calc.py": BUG, "test_calc.py": TESTS})
    made = make_project(place)
    yield made
    made.store.close()


def test_keys_go_from_row_to_row_and_from_page_to_page(page):
    page.goto("/")
    page.keyboard.press("j")
    expect(page.locator(f"[data-row={ASKING}] a").first).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{ASKING}")
    page.keyboard.press("g")
    page.keyboard.press("q")
    page.wait_for_url("**/gates")
    page.keyboard.press("/")
    page.wait_for_url("**/#search")
    search = page.get_by_role("searchbox")
    expect(search).to_be_focused()
    page.keyboard.type("j?t totals")
    expect(search).to_have_value("j?t totals")
    expect(page.locator("#keys")).to_be_hidden()
    page.locator("h1").click()
    page.keyboard.press("Control+k")
    expect(search).to_be_focused()
    tab_to(page, page.locator("#help"))
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_a_theme_that_was_chosen_stays(page):
    page.goto("/")
    ground = "getComputedStyle(document.body).backgroundColor"
    system = page.evaluate(ground)
    button = page.get_by_role("button", name="Theme: as the system")
    button.click()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert page.evaluate(ground) == system, "the system's is light"
    page.keyboard.press("t")
    page.goto("/board")
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert page.evaluate(ground) != system


def test_the_name_of_a_run_is_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    page.locator(f"[data-row={VERIFIED}] .chip").first.click()
    expect(page.locator("#copied")).to_have_text(f"Copied: {VERIFIED}")
    assert page.evaluate("navigator.clipboard.readText()") == VERIFIED


def test_on_a_small_screen_rows_are_cards_and_no_word_is_broken(page):
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/", f"/runs/{VERIFIED}", "/doctor"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        table = page.locator("main table:not(.diff, .matrix) > tbody > tr").first
        assert table.evaluate("(row) => getComputedStyle(row).display") == "flex"
    title = page.goto("/") and page.locator(f"[data-row={VERIFIED}] th a")
    assert title.evaluate("(each) => each.getClientRects().length") == 1


def test_a_run_with_an_agent_a_limit_and_an_acceptance_command_is_begun_by_keyboard_alone(page, project):
    page.goto("/")
    tab_to(page, page.locator("#start > summary"))
    page.keyboard.press("Enter")
    for name, said in (
        ("wish", "make the failing tests pass"),
        ("agent", "mechanic"),
        ("max_cost_usd", "1.50"),
        ("max_iterations", "2"),
        ("acceptance", RED),
    ):
        field = page.locator(f"#begin [name={name}]")
        tab_to(page, field)
        page.keyboard.type(said)
    tab_to(page, page.get_by_role("button", name="Start the run"))
    page.keyboard.press("Enter")
    row = page.locator("[data-row]", has_text="make the failing tests pass")
    expect(row).to_contain_text("running", timeout=SLOW_MS)
    name = row.get_attribute("data-row")
    expect(page.locator(f"[data-row={name}]")).to_contain_text("verified", timeout=SLOW_MS)
    order = next(e.body.order for e in project.log.replay(name) if isinstance(e.body, RunStarted))
    assert order.makers == ("mechanic",)
    assert str(order.limits.max_cost_usd) == "1.50"
    assert order.limits.max_iterations == 2
    assert order.story.acceptance == (RED,)
