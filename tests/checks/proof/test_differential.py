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


QUEUE = """
class Queue:
    def __init__(self, first=()):
        self._waiting = [*first]

    def add(self, amount):
        self._waiting = self._waiting + [amount]
        return self

    def take(self):
        first = self._waiting[0]
        self._waiting = self._waiting[1:]
        return first

    @property
    def total(self):
        total = 0
        for each in self._waiting:
            total += each
        return total
"""
DEQUE = """
from collections import deque


class Queue:
    def __init__(self, first=()):
        self._items = deque(first)

    def add(self, amount):
        self._items.append(amount)
        return self

    def take(self):
        return self._items.popleft()

    @property
    def total(self):
        return sum(self._items)
"""
QUEUE_TEST = """
import shop


def test_queue():
    queue = shop.Queue().add(20)
    assert queue.total == 20
    assert queue.take() == 20
    assert queue.total == 0
"""
FIELD = DEQUE[: DEQUE.index("    @property")].replace(
    "(first)\n", "(first)\n        self.total = sum(first)\n"
)
FIELD_TEST = (
    "import shop\n\n\ndef test_queue():\n    queue = shop.Queue([20])\n    assert queue.total == 20\n"
)


async def test_an_object_with_other_attributes_is_made_again_as_tests_made_it(obligations):
    base = {"shop.py": QUEUE, "tests/test_shop.py": QUEUE_TEST}
    other = {"shop.py": DEQUE.replace("popleft", "pop")}
    said = (await obligations(base, other, "refactor shop"))["same answers"]

    assert said.state is NOT_MET
    assert "Queue().add(20).add(21).total().take(): 20 (" in said.reason


@pytest.mark.slow
async def test_what_is_public_of_an_object_belongs_to_its_answers(obligations):
    test = FIELD_TEST + "    assert queue.add(1) is queue\n"
    base = {"shop.py": QUEUE, "tests/test_shop.py": test}
    said = (await obligations(base, {"shop.py": FIELD}, "refactor shop"))["same answers"]

    assert said.state is NOT_MET
    assert "{'total': 1}) at the base, Queue{'total': 0} now" in said.reason


@pytest.mark.slow
async def test_objects_that_answer_as_before_with_other_attributes_are_proved(obligations):
    base = {"shop.py": QUEUE, "tests/test_shop.py": QUEUE_TEST}
    said = (await obligations(base, {"shop.py": DEQUE}, "refactor shop"))["same answers"]

    assert said.state is MET
    assert {"shop.py::Queue", "shop.py::Queue.take", "shop.py::Queue.total"} <= {*said.evidence}
    assert "not compared" not in said.reason


@pytest.mark.slow
async def test_what_cannot_be_compared_is_named_with_the_reason(obligations):
    shop = "def store(path, text):\n    path.write_text(text)\n\n\ndef other(n):\n    return n\n"
    test = "import shop\n\n\ndef test_store(tmp_path):\n    shop.store(tmp_path / 'a', 'b')\n"
    base = {"shop.py": shop, "tests/test_shop.py": f"{test}    assert (tmp_path / 'a').read_text() == 'b'\n"}
    change = {"shop.py": shop.replace("path.write", "return path.write").replace("return n", "return +n")}
    said = (await obligations(base, change, "refactor shop"))["same answers"]

    assert said.state is NONE
    assert "shop.py::store (it writes files, starts processes or uses the network)" in said.reason
    assert "shop.py::other (no test calls it" in said.reason


async def test_a_function_that_the_result_makes_in_another_way_is_called_as_the_base_was(obligations):
    made = "def _rounded(half):\n    return lambda n: int(n + half)\n\n\nround_up = _rounded(0.4)\n"
    base = {"shop.py": ROUND, "tests/test_shop.py": TEST}
    said = (await obligations(base, {"shop.py": made}, "refactor shop"))["same answers"]

    assert said.state is NOT_MET
    assert "round_up(2.5): 3 at the base, 2 now" in said.reason
