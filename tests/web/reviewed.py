"""A project with a run that is over, whose change a reviewer found fault with, and with things learnt."""

import json

from acceptance.conftest import RIGHT, SUGGESTION, new_repository
from setpoint.model.learning import LearningKind, Proposal, Trust
from setpoint.wiring.memory import memory_of

DOCSTRING = SUGGESTION
NAMES = {
    "severity": "info",
    "category": "style",
    "message": "a and b are poor names",
    "file": "calc.py",
    "line": 1,
}
BREAKS = {
    "severity": "info",
    "category": "correctness",
    "message": "add should subtract <img src=x onerror=alert(1)>",
    "file": "calc.py",
    "line": 2,
    "suggested_fix": "subtract",
    "suggested_edits": [{"start_line": 2, "end_line": 2, "replacement": "    return a - b"}],
}
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e'\"><img src=x onerror=alert(2)>"


def make_reviewed(place):
    """Make a repository and drive one run in it: verified, with three findings of its reviewer."""
    repository = new_repository(place)
    for name, value in (("user.name", "Ada"), ("user.email", "ada@localhost")):
        repository.git("config", name, value)
    answer = json.dumps({"decision": "approve", "findings": [DOCSTRING, NAMES, BREAKS]})
    repository.crew([{"write": "calc.py", "text": RIGHT}], critic=[[{"say": answer}]])
    _code, outcome = repository.run()
    assert outcome["ending"] == "verified", outcome
    return repository, outcome["trace_id"]


def teach(project):
    """Put learnings into a project's memory: two that may be one, one that is hostile, two of one source."""
    memory = memory_of(project)
    about = {"trust": Trust.EXTERNAL, "by": HOSTILE}
    how, fact, once = LearningKind.PROCEDURAL, LearningKind.SEMANTIC, LearningKind.EPISODIC
    told = (
        (
            "Clear the cache of prices between tests",
            "The cart keeps prices.",
            how,
            "run:run-0a",
        ),
        (
            "Clear the cache of prices after tests",
            "The cart keeps prices.",
            how,
            "run:run-0b",
        ),
        ("Totals are rounded once", "By the tax office's rule.", fact, "pack:team.jsonl"),
        ("Prices are in cents", "Floats lose some.", fact, "pack:team.jsonl"),
        (HOSTILE, HOSTILE, once, HOSTILE),
    )
    return memory.learn(
        [
            Proposal(kind=kind, title=title, body=body, context=title, source=of, **about)
            for title, body, kind, of in told
        ]
    )
