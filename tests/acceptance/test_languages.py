"""`setpoint run` on projects in TypeScript and Go: a wrong try is bounced, a right one verified."""

import json
import os
import shutil
from pathlib import Path

import pytest

from acceptance.conftest import Repository

pytestmark = [pytest.mark.timeout(300), pytest.mark.slow]
TOOLS = Path(__file__).resolve().parents[2] / ".tools" / "javascript" / "node_modules"
TS = "export function add(a: number, b: number): number {\n  return a - b;\n}\n"
TS_TESTS = """import { expect, it } from "vitest";
import { add } from "../src/calc";

it("adds", () => { expect(add(1, 2)).toBe(3); });
it("adds nothing", () => { expect(add(0, 0)).toBe(0); });
"""
TSCONFIG = '{"compilerOptions": {"strict": true, "module": "esnext", "types": []}, "include": ["src"]}\n'
GO = "package calc\n\nfunc Add(a, b int) int { return a - b }\n"
GO_TESTS = """package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("Add(1, 2) = %d, want 3", got)
	}
}
"""


def made(folder: Path, files: dict[str, str]) -> Repository:
    repository = Repository(folder / "project")
    repository.root.mkdir()
    repository.git("init", "-q", "-b", "main")
    for path, text in {".gitignore": "node_modules\n.setpoint\n", **files}.items():
        repository.write(path, text)
    repository.commit("start")
    return repository


def demanded(there: bool, what: str) -> None:
    if not there and os.environ.get("CI"):
        pytest.fail(f"{what} is not installed")
    if not there:
        pytest.skip(f"{what} is not installed; `make test` installs what it can")


def test_typescript_with_vitest_eslint_and_tsc(tmp_path):
    demanded(TOOLS.is_dir() and shutil.which("node") is not None, "the tools for JavaScript")
    repository = made(
        tmp_path,
        {
            "package.json": json.dumps({"type": "module", "scripts": {"test": "vitest run"}}),
            "tsconfig.json": TSCONFIG,
            "src/calc.ts": TS,
            "test/calc.test.ts": TS_TESTS,
        },
    )
    (repository.root / "node_modules").symlink_to(TOOLS)
    right = {"write": "src/calc.ts", "text": TS.replace("a - b", "a + b")}
    untyped = {"write": "src/calc.ts", "text": TS.replace("a - b", "String(a + b)")}
    repository.agent([untyped], [{"expect": "TS2322"}, {"expect": "src/calc.ts"}, right])

    code, outcome = repository.run("--agent", "actor", timeout=280)

    assert (code, outcome["mark"], outcome["iterations"], outcome["bounces"]) == (
        0, "IMPLEMENTATION_VERIFIED", 2, 1,
    )  # fmt: skip
    assert repository.git("show", f"{outcome['branch']}:src/calc.ts") == right["text"].strip()
    assert repository.git("ls-tree", "-r", "--name-only", outcome["branch"], "node_modules") == ""
    shown = repository.setpoint("show", "log").stdout
    assert "vitest" in shown
    assert sorted(each.name for each in TOOLS.iterdir() if each.name.startswith(".vi")) == []


def test_a_wrong_try_in_typescript_is_bounced_with_the_failing_test(tmp_path):
    demanded(TOOLS.is_dir() and shutil.which("node") is not None, "the tools for JavaScript")
    files = {
        "package.json": json.dumps({"type": "module", "scripts": {"test": "vitest run"}}),
        "src/calc.ts": TS,
        "test/calc.test.ts": TS_TESTS,
    }
    repository = made(tmp_path, files)
    (repository.root / "node_modules").symlink_to(TOOLS)
    wrong = {"write": "src/calc.ts", "text": TS.replace("a - b", "a * b")}
    right = {"write": "src/calc.ts", "text": TS.replace("a - b", "a + b")}
    repository.agent(
        [wrong], [{"expect": "test/calc.test.ts::adds"}, {"expect": "expected 2 to be 3"}, right]
    )

    code, outcome = repository.run("--agent", "actor", timeout=280)

    assert (code, outcome["iterations"], outcome["bounces"]) == (0, 2, 1)


def test_go(tmp_path):
    demanded(shutil.which("go") is not None, "go")
    repository = made(
        tmp_path, {"go.mod": "module example.com/calc\n\ngo 1.19\n", "calc.go": GO, "calc_test.go": GO_TESTS}
    )
    wrong = {"write": "calc.go", "text": GO.replace("a - b", "a * b")}
    right = {"write": "calc.go", "text": GO.replace("a - b", "a + b")}
    repository.agent([wrong], [{"expect": "TestAdd"}, {"expect": "Add(1, 2) = 2, want 3"}, right])

    code, outcome = repository.run("--agent", "actor", timeout=280)

    assert (code, outcome["mark"], outcome["iterations"], outcome["bounces"]) == (
        0, "IMPLEMENTATION_VERIFIED", 2, 1,
    )  # fmt: skip
    assert repository.git("show", f"{outcome['branch']}:calc.go") == right["text"].strip()


def test_deleting_the_failing_test_does_not_pass_in_typescript(tmp_path):
    demanded(TOOLS.is_dir() and shutil.which("node") is not None, "the tools for JavaScript")
    files = {
        "package.json": json.dumps({"type": "module", "scripts": {"test": "vitest run"}}),
        "src/calc.ts": TS,
        "src/calc.test.ts": TS_TESTS.replace("../src/calc", "./calc"),
    }
    repository = made(tmp_path, files)
    (repository.root / "node_modules").symlink_to(TOOLS)
    emptied = files["src/calc.test.ts"].replace('it("adds",', 'it.skip("adds",')
    repository.agent([{"delete": "src/calc.test.ts"}], [{"write": "src/calc.test.ts", "text": emptied}])

    code, outcome = repository.run("--agent", "actor", timeout=280)

    assert (code, outcome["ending"]) == (11, "stopped")
