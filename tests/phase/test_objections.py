"""What becomes of an objection: reproduced, not reproduced, reported again, dismissed by a person."""

import pytest

from phase.test_reviews import APPROVES, WRONG, a_stage, changes, objects, said
from setpoint.errors import RunWaiting
from setpoint.model.ending import Ending
from setpoint.model.events.run import GateOpened, ReviewCompleted
from setpoint.model.gate import Answer, Choice, Escalation, Via
from setpoint.model.ids import TraceId
from setpoint.model.proof import HiddenTest, Reproduced
from setpoint.phase.loop import drive
from setpoint.testing import ScriptedAgent


async def test_an_error_that_nothing_reproduces_is_told_once_and_then_a_person_decides(tmp_path):
    harness = a_stage(tmp_path, *changes(1, 2), reviewer=ScriptedAgent(*[objects(WRONG)] * 5, name="critic"))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 2)
    assert "the name is wrong" in harness.agent.briefs[1].prompt
    stays = "code:critic reports again what the maker knows and nothing reproduces"
    assert outcome.reason == f"{stays}: the name is wrong (src/work.py)"


async def test_a_person_says_that_an_objection_is_wrong_and_no_agent_works_again(tmp_path):
    harness = a_stage(
        tmp_path,
        *changes(1, 2),
        reviewer=(critic := ScriptedAgent(*[objects(WRONG)] * 5, name="critic")),
        escalation=Escalation(),
    )
    with pytest.raises(RunWaiting):
        await harness.drive()
    gate = said(harness, GateOpened)[-1].gate
    assert "the name is wrong" in gate.question
    assert gate.allows(Choice.DISMISS)
    told = said(harness, ReviewCompleted)[-1].verdict
    assert gate.objections == told.standing == (told.findings[0].fingerprint,)

    harness.answer(gate.id, Answer(choice=Choice.DISMISS, by="Ann", via=Via.CLI, reason="it is meant so"))
    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations, len(critic.briefs)) == (Ending.VERIFIED, 2, 2)
    assert len(harness.agent.briefs) == 2
    last = said(harness, ReviewCompleted)[-1].verdict
    assert (last.judgement, last.standing, last.findings[0].blocking) == ("approve", (), False)
    assert harness.evaluator.vouched[-1].reviewers == ()


async def test_a_dismissed_objection_is_shown_to_later_reviews_and_stays_dismissed(tmp_path):
    more = {**WRONG, "message": "the type is wrong"}
    said_first = objects(WRONG)
    critic = ScriptedAgent(said_first, objects(WRONG, more), objects(WRONG), name="critic")
    harness = a_stage(tmp_path, *changes(1, 2, 3), reviewer=critic, escalation=Escalation())
    with pytest.raises(RunWaiting):
        await harness.drive()
    gate = said(harness, GateOpened)[-1].gate
    harness.answer(gate.id, Answer(choice=Choice.DISMISS, by="Ann", via=Via.CLI, reason="it is meant so"))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 3)
    assert "- the name is wrong (Ann: it is meant so)" in critic.briefs[2].prompt
    assert "the type is wrong" in harness.agent.briefs[2].prompt


SHOWS = {"path": "tests/test_shown.py", "text": "def test_secret():\n    assert value == 2\n"}
SHOWN = HiddenTest(path=SHOWS["path"], behaviour="x")
BINDS = Reproduced(test=SHOWN, binds=True, told="assert 1 == 2")
PASSES = Reproduced(test=SHOWN, passes=True, told="it passes on the change")
NOTHING = Reproduced(test=SHOWN, told="it fails in the same words")


def reproducing(tmp_path, *answers, came, **more):
    harness = a_stage(tmp_path, *changes(1, 2, 3), reviewer=ScriptedAgent(*answers, name="critic"), **more)
    harness.evaluator.reproductions = {SHOWS["path"]: came, "make it": came}
    return harness


@pytest.mark.parametrize("severity", ["warning", "error"])
@pytest.mark.parametrize("shows", [SHOWS, {"command": "make it"}], ids=["test", "command"])
async def test_a_reproduced_objection_costs_a_round_and_judges_what_comes_next(tmp_path, severity, shows):
    objection = {**WRONG, "severity": severity, "reproduction": shows}
    harness = reproducing(tmp_path, objects(objection), APPROVES, came=(BINDS,))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    (hidden,) = harness.evaluator.vouched[-1].hidden
    assert (hidden.author, hidden.path, hidden.command) == (
        "critic",
        shows.get("path", "make it"),
        shows.get("command", ""),
    )
    told = harness.agent.briefs[1]
    assert "the name is wrong" in told.prompt
    assert "assert 1 == 2" in told.prompt
    assert "test_secret" not in told.model_dump_json()
    events = "".join(event.model_dump_json() for event in harness.log.replay(TraceId("run-1")))
    assert "test_secret" not in events


async def test_what_does_not_reproduce_is_a_warning_and_blocks_nothing(tmp_path):
    harness = reproducing(tmp_path, objects({**WRONG, "reproduction": SHOWS}), came=(PASSES,))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    (found,) = said(harness, ReviewCompleted)[0].verdict.findings
    assert (found.severity, found.detail) == ("warning", "did not reproduce: it passes on the change")
    assert harness.evaluator.vouched[-1].hidden == ()


async def test_an_objection_with_nonsense_counts_as_one_without_a_reproduction(tmp_path):
    again = objects({**WRONG, "reproduction": SHOWS})
    harness = reproducing(tmp_path, again, again, came=(NOTHING,))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 2)


async def test_an_objection_by_its_id_is_reproduced_again_by_what_showed_it(tmp_path):
    class ById(ScriptedAgent):
        async def attempt(self, brief, observer):
            _, _, known = brief.prompt.partition("still open\n- `")
            if known:
                self.acts = (*self.acts, objects({"id": known[:16]}))
            return await super().attempt(brief, observer)

    harness = reproducing(tmp_path, came=(BINDS, BINDS, PASSES))
    harness.reviewer = ById(objects({**WRONG, "reproduction": SHOWS}), name="critic")

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 3)
    assert [len(each.verdict.blocking) for each in said(harness, ReviewCompleted)] == [1, 1, 0]


async def test_a_reproduction_is_kept_where_no_maker_reads_and_counts_among_hidden_tests(tmp_path):
    harness = reproducing(tmp_path, objects({**WRONG, "reproduction": SHOWS}), APPROVES, came=(BINDS,))
    hidden, asked = [], []

    async def readable(maker, author):
        asked.append((maker, author))
        return "no sandbox works here"

    ports = harness.ports()._replace(hide=lambda text: hidden.append(text) or "0" * 64, readable=readable)
    outcome = await drive(harness.order(), ports, harness.durable)

    assert outcome.ending is Ending.VERIFIED
    assert hidden == [SHOWS["text"]]
    last = harness.evaluator.vouched[-1]
    assert [each.source for each in last.hidden] == ["0" * 64]
    assert (last.readable, {author for _, author in asked}) == ("no sandbox works here", {"critic"})
