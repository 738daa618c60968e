"""The tests of JavaScript projects, run for real: outcomes, places, selections, flaky and broken ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckState
from setpoint.model.stories.story import KnownRed
from setpoint.presets.check_settings import ChecksSettings, ToolSettings

CALC = "export const add = (a, b) => a - b;\nexport const boom = () => { throw new RangeError('no'); };\n"
RIGHT = CALC.replace("a - b", "a + b")
CASES = """
describe("calc", () => {
  it("adds", () => { same(add(1, 2), 3); });
  it("stays", () => { same(1, 1); });
  it.skip("later", () => {});
});
"""
HEADS = {
    "vitest": 'import { describe, it, expect } from "vitest";\n',
    "jest": "",
    "node_test": 'import { describe, it } from "node:test";\nimport assert from "node:assert";\n',
    "mocha": 'import assert from "node:assert";\n',
}
SAME = {
    "vitest": "const same = (a, b) => expect(a).toBe(b);\n",
    "jest": "const same = (a, b) => expect(a).toBe(b);\n",
    "node_test": "const same = (a, b) => assert.strictEqual(a, b);\n",
    "mocha": "const same = (a, b) => assert.strictEqual(a, b);\n",
}
SCRIPTS = {"vitest": "vitest run", "jest": "jest", "node_test": "node --test", "mocha": "mocha test"}
RUNNERS = [name if name == "vitest" else pytest.param(name, marks=pytest.mark.slow) for name in SCRIPTS]
FILE = "test/calc.test.js"
ADDS, STAYS, LATER = (f"{FILE}::calc > {name}" for name in ("adds", "stays", "later"))


def project(runner: str, cases: str = CASES) -> dict[str, str]:
    module = runner != "jest"
    load = (
        'import { add, boom } from "../calc.js";\n'
        if module
        else 'const { add, boom } = require("../calc");\n'
    )
    return {
        ".gitignore": ".setpoint\nnode_modules\n",
        "package.json": json.dumps(
            {"type": "module" if module else "commonjs", "scripts": {"test": SCRIPTS[runner]}}
        ),
        "calc.js": code(runner, CALC),
        FILE: HEADS[runner] + load + SAME[runner] + cases,
    }


def code(runner: str, text: str) -> str:
    return text.replace("export const ", "exports.") if runner == "jest" else text


def settings(**more: object) -> ChecksSettings:
    return ChecksSettings(pytest=False, **{"reruns": 0, **more})


@pytest.fixture
def start(bench, node_modules: Path):
    async def make(files: dict[str, str], **more: object):
        made = await bench(files, **more)
        (made.root / "node_modules").symlink_to(node_modules)
        return made

    return make


@pytest.mark.parametrize("runner", RUNNERS)
async def test_a_bug_is_found_told_and_mended(start, runner: str) -> None:
    made = await start(project(runner), settings=settings(), known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)
    await made.change({"calc.js": code(runner, RIGHT)})
    suspect = await made.measure(Stage.EVALUATE, ADDS)
    tested = await made.measure(Stage.TEST)

    (failure,) = base.failures
    assert (failure.test, failure.file, failure.cause) == (ADDS, FILE, Cause.ASSERTION)
    assert failure.line > 0
    assert base.test_counts == {"failed": 1, "passed": 1, "skipped": 1}
    assert suspect.test_counts == {"passed": 1}
    assert (tested.failures, tested.evidence_of(runner).state) == ((), CheckState.PASS)
    assert "node_modules" in tested.evidence_of(runner).tool
    assert tested.quality.tests == 1.0


@pytest.mark.parametrize("runner", RUNNERS)
async def test_the_place_is_in_the_code_and_not_in_the_test(start, runner: str) -> None:
    made = await start(
        project(runner, 'it("booms", () => { boom(); });\n'), settings=settings(), known_red=KnownRed.FIX
    )

    (failure,) = (await made.measure(Stage.BASE)).failures

    assert (failure.file, failure.line, failure.cause) == ("calc.js", 2, Cause.RUNTIME)
    assert "RangeError: no" in failure.message


@pytest.mark.parametrize("runner", ["node_test"])
async def test_skipped_and_renamed_tests_count_as_they_were(start, runner: str) -> None:
    files = project(runner)
    made = await start({**files, "calc.js": code(runner, RIGHT)}, settings=settings())
    await made.measure(Stage.BASE)

    await made.change({FILE: files[FILE].replace('it("adds"', 'it.skip("adds"')})
    silenced = await made.measure(Stage.TEST)
    await made.change({FILE: files[FILE].replace('it("adds"', 'it("other"')})
    renamed = await made.measure(Stage.TEST)

    assert (silenced.findings, silenced.failures, silenced.contradicted) == ((), (), ())
    assert (renamed.findings, renamed.failures, renamed.contradicted) == ((), (), ())


@pytest.mark.parametrize("runner", ["vitest", "node_test"])
async def test_a_file_that_does_not_load_is_red_and_its_tests_are_not_called_lost(start, runner: str) -> None:
    made = await start({**project(runner), "calc.js": code(runner, RIGHT)}, settings=settings())
    await made.measure(Stage.BASE)

    await made.change({"calc.js": "export const (\n"})
    broken = await made.measure(Stage.TEST)

    assert [(each.test, each.cause) for each in broken.failures] == [(FILE, Cause.SYNTAX)]
    assert broken.evidence_of(runner).state is CheckState.FAIL
    assert broken.findings == ()


@pytest.mark.parametrize("runner", ["vitest", "node_test"])
async def test_a_test_that_passes_alone_is_flaky(start, runner: str, tmp_path: Path) -> None:
    load = 'import * as fs from "node:fs";\n' if runner != "jest" else 'const fs = require("node:fs");\n'
    mark = json.dumps(str(tmp_path / "mark"))
    body = f"const seen = fs.existsSync({mark}); fs.writeFileSync({mark}, ''); same(seen, true);"
    made = await start(
        {
            **project(runner),
            FILE: HEADS[runner] + load + SAME[runner] + f'it("turns", () => {{ {body} }});\n',
        },
        settings=settings(reruns=1),
    )

    base = await made.measure(Stage.BASE)

    assert (base.flaky, base.failures) == ((f"{FILE}::turns",), ())
    assert base.evidence_of(runner).state is CheckState.FLAKY


@pytest.mark.parametrize("runner", RUNNERS)
async def test_a_runner_with_a_bad_option_is_broken_and_never_clean(start, runner: str) -> None:
    option = "--require=./not-there.cjs" if runner == "mocha" else "--such-an-option-is-not"
    bad = {runner: ToolSettings(use=True, args=(option,))}  # mocha takes every option that it does not know
    made = await start({**project(runner), "calc.js": code(runner, RIGHT)}, settings=settings(**bad))

    assert (await made.measure(Stage.BASE)).evidence_of(runner).state is CheckState.ERROR


async def test_an_error_outside_of_all_tests_is_no_success(start) -> None:
    late = (
        'it("fine", () => { setTimeout(() => { throw new Error("late"); }, 1);'
        " return new Promise((done) => setTimeout(done, 50)); });\n"
    )
    made = await start(project("vitest", late), settings=settings())

    evidence = (await made.measure(Stage.BASE)).evidence_of("vitest")

    assert evidence.state is CheckState.ERROR
    assert "no test failed, but vitest says otherwise" in evidence.reason


async def test_without_installed_packages_the_tests_are_an_error_that_says_how_to_mend_it(bench) -> None:
    made = await bench(project("vitest"), settings=settings())

    evidence = (await made.measure(Stage.BASE)).evidence_of("vitest")

    assert (evidence.state, evidence.reason) == (
        CheckState.ERROR,
        "vitest is not installed; install it in the project's node_modules, or switch checks.vitest off",
    )


async def test_a_test_that_needs_those_before_it_is_left_to_the_whole_suite(start) -> None:
    cases = (
        'let seen = 0;\nit("first", () => { seen = 1; });\n'
        'it("second", () => { same(seen, 1); });\nit("third", () => { same(add(1, 2), 3); });\n'
    )
    files = project("jest", cases) | {"calc.js": code("jest", RIGHT)}
    made = await start(files, settings=settings(reruns=1))

    await made.measure(Stage.BASE)
    await made.change({"calc.js": code("jest", CALC)})
    second, third = (f"{FILE}::{name}" for name in ("second", "third"))
    evaluated = await made.measure(Stage.EVALUATE, second, third)
    assert [each.test for each in evaluated.failures] == [third]
    assert second in evaluated.evidence_of("jest").reason


@pytest.mark.slow
async def test_tests_of_types_count_where_the_own_command_asks_for_them(start) -> None:
    options = {"strict": True, "module": "esnext", "moduleResolution": "bundler", "skipLibCheck": True}
    files = {
        ".gitignore": ".setpoint\nnode_modules\n",
        "package.json": json.dumps({"type": "module", "scripts": {"test": "vitest run --typecheck"}}),
        "tsconfig.json": json.dumps({"compilerOptions": options, "include": ["*.ts", "test"]}),
        "calc.ts": "export const twice = (n: number): number => n * 2;\n",
        "test/calc.test.ts": 'import { test } from "vitest";\nimport "../calc";\ntest("loads", () => {});\n',
        "test/calc.test-d.ts": 'import { test, expectTypeOf } from "vitest";\n'
        'import { twice } from "../calc";\n'
        'test("a number", () => { expectTypeOf(twice(2)).toEqualTypeOf<number>(); });\n',
    }
    made = await start(files, settings=settings(tsc=False))

    base = await made.measure(Stage.BASE)
    await made.change({"calc.ts": "export const twice = (n: number): string => String(n);\n"})
    wrong = await made.measure(Stage.TEST)

    assert (base.evidence_of("vitest").state, base.test_counts) == (CheckState.PASS, {"passed": 2})
    assert [each.file for each in wrong.failures] == ["test/calc.test-d.ts"]
