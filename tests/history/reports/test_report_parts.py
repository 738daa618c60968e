"""A report says what is not proved, shows what is delivered, and folds raw output."""

from __future__ import annotations

import re

from history.report_runs import recorded, verified_run
from history.reports.test_run_report import hostile_run
from setpoint.errors import RecordedDataError
from setpoint.history.reports import run_report
from setpoint.model.events.product import ProductShown
from setpoint.model.product import ProductView

DIFF = """diff --git a/src/cart.py b/src/cart.py
index 1..2 100644
--- a/src/cart.py
+++ b/src/cart.py
@@ -1,2 +1,2 @@
 def total():
-    return "```"
+    return "<b>\x1b[31m\u202e"
"""


def test_the_delivered_change_is_shown_with_its_lines_marked(tmp_path):
    events, asked = verified_run(tmp_path), []

    def diff(before, after):
        asked.append((before, after))
        return DIFF

    page, report = run_report.html(events, None, diff), run_report.markdown(events, None, diff)
    assert asked == [("b" * 40, f"{3:040x}")] * 2, "from the base to what is delivered"
    assert '<span class="del">-    return &#34;```&#34;\n</span>' in page
    assert '<span class="add">+    return &#34;&lt;b&gt;&#34;\n</span>' in page
    assert "git diff bbbbbbbbbb...setpoint/totals" in page
    assert "- `src/cart.py` +1 \N{MINUS SIGN}1" in report
    fence = report.split("<details><summary>diff</summary>\n\n")[1].partition("\n")[0]
    assert fence == "````diff", "no line of the change ends the block"


def test_a_long_file_is_cut_with_the_number_of_lines_left_out_and_folded(tmp_path):
    long = DIFF + "".join(f"+{number}\n" for number in range(500))
    page = run_report.html(verified_run(tmp_path), None, lambda *_: long * 3)
    assert page.count("... 384 more lines") == 3
    assert page.count('<details class="diff keep" open>') == 2
    assert page.count('<details class="diff">') == 1


def test_a_report_whose_change_is_gone_says_where_it_is(tmp_path):
    def gone(*_):
        raise RecordedDataError("the change is gone")

    for text in (
        run_report.html(verified_run(tmp_path), None, gone),
        run_report.markdown(verified_run(tmp_path), None, gone),
    ):
        assert "the change is gone" in text
        assert "git diff bbbbbbbbbb...setpoint/totals" in text


def test_what_is_not_proved_stands_before_the_change_and_failing_checks_are_open(tmp_path):
    events = hostile_run(tmp_path)
    page, report = run_report.html(events), run_report.markdown(events)
    assert page.index("Not proved") < page.index("<h2>Change</h2>") < page.index("<h2>Checks</h2>")
    assert report.index("- tests: 1 failing") < report.index("## Change")
    opened = re.findall(r'<details open class="keep"><summary>(\w+)', page)
    assert opened == ["ruff", "pytest"]
    assert "<details><summary>parse" in page


def test_the_markdown_is_read_in_a_minute(tmp_path):
    text = run_report.markdown(verified_run(tmp_path), lambda _: b"x\n" * 900, lambda *_: DIFF * 90)
    seen = re.sub(r"<details>.*?</details>\n*", "", text, flags=re.DOTALL)
    assert len(seen.splitlines()) < 80


def test_what_was_shown_stands_in_every_report_and_a_lost_picture_is_told(tmp_path):
    told = ProductView(output="a" * 64, exit_code=3)
    drawn = ProductView(output="b" * 64, picture=True)
    bodies = [event.body for event in verified_run(tmp_path)]
    bodies.insert(-1, ProductShown(what="<app> export", before=told, after=told))
    bodies.insert(-1, ProductShown(what="http://127.0.0.1:1/", before=drawn, after=drawn))
    events = recorded(*bodies)

    page = run_report.html(events, lambda _: b"<b>\x1b[31mout")
    assert page.count('<pre tabindex="0">&lt;b&gt;out</pre>') == 2
    assert page.count('src="data:image/png;base64,PGI+') == 2
    read = lambda _: b"out"
    for text in (run_report.markdown(events, read), run_report.pull_text(events, 0, "refs/x", (), read)):
        assert "## Shown, not proof" in text
        assert "`<app> export`" in text
        assert "- after: a picture, in `report.html`" in text

    def gone(_):
        raise RecordedDataError("gone")

    assert "The picture is gone." in run_report.html(events, gone)
    assert run_report.product_html(verified_run(tmp_path), gone).strip() == ""
