"""The last test run repeated in a second arrangement: what recognises Setpoint behaves differently there."""

import shutil

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.proof import Arrangement, Obligation, ObligationState, ProofTerms
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
PRICE = "def price(n):\n    return n * 100\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_HALF = "import shop\n\n\ndef test_half():\n    assert shop.half(4) == 2\n"
WATCHED = (
    "import os, sys\n\nWATCHED = {0}\n\n\n"
    + PRICE
    + "\n\ndef half(n):\n    return n // 2 if WATCHED else 0\n"
)
HONEST = PRICE + "\n\ndef half(n):\n    return n // 2\n"


async def repeated(bench, change, base=None, *, coverage=False, **story) -> Obligation:
    """Prove a change and return the obligation."""
    terms = ProofTerms(required=False, **story.pop("terms", {}))
    checks = ChecksSettings(bandit=False, coverage=coverage, reruns=0)
    there = await bench(
        {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE, **(base or {})}, settings=checks, **story
    )
    wanted = there.order.story.model_copy(update={"title": "add half"})
    there.order = there.order.model_copy(update={"proof": terms, "story": wanted})
    await there.measure(Stage.BASE)
    made = await there.change(change)
    measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    proof = await there.evaluator.prove(there.order, measured)
    return next(each for each in proof.obligations if each.name == "arrangement")


async def test_what_comes_out_the_same_is_met(bench):
    said = await repeated(bench, {"shop.py": HONEST, "tests/test_half.py": TEST_HALF})

    assert said.state is MET
    assert said.reason.startswith("2 tests come out the same")


@pytest.mark.parametrize(
    "watched",
    [
        "'setpoint_report' in sys.modules",
        pytest.param("'pytest' in sys.modules", marks=pytest.mark.slow),
        pytest.param("'GIT_TERMINAL_PROMPT' in os.environ", marks=pytest.mark.slow),
        pytest.param("any('setpoint' in part for part in sys.path)", marks=pytest.mark.slow),
        pytest.param("'measured' in os.getcwd()", marks=pytest.mark.slow),
        pytest.param("'coverage' in sys.modules", marks=pytest.mark.slow),
    ],
)
async def test_code_that_recognises_setpoint_is_found_out(bench, watched):
    change = {"shop.py": WATCHED.format(watched), "tests/test_half.py": TEST_HALF}
    said = await repeated(bench, change, coverage="coverage" in watched)

    assert said.state is NOT_MET
    assert "tests/test_half.py::test_half (fail" in said.reason


async def test_what_differs_on_the_base_too_is_reported_alone(bench):
    known = "import os\n\n\ndef test_place():\n    assert 'GIT_TERMINAL_PROMPT' in os.environ\n"
    change = {"shop.py": HONEST, "tests/test_half.py": TEST_HALF}
    said = await repeated(bench, change, {"tests/test_place.py": known})

    assert said.state is MET
    assert "otherwise on the base too: tests/test_place.py::test_place" in said.reason


async def test_an_acceptance_command_that_recognises_setpoint_is_found_out(bench):
    change = {"shop.py": WATCHED.format("'GIT_TERMINAL_PROMPT' in os.environ")}
    said = await repeated(bench, change, acceptance=("python -c 'import shop; assert shop.half(4) == 2'",))

    assert said.state is NOT_MET
    assert "`python -c 'import shop; assert shop.half(4) == 2'` fails" in said.reason


async def test_it_can_be_switched_off(bench):
    change = {"shop.py": HONEST, "tests/test_half.py": TEST_HALF}
    said = await repeated(bench, change, terms={"arrangement": Arrangement.OFF})

    assert (said.state, said.reason) == (NONE, "off by the setting proof.arrangement")


async def test_a_suite_that_takes_too_long_is_repeated_in_part(bench):
    change = {"shop.py": HONEST, "tests/test_half.py": TEST_HALF}
    said = await repeated(bench, change, terms={"arrangement_seconds": 0})

    assert said.state is MET
    assert said.reason.startswith("1 chosen tests come out the same")


JS = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": "export const price = (n) => n * 100;\n",
    "test/shop.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
    'import { price } from "../shop.js";\n\ntest("price", () => assert.equal(price(2), 200));\n',
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("watched", "state"), [('process.cwd().includes("measured")', NOT_MET), ("true", MET)]
)
async def test_javascript_is_repeated_alike(bench, watched, state):
    change = {
        "shop.js": JS["shop.js"] + f"export const half = (n) => ({watched} ? n / 2 : 0);\n",
        "test/half.test.js": JS["test/shop.test.js"]
        .replace("price(2), 200", "half(4), 2")
        .replace("price", "half"),
    }
    said = await repeated(bench, change, JS)

    assert said.state is state


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ("    assert next(CALLS) % 7 != 5\n", ObligationState.NOT_MET),
        ("    assert next(CALLS) == 0\n", ObligationState.MET),
    ],
)
async def test_a_new_test_that_fails_now_and_then_is_not_proved(body, state, obligations):
    base = {
        "shop.py": "def price(n):\n    return n * 100\n",
        "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n",
    }
    test = "import itertools\n\nimport shop\n\nCALLS = itertools.count()\n\n\ndef test_half():\n"
    test += "    assert shop.half(4) == 2\n" + body
    code = base["shop.py"] + "\n\ndef half(n):\n    return n // 2\n"
    said = await obligations(base, {"shop.py": code, "tests/test_half.py": test}, "Add half(n) to shop.py")

    assert said["arrangement"].state is state
    assert ("fails in" in said["arrangement"].reason) is (state is ObligationState.NOT_MET)
