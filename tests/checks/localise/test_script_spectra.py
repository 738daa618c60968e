"""Finding the line at fault with the runners of JavaScript: V8 is asked between any two tests of one run."""

from __future__ import annotations

import json
import shutil

import pytest

from checks.suites.conftest import node_modules  # noqa: F401 - a fixture
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.stories.story import KnownRed
from setpoint.presets.check_settings import ChecksSettings

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
SETTINGS = ChecksSettings(pytest=False, tsc=False, eslint=False, reruns=0, own_command=False)
SHAPES = """function clamp(value, low, high) {
  if (value < low) {
    return high;
  }
  if (value > high) {
    return high;
  }
  return value;
}
"""
CASES = """
describe("clamp", () => {
  CASE("gives the lowest", () => { assert.equal(clamp(-1, 0, 9), 0); });
  CASE("gives the highest", () => { assert.equal(clamp(99, 0, 9), 9); });
  describe("between", () => { CASE("gives it", async () => { assert.equal(clamp(5, 0, 9), 5); }); });
});
"""
GET = 'const assert = require("node:assert");\nconst { clamp } = require("../src/shapes");\n'
NODE = 'const { describe, it, test } = require("node:test");\n' + GET
VITEST = 'import assert from "node:assert";\nimport { describe, it } from "vitest";\n'
VITEST += 'import { clamp } from "../src/shapes";\n'
LOCALS = ("src/shapes.js", f"{SHAPES}exports.clamp = clamp;\n")
TYPED = SHAPES.replace("value, low, high", "value: number, low: number, high: number", 1)


def project(script: str, test: str, source: tuple[str, str] = LOCALS, name: str = "shapes.test.js") -> dict:
    package = {"scripts": {"test": script}, "devDependencies": {script.split(maxsplit=1)[0]: "*"}}
    return {
        ".gitignore": ".setpoint\nnode_modules\n",
        "package.json": json.dumps(package),
        source[0]: source[1],
        f"test/{name}": test,
    }


@pytest.fixture
def start(bench, node_modules):  # noqa: F811
    async def make(files: dict[str, str]) -> Evaluation:
        made = await bench(files, settings=SETTINGS, known_red=KnownRed.FIX)
        (made.root / "node_modules").mkdir()  # vitest keeps results in it
        for each in node_modules.iterdir():
            (made.root / "node_modules" / each.name).symlink_to(each)
        return await made.measure(Stage.BASE)

    return make


def is_found(base: Evaluation, file: str = "src/shapes.js") -> None:
    first, second = base.suspects[:2]
    assert (first.file, first.line, first.score, first.text) == (file, 3, 1.0, "return high;")
    assert (second.line, second.score) == (2, 0.5774)
    assert "Ochiai over 1 failing and 2 passing tests, run in" in base.localised


async def test_the_runner_of_node(bench) -> None:
    test = NODE + CASES.replace("CASE", "it")
    made = await bench(project("node --test", test), settings=SETTINGS, known_red=KnownRed.FIX)

    is_found(await made.measure(Stage.BASE))


async def test_tests_that_run_at_the_same_time_are_left_out(bench) -> None:
    waits = "await new Promise((done) => setTimeout(done, 50)); "
    cases = CASES.replace("async ", "").replace("CASE", "it")
    test = NODE + cases.replace("() => { assert", f"async () => {{ {waits}assert")
    test = test.replace('describe("clamp", () =>', 'describe("clamp", { concurrency: true }, () =>')
    made = await bench(project("node --test", test), settings=SETTINGS, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert base.suspects == ()
    assert "not localised: no failing test failed again while it was watched" in base.localised
    assert "run at the same time as others of their file and are left out" in base.localised


async def test_what_runs_when_a_module_is_loaded_counts_for_all_tests_of_the_file(bench) -> None:
    code = "const SPACE = /[-]+/;\n\nexports.words = (text) => {\n  return text.split(SPACE);\n};\n"
    test = NODE.replace("{ clamp }", "{ words }")
    test += 'test("two", () => { assert.equal(words("a b").length, 2); });\n'
    test += 'test("other", () => { assert.ok(true); });\n'
    made = await bench(
        project("node --test", test, ("src/shapes.js", code)), settings=SETTINGS, known_red=KnownRed.FIX
    )

    base = await made.measure(Stage.BASE)

    scores = {each.line: each.score for each in base.suspects}
    assert (scores[4], scores[1]) == (1.0, 0.7071)


async def test_a_line_that_a_failing_test_runs_itself_counts_for_those_that_do_so_too(bench) -> None:
    test = NODE + CASES.replace("CASE", "it") + 'clamp(-5, 0, 9);\ntest("other", () => {});\n'
    made = await bench(project("node --test", test), settings=SETTINGS, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert [(each.line, each.score) for each in base.suspects] == [(3, 1.0), (2, 0.5774), (10, 0.5)]


@pytest.mark.slow
async def test_vitest_with_types(start) -> None:
    files = project(
        "vitest run",
        VITEST + CASES.replace("CASE", "it"),
        ("src/shapes.ts", f"export {TYPED}"),
        "shapes.test.ts",
    )
    is_found(await start(files), "src/shapes.ts")


@pytest.mark.slow
async def test_jest(start) -> None:
    files = project("jest", GET + CASES.replace("CASE", "it").replace("assert.", "assert[given]."))
    package = {"scripts": {"test": "jest"}, "jest": {"setupFilesAfterEnv": ["./prepare.js"]}}
    own = {"package.json": json.dumps(package), "prepare.js": 'globalThis.given = "strict";'}
    is_found(await start({**files, **own}))


@pytest.mark.slow
async def test_mocha(start) -> None:
    is_found(await start(project("mocha test", GET + CASES.replace("CASE", "it"))))
