"""A run's page shows the product before and after, and says that it proves nothing."""

from setpoint.model.events.product import ProductShown
from setpoint.model.product import ProductView
from web.conftest import VERIFIED


def test_what_was_shown_is_on_the_page_of_the_run_as_text_and_picture(project, browser):
    path = f"/runs/{VERIFIED}"
    assert "Shown, not proof" not in browser.get(path).text
    said = ProductView(output=project.artifacts.keep("<b>total 5</b>\n"), exit_code=3)
    drawn = ProductView(output=project.artifacts.keep(b"\x89PNG"), picture=True)
    for number, view in enumerate((said, drawn)):
        body = ProductShown(what=f"thing {number}", before=view, after=view)
        project.log.append(VERIFIED, f"show-{number}", [body])

    page = browser.get(path).text

    assert "Shown, not proof" in page
    assert page.count("&lt;b&gt;total 5&lt;/b&gt;") == 2
    assert page.count('src="data:image/png;base64,iVBORw=="') == 2
