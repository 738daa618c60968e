"""The tests of Go modules and Rust crates, run for real."""

from __future__ import annotations

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckState
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

OFF = dict.fromkeys(("pytest", "go_vet", "clippy"), False)
GO = {
    ".gitignore": ".setpoint\n",
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
    "calc_test.go": """package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("Add(1, 2) = %d, want 3", got)
	}
}

func TestStays(t *testing.T) { t.Run("small", func(t *testing.T) {}) }
""",
}
GO_RIGHT = GO["calc.go"].replace("a - b", "a + b")
RUST = {
    ".gitignore": ".setpoint\ntarget\n",
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2018"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
    "src/lib.rs": """/// Adds.
/// ```
/// assert_eq!(calc::add(0, 0), 0);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a - b
}

#[cfg(test)]
mod tests {
    #[test]
    fn stays() {}
}
""",
    "tests/adds.rs": "#[test]\nfn adds() {\n    assert_eq!(calc::add(1, 2), 3);\n}\n",
}
RUST_RIGHT = RUST["src/lib.rs"].replace("a - b", "a + b")
STORY = {"settings": ChecksSettings(**OFF, reruns=0), "known_red": KnownRed.FIX}


async def test_a_bug_in_go_is_found_told_and_mended(bench, go) -> None:
    made = await bench(GO, **STORY)

    base = await made.measure(Stage.BASE)
    await made.change({"calc.go": GO_RIGHT})
    suspect = await made.measure(Stage.EVALUATE, "example.com/calc::TestAdd")
    tested = await made.measure(Stage.TEST)

    (failure,) = base.failures
    assert (failure.test, failure.file, failure.line) == ("example.com/calc::TestAdd", "calc_test.go", 7)
    assert failure.message == "Add(1, 2) = -1, want 3"
    assert base.test_counts == {"failed": 1, "passed": 2}
    assert suspect.test_counts == {"passed": 1}
    assert (tested.failures, tested.evidence_of("go_test").state) == ((), CheckState.PASS)


async def test_go_that_does_not_build_or_dies_is_red_and_nothing_is_called_lost(bench, go) -> None:
    made = await bench({**GO, "calc.go": GO_RIGHT}, **STORY)
    await made.measure(Stage.BASE)

    await made.change({"calc.go": GO_RIGHT.replace("a + b", '"x"')})
    unbuilt = await made.measure(Stage.TEST)
    await made.change({"calc.go": GO_RIGHT.replace("return a + b", 'panic("boom")')})
    died = await made.measure(Stage.TEST)

    (failure,) = unbuilt.failures
    assert (failure.test, failure.file, failure.line) == ("example.com/calc", "calc.go", 3)
    assert failure.cause is Cause.SYNTAX
    assert unbuilt.findings == ()
    assert sorted((each.test, each.file) for each in died.failures) == [
        ("example.com/calc::TestAdd", "calc.go"),
        ("example.com/calc::TestStays", ""),
    ]
    assert died.findings == ()


async def test_a_go_program_that_ends_itself_before_its_tests_is_broken(bench, go) -> None:
    main = 'func TestMain(m *testing.M) { fmt.Println("--- PASS: TestAdd (0.00s)"); os.Exit(0) }\n'
    imports = 'import (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n'
    made = await bench({**GO, "calc.go": GO_RIGHT}, **STORY, integrity="free")
    await made.measure(Stage.BASE)

    await made.change({"calc_test.go": GO["calc_test.go"].replace('import "testing"\n', imports) + main})
    tested = await made.measure(Stage.TEST)

    assert tested.evidence_of("go_test").state is CheckState.ERROR


@pytest.mark.slow
async def test_a_bug_in_rust_is_found_told_and_mended(bench, cargo) -> None:
    made = await bench(RUST, **STORY)

    base = await made.measure(Stage.BASE)
    await made.change({"src/lib.rs": RUST_RIGHT})
    suspect = await made.measure(Stage.EVALUATE, "tests/adds.rs::adds")
    tested = await made.measure(Stage.TEST)

    (failure,) = base.failures
    assert (failure.test, failure.file, failure.line) == ("tests/adds.rs::adds", "tests/adds.rs", 3)
    assert failure.cause is Cause.ASSERTION
    assert base.test_counts == {"failed": 1, "passed": 2}
    assert suspect.test_counts == {"passed": 1}
    assert (tested.failures, tested.evidence_of("cargo_test").state) == ((), CheckState.PASS)


@pytest.mark.slow
async def test_rust_that_does_not_compile_is_red_where_it_does_not(bench, cargo) -> None:
    made = await bench({**RUST, "src/lib.rs": RUST_RIGHT}, **STORY)
    await made.measure(Stage.BASE)

    await made.change({"src/lib.rs": RUST_RIGHT.replace("a + b", '"x"')})
    tested = await made.measure(Stage.TEST)

    (failure,) = tested.failures
    assert (failure.test, failure.line, failure.cause) == ("src/lib.rs", 6, Cause.SYNTAX)
    assert failure.message.startswith("E0308: mismatched types")
    assert tested.findings == ()


@pytest.mark.slow
async def test_what_a_rust_test_prints_is_no_outcome(bench, cargo) -> None:
    lie = (
        "#[test]\nfn lies() {\n    use std::io::Write;\n    let mut out = std::io::stdout();\n"
        '    out.write_all(b"test other ... ok\\n").unwrap();\n    std::process::exit(0);\n}\n'
    )
    made = await bench({**RUST, "src/lib.rs": RUST_RIGHT}, **STORY)
    await made.measure(Stage.BASE)

    await made.change({"tests/lies.rs": lie})
    tested = await made.measure(Stage.TEST)

    assert tested.evidence_of("cargo_test").state is CheckState.ERROR


@pytest.mark.parametrize(
    ("files", "check"), [(GO, "go_test"), pytest.param(RUST, "cargo_test", marks=pytest.mark.slow)]
)
async def test_a_bad_option_is_an_error(bench, go, cargo, files: dict[str, str], check: str) -> None:
    bad = ChecksSettings(**OFF, reruns=0, **{check: {"use": True, "args": ["--no-such-option"]}})
    made = await bench(files, settings=bad)

    assert (await made.measure(Stage.BASE)).evidence_of(check).state is CheckState.ERROR


def module_of(name: str, want: str) -> dict[str, str]:
    """Give a module with one function and its test."""
    return {
        f"{name}/go.mod": f"module example.com/{name}\n\ngo 1.19\n",
        f"{name}/f.go": f"package {name}\n\n// F gives one.\nfunc F() int {{ return 1 }}\n",
        f"{name}/f_test.go": f'package {name}\n\nimport "testing"\n\nfunc TestF(t *testing.T) {{\n'
        f'\tif F() != {want} {{\n\t\tt.Fatal("wrong")\n\t}}\n}}\n',
    }


async def test_a_module_that_go_work_leaves_out_is_tested_without_it(bench, go) -> None:
    files = {"go.work": "go 1.19\n\nuse ./app\n", **module_of("app", "1"), **module_of("tools", "2")}
    made = await bench(files, settings=ChecksSettings(bandit=False, pytest=False), known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    tested, vetted, reached = (base.evidence_of(name) for name in ("go_test", "go_vet", "coverage_go_test"))
    assert (tested.state, vetted.state, reached.state) == (
        CheckState.FAIL,
        CheckState.PASS,
        CheckState.PASS,
    )
    assert reached.counts["statements"] == 2
    (failure,) = base.failures
    assert failure.test == "example.com/tools::TestF"


async def test_doctor_asks_go_about_a_module_that_go_work_leaves_out_without_it(bench, go) -> None:
    files = {"go.work": "go 1.19\n\nuse ./app\n", **module_of("app", "1"), **module_of("tools", "1")}
    files["tools/f.go"] = 'package tools\n\nimport "example.org/missing"\n\nvar F = missing.F\n'
    files["tools/go.mod"] += "\nrequire example.org/missing v1.0.0\n"

    (found,) = (await (await bench(files)).survey()).toolchains

    assert "missing go.sum entry" in found.problem
    assert "tools" in found.problem
