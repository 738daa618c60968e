"""An agent that trusts its history loses no correct change, wherever its turn breaks."""

import json
import signal
import subprocess
import sys
import time

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
    answered = repository.setpoint("answer", "continue", "1", asked["trace_id"])
    assert answered.returncode == 0, answered.stderr
    done = repository.setpoint("resume", "--json")
    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    events = open_project(repository.root).log.replay(TraceId(asked["trace_id"]))
    assert len([event for event in events if isinstance(event.body, AgentBroke)]) == 3


LAST = {
    "in every try": ([FIX, {"die": 7}], [FIX, {"die": 7}], [FIX, {"die": 7}]),
    "in an earlier try alone": ([{"die": 7}], [FIX, {"die": 7}], [{"die": 7}]),
}


@pytest.mark.parametrize(
    "how", ["in an earlier try alone", pytest.param("in every try", marks=pytest.mark.slow)]
)
def test_the_edits_of_an_agent_that_stays_broken_are_judged(how, repository):
    repository.agent(*LAST[how], counter="prompts")
    code, outcome = repository.run("--agent", "actor", **ASKING)
    assert (code, outcome.get("ending"), outcome.get("iterations")) == (0, "verified", 1)
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert repository.git("diff", "--name-only", "main", outcome["branch"]) == "calc.py"


def test_work_that_a_broken_agent_left_is_continued_after_a_question(repository):
    half = {"write": "other.py", "text": "HALF = 1\n"}
    finish = {"shell": f"grep -q HALF other.py && {MEND}"}
    repository.agent(*[[half, {"die": 7}]] * 3, [finish], counter="prompts")
    code, asked = repository.run("--agent", "actor", **ASKING)
    assert (code, "broke 3 times" in asked["gate"]["question"]) == (10, True)
    assert "iteration 1" in str(asked["gate"]["context"])
    assert repository.setpoint("answer", "continue", "1", asked["trace_id"]).returncode == 0
    done = repository.setpoint("resume", "--json")
    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_session_meets_the_files_that_it_left_when_setpoint_itself_was_ended(how, repository):
    edited = repository.root.parent / "played" / "edited"
    begun = [FIX, {"shell": f"touch '{edited}'"}, {"sleep": 60}]
    repository.agent(begun, _trusting(edited), counter="prompts", can=RESUMES)
    argv = [sys.executable, "-m", "setpoint", "run", "make the failing tests pass", "--agent", "actor"]
    with subprocess.Popen(
        argv, cwd=repository.root, env=repository.environment(), stderr=subprocess.DEVNULL
    ) as run:
        deadline = time.monotonic() + 60
        while not edited.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(how)
    done = repository.setpoint("resume", "--json")
    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), done.stderr
    assert json.loads(done.stdout)["iterations"] == 1
