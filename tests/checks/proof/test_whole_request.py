"""Restored work is part of the verdict."""

from setpoint.checks.proof.kinds.whole_request import criteria_without_command
from setpoint.model.evaluation import Stage
from setpoint.model.ids import StoryId
from setpoint.model.proof import ObligationState, ProofTerms
from setpoint.model.stories.story import Story
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings

PRICE = "def price(n):\n    return n * 100\n"
TEST = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
SETTINGS = '[tool.pytest.ini_options]\naddopts = "-q"\n'


async def whole_request(there, made):
    measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    proof = await there.evaluator.prove(there.order, measured)
    return next(each for each in proof.obligations if each.name == "whole request")


async def test_work_that_was_restored_is_not_whole_until_it_is_left_alone(bench):
    files = {"shop.py": PRICE, "tests/test_shop.py": TEST, "pyproject.toml": SETTINGS}
    there = await bench(files, settings=ChecksSettings(bandit=False, coverage=False, reruns=0))
    there.order = there.order.model_copy(update={"proof": ProofTerms()})
    await there.measure(Stage.BASE)
    first = await there.change(
        {"shop.py": f"{PRICE}# 1\n", "pyproject.toml": SETTINGS.replace("-q", "-q -x")}
    )
    said = await whole_request(there, first)

    assert said.state is ObligationState.NOT_MET
    assert "`REQUEST pyproject.toml: <reason>`" in said.reason

    said = await whole_request(there, await there.change({"shop.py": f"{PRICE}# 2\n"}))

    assert said.state is ObligationState.MET
    assert "restored in an earlier iteration, and left alone since: pyproject.toml" in said.reason


def test_criteria_that_no_command_checks_are_named():
    body = (
        "Make it fast.\n- not a criterion\n\n## Acceptance criteria\n\n- [ ] `make fast` passes\n"
        "- The page shows the price\n\n## Notes\n- none\n"
    )
    story = Story(id=StoryId("s"), title="t", body=body, acceptance=("make fast",))

    assert criteria_without_command(story) == ("The page shows the price",)
