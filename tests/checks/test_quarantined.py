"""Tests in quarantine: what is excused is told, and what the work broke for good counts in spite of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.flaky import PutBy, Quarantined
from setpoint.settings import ChecksSettings

CHECKS = ChecksSettings(bandit=False, coverage=False, reruns=2)
NAME = "tests/test_luck.py::test_luck"
LUCK = """\
from pathlib import Path
from code import SIGN

SCRIPT = Path({script!r})

def test_luck():
    left = SCRIPT.read_text()
    SCRIPT.write_text(left[1:])
    assert SIGN == 1 and left[:1] != "F"
"""


def held(by: PutBy, test: str = NAME) -> Quarantined:
    now = datetime.now(UTC)
    return Quarantined(test=test, since=now, until=now + timedelta(days=3), by=by, reason="luck")


@pytest.fixture
def unlucky(bench, tmp_path: Path):
    """Make a bench whose test fails where its script says F, one letter a run; else it passes."""

    async def make(*quarantine: Quarantined, at_base: str = ""):
        script = tmp_path / "script"
        script.write_text(at_base)
        test = LUCK.format(script=str(script)).replace("from code", "from codes")
        made = await bench({"codes.py": "SIGN = 1\n", "tests/test_luck.py": test}, settings=CHECKS)
        made.order = made.order.model_copy(update={"quarantine": quarantine})
        made.first = await made.measure(Stage.BASE)
        return made, script

    return make


def pytest_evidence(evaluation):
    return next(each for each in evaluation.evidence if each.check == "pytest")


async def test_a_person_excuses_a_failure_and_it_is_told(unlucky) -> None:
    made, _ = await unlucky(held(PutBy.PERSON, "tests/test_luck.py"))
    await made.change({"codes.py": "SIGN = -1\n"})

    tested = await made.measure(Stage.TEST)

    day = held(PutBy.PERSON).until.strftime("%Y-%m-%d")
    assert (tested.failures, tested.quarantined) == ((), (f"{NAME} (until {day})",))
    evidence = pytest_evidence(tested)
    assert (evidence.state, evidence.counts["quarantined"]) == (CheckState.PASS, 1)
    assert evidence.reason == f"excused by quarantine: {NAME} until {day}"


async def test_what_the_work_broke_for_good_counts_though_setpoint_put_it_in(unlucky) -> None:
    made, _ = await unlucky(held(PutBy.SETPOINT))
    await made.change({"codes.py": "SIGN = -1\n"})

    tested = await made.measure(Stage.TEST)

    assert ([each.test for each in tested.failures], tested.quarantined) == ([NAME], ())
    assert pytest_evidence(tested).state is CheckState.FAIL


async def test_what_flips_at_the_base_too_is_excused(unlucky) -> None:
    made, script = await unlucky(held(PutBy.SETPOINT))
    await made.change({"codes.py": "SIGN = 1  # the same\n"})
    script.write_text("FFFPF")  # three times on the tree, then once green and once red at the base

    tested = await made.measure(Stage.TEST)

    assert (tested.failures, len(tested.quarantined)) == ((), 1)
    assert script.read_text() == ""


async def test_without_quarantine_it_counts(unlucky) -> None:
    made, script = await unlucky()
    await made.change({"codes.py": "SIGN = 1  # the same\n"})
    script.write_text("FFF")

    assert [each.test for each in (await made.measure(Stage.TEST)).failures] == [NAME]


async def test_what_was_flaky_at_the_base_gets_more_tries(unlucky) -> None:
    made, script = await unlucky(at_base="F")
    await made.change({"codes.py": "SIGN = 1  # the same\n"})
    script.write_text("FFFF")

    tested = await made.measure(Stage.TEST)

    assert (made.first.flaky, tested.flaky, tested.failures) == ((NAME,), (NAME,), ())
