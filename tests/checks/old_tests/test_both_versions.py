"""Tests as they were at the base and as they are now: real git, pytest, Node, Go and own commands."""

from __future__ import annotations

import shutil

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
TEST = "tests/test_shop.py"
BASE = {
    "shop.py": "def price(n):\n    return n * 2\n\n\ndef tax(n):\n    return n + 1\n",
    TEST: "from shop import price\n\n\ndef test_price():\n    assert price(2) == 4\n",
    "tests/test_tax.py": "from shop import tax\n\n\ndef test_tax():\n    assert tax(2) == 3\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
PRICE, TAX = f"{TEST}::test_price", "tests/test_tax.py::test_tax"
THREE = BASE["shop.py"].replace("* 2", "* 3")
OTHER = BASE[TEST].replace("== 4", "== 6")


async def after(bench, change, base=BASE, stage=Stage.TEST, suspects=(), **story):
    """Measure a change of a base."""
    made = await bench(base, settings=QUICK, **story)
    await made.measure(Stage.BASE)
    await made.change(change)
    return made, await made.measure(stage, *suspects)


async def test_an_edited_test_that_holds_as_it_was_is_no_contradiction(bench):
    more = BASE[TEST] + "\n\ndef test_zero():\n    assert price(0) == 0\n"

    made, tested = await after(bench, {TEST: more})

    assert made.restored == [()]
    assert (tested.failures, tested.findings, tested.contradicted) == ((), (), ())
    assert tested.test_counts == {"passed": 3}
    counts = {name: tested.evidence_of(f"pytest-{name}").counts for name in ("base", "now")}
    assert counts == {"base": {"passed": 2}, "now": {"passed": 2}}


async def test_where_the_new_version_alone_passes_the_change_contradicts_the_old_one(bench):
    made, tested = await after(bench, {"shop.py": THREE, TEST: OTHER})

    assert (made.tree / TEST).read_text() == OTHER
    assert (tested.failures, tested.findings, tested.contradicted) == ((), (), (PRICE,))
    assert tested.test_counts == {"passed": 2}
    assert tested.evidence_of("pytest").state is CheckState.PASS


async def test_a_deleted_test_runs_as_it_was(bench):
    _, kept = await after(bench, {TEST: None})

    assert (kept.failures, kept.findings, kept.contradicted) == ((), (), ())
    assert kept.test_counts == {"passed": 1}


async def test_a_deleted_test_that_fails_as_it_was_is_contradicted(bench):
    gone = "def tax(n):\n    return n + 1\n"

    _, tested = await after(bench, {"shop.py": gone, TEST: None})

    assert (tested.failures, tested.findings, tested.contradicted) == ((), (), (PRICE,))


async def test_an_old_test_fails_in_an_unchanged_file_or_where_its_new_version_fails_too(bench):
    broken = BASE["shop.py"].replace("n + 1", "n").replace("* 2", "* 5")

    _, tested = await after(bench, {"shop.py": broken, TEST: OTHER})

    assert {each.test for each in tested.failures} == {PRICE, TAX}
    assert tested.contradicted == ()


async def test_a_renamed_file_of_tests_is_no_lost_one(bench):
    _, tested = await after(bench, {TEST: None, "tests/test_prices.py": BASE[TEST]})

    assert (tested.failures, tested.findings, tested.contradicted) == ((), (), ())
    assert tested.test_counts == {"passed": 2}


SKIPPED = "import pytest\n" + BASE[TEST].replace("def test", "@pytest.mark.skip\ndef test")


async def test_a_test_that_the_change_skips_runs_as_it_was(bench):
    _, tested = await after(bench, {TEST: SKIPPED})

    assert (tested.failures, tested.blocking, tested.contradicted) == ((), (), ())


async def test_a_test_that_the_change_breaks_and_skips_fails(bench):
    _, tested = await after(bench, {"shop.py": BASE["shop.py"].replace("* 2", "* 5"), TEST: SKIPPED})

    assert PRICE in {each.test for each in tested.failures}


async def test_what_tests_read_is_as_it_was_and_as_it_is_now(bench):
    reads = (
        "import pathlib\nfrom shop import price\n\n\ndef test_golden():\n"
        "    assert str(price(2)) == pathlib.Path('tests/golden.txt').read_text().strip()\n"
    )
    base = {**BASE, "tests/test_golden.py": reads, "tests/golden.txt": "4\n"}

    _, tested = await after(bench, {"shop.py": THREE, TEST: OTHER, "tests/golden.txt": "6\n"}, base)

    assert (tested.failures, set(tested.contradicted)) == ((), {PRICE, "tests/test_golden.py::test_golden"})


@pytest.mark.parametrize(
    "change",
    [
        {"conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n"},
        {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_tax.py::test_tax\n"},
        {"sitecustomize.py": "import builtins\n"},
        {"pyproject.toml": BASE["pyproject.toml"] + 'addopts = "-k price"\n'},
    ],
    ids=["conftest", "pytest.ini", "sitecustomize", "pyproject"],
)
async def test_what_a_runner_starts_from_saves_no_broken_test(bench, change):
    _, tested = await after(bench, {"shop.py": BASE["shop.py"].replace("n + 1", "n"), **change})

    assert tested.failures or tested.blocking


async def test_a_failing_test_is_not_mended_by_editing_it(bench):
    red = {**BASE, "shop.py": THREE}

    _, tested = await after(bench, {TEST: OTHER}, red, known_red=KnownRed.FIX)

    (failure,) = tested.failures
    assert failure.test == PRICE
    assert failure.message.startswith("as it was at the base: ")
    assert tested.contradicted == ()


async def test_what_a_person_released_is_judged_as_the_work_leaves_it(bench):
    red = {**BASE, "shop.py": THREE}

    _, tested = await after(bench, {TEST: OTHER}, red, known_red=KnownRed.FIX, may_change=(TEST,))

    assert (tested.failures, tested.blocking) == ((), ())


async def test_a_file_that_never_parsed_may_be_mended(bench):
    base = {**BASE, "tests/test_more.py": "def test_more(:\n    assert True\n"}

    _, tested = await after(
        bench, {"tests/test_more.py": "def test_more():\n    assert True\n"}, base, known_red=KnownRed.FIX
    )

    assert (tested.failures, tested.contradicted) == ((), ("tests/test_more.py",))


async def test_early_measurements_ask_both_versions_of_a_suspect(bench):
    change = {"shop.py": THREE, TEST: OTHER}

    _, early = await after(bench, change, stage=Stage.EVALUATE, suspects=(PRICE, TAX))

    assert (early.failures, early.contradicted) == ((), (PRICE,))


async def test_tests_that_cannot_be_collected_as_they_were_are_contradicted_together(bench):
    renamed = BASE["shop.py"].replace("price", "cost")

    _, tested = await after(bench, {"shop.py": renamed, TEST: BASE[TEST].replace("price", "cost")})

    assert (tested.failures, tested.findings) == ((), ())
    assert tested.contradicted == (PRICE,)


PACKAGE = '{"name": "shop", "scripts": {"test": "node --test"}}\n'
NODE = {
    "package.json": PACKAGE,
    "shop.js": "exports.price = (n) => n * 2\nexports.tax = (n) => n + 1\n",
    "test/price.test.js": (
        "const test = require('node:test')\nconst assert = require('node:assert')\n"
        "const { price } = require('../shop.js')\ntest('price', () => assert.strictEqual(price(2), 4))\n"
    ),
    "test/tax.test.js": (
        "const test = require('node:test')\nconst assert = require('node:assert')\n"
        "const { tax } = require('../shop.js')\ntest('tax', () => assert.strictEqual(tax(2), 3))\n"
    ),
}
NODE_PRICE, NODE_TAX = "test/price.test.js::price", "test/tax.test.js::tax"
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


@needs_node
async def test_scripts_run_in_both_versions_too(bench):
    three = {"shop.js": NODE["shop.js"].replace("* 2", "* 3")}
    other = {"test/price.test.js": NODE["test/price.test.js"].replace("4)", "6)")}

    _, tested = await after(bench, {**three, **other}, NODE)

    assert (tested.failures, tested.contradicted) == ((), (NODE_PRICE,))
    assert tested.test_counts == {"passed": 2}


@needs_node
async def test_scripts_that_break_in_an_unchanged_file_fail(bench):
    broken = {"shop.js": NODE["shop.js"].replace("n + 1", "n")}
    other = {"test/price.test.js": NODE["test/price.test.js"].replace("'price'", "'the price'")}

    _, tested = await after(bench, {**broken, **other}, NODE)

    assert [each.test for each in tested.failures] == [NODE_TAX]
    assert tested.contradicted == ()
    assert tested.blocking == ()


@needs_node
async def test_a_deleted_script_of_tests_is_asked_as_it_was(bench):
    _, kept = await after(bench, {"test/price.test.js": None}, NODE)

    assert (kept.failures, kept.contradicted, kept.blocking) == ((), (), ())
    assert kept.test_counts == {"passed": 1}


@needs_node
async def test_an_own_command_is_contradicted_as_a_whole(bench):
    base = {
        "Makefile": "test:\n\tnode check.spec.cjs\n",
        "shop.cjs": "exports.price = (n) => n * 2\n",
        "tests/run.cjs": "require('node:assert').strictEqual(require('../shop.cjs').price(2), 4)\n",
    }
    base["Makefile"] = "test:\n\tnode tests/run.cjs\n"
    change = {
        "shop.cjs": "exports.price = (n) => n * 3\n",
        "tests/run.cjs": base["tests/run.cjs"].replace("4)", "6)"),
    }

    _, tested = await after(bench, change, base)

    assert (tested.failures, tested.contradicted) == ((), ("Makefile::make test",))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("go"), reason="go is not installed")
async def test_packages_of_go_run_in_both_versions_too(bench):
    base = {
        "go.mod": "module shop\n\ngo 1.19\n",
        "shop.go": (
            "package shop\n\nfunc Price(n int) int { return n * 2 }\n\nfunc Tax(n int) int { return n + 1 }\n"
        ),
        "price_test.go": (
            'package shop\n\nimport "testing"\n\nfunc TestPrice(t *testing.T) {\n\tif Price(2) != 4 {\n'
            '\t\tt.Fatal("price")\n\t}\n}\n'
        ),
        "tax_test.go": (
            'package shop\n\nimport "testing"\n\nfunc TestTax(t *testing.T) {\n\tif Tax(2) != 3 {\n'
            '\t\tt.Fatal("tax")\n\t}\n}\n'
        ),
    }
    change = {
        "shop.go": base["shop.go"].replace("n * 2", "n * 3"),
        "price_test.go": base["price_test.go"].replace("!= 4", "!= 6"),
    }

    _, tested = await after(bench, change, base)

    assert (tested.failures, tested.contradicted) == ((), ("shop::TestPrice",))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is not installed")
async def test_tests_inside_sources_of_rust_run_as_they_were(bench):
    source = (
        "pub fn price(n: u32) -> u32 {\n    n * 2\n}\n\npub fn tax(n: u32) -> u32 {\n    n + 1\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n"
        "    #[test]\n    fn prices() {\n        assert_eq!(price(2), 4);\n    }\n\n"
        "    #[test]\n    fn taxes() {\n        assert_eq!(tax(2), 3);\n    }\n}\n"
    )
    base = {
        ".gitignore": ".setpoint\ntarget\n",
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": source,
    }
    change = source.replace("n * 2", "n * 3").replace("(2), 4)", "(2), 6)").replace("n + 1", "n")
    without_tax = change[: change.index("    #[test]\n    fn taxes")] + "}\n"

    _, tested = await after(bench, {"src/lib.rs": without_tax}, base)

    assert tested.failures == ()
    assert {each.rpartition("::")[2] for each in tested.contradicted} == {"prices", "taxes"}
