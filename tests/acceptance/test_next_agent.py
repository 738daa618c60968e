"""Another agent takes over where the maker stays broken, on the files as they are."""

from acceptance.conftest import ASKING, RIGHT
from setpoint.model.events.run import AgentBroke, AgentFinished, AgentStarted
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

HALF = {"write": "other.py", "text": "HALF = 1\n"}
FINISH = {"shell": "grep -q HALF other.py && printf 'def add(a, b):\\n    return a + b\\n' > calc.py"}
ORDER = '[agents]\norder = ["mechanic", "first", "second"]\n'
ONCE = "[limits]\nmax_agent_breakages = 1\n"


def kept(repository, outcome, *kinds):
    events = open_project(repository.root).log.replay(TraceId(outcome["trace_id"]))
    return [event.body for event in events if isinstance(event.body, kinds)]


def test_the_next_agent_of_the_order_finishes_what_the_first_began(repository):
    order = ORDER.replace('"mechanic", ', "")
    repository.players(f"{order}{ONCE}", first=[HALF, {"die": 7}], second=[FINISH])
    code, outcome = repository.run(**ASKING)
    assert (code, outcome["ending"], outcome["iterations"]) == (0, "verified", 1)
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert sorted(repository.git("diff", "--name-only", "main", outcome["branch"]).split()) == [
        "calc.py",
        "other.py",
    ]
    (broke,) = kept(repository, outcome, AgentBroke)
    assert (broke.agent, broke.then, broke.next_agent) == ("first", "next_agent", "second")
    assert [each.agent for each in kept(repository, outcome, AgentStarted)] == ["first", "second"]
    (made,) = kept(repository, outcome, AgentFinished)
    assert (made.snapshot.attempt.agent, set(made.snapshot.files)) == ("second", {"calc.py", "other.py"})
    shown = repository.setpoint("show", "log", outcome["trace_id"])
    assert "second takes over; the edits are kept" in shown.stdout


def test_nobody_takes_over_from_an_agent_that_was_asked_for_by_name(repository):
    repository.players(f"{ORDER}{ONCE}", first=[HALF, {"die": 7}], second=[FINISH])
    code, asked = repository.run("--agent", "first", **ASKING)
    assert (code, asked["gate"]["question"].startswith("first broke 1 times")) == (10, True)


def test_a_question_names_all_agents_that_broke(repository):
    settings = f'[agents]\nmaker = "first"\nnext_makers = ["second"]\n{ONCE}'
    repository.players(settings, first=[{"die": 7}], second=[{"die": 7}])
    code, asked = repository.run(**ASKING)
    assert (code, "first and second broke 2 times" in asked["gate"]["question"]) == (10, True)
