"""Commands and pages that a project names are shown before and after the work, and prove nothing."""

from __future__ import annotations

import json
import shutil
import socket
import struct
from pathlib import Path

import pytest

from acceptance.conftest import RIGHT
from setpoint.checks.show_product import BROWSERS

FIX = [{"write": "calc.py", "text": RIGHT}]
ADDS = "python -c 'import calc; print(calc.add(2, 3))'"


def shown(repository):
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    return [body for body in bodies if body["kind"] == "product.shown"]


def kept(repository, view):
    name = view["output"]
    return (repository.root / ".setpoint" / "artifacts" / name[:2] / name[2:]).read_bytes()


def port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def reports(repository, outcome):
    folder = repository.root / ".setpoint" / "runs" / outcome["trace_id"]
    return (folder / "report.html").read_text(), (folder / "report.md").read_text()


def test_a_command_of_a_story_is_shown_on_base_and_result_and_changes_no_verdict(repository):
    repository.agent(FIX, settings='show = ["echo of the settings"]\n')
    asked = json.dumps([ADDS, "echo torn; touch left; exit 3"])
    front = f"---\ntitle: make the tests pass\nshow: {asked}\n---\n"
    repository.write(".setpoint/stories/sum.md", front)

    done = repository.setpoint("run", ".setpoint/stories/sum.md", "--agent", "actor", "--json", timeout=240)

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"]) == (0, "verified"), outcome
    adds, torn = shown(repository)
    assert [kept(repository, adds[each]) for each in ("before", "after")] == [b"-1\n", b"5\n"]
    assert (adds["before"]["exit_code"], torn["after"]["exit_code"]) == (0, 3)
    page, text = reports(repository, outcome)
    assert page.index("Shown, not proof") < page.index("<h2>Checks</h2>")
    assert '<pre tabindex="0">5\n</pre>' in page
    assert "## Shown, not proof" in text
    assert "- after, exit 3" in text
    assert "left" not in repository.git("ls-tree", "-r", "--name-only", outcome["branch"]).split()


def test_a_page_is_shown_as_a_picture_and_one_that_nothing_serves_says_so(repository):
    where, nowhere = port(), port()
    served = {
        "start": f"python -m http.server {where} --bind 127.0.0.1",
        "page": f"http://127.0.0.1:{where}/",
    }
    absent = {"start": "echo no server", "page": f"http://127.0.0.1:{nowhere}/"}
    words = [[f"{name} = {json.dumps(value)}" for name, value in page.items()] for page in (served, absent)]
    tables = [", ".join(each) for each in words]
    repository.write("index.html", "<body style='background:#f00'>")
    fix = [*FIX, {"write": "index.html", "text": "<body style='background:#00f'>"}]
    repository.agent(fix, settings=f"show = [{', '.join(f'{{{each}}}' for each in tables)}]\n")

    code, outcome = repository.run("--agent", "actor", timeout=240)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    page, none = shown(repository)
    if not any(map(shutil.which, BROWSERS)):
        assert "no browser is on this machine" in page["after"]["reason"]
        pytest.skip("no browser is on this machine")
    assert "does not answer" in none["after"]["reason"]
    pictures = [kept(repository, page[each]) for each in ("before", "after")]
    assert [struct.unpack(">II", each[16:24]) for each in pictures] == [(1280, 800)] * 2
    assert pictures[0] != pictures[1]
    html, text = reports(repository, outcome)
    assert html.count('src="data:image/png;base64,') == 2
    assert "a picture, in `report.html`" in text


@pytest.mark.parametrize("page", ["https://example.org/", "http://127.0.0.1/", "http://evil.example:80/"])
def test_a_page_elsewhere_is_refused_with_its_place(repository, page):
    Path(repository.root / "setpoint.toml").write_text(f'show = [{{ start = "x", page = "{page}" }}]\n')
    done = repository.setpoint("status")
    assert done.returncode != 0
    assert "key 'show.0.page': value error, a page is at http://127.0.0.1:port/" in done.stderr
