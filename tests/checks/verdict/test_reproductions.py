"""What a reviewer says shows an objection, run on the base and on the result."""

import pytest

from checks.verdict.conftest import PRICE, QUICK, SHOP
from setpoint.model.evaluation import Stage
from setpoint.model.proof import HIDDEN, HiddenTest, ObligationState, Vouched
from setpoint.ports import Measured

WRONG = f"{PRICE}\n\ndef discount(n):\n    return n // 3\n"
HALVES = "import shop\n\n\ndef test_halves():\n    assert shop.discount(4) == 2\n"


async def changed(bench, change):
    """Make a change, measured at the base and not yet on the result."""
    there = await bench(SHOP, settings=QUICK)
    story = there.order.story.model_copy(update={"title": "add a discount"})
    there.order = there.order.model_copy(update={"story": story})
    await there.measure(Stage.BASE)
    made = await there.change(change)
    return there, Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.EVALUATE)


def hidden(there, source="", path="tests/test_shown.py", command=""):
    """Return a reproduction as it is handed in."""
    source = there.artifacts.keep(source) if source else ""
    return HiddenTest(
        path=command or path, source=source, command=command, behaviour="half the price", author="codex"
    )


async def tried(there, measured, test):
    """Run one reproduction."""
    (came,) = (await there.evaluator.try_hidden(there.order, measured, (test,))).reproduced
    return came


async def of_test(bench, change, source, **more):
    there, measured = await changed(bench, change)
    return await tried(there, measured, hidden(there, source, **more))


async def of_command(bench, change, command):
    there, measured = await changed(bench, change)
    return await tried(there, measured, hidden(there, command=command))


async def test_a_test_that_fails_for_the_change_binds_and_is_left_nowhere(bench):
    there, measured = await changed(bench, {"shop.py": WRONG})
    came = await tried(there, measured, hidden(there, HALVES))

    assert (came.binds, came.passes) == (True, False)
    assert came.told.startswith("assert 1 == 2")
    assert came.test.reason.startswith("AttributeError")
    assert not [path for path in there.copies.rglob("*") if "test_shown" in path.name]


async def test_what_the_change_broke_binds_and_is_no_exam_of_the_work(bench):
    there, measured = await changed(bench, {"shop.py": "def price(n):\n    return n\n"})
    source = "import shop\n\n\ndef test_two():\n    assert shop.price(3) == 300\n"
    came = await tried(there, measured, hidden(there, source))
    assert (came.binds, came.test.reason) == (True, "")

    mended = await there.change({"shop.py": f"{PRICE}\n\ndef half(n):\n    return n // 2\n"})
    result = Measured(copy=there.copy, commit=mended.commit, tree=mended.tree, stage=Stage.TEST)
    proof = await there.evaluator.prove(there.order, result, Vouched(hidden=(came.test,)))
    (said,) = [each for each in proof.obligations if each.name == HIDDEN]
    assert (said.state, proof.exams) == (ObligationState.NOT_APPLICABLE, ())


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (HALVES, "passes on the change"),
        ("import shop, quantumlib\n\n\ndef test_it():\n    assert shop.discount(4) == 3\n", "cannot be run"),
        ("from shop import third\n\n\ndef test_it():\n    assert third(3) == 1\n", "cannot be run"),
        ("def test_it(there_is_none):\n    assert there_is_none\n", "cannot be run"),
        ("x = 1\n", "cannot be run"),
    ],
    ids=["right", "package", "name", "fixture", "no test"],
)
async def test_what_passes_or_cannot_be_run_does_not_reproduce(bench, source, why):
    right = {"shop.py": WRONG.replace("// 3", "// 2")}
    came = await of_test(bench, right, source)
    assert (came.binds, came.passes) == (False, True)
    assert why in came.told


@pytest.mark.parametrize(
    "source",
    [
        "def test_it():\n    assert False, 'wrong'\n",
        "from shop import discount\n\n\ndef test_it():\n    assert discount and undefined == 3\n",
    ],
    ids=["always", "a slip of its own"],
)
async def test_what_fails_whatever_the_code_does_binds_nobody(bench, source):
    came = await of_test(bench, {"shop.py": WRONG}, source)
    assert (came.binds, came.passes) == (False, False)
    assert "whatever the changed functions do" in came.told


async def test_a_file_of_the_project_is_not_written_over(bench):
    came = await of_test(bench, {"shop.py": WRONG}, HALVES, path="tests/test_shop.py")
    assert (came.binds, came.passes) == (False, True)


@pytest.mark.parametrize(
    ("command", "binds", "passes"),
    [
        ("python -c 'import shop; assert shop.discount(4) == 2'", True, False),
        ("python -c 'import shop; assert shop.discount(4) == 1'", False, True),
        ("false", False, False),
        ("echo no; exit 3", False, False),
        ("there-is-no-such-program", False, True),
    ],
)
async def test_a_command_is_judged_in_the_same_way(bench, command, binds, passes):
    came = await of_command(bench, {"shop.py": WRONG}, command)
    assert (came.binds, came.passes) == (binds, passes), came.told


async def test_a_command_that_reproduced_judges_the_next_result(bench):
    there, measured = await changed(bench, {"shop.py": WRONG})
    shows = "python -c 'import shop; assert shop.discount(4) == 2'"
    came = await tried(there, measured, hidden(there, command=shows))
    states = []
    for divisor in (5, 2):
        made = await there.change({"shop.py": WRONG.replace("// 3", f"// {divisor}")})
        result = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
        proof = await there.evaluator.prove(there.order, result, Vouched(hidden=(came.test,)))
        states.append({each.name: each.state for each in proof.obligations}[HIDDEN])
    assert states == [ObligationState.NOT_MET, ObligationState.MET]
    assert proof.exams[0].author == "codex"
