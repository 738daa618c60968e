"""What proves a change, measured on real projects."""

import shutil

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.proof import ObligationState, Proof, ProofTerms, Trust, WorkKind
from setpoint.model.stories.story import KnownRed
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
PRICE = "def price(n):\n    return n * 100\n"
DISCOUNT = PRICE + "\n\ndef discount(n):\n    return n // 2\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_DISCOUNT = "import shop\n\n\ndef test_discount():\n    assert shop.discount(4) == 2\n"
QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)


async def prove(
    bench, base, change, *, terms: ProofTerms | None = None, title="add a discount", **story
) -> dict[str, object]:
    """Return state and reason of both obligations, and the proof."""
    files = {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE, **base}
    there = await bench(files, settings=QUICK, **story)
    wanted = there.order.story.model_copy(update={"title": title})
    there.order = there.order.model_copy(update={"proof": terms or ProofTerms(), "story": wanted})
    await there.measure(Stage.BASE)
    made = await there.change(change)
    measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    proof: Proof = await there.evaluator.prove(there.order, measured)
    return {"proof": proof, **{each.name: each for each in proof.obligations}}


async def test_a_change_without_a_test_is_not_proved(bench):
    said = await prove(bench, {}, {"shop.py": DISCOUNT})

    assert said["witness"].state is NOT_MET
    assert "the change adds no test" in said["witness"].reason
    assert said["sensitivity"].state is NOT_MET
    assert "no test enters shop.py::discount" in said["sensitivity"].reason
    assert said["proof"].trust is None


async def test_a_test_that_fails_without_the_change_proves_it(bench):
    said = await prove(bench, {}, {"shop.py": DISCOUNT, "tests/test_discount.py": TEST_DISCOUNT})

    assert (said["witness"].state, said["sensitivity"].state) == (MET, MET)
    assert said["witness"].evidence == ("tests/test_discount.py::test_discount",)
    assert "without the changed code: AttributeError" in said["witness"].reason
    assert said["sensitivity"].evidence == ("shop.py::discount",)
    assert (said["proof"].work, said["proof"].trust) == (WorkKind.BEHAVIOUR, Trust.ANY)


async def test_a_test_that_calls_and_asserts_nothing_is_not_sensitive(bench):
    weak = "import shop\n\n\ndef test_discount():\n    shop.discount(4)\n"
    said = await prove(bench, {}, {"shop.py": DISCOUNT, "tests/test_discount.py": weak})

    assert said["witness"].state is MET
    assert said["sensitivity"].state is NOT_MET
    assert "no test notices when shop.py::discount does nothing" in said["sensitivity"].reason


async def test_a_test_that_passes_at_the_base_too_is_no_witness(bench):
    same = "import shop\n\n\ndef test_twice():\n    assert shop.price(2) == shop.price(2)\n"
    said = await prove(
        bench, {}, {"shop.py": PRICE.replace("n * 100", "100 * n"), "tests/test_more.py": same}
    )

    assert said["witness"].state is NOT_MET
    assert "test_twice passes without the changed code too" in said["witness"].reason


async def test_a_test_that_needs_a_new_file_without_code_is_not_a_witness(bench):
    other = (
        "import os\n\n\ndef test_depends_on_the_place():\n"
        "    assert os.environ['PATH']\n    os.stat('only-on-the-result.txt')\n"
    )
    change = {"shop.py": DISCOUNT, "tests/test_more.py": other, "only-on-the-result.txt": "x\n"}
    said = await prove(bench, {}, change)

    assert said["witness"].state is NOT_MET
    assert "passes without the changed code too" in said["witness"].reason


async def test_a_test_that_knows_where_it_runs_is_not_a_witness(bench):
    knows = "import os\n\n\ndef test_place():\n    assert not os.getcwd().endswith('other')\n"
    said = await prove(bench, {}, {"shop.py": PRICE + "# done\n", "tests/test_more.py": knows})

    assert said["witness"].state is NOT_MET
    assert "does not pass when it runs in another place" in said["witness"].reason


async def test_a_test_that_looks_at_the_type_alone_is_not_sensitive(bench):
    weak = "import shop\n\n\ndef test_discount():\n    assert isinstance(shop.discount(4), int)\n"
    said = await prove(bench, {}, {"shop.py": DISCOUNT, "tests/test_discount.py": weak})

    assert "no test notices when shop.py::discount returns something else" in said["sensitivity"].reason


@pytest.mark.parametrize(
    ("code", "test"),
    [
        ("def prices(n):\n    for each in range(n):\n        yield each\n", "list(cart.prices(2)) == [0, 1]"),
        (
            "class Cart:\n    def total(self, rows):\n        return sum(rows)\n",
            "cart.Cart().total([1]) == 1",
        ),
    ],
)
async def test_a_new_module_is_proved_by_its_test(bench, code, test):
    change = {
        "cart.py": code,
        "tests/test_cart.py": f"import cart\n\n\ndef test_cart():\n    assert {test}\n",
    }
    said = await prove(bench, {}, change)

    assert (said["witness"].state, said["sensitivity"].state) == (MET, MET)


async def test_types_alone_need_no_proof(bench):
    typed = {"shop.py": PRICE.replace("(n)", "(n: int) -> int")}
    said = await prove(bench, {}, typed, title="add type hints to shop")

    assert (said["witness"].state, said["sensitivity"].state) == (NONE, NONE)


async def test_a_test_that_failed_before_the_work_began_is_the_best_witness(bench):
    broken = {"shop.py": PRICE.replace("100", "99")}
    said = await prove(
        bench, broken, {"shop.py": PRICE}, title="make the tests pass", known_red=KnownRed.FIX,
        terms=ProofTerms(witness=Trust.PERSON),
    )  # fmt: skip

    assert (said["witness"].state, said["sensitivity"].state) == (MET, MET)
    assert (said["proof"].work, said["proof"].trust) == (WorkKind.REPAIR, Trust.PERSON)


async def test_the_makers_own_test_is_not_enough_where_a_person_is_asked_for(bench):
    change = {"shop.py": DISCOUNT, "tests/test_discount.py": TEST_DISCOUNT}
    said = await prove(bench, {}, change, terms=ProofTerms(witness=Trust.PERSON))

    assert said["witness"].state is NOT_MET
    assert "proof.witness asks for 'person', and there is only 'any'" in said["witness"].reason


@pytest.mark.parametrize(
    ("command", "state"),
    [("python -c 'import shop; shop.discount(4)'", MET), ("python -c 'import shop'", NOT_MET)],
)
async def test_an_acceptance_command_counts_where_it_fails_at_the_base(bench, command, state):
    said = await prove(bench, {}, {"shop.py": DISCOUNT}, acceptance=(command,))

    assert said["witness"].state is state
    assert ("proves nothing" in said["witness"].reason) is (state is NOT_MET)


async def test_a_refactoring_needs_tests_of_the_base_that_notice(bench):
    change = {"shop.py": "def price(n):\n    cents = 100\n    return cents * n\n"}
    said = await prove(bench, {}, change, title="refactor price")

    assert (said["witness"].state, said["sensitivity"].state) == (NONE, MET)


async def test_a_refactoring_that_no_test_of_the_base_notices_is_not_proved(bench):
    blind = {"tests/test_shop.py": "import shop\n\n\ndef test_price():\n    shop.price(2)\n"}
    change = {"shop.py": "def price(n):\n    cents = 100\n    return cents * n\n"}
    said = await prove(bench, blind, change, title="refactor price")

    assert said["sensitivity"].state is NOT_MET


async def test_documents_need_no_proof(bench):
    said = await prove(bench, {}, {"README.md": "# Shop\n"}, title="improve the docs")

    assert (said["witness"].state, said["sensitivity"].state) == (NONE, NONE)
    assert said["proof"].work is WorkKind.DOCS


async def test_code_is_never_documentation_whatever_the_request_says(bench):
    said = await prove(bench, {}, {"README.md": "# Shop\n", "shop.py": DISCOUNT}, title="improve the docs")

    assert said["proof"].work is WorkKind.BEHAVIOUR
    assert said["witness"].state is NOT_MET


GO_PRICE = "package shop\n\nfunc Price(n int) int {\n\treturn n * 100\n}\n"
GO_TEST = (
    'package shop\n\nimport "testing"\n\n'
    "func Test{0}(t *testing.T) {{\n\tif {1} {{\n\t\tt.Fatal()\n\t}}\n}}\n"
)
GO = {
    "shop.py": "",
    "go.mod": "module shop\n\ngo 1.19\n",
    "shop.go": GO_PRICE,
    "shop_test.go": GO_TEST.format("Price", "Price(2) != 200"),
}
JS_PRICE = "export function price(n) {\n  return n * 100;\n}\n"
JS_TEST = (
    'import test from "node:test";\nimport assert from "node:assert";\n'
    'import {{ {0} }} from "../shop.js";\n\n'
    'test("{0} works", () => {{ {1} }});\n'
)
JS = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": JS_PRICE,
    "test/shop.test.js": JS_TEST.format("price", "assert.equal(price(2), 200)"),
}


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
@pytest.mark.parametrize(
    ("asserted", "state"),
    [
        ("Discount(4) != 2", MET),
        pytest.param("Discount(4) < 0 && Discount(4) > 0", NOT_MET, marks=pytest.mark.slow),
    ],
)
async def test_a_change_in_go_is_proved_alike(bench, asserted, state):
    change = {
        "shop.go": GO_PRICE + "\nfunc Discount(n int) int {\n\treturn n / 2\n}\n",
        "discount_test.go": GO_TEST.format("Discount", asserted),
    }
    said = await prove(bench, GO, change)

    assert said["witness"].state is MET
    assert said["sensitivity"].state is state


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("asserted", "state"),
    [("assert.equal(half(4), 2)", MET), pytest.param("half(4)", NOT_MET, marks=pytest.mark.slow)],
)
async def test_a_change_in_javascript_is_proved_alike(bench, asserted, state):
    change = {
        "shop.js": JS_PRICE + "\nexport const half = (n) => n / 2;\n",
        "test/half.test.js": JS_TEST.format("half", asserted),
    }
    said = await prove(bench, JS, change)

    assert said["witness"].state is MET
    assert said["sensitivity"].state is state


async def test_a_test_that_reads_the_source_says_nothing_about_what_it_does(bench):
    reads = (
        "import inspect\n\nimport shop\n\n\ndef test_discount():\n"
        "    assert 'return n // 2' in inspect.getsource(shop.discount)\n"
        "    assert inspect.getsource(shop.discount).count('\\n') == 2\n"
    )
    said = await prove(bench, {}, {"shop.py": DISCOUNT, "tests/test_discount.py": reads})

    assert (said["witness"].state, said["sensitivity"].state) == (MET, NOT_MET)
    assert "no test enters shop.py::discount" in said["sensitivity"].reason


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_a_sabotage_that_makes_tests_hang_is_noticed_and_waited_for_by_what_they_took(bench):
    """The time limit of checks is 900 s here."""
    counts = (
        "export const step = (n) => n > 0;\n"
        "export const count = (n) => {\n  let all = 0;\n"
        "  for (; n !== 0; n -= step(n)) all += 1;\n  return all;\n};\n"
    )
    change = {
        "shop.js": f"{JS_PRICE}\n{counts}",
        "test/count.test.js": JS_TEST.format("count", "assert.equal(count(4), 4)"),
    }
    said = await prove(bench, JS, change)

    assert said["sensitivity"].state is MET, said["sensitivity"].reason


async def test_a_function_that_is_tested_in_a_copy_of_its_file_is_not_tested(bench):
    copied = "import sys\n\nsys.path.insert(0, 'build')\n" + TEST_DISCOUNT.replace(
        "import shop",
        "import importlib.util as u\nspec = u.spec_from_file_location('c', 'build/shop.py')\n"
        "shop = u.module_from_spec(spec)\nspec.loader.exec_module(shop)",
    )
    more = "\n\ndef twice(n):\n    n = n + n\n    n = n + 0\n    n = n + 0\n    return n\n"
    tests = copied + "\n\ndef test_twice():\n    assert shop.twice(4) == 8\n"
    change = {"shop.py": DISCOUNT, "build/shop.py": DISCOUNT + more, "tests/test_discount.py": tests}
    said = await prove(bench, {}, change)

    assert said["sensitivity"].state is NOT_MET
    assert "build/shop.py::discount in place of shop.py::discount" in said["sensitivity"].reason
