"""New tests must notice when what they test is broken."""

import pytest

from checks.verdict.changes import MET, NONE, NOT_MET, changed, soon
from setpoint.checks.verdict.new_tests import new_tests
from setpoint.model.proof import WorkKind

PRICE = "RATE = 100\n\n\ndef price(n):\n    return n * RATE\n\n\ndef half(n):\n    return n // 2\n"
TEST = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
BASE = {"shop.py": PRICE, "tests/test_shop.py": TEST}


async def said_of(tmp_path, change, base=None, *, seconds=60.0):
    subject = await changed(tmp_path / "project", {**BASE, **(base or {})}, change, kind=WorkKind.TESTS)
    assert subject.work is WorkKind.TESTS
    (said,) = await new_tests(subject, soon(seconds))
    return said


async def test_a_new_test_that_notices_a_sabotage_is_proved(tmp_path):
    test = "import shop\n\n\ndef test_half():\n    assert shop.half(5) == 2\n"
    said = await said_of(tmp_path, {"tests/test_half.py": test})

    assert (said.state, said.evidence) == (MET, ("tests/test_half.py::test_half",)), said.reason


async def test_a_new_test_of_what_another_tests_already_is_proved(tmp_path):
    said = await said_of(tmp_path, {"tests/test_again.py": TEST.replace("test_price", "test_again")})

    assert said.state is MET, said.reason


@pytest.mark.parametrize("body", ["shop.half(5)", "assert True", "assert callable(shop.half)"])
async def test_a_new_test_that_notices_nothing_is_refused(tmp_path, body):
    said = await said_of(tmp_path, {"tests/test_half.py": f"import shop\n\n\ndef test_half():\n    {body}\n"})

    assert said.state is NOT_MET
    assert "tests/test_half.py::test_half notices nothing" in said.reason


async def test_a_new_test_may_notice_a_value_outside_functions(tmp_path):
    test = "import shop\n\n\ndef test_rate():\n    assert shop.RATE == 100\n"
    said = await said_of(tmp_path, {"tests/test_rate.py": test})

    assert said.state is MET, said.reason


async def test_a_new_test_that_runs_a_program_is_proved(tmp_path):
    program = PRICE + "\n\nif __name__ == '__main__':\n    print(price(3))\n"
    test = (
        "import subprocess\nimport sys\n\n\ndef test_it_prints_the_price():\n"
        "    done = subprocess.run([sys.executable, 'shop.py'], capture_output=True, text=True)\n"
        "    assert done.stdout == '300\\n'\n"
    )
    said = await said_of(tmp_path, {"tests/test_program.py": test}, {"shop.py": program})

    assert said.state is not NOT_MET, said.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"tests/test_half.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_half():\n    pass\n"},
            "no new test passes",
        ),
    ],
)
async def test_skipped_tests_are_no_answer_to_a_request_for_tests(tmp_path, change, reason):
    said = await said_of(tmp_path, change)

    assert said.state is NOT_MET
    assert reason in said.reason


async def test_a_changed_test_is_no_new_one(tmp_path):
    said = await said_of(tmp_path, {"tests/test_shop.py": TEST + "    assert shop.price(3) == 300\n"})

    assert (said.state, said.reason) == (
        NONE,
        "no test is new; changed ones ran as they were and as they are",
    )


async def test_what_the_budget_cuts_is_not_refused(tmp_path):
    test = "import shop\n\n\ndef test_half():\n    shop.half(5)\n"
    said = await said_of(tmp_path, {"tests/test_half.py": test}, seconds=0)

    assert said.state is NONE
    assert said.cut
