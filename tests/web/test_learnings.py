"""What was learnt, in pages and for programs: narrowed down, judged, merged, retired."""

import pytest

from setpoint.app.people.learnings import judge_learning, memory_mark
from setpoint.model.learning import EvidenceKind
from setpoint.web.access import Scope
from setpoint.wiring.memory import memory_of
from web.reviewed import HOSTILE, teach

API = "/api/v1/learnings"


@pytest.fixture(scope="module")
def names(project):
    return teach(project)


def standing(program, name):
    return program.get(f"{API}/{name}").json()["standing"]


def test_learnings_are_narrowed_down(program, names):
    def told(**asked):
        return {each["standing"]["learning"]["id"] for each in program.get(API, params=asked).json()}

    assert told() == set(names)
    assert told(words="CACHE after") == {names[1]}
    assert told(kind="semantic") == set(names[2:4])
    assert told(source="pack:team.jsonl", words="cents") == {names[3]}
    assert told(status="retired") == set()
    assert told(status="", kind="") == set(names), "what a form sends for any"
    assert program.get(API, params={"status": "unknown"}).status_code == 422


def test_the_page_shows_what_the_api_gives(browser, names):
    text = browser.get("/learnings", params={"words": "cents", "status": "", "kind": ""}).text
    assert f'href="/learnings/{names[3]}"' in text
    assert names[2] not in text
    assert "1 of 5" in text
    assert 'hx-get="/learnings?words=cents&amp;status=&amp;kind="' in text, "a live page keeps what was asked"
    one = browser.get(f"/learnings/{names[2]}").text
    assert "Totals are rounded once" in one
    assert "Retire all 2 from its source" in one
    assert "believed 0.60, between 0.29 and 0.91" in one


def test_one_is_found_by_the_beginning_of_its_id_or_not_at_all(program, browser, names):
    assert standing(program, names[0])["learning"]["title"].startswith("Clear the cache")
    assert program.get(f"{API}/{names[0].removeprefix('lrn-')}").json()["low"] < 0.6
    assert program.get(f"{API}/lrn-nothing").status_code == 404
    for several in ("lrn-", "lrn-%", names[0].upper()):
        assert program.get(f"{API}/{several}").status_code == 404, several
    assert browser.get("/learnings/lrn-nothing").status_code == 404
    assert "0 learnings have an id" in browser.get("/learnings/lrn-nothing").text


def test_a_person_approves_rejects_and_retires(program, browser, names):
    before = standing(program, names[0])
    said = browser.post(f"/learnings/{names[0]}/approve", data={"reason": "  seen often "})
    assert "approved: it is active" in said.text
    after = standing(program, names[0])
    assert (before["status"], after["status"]) == ("candidate", "active")
    assert after["confidence"]["mean"] > before["confidence"]["mean"]
    (entry,) = [each for each in after["evidence"] if each["kind"] == "approved"]
    assert (entry["by"], entry["note"]) == ("Ada", "seen often")
    given = program.post(f"{API}/{names[4]}/reject", json={"reason": "no"}).json()
    assert given["standing"]["status"] not in ("candidate", "active")
    assert given["low"] <= given["standing"]["confidence"]["mean"] <= given["high"]
    assert program.post(f"{API}/{names[4]}/retire", json={}).json()["standing"]["status"] == "retired"
    assert browser.post(f"/learnings/{names[0]}/praise", data={"reason": "so good"}).status_code == 422


def test_one_takes_the_place_of_another(program, browser, names):
    (pair,) = program.get(f"{API}/alike").json()
    assert {pair["one"], pair["other"]} == set(names[:2])
    assert 0 < pair["likeness"] < 1
    assert "Keep the first" in browser.get("/learnings/alike").text
    assert "choose one" in browser.post(f"/learnings/{names[1]}/merge", data={"other": " "}).text
    itself = browser.post(f"/learnings/{names[1]}/merge", data={"into": names[1]})
    assert "cannot be merged into itself" in itself.text
    said = browser.post(f"/learnings/{names[1]}/merge", data={"into": names[2], "other": names[0]})
    assert f"{names[0]} takes its place" in said.text
    assert standing(program, names[1])["superseded_by"] == names[0]
    assert program.get(f"{API}/alike").json() == []
    assert program.post(f"{API}/{names[1]}/merge", json={"into": "lrn-nothing"}).status_code == 409


def test_all_that_comes_from_a_source_is_retired(program, browser, names):
    gone = program.post(f"{API}/retire", json={"source": "pack:team.jsonl", "reason": "left"}).json()
    assert {each["standing"]["learning"]["id"] for each in gone} == set(names[2:4])
    assert {each["standing"]["status"] for each in gone} == {"retired"}
    again = browser.post("/learnings/retire", data={"source": "pack:team.jsonl"})
    assert "nothing in use comes from" in again.text


def test_the_mark_changes_with_every_word(project, names):
    before = memory_mark(project)
    assert memory_mark(project) == before
    memory_of(project).learn([])
    assert memory_mark(project) == before
    judge_learning(project, names[0], EvidenceKind.RETIRED)
    assert memory_mark(project) != before


@pytest.mark.parametrize("scope", [None, Scope.READ])
def test_who_may_only_read_says_nothing(anyone, access, project, names, scope):
    if scope:
        anyone.headers |= {"authorization": f"Bearer {access.tokens[scope]}"}
    before = memory_mark(project)
    for path in (f"{API}/{names[0]}/approve", f"{API}/{names[0]}/merge", f"{API}/retire"):
        body = {"reason": "", "into": names[1], "source": "x"}
        assert anyone.post(path, json=body).status_code in (401, 403)
    for path in (f"/learnings/{names[0]}/approve", f"/learnings/{names[0]}/merge", "/learnings/retire"):
        assert anyone.post(path, data={"into": names[1], "source": "x"}).status_code in (401, 403)
    if scope:
        assert "Your verdict" not in anyone.get(f"/learnings/{names[0]}").text
    assert memory_mark(project) == before


def test_hostile_words_are_shown_for_what_they_are(browser, names):
    for path in ("/learnings", f"/learnings/{names[4]}", f"/learnings/{names[0]}", "/learnings/alike"):
        text = browser.get(path, params={"words": "", "source": ""}).text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    asked = browser.get("/learnings", params={"words": HOSTILE, "source": HOSTILE}).text
    assert "<img" not in asked
    assert "<script>alert" not in asked
