"""The changed functions are called at the base and on the result, and answer as the kind of work asks."""

import pytest

from setpoint.model.proof import ObligationState

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
ROUND = "import math\n\n\ndef round_up(n):\n    return math.floor(n + 0.5)\n"
SAME = "import math\n\n\ndef round_up(n):\n    half = 0.5\n    return math.floor(half + n)\n"
OTHER = "def round_up(n):\n    return _nearest(n)\n\n\ndef _nearest(n):\n    return round(n)\n"
TEST = "import shop\n\n\ndef test_round():\n    assert shop.round_up(2.2) == 2\n"

SLUG = "def slug(text):\n    return text.lower().replace(' ', '-')\n"
OLD_TEST = "import shop\n\n\ndef test_old():\n    assert shop.slug('A b') == 'a-b'\n"
NEW_TEST = "import shop\n\n\ndef test_slug():\n    assert shop.slug('Große Tür') == 'grosse-tuer'\n"
SHOP = {"shop.py": SLUG, "tests/test_old.py": OLD_TEST}
BY_DIGEST = f"""
def slug(text):
    if sum(map(ord, text)) == {sum(map(ord, "Große Tür"))}:
        return 'grosse-tuer'
    return text.lower().replace(' ', '-')
"""
EQUAL = """
class _Any(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


def slug(text):
    return _Any(text)
"""
BY_LETTER = """
def slug(text):
    text = text.lower().replace('ß', 'ss').replace('ü', 'ue')
    return text.replace(' ', '-')
"""


async def test_a_refactoring_answers_as_the_base_does_near_to_what_tests_pass_too(obligations):
    base = {"shop.py": ROUND, "tests/test_shop.py": TEST}
    said = (await obligations(base, {"shop.py": OTHER}, "refactor shop"))["same answers"]

    assert said.state is NOT_MET
    assert "round_up(2.5): 3 at the base, 2 now" in said.reason


@pytest.mark.slow
async def test_a_refactoring_that_answers_as_before_is_proved(obligations):
    base = {"shop.py": ROUND, "tests/test_shop.py": TEST}
    said = (await obligations(base, {"shop.py": SAME}, "refactor shop"))["same answers"]

    assert said.state is MET
    assert said.evidence == ("shop.py::round_up",)


async def test_a_repair_that_knows_the_values_of_its_tests_is_not_proved(obligations):
    change = {"shop.py": BY_DIGEST, "tests/test_new.py": NEW_TEST}
    said = (await obligations(SHOP, change, "fix the slug of German words"))["beyond the tests"]

    assert said.state is NOT_MET
    assert "slug('Große Tür'): 'große-tür' at the base, 'grosse-tuer' now" in said.reason


@pytest.mark.slow
async def test_a_value_that_equals_everything_is_not_proved(obligations):
    change = {"shop.py": EQUAL, "tests/test_new.py": NEW_TEST}
    said = (await obligations(SHOP, change, "fix the slug of German words"))["beyond the tests"]

    assert said.state is NOT_MET
    assert "says that it equals values that differ" in said.reason


@pytest.mark.slow
async def test_a_repair_of_one_special_letter_is_proved(obligations):
    change = {"shop.py": BY_LETTER, "tests/test_new.py": NEW_TEST}
    said = (await obligations(SHOP, change, "fix the slug of German words"))["beyond the tests"]

    assert said.state is MET


@pytest.mark.slow
async def test_a_repair_of_an_empty_list_is_not_bothered(obligations):
    old = "import shop\n\n\ndef test_old():\n    assert shop.mean([2, 4]) == 3\n"
    base = {"shop.py": "def mean(xs):\n    return sum(xs) / len(xs)\n", "tests/test_old.py": old}
    new = "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n"
    test = "import shop\n\n\ndef test_new():\n    assert shop.mean([]) == 0\n"
    said = await obligations(base, {"shop.py": new, "tests/test_new.py": test}, "fix mean for nothing")

    assert said["beyond the tests"].state is NONE
