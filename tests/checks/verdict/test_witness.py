"""Tests and commands that fail without a change, and pass with it."""

import pytest

from checks.verdict.conftest import PRICE, SHOP
from setpoint.checks.verdict.witness import other_cause
from setpoint.model.evidence import Cause, Failure, Outcome
from setpoint.model.exam import Examiner, Least
from setpoint.model.proof import ObligationState, ProofTerms, Vouched, WorkKind
from setpoint.model.stories.story import KnownRed

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
DISCOUNT = PRICE + "\n\ndef discount(n):\n    return n // 2\n"
TEST_DISCOUNT = "import shop\n\n\ndef test_discount():\n    assert shop.discount(4) == 2\n"
ALONE = ProofTerms(without=("sabotage", "canary", "elsewhere", "same calls"))


def failure(cause, message, **more):
    return Failure(test="tests/test_it.py::test_it", cause=cause, message=message, **more)


def by_whom(proof):
    return {each.examiner for each in proof.exams}


@pytest.mark.parametrize(
    "right",
    [
        failure(Cause.ASSERTION, "assert 1 == 2"),
        failure(Cause.RUNTIME, "AttributeError: no attribute 'discount'"),
        failure(Cause.RUNTIME, "ZeroDivisionError: division by zero"),
        failure(Cause.IMPORT, "ImportError: cannot import name 'discount'"),
        failure(Cause.ENVIRONMENT, "ModuleNotFoundError: No module named 'cart'"),
        failure(Cause.SYNTAX, "undefined: discount"),
    ],
    ids=lambda each: each.message,
)
def test_an_assertion_an_exception_and_a_missing_name_say_that_code_is_missing(right):
    assert other_cause(right, Outcome.FAILED, ("cart",)) == ""


@pytest.mark.parametrize(
    ("wrong", "outcome"),
    [
        (failure(Cause.TIMEOUT, "Timeout"), Outcome.FAILED),
        (failure(Cause.FLAKY, "assert False"), Outcome.FAILED),
        (failure(Cause.ENVIRONMENT, "ModuleNotFoundError: No module named 'quantumlib'"), Outcome.FAILED),
        (failure(Cause.RUNTIME, "OSError: busy", error="OSError"), Outcome.ERROR),
    ],
    ids=["timeout", "flaky", "package", "fixture"],
)
def test_what_is_missing_on_the_machine_says_nothing(wrong, outcome):
    assert other_cause(wrong, outcome, ("cart",)) != ""


async def test_a_test_that_fails_without_the_change_is_a_witness(proof):
    made = await proof({"shop.py": DISCOUNT, "tests/test_discount.py": TEST_DISCOUNT}, terms=ALONE)
    said = {each.name: each for each in made.obligations}

    assert (said["witness"].state, said["witness"].evidence) == (
        MET,
        ("tests/test_discount.py::test_discount",),
    )
    assert "without the changed code: AttributeError" in said["witness"].reason
    assert (made.work, by_whom(made)) == (WorkKind.BEHAVIOUR, {Examiner.MAKER})


async def test_a_change_without_a_test_has_no_witness_and_ends_there(obligations):
    said = await obligations({"shop.py": DISCOUNT}, "add a discount")

    assert said["witness"].state is NOT_MET
    assert "the change adds no test" in said["witness"].reason
    assert "--kind refactor" in said["witness"].reason
    assert said["sabotage"].state is NONE
    assert "'witness' failed first" in said["sabotage"].reason


async def test_a_test_that_passes_at_the_base_too_is_no_witness(obligations):
    same = "import shop\n\n\ndef test_twice():\n    assert shop.price(2) == shop.price(2)\n"
    change = {"shop.py": PRICE.replace("n * 100", "100 * n"), "tests/test_more.py": same}
    said = await obligations(change, "add a discount")

    assert said["witness"].state is NOT_MET
    assert "test_twice passes without the changed code too" in said["witness"].reason


async def test_a_test_that_knows_where_it_runs_is_no_witness(obligations):
    knows = "import os\n\n\ndef test_place():\n    assert '.other' not in os.getcwd()\n"
    change = {"shop.py": PRICE + "\n\nRATE = 1\n", "tests/test_more.py": knows}
    said = await obligations(change, "add a discount")

    assert "does not pass when it runs in another place" in said["witness"].reason


async def test_a_test_that_failed_before_the_work_began_is_a_persons_exam(proof):
    broken = {**SHOP, "shop.py": PRICE.replace("100", "99")}
    made = await proof(
        {"shop.py": PRICE}, "make the tests pass", base=broken, known_red=KnownRed.FIX, terms=ALONE,
    )  # fmt: skip

    assert (made.met("witness"), made.work, by_whom(made)) == (
        True,
        WorkKind.REPAIR,
        {Examiner.FAILING_TESTS},
    )
    assert made.by.startswith("by your failing test (the maker could read it)")


@pytest.mark.parametrize(
    ("vouched", "examiner"),
    [
        (Vouched(), Examiner.MAKER),
        (Vouched(all_reviewed=True, by="codex"), Examiner.REVIEWER),
        (Vouched(reviewed=("test_discount",), by="codex"), Examiner.REVIEWER),
    ],
)
async def test_a_reviewer_who_confirms_a_test_is_the_examiner(proof, vouched, examiner):
    change = {"shop.py": DISCOUNT, "tests/test_discount.py": TEST_DISCOUNT}
    made = await proof(change, terms=ALONE, vouched=vouched)

    assert by_whom(made) == {examiner}
    assert made.level is (Least.SELF if examiner is Examiner.MAKER else Least.OTHERS)


@pytest.mark.parametrize(
    ("command", "state"),
    [("python -c 'import shop; shop.discount(4)'", MET), ("python -c 'import shop'", NOT_MET)],
)
async def test_an_acceptance_command_counts_where_it_fails_at_the_base(obligations, command, state):
    said = await obligations({"shop.py": DISCOUNT}, "add a discount", terms=ALONE, acceptance=(command,))

    assert said["witness"].state is state
    assert ("proves nothing" in said["witness"].reason) is (state is NOT_MET)


async def test_product_data_counts_as_code(obligations):
    reads = "import pathlib\n\n\ndef rate():\n    return pathlib.Path('rates.txt').read_text().strip()\n"
    base = {**SHOP, "rate.py": reads, "rates.txt": "1\n"}
    test = "import rate\n\n\ndef test_rate():\n    assert rate.rate() == '2'\n"
    said = await obligations(
        {"rates.txt": "2\n", "tests/test_rate.py": test}, "the rate is 2", base=base, terms=ALONE
    )

    assert said["witness"].state is MET, said["witness"].reason


async def test_a_witness_that_needs_changed_settings_is_told_and_counts(obligations):
    base = {**SHOP, "settings.cfg": "", "pyproject.toml": "[tool.shop]\nrate = 1\n"}
    code = (
        "import pathlib\nimport tomllib\n\n\ndef rate():\n"
        "    return tomllib.loads(pathlib.Path('pyproject.toml').read_text())['tool']['shop']['rate']\n"
    )
    test = "import rate\n\n\ndef test_rate():\n    assert rate.rate() == 2\n"
    change = {"rate.py": code, "pyproject.toml": "[tool.shop]\nrate = 2\n", "tests/test_rate.py": test}
    said = await obligations(change, "read the rate from the settings", base=base, terms=ALONE)

    assert said["witness"].state is MET
    assert "passes only with the changed pyproject.toml" in said["witness"].reason


async def test_removing_code_with_its_tests_is_witnessed_by_the_old_tests(proof):
    both = {
        "shop.py": DISCOUNT,
        "tests/test_shop.py": SHOP["tests/test_shop.py"],
        "tests/test_discount.py": TEST_DISCOUNT,
    }
    made = await proof(
        {"shop.py": PRICE, "tests/test_discount.py": None}, "take the discount away", base=both, terms=ALONE
    )
    said = {each.name: each for each in made.obligations}

    assert (said["witness"].state, by_whom(made)) == (MET, {Examiner.MAKER}), said["witness"].reason
    assert "what it tests is gone" in said["witness"].reason
