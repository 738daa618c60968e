"""An agent that trusts its history loses no correct change, wherever its turn breaks."""

import json

import pytest

from acceptance.conftest import ASKING, RIGHT
from setpoint.model.events.run import AgentBroke
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

FIX = {"write": "calc.py", "text": RIGHT}
RESUMES = {"sessionCapabilities": {"resume": {}}}
KEPT = "as that try left them"
MEND = "printf 'def add(a, b):\\n    return a + b\\n' > calc.py"
LOST = {"fail": {"code": -32603, "message": "Internal error", "data": {"details": "Session not found"}}}
BREAKS = {
    "after its edit": [FIX, {"die": 7}],
    "its session is gone": [FIX, LOST],
}
MORE = {
    "before its first edit": [{"die": 7}],
    "its adapter is killed": [FIX, {"shell": "kill -9 $PPID"}],
    "its model is overloaded": [FIX, {"fail": "model"}],
    "its output is no protocol": [FIX, {"stop": "because"}],
}


@pytest.mark.parametrize("can", [RESUMES, {}], ids=["resumes", "begins anew"])
@pytest.mark.parametrize("how", [*BREAKS, *(pytest.param(how, marks=pytest.mark.slow) for how in MORE)])
def test_the_change_is_delivered(how, can, repository):
    edited = repository.root.parent / "played" / "edited"
    first = {**BREAKS, **MORE}[how]
    begun = [FIX, {"shell": f"touch '{edited}'"}, *first[1:]] if first[0] is FIX else first
    repository.agent(begun, _trusting(edited), _trusting(edited), counter="prompts", can=can)
    code, outcome = repository.run("--agent", "actor")
    assert (code, outcome["ending"], outcome["iterations"]) == (0, "verified", 1)
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()


def _trusting(edited):
    """Edit, unless the agent remembers an edit that the prompt says was kept: models trust their history."""
    return [{"shell": f"grep -q '{KEPT}' && test -e '{edited}' || {MEND}"}, {"say": "The edit is made."}]


def test_a_person_is_asked_when_the_agent_stays_broken(repository):
    repository.agent([{"die": 7}], [{"die": 7}], [{"die": 7}], [FIX], counter="prompts")
    code, asked = repository.run("--agent", "actor", **ASKING)
    assert (code, "broke 3 times" in asked["gate"]["question"]) == (10, True)
    answered = repository.setpoint("gate", "continue", "1", asked["trace_id"])
    assert answered.returncode == 0, answered.stderr
    done = repository.setpoint("resume", "--json")
    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    events = open_project(repository.root).log.replay(TraceId(asked["trace_id"]))
    assert len([event for event in events if isinstance(event.body, AgentBroke)]) == 3
