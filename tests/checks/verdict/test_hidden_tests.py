"""Tests that the maker never sees, run at the base and on the result."""

import shutil
import socket

import pytest

from checks.verdict.conftest import PRICE, QUICK, SHOP
from setpoint.model.evaluation import Stage
from setpoint.model.exam import Least
from setpoint.model.proof import HIDDEN, HiddenTest, ObligationState, Vouched
from setpoint.ports import Measured

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
TEST_PRICE = SHOP["tests/test_shop.py"]
GO_PRICE = "package shop\n\nfunc Price(n int) int {\n\treturn n * 100\n}\n"
GO = {
    "shop.py": "",
    "go.mod": "module shop\n\ngo 1.19\n",
    "shop.go": GO_PRICE,
    "shop_test.go": (
        'package shop\n\nimport "testing"\n\n'
        "func TestPrice(t *testing.T) {\n\tif Price(2) != 200 {\n\t\tt.Fatal()\n\t}\n}\n"
    ),
}
HALVES = "import shop\n\n\ndef test_halves():\n    assert shop.discount(4) == 2\n"


async def at_base(there, *sources, path="tests/test_hidden.py"):
    """Measure the base, then hidden tests on it."""
    await there.measure(Stage.BASE)
    tests = tuple(
        HiddenTest(
            path=path.replace(".", f"{number or ''}.", 1),
            source=there.artifacts.keep(source),
            behaviour="half the price",
            author="claude",
        )
        for number, source in enumerate(sources)
    )
    return await there.evaluator.try_hidden(there.order, there.copy, tests)


async def proved(there, change, hidden):
    """Prove a change with hidden tests."""
    story = there.order.story.model_copy(update={"title": "add a discount"})
    there.order = there.order.model_copy(update={"story": story})
    made = await there.change(change)
    measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    proof = await there.evaluator.prove(there.order, measured, Vouched(hidden=hidden))
    return proof, {each.name: each for each in proof.obligations}


@pytest.mark.parametrize(("result", "state"), [("n // 2", MET), ("n // 3", NOT_MET)], ids=["right", "wrong"])
async def test_a_hidden_test_judges_the_result_and_is_left_nowhere(bench, result, state):
    there = await bench(SHOP, settings=QUICK)
    trial = await at_base(there, HALVES)
    assert trial.kept[0].reason.startswith("AttributeError")
    agrees = f"import shop\n\n\ndef test_mine():\n    n = 4\n    assert shop.discount(n) == {result}\n"
    change = {"shop.py": f"{PRICE}\n\ndef discount(n):\n    return {result}\n", "tests/test_mine.py": agrees}
    proof, said = await proved(there, change, trial.kept)

    assert said[HIDDEN].state is state
    assert proof.level is (Least.HIDDEN if state is MET else Least.SELF)
    if state is NOT_MET:
        assert "expected: half the price (assert 1 == 2" in said[HIDDEN].reason
        assert "test_halves" not in said[HIDDEN].reason
    assert not [path for path in there.copies.rglob("*") if "test_hidden" in path.name]


async def test_a_hidden_test_that_asserts_nothing_is_not_counted(bench):
    there = await bench(SHOP, settings=QUICK)
    idle = "import shop\n\n\ndef test_it_is_there():\n    shop.discount(4)\n"
    trial = await at_base(there, idle)
    assert trial.dropped == ()
    agrees = "import shop\n\n\ndef test_mine():\n    assert shop.discount(4) == 2\n"
    change = {"shop.py": f"{PRICE}\n\ndef discount(n):\n    return n // 2\n", "tests/test_mine.py": agrees}
    proof, said = await proved(there, change, trial.kept)

    assert said[HIDDEN].state is ObligationState.NOT_APPLICABLE
    assert "not counted, because no fault in the changed functions fails it" in said[HIDDEN].reason
    assert proof.by.startswith("all runs passed, and only the maker's own tests say what is right")


@pytest.mark.parametrize(
    "breaks", ["import there_is_none", "raise ConnectionRefusedError(111)"], ids=["a module", "the network"]
)
async def test_a_result_cannot_excuse_itself_by_what_it_says_is_missing(bench, breaks):
    there = await bench(SHOP, settings=QUICK)
    trial = await at_base(there, HALVES)
    code = f"{PRICE}\n\ndef discount(n):\n    if n == 4:\n        {breaks}\n    return n // 2\n"
    test = "import socket, shop\n\n\ndef test_mine():\n    assert shop.discount(8) == 4\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        asks = f"    socket.create_connection(('127.0.0.1', {port}))\n"  # this test needs the network
        change = {"shop.py": code, "tests/test_mine.py": test + asks}
        _, said = await proved(there, change, trial.kept)

    assert said[HIDDEN].state is NOT_MET


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import shop\n\n\ndef test_it():\n    assert shop.price(2) == 200\n", "passes at the base already"),
        ("import quantumlib\n\n\ndef test_it():\n    assert quantumlib.half(4) == 2\n", "quantumlib"),
        ("import time\n\n\ndef test_it(there_is_none):\n    assert time\n", "what prepares it breaks"),
    ],
)
async def test_a_test_that_does_not_fail_for_the_lack_of_the_work_is_dropped(bench, source, why):
    there = await bench(SHOP, settings=QUICK)
    trial = await at_base(there, source)

    assert trial.kept == ()
    assert why in trial.dropped[0]


async def test_code_of_the_base_that_breaks_off_is_a_lack_of_the_work(bench):
    broken = {"shop.py": "def price(n):\n    raise KeyError(n)\n", "tests/test_shop.py": "def test(): pass\n"}
    there = await bench(broken, settings=QUICK)
    trial = await at_base(there, TEST_PRICE)

    assert trial.kept[0].reason == "KeyError: 2"


@pytest.mark.parametrize("path", ["tests/test_shop.py", "../test_x.py", "shop/extra.py", "tests/conftest.py"])
async def test_a_test_has_to_lie_in_a_new_file_for_tests(bench, path):
    there = await bench(SHOP, settings=QUICK)
    trial = await at_base(there, HALVES, path=path) if "../" not in path else None
    if trial is None:
        await there.measure(Stage.BASE)
        test = HiddenTest(path=path, source=there.artifacts.keep(HALVES), behaviour="b")
        trial = await there.evaluator.try_hidden(there.order, there.copy, (test,))

    assert (trial.kept, len(trial.dropped)) == ((), 1)


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
async def test_a_hidden_test_in_go_runs_beside_one_of_the_same_name(bench):
    there = await bench(GO, settings=QUICK)
    source = (
        'package shop\n\nimport "testing"\n\n'
        "func TestDiscount(t *testing.T) {\n\tif Discount(4) != 2 {\n\t\tt.Fatal()\n\t}\n}\n"
    )
    trial = await at_base(there, source, path="hidden_test.go")
    assert trial.dropped == ()
    change = {
        "shop.go": GO_PRICE + "\nfunc Discount(n int) int {\n\treturn n / 2\n}\n",
        "discount_test.go": source,
    }
    proof, said = await proved(there, change, trial.kept)

    assert (said[HIDDEN].state, proof.by) == (
        MET,
        "by 1 hidden test of claude; nobody reviewed it; runs not possible here: same calls",
    )


async def test_what_a_hidden_test_notices_needs_no_other_test(bench):
    there = await bench(SHOP, settings=QUICK)
    trial = await at_base(there, HALVES)
    mine = "import shop\n\n\ndef test_mine():\n    assert shop.twice(1) == 2\n"
    body = "    half = n\n    half = half // 2\n    return half\n"
    change = {
        "shop.py": f"{PRICE}\n\ndef twice(n):\n    return 2 * n\n\n\ndef discount(n):\n{body}",
        "tests/test_mine.py": mine,
    }
    proof, said = await proved(there, change, trial.kept)

    assert said["sabotage"].state is MET, said["sabotage"].reason
    assert proof.by.startswith("by 1 hidden test of claude")
