"""What the request names must be in the change, and noticed by tests."""

import pytest

from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
MEAN = (
    'def mean(values):\n    if not values:\n        raise ValueError("no values")\n'
    "    return sum(values) / len(values)\n"
)
TEST_MEAN = "import shop\n\n\ndef test_mean():\n    assert shop.mean([1, 2, 6]) == 3\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
NEVER = (
    "import pytest\nimport shop\n\n\ndef test_mean():\n    with pytest.raises({error}):\n"
    "        shop.mean({given})\n"
)
ONE, TWO = "Add mean(values) to shop.py.", "Add mean(values) and median(values) to shop.py."


async def judged(obligations, code, test, title):
    """Return the obligation about what the request names, after a change of one module and one test."""
    base = {"shop.py": "def price(n):\n    return n * 100\n", "tests/test_price.py": TEST_PRICE}
    said = await obligations(base, {"shop.py": base["shop.py"] + code, "tests/test_shop.py": test}, title)
    return said.get("named")


async def test_a_named_function_that_tests_notice_is_proved(obligations):
    said = await judged(obligations, MEAN, TEST_MEAN, ONE)

    assert (said.state, said.evidence) == (MET, ("shop.py::mean",))


@pytest.mark.parametrize(
    ("code", "test", "title", "reason"),
    [
        (
            MEAN + "\n\nmedian = mean\n",
            TEST_MEAN,
            TWO,
            "names shop.py::median, and no test fails when it is broken",
        ),
        (
            MEAN + "\n\ndef median(values):\n    return sorted(values)[len(values) // 2]\n",
            TEST_MEAN,
            TWO,
            "names shop.py::median, and no test fails when it is broken",
        ),
        (
            "\n\ndef mean(values):\n    raise NotImplementedError('later')\n",
            NEVER.format(error="NotImplementedError", given="[1]"),
            ONE,
            "shop.py::mean does nothing but raise",
        ),
        (
            "\n\ndef mean(values):\n    return 0\n",
            "import shop\n\n\ndef test_mean():\n    assert shop.mean([0]) == 0\n",
            ONE,
            "shop.py::mean uses none of its parameters",
        ),
        (
            MEAN,
            NEVER.format(error="ValueError", given="[]"),
            ONE,
            "tests of shop.py::mean end in its errors alone",
        ),
        (MEAN, TEST_MEAN, TWO, "the request asks for median, and no code has such a name"),
        (
            MEAN,
            TEST_MEAN,
            f"{ONE} `mean([1, 2])` gives 1.5.",
            "values of the example `mean([1, 2])` gives 1.5",
        ),
    ],
)
async def test_a_named_function_that_is_missing_or_a_decoy_is_not_proved(
    code, test, title, reason, obligations
):
    said = await judged(obligations, code, test, title)

    assert said.state is NOT_MET
    assert reason in said.reason


async def test_an_alias_that_a_test_calls_by_its_name_is_proved(obligations):
    test = TEST_MEAN + "\n\ndef test_average():\n    assert shop.average([2, 4]) == 3\n"
    said = await judged(
        obligations, MEAN + "\n\naverage = mean\n", test, "Add mean(values), and average(values) for it"
    )

    assert said.state is MET


@pytest.mark.parametrize(
    ("tested", "state"), [("done.returncode == 0", NOT_MET), ("done.stdout == 'HO\\n'", MET)]
)
async def test_a_new_flag_must_be_noticed(tested, state, obligations):
    code = (
        "import argparse\n\nasked = argparse.ArgumentParser()\n"
        "asked.add_argument('--loud', action='store_true')\n"
        "print('HO' if asked.parse_args().loud else 'ho')\n"
    )
    test = (
        "import subprocess\nimport sys\n\n\ndef test_loud():\n"
        "    done = subprocess.run([sys.executable, 'call.py', '--loud'], capture_output=True, text=True)\n"
        f"    assert {tested}\n"
    )
    change = {"call.py": code, "tests/test_call.py": test}
    base = {
        "call.py": "import argparse\n\nargparse.ArgumentParser().parse_args()\nprint('ho')\n",
        "shop.py": "def price(n):\n    return n * 100\n",
        "tests/test_price.py": TEST_PRICE,
    }
    said = await obligations(base, change, "Add a flag --loud to call.py")

    assert said["named"].state is state
