"""What the tests in other languages reach, measured for real."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from setpoint.checks.discovery.program import Program
from setpoint.checks.suites.llvm import find_llvm
from setpoint.checks.suites.runner import Start
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.presets import presets
from setpoint.presets.check_settings import ChecksSettings

SHOP = """export interface Item {
  price: number;
}

export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  if (sum > 100) {
    return sum * 0.9;
  }
  return sum;
}

export const names = (items: Item[]) => items.map((item) => item.price);
"""
UNLOADED = "export function never(value: number): number {\n  return value + 1;\n}\n"
VITEST = {
    ".gitignore": ".setpoint\nnode_modules\n",
    "package.json": json.dumps({"type": "module", "scripts": {"test": "vitest run"}}),
    "src/shop.ts": SHOP,
    "src/unloaded.ts": UNLOADED,
    "test/shop.test.ts": 'import { expect, test } from "vitest";\nimport { total } from "../src/shop";\n'
    'test("total", () => { expect(total([{ price: 2 }])).toBe(2); });\n',
}
PLAIN = SHOP.replace(": Item[]", "").replace("): number", ")").partition("}\n\n")[2]
COMMON = {
    ".gitignore": ".setpoint\nnode_modules\n",
    "src/shop.js": PLAIN.replace("export const names =", "exports.names =").replace("export ", "")
    + "exports.total = total;\n",
}
CASE = 'const { total } = require("../src/shop");\n'
JEST = {
    **COMMON,
    "package.json": json.dumps({"scripts": {"test": "jest"}}),
    "test/shop.test.js": CASE + 'test("total", () => { expect(total([{ price: 2 }])).toBe(2); });\n',
}
NODE = {
    **COMMON,
    "package.json": json.dumps({"scripts": {"test": "node --test"}}),
    "test/shop.test.js": CASE
    + 'require("node:test")("t", () => { require("node:assert").equal(total([{ price: 2 }]), 2); });\n',
}
GO = {
    ".gitignore": ".setpoint\n",
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": 'package calc\n\nfunc Sign(v int) string {\n\tif v < 0 {\n\t\treturn "minus"\n\t}\n'
    '\treturn "plus"\n}\n',
    "shop/shop.go": "package shop\n\nfunc Twice(v int) int {\n\treturn v * 2\n}\n",
    "calc_test.go": 'package calc\n\nimport "testing"\n\nfunc TestSign(t *testing.T) {\n'
    '\tif Sign(1) != "plus" {\n\t\tt.Fatal("no")\n\t}\n}\n',
}
RUST = {
    ".gitignore": ".setpoint\ntarget\n",
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2018"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn sign(v: i64) -> i64 {\n    if v < 0 {\n        return -1;\n    }\n    1\n}\n\n"
    "#[cfg(test)]\nmod tests {\n    #[test]\n    fn plus() {\n        assert_eq!(super::sign(3), 1);\n"
    "    }\n}\n",
}
LCOV_OF_LLVM_22 = """SF:{tree}/src/lib.rs
FN:1,_RNvCs_4calc4sign
FNDA:1,_RNvCs_4calc4sign
FNF:1
FNH:1
DA:1,1
DA:2,1
DA:3,0
DA:4,1
DA:5,1
DA:6,1
DA:11,1
DA:12,1
DA:13,1
BRF:0
BRH:0
LF:9
LH:8
end_of_record
"""
OFF = dict.fromkeys(("pytest", "go_vet", "clippy", "tsc"), False)
SETTINGS = ChecksSettings(**OFF, reruns=0)


@pytest.fixture
def start(bench, node_modules: Path):
    async def make(files: dict[str, str]):
        made = await bench(files, settings=SETTINGS)
        (made.root / "node_modules").mkdir()  # vitest keeps results in it
        for each in node_modules.iterdir():
            (made.root / "node_modules" / each.name).symlink_to(each)
        return made

    return make


async def test_v8_counts_typescript_by_source_and_files_that_nothing_loads(start) -> None:
    made = await start(VITEST)

    base = await made.measure(Stage.BASE)

    evidence = base.evidence_of("coverage_vitest")
    assert (evidence.state, evidence.counts["statements"], evidence.counts["covered"]) == (
        CheckState.PASS,
        8,  # six in total, one in names, one in never
        6,
    )
    assert base.coverage is not None
    assert base.quality.line_coverage == base.coverage.lines == 0.75
    assert base.quality.branch_coverage == 0.5  # of the one `if`, which has no `else`


async def test_the_changed_lines_that_no_test_reaches_are_named(start) -> None:
    made = await start(VITEST)
    await made.measure(Stage.BASE)

    more = "export function label(item: Item): string {\n  const text = `${item.price}`;\n  return text;\n}\n"
    await made.change({"src/shop.ts": f"// Prices\n{SHOP}{more}"})
    tested = await made.measure(Stage.TEST)

    assert tested.coverage is not None
    assert tested.coverage.changed_executable == 2
    assert tested.coverage.uncovered_changed == {"src/shop.ts": (19, 20)}


@pytest.mark.slow
@pytest.mark.parametrize("files", [JEST, NODE], ids=["jest", "node_test"])
async def test_jest_and_the_runner_of_node_are_measured_alike(start, files: dict[str, str]) -> None:
    made = await start(files)

    base = await made.measure(Stage.BASE)

    (made_by,) = (each for each in base.evidence if each.check.startswith("coverage_"))
    assert (made_by.state, made_by.counts["statements"], made_by.counts["covered"]) == (
        CheckState.PASS,
        8,  # the answer of the arrow function lies on the line of its assignment
        7,
    )
    assert base.quality.branch_coverage == 0.5


ONE_LINERS = """export function word(n: number, known?: { far: string }): string {
  if (n < 0) return "minus";
  const size = n > 200 ? "huge" : "small";
  return known && known.far !== "" ? known.far : size;
}
"""


async def test_arms_on_one_line_are_told_apart_through_the_maps_of_a_compiler(start) -> None:
    case = 'import { expect, test } from "vitest";\nimport { word } from "../src/word";\n'
    case += 'test("small", () => { expect(word(3)).toBe("small"); });\n'
    names = (".gitignore", "package.json")
    files = {name: VITEST[name] for name in names} | {
        "src/word.ts": ONE_LINERS,
        "test/word.test.ts": case,
    }
    made = await start(files)

    base = await made.measure(Stage.BASE)

    assert base.quality.branch_coverage == 4 / 8  # not: "minus", "huge", the second operand, known.far


async def test_it_can_be_switched_off(start, bench) -> None:
    made = await bench(VITEST, settings=ChecksSettings(**OFF, coverage=False))

    base = await made.measure(Stage.BASE)

    assert not [each for each in base.evidence if each.check.startswith("coverage")]


async def test_go_counts_statements_of_all_packages(bench, go: None) -> None:
    made = await bench(GO, settings=SETTINGS)

    base = await made.measure(Stage.BASE)

    evidence = base.evidence_of("coverage_go_test")
    assert (evidence.state, evidence.reason) == (CheckState.PASS, "")
    assert (evidence.counts["statements"], evidence.counts["covered"]) == (4, 2)
    assert base.quality.branch_coverage is None


@pytest.fixture
def llvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder on PATH for programs of LLVM."""
    folder = tmp_path / "llvm"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def program(place: Path, text: str) -> None:
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


def version_of_llvm(version: str) -> str:
    return f'[ "$1" = --version ] && echo "  LLVM version {version}" && exit 0'


@pytest.mark.slow
async def test_rust_is_measured_by_the_llvm_of_its_toolchain(bench, cargo: None, llvm: Path) -> None:
    made = await bench(RUST, settings=SETTINGS)
    ask = "$(rustc -vV | sed -n 's/^LLVM version: //p')"
    known = version_of_llvm(ask)
    program(llvm / "llvm-profdata", f'{known}\nfor word; do last="$word"; done; : > "$last"')
    recorded = LCOV_OF_LLVM_22.replace("{tree}", "$PWD")
    program(llvm / "llvm-cov", f"{known}\ncat <<END\n{recorded}END")

    base = await made.measure(Stage.BASE)

    evidence = base.evidence_of("coverage_cargo_test")
    assert (evidence.state, evidence.reason) == (CheckState.PASS, "")
    assert (evidence.counts["statements"], evidence.counts["covered"]) == (3, 2)
    assert base.quality.branch_coverage is None


async def test_tools_of_another_llvm_measure_nothing_and_it_says_so(
    tmp_path: Path, cargo: None, llvm: Path
) -> None:
    for name in ("llvm-profdata", "llvm-cov"):
        program(llvm / name, version_of_llvm("3.1"))
    run = Start(
        name="cargo_test",
        preset=presets()["cargo_test"],
        program=Program(argv=("cargo",), version="", place="", identity=()),
        tree=tmp_path,
        folder="",
        scratch=tmp_path,
        variables={**os.environ, "PATH": f"{llvm}:{os.environ['PATH']}"},
        timeout_s=60,
    )

    found = await find_llvm(run)

    if isinstance(found, str):  # else the toolchain brings its own
        assert "3" in found
        assert "rustup component add llvm-tools" in found


@pytest.mark.parametrize("text", ["var X = undefined", 'import "example.com/calc/undefined"'])
async def test_a_run_that_ended_before_its_profile_says_so(bench, go: None, text: str) -> None:
    made = await bench({**GO, "broken/broken.go": f"package broken\n\n{text}\n"}, settings=SETTINGS)

    base = await made.measure(Stage.BASE)

    evidence = base.evidence_of("coverage_go_test")
    assert evidence.state is CheckState.NOT_MEASURED
    assert evidence.reason.startswith("go test wrote no profile: exit code ")
    assert "undefined" in evidence.reason
    assert "Errno" not in evidence.reason
