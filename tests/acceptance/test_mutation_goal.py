"""A goal for the mutation score: weak tests are sent back with the changes that no test notices."""

import json

RIGHT = "def add(a, b):\n    return a + b\n\n\ndef fee(total):\n    return 1 if total < 10 else 2\n"
WEAK = (
    "from calc import fee\n\n\ndef test_fee():\n    assert fee(1) in (1, 2)\n    assert fee(50) in (1, 2)\n"
)
STRONG = (
    "from calc import fee\n\n\ndef test_fee_exactly():\n"
    "    assert [fee(n) for n in (1, 9, 10, 11, 50)] == [1, 1, 2, 2, 2]\n"
)
GOAL = "[checks]\nmutation = true\nmutation_goal = 0.9\nmutation_budget_s = 60.0\n"


def test_tests_that_notice_too_little_are_sent_back_until_the_goal_is_reached(repository):
    repository.agent(
        [{"write": "calc.py", "text": RIGHT}, {"write": "tests/test_fee.py", "text": WEAK}],
        [
            {"expect": "small changes of the changed lines; the goal is 90%"},
            {"expect": "no test fails when this line reads: return 1 if total <= 10 else 2"},
            {"write": "tests/test_more.py", "text": STRONG},
        ],
        settings=GOAL,
    )

    code, outcome = repository.run("--agent", "actor", timeout=110)

    assert (code, outcome["iterations"], outcome["bounces"]) == (0, 2, 1)
    events = json.loads(repository.setpoint("show", "--json").stdout)
    measured = [
        each["body"]["evaluation"] for each in events if each["body"]["kind"] == "iteration.evaluated"
    ]
    scores = [each["quality"]["mutation"] for each in measured if each["stage"] == "test"]
    assert scores[0] < 0.9 <= scores[1]

    done = repository.setpoint("lab", "mutate", "calc.py", "--lines", "1-2", "--goal", "1", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["counts"]["killed"], told["score"] < 1) == (1, 1, True)
    assert told["red"] == ["tests/test_calc.py::test_add"]
