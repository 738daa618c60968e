"""The page of a change: both views, comments under their lines, and what hostile or huge changes do to it."""

import html
import re

import pytest
from starlette.testclient import TestClient

from setpoint.cli.project.serve import _told
from setpoint.web.access import Scope
from setpoint.web.app import make_app
from setpoint.web.diffs import MOST_ROWS, place_id
from web.conftest import HERE
from web.keys import known_access
from web.vaulted import TRACE, vaulted_run

NAMED = "<img src=x onerror=alert(1)>.py"
BEFORE = {"total.py": b"def total(a):\n    return a - 1\n", "huge.txt": b"x\n" * 5000}
AFTER = {
    "total.py": b"def total(a):\n    return a + 1\n# </code><script>alert(1)</script>\x1b[31m\xe2\x80\xae\n",
    NAMED: b"y = 1\n",
    "huge.txt": b"y\n" * 5000,
    "long.txt": b"z" * 100_000 + b"\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made, _ = vaulted_run(tmp_path_factory.mktemp("change") / "project", BEFORE, AFTER)
    yield made
    made.store.close()


@pytest.fixture
def reader(project):
    access = known_access(project)
    client = TestClient(make_app(project, access, [HERE], _told), base_url=f"http://{HERE}")
    client.headers |= {"authorization": f"Bearer {access.tokens[Scope.FEEDBACK]}", "accept": "text/html"}
    return client


@pytest.mark.parametrize("view", ["", "?view=beside"])
def test_a_hostile_and_huge_change_is_shown_for_what_it_is(reader, view):
    text = reader.get(f"/runs/{TRACE}/diff/1{view}").text
    assert "&lt;img src=x onerror=alert(1)&gt;.py" in text
    assert not re.search(r"<(img|script)(?![^>]* src=\"/static/)", text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert f"{2 * 5000 + 1 - MOST_ROWS} more lines are not shown" in text
    assert "z" * 500 not in text
    assert len(text) < 1_000_000


def test_words_that_differ_are_marked_on_both_sides(reader):
    for view in ("", "?view=beside"):
        text = reader.get(f"/runs/{TRACE}/diff/1{view}").text
        assert '<span class="k">return</span> a <em>-</em> <span class="m">1</span>' in text
        assert '<span class="k">return</span> a <em>+</em> <span class="m">1</span>' in text
    assert reader.get(f"/runs/{TRACE}/diff/1?view=upside-down").status_code == 422
    assert 'href="/runs/run-0000000000test/diff/0"' in reader.get(f"/runs/{TRACE}/diff/1").text


def test_a_comment_stands_under_its_line_also_in_a_file_with_a_hostile_name(reader):
    said = {"file": NAMED, "line": "1", "text": "what a name", "iteration": "1"}
    row = reader.post(f"/runs/{TRACE}/comments", data=said).text
    assert "what a name" in row
    for view in ("", "?view=beside"):
        text = reader.get(f"/runs/{TRACE}/diff/1{view}").text
        row, _, after = text.partition(f'id="{place_id(NAMED, 1)}"')[2].partition("</tr>")
        assert 'y = <span class="m">1</span>' in row
        assert after.lstrip().startswith('<tr class="remark">')
        assert "what a name" in after.partition("</tr>")[0]
        assert f'href="#{place_id(NAMED, 1)}"' in text, "the list of comments leads there"


def test_a_comment_stands_only_in_the_change_whose_lines_it_counts(reader):
    """The first line of the whole change need not be the first of an iteration's."""
    for iteration, words in ((1, "of the first"), (0, "of them all")):
        said = {"file": "total.py", "line": "2", "text": words, "iteration": str(iteration)}
        assert words in reader.post(f"/runs/{TRACE}/comments", data=said).text
    pages = {number: reader.get(f"/runs/{TRACE}/diff/{number}").text for number in (0, 1)}
    for number, here, elsewhere in ((1, "of the first", "of them all"), (0, "of them all", "of the first")):
        text = pages[number]
        assert f'name="iteration" value="{number}"' in text
        listed, _, table = text.partition('data-file="total.py"')
        assert (here in listed, elsewhere in listed) == (True, True)
        assert (here in table, elsewhere in table) == (True, False)
    place = place_id("total.py", 2)
    assert f'href="/runs/{TRACE}/diff/1#{place}"' in pages[0]
    assert "on iteration 1" in pages[0]
    assert f'href="/runs/{TRACE}/diff/0#{place}"' in pages[1]
    assert "on the change as a whole" in pages[1]
    later = reader.get(f"/runs/{TRACE}/diff/1/comments").text
    assert f'href="/runs/{TRACE}/diff/0#{place}"' in later
    none = reader.post(f"/runs/{TRACE}/comments", data={**said, "iteration": "7"})
    assert (none.status_code, "has no iteration 7" in none.text) == (409, True)


def test_one_line_of_each_file_is_in_the_order_of_the_tab_key(reader):
    text = reader.get(f"/runs/{TRACE}/diff/1").text
    for name in ("total.py", NAMED, "long.txt"):
        table = text.partition(f'data-file="{html.escape(name)}"')[2].partition("</table>")[0]
        assert table.count('class="at"') >= 1
        assert len(re.findall(r'class="at"[^>]*tabindex="0"', table)) == 1, name


def test_who_may_only_read_finds_no_place_to_write(project, reader):
    access = known_access(project)
    reader.headers["authorization"] = f"Bearer {access.tokens[Scope.READ]}"
    text = reader.get(f"/runs/{TRACE}/diff/1").text
    assert 'class="at"' not in text
    assert "comment-form" not in text
