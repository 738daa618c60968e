"""Answers to questions that come by the web: what is refused before anything is recorded."""

import pytest

from model.examples import GATE
from setpoint.model.events.run import GateAnswered, GateOpened
from setpoint.model.ids import GateId
from web.conftest import ASKING

API = f"/api/v1/gates/{ASKING}"
JSON = {"content-type": "application/json"}


def answers(project):
    return [each.body for each in project.log.replay(ASKING) if isinstance(each.body, GateAnswered)]


@pytest.mark.parametrize("field", ["wall_s", "cost_usd"])
@pytest.mark.parametrize(
    "figure", ["1e999", "-1e999", "Infinity", "NaN", '"inf"', '"nan"', '"1e999"', "1e300"]
)
def test_no_answer_grants_without_end(program, project, field, figure):
    body = f'{{"choice": "continue", "{field}": {figure}}}'
    refused = program.post(API, content=body, headers=JSON)
    assert (refused.status_code, field in refused.text) == (422, True)
    assert answers(project) == []


@pytest.mark.parametrize("field", ["minutes", "cost_usd"])
@pytest.mark.parametrize("figure", ["1e999", "inf", "-inf", "nan", "1e300"])
def test_no_form_grants_without_end(browser, project, field, figure):
    refused = browser.post(f"/gates/{ASKING}", data={"choice": "continue", field: figure})
    assert (refused.status_code, field in refused.text) == (422, True)
    assert answers(project) == []


def test_an_answer_is_to_the_question_that_was_read(browser, program, project):
    (asked,) = program.get("/api/v1/gates").json()
    first = asked["gate"]["id"]
    form = f'name="gate" value="{first}"'
    assert form in browser.get("/gates").text
    assert form in browser.get(f"/runs/{ASKING}").text
    once = program.post(API, json={"choice": "continue", "gate": first})
    assert once.status_code == 200, once.text
    second = GATE.model_copy(
        update={"id": GateId("escalation-8"), "deadline": None, "default": None, "question": "and <now>?"}
    )
    project.log.append(ASKING, "gate:2", [GateOpened(gate=second)])
    late = program.post(API, json={"choice": "continue", "gate": first})
    told = f"gate {first} is settled; another question is open now: and <now>?"
    assert (late.status_code, told in late.json()["detail"]) == (409, True)
    page = browser.post(f"/gates/{ASKING}", data={"choice": "continue", "gate": first})
    assert "is settled; another question is open now: and &lt;now&gt;?" in page.text
    assert [each.gate for each in answers(project)] == [first]
    assert (
        "Your answer is recorded: cancel"
        in browser.post(f"/gates/{ASKING}", data={"choice": "cancel", "gate": second.id}).text
    )
    assert [each.gate for each in answers(project)] == [first, second.id]
