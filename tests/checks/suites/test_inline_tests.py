"""Tests inside source files, run for real: cheats block, honest work is verified."""

from __future__ import annotations

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.finding import Category
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

RUST_OFF = ChecksSettings(**dict.fromkeys(("pytest", "clippy"), False), reruns=0)
RUST = """\
/// Adds.
/// ```
/// assert_eq!(calc::add(0, 0), 0);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a - b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"""
CRATE = {
    ".gitignore": ".setpoint\ntarget\n",
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2018"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
    "src/lib.rs": RUST,
}
RIGHT = RUST.replace("a - b", "a + b")
MORE = "    #[test]\n    fn more() {\n        assert_eq!(add(2, 2), 4);\n    }\n}\n"
RUST_CHEATS = {
    "weaker assertion": RUST.replace("2), 3", "2), -1"),
    "ignored": RUST.replace("    #[test]", "    #[test]\n    #[ignore]"),
    "module left out": RUST.replace("#[cfg(test)]", "#[cfg(all(test, windows))]"),
    "own assertion": RUST.replace(
        "#[cfg(test)]", "macro_rules! assert_eq { ($($x:tt)*) => {} }\n#[cfg(test)]"
    ),
}
RUST_HONEST = {
    "code alone": RIGHT,
    "a new test": RIGHT.removesuffix("}\n") + "\n" + MORE,
    "a new example": RIGHT.replace("/// Adds.", "/// Adds.\n/// ```\n/// calc::add(1, 1);\n/// ```"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RUST_CHEATS, *RUST_HONEST])
async def test_rust(bench, cargo, name: str) -> None:
    made = await bench(CRATE, settings=RUST_OFF, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)

    await made.change({"src/lib.rs": {**RUST_CHEATS, **RUST_HONEST}[name]})
    tested = await made.measure(Stage.TEST)

    assert ({each.category for each in tested.blocking} == {Category.INTEGRITY}) is (name in RUST_CHEATS)
    assert (tested.quality.integrity == 0.0) is (name in RUST_CHEATS)
    assert name in RUST_CHEATS or not tested.failures


GO = {
    ".gitignore": ".setpoint\n",
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
    "calc_test.go": """package calc

import "fmt"

func ExampleAdd() {
	fmt.Println(Add(1, 2))
	// Output: 3
}
""",
}
GO_RIGHT = {"calc.go": GO["calc.go"].replace("a - b", "a + b")}
GO_CHEATS = {
    "output edited": {"calc_test.go": GO["calc_test.go"].replace(": 3", ": -1")},
    "output gone": {"calc_test.go": GO["calc_test.go"].replace("\t// Output: 3\n", "")},
}


@pytest.mark.parametrize("name", GO_CHEATS)
async def test_go(bench, go, name: str) -> None:
    off = ChecksSettings(pytest=False, go_vet=False, reruns=0)
    made = await bench(GO, settings=off, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)

    await made.change(GO_CHEATS[name])
    cheated = await made.measure(Stage.TEST)
    await made.change(GO_RIGHT)
    honest = await made.measure(Stage.TEST)

    assert cheated.restored == ("calc_test.go",)
    assert cheated.blocking
    assert [each.test for each in cheated.failures] == ["example.com/calc::ExampleAdd"]
    assert (honest.findings, honest.failures) == ((), ())


DOCTESTS = {
    "pytest.ini": "[pytest]\naddopts = --doctest-modules\n",
    "calc.py": 'def add(a, b):\n    """Add.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n',
}
CALC = DOCTESTS["calc.py"]
PYTHON_RIGHT = CALC.replace("a - b", "a + b")
PYTHON_CHEATS = {
    "output edited": CALC.replace("    3\n", "    -1\n"),
    "skipped": CALC.replace("add(1, 2)", "add(1, 2)  # doctest: +SKIP"),
    "example gone": CALC.replace("    >>> add(1, 2)\n    3\n", ""),
    "rebound before": CALC.replace("    >>> add", "    >>> add = lambda a, b: 3\n    >>> add"),
    "replaced at run time": CALC + "\n\nadd.__doc__ = '>>> 1\\n1\\n'\n",
}
PYTHON_HONEST = {
    "code alone": PYTHON_RIGHT,
    "one more example": PYTHON_RIGHT.replace("    3\n", "    3\n    >>> add(0, 0)\n    0\n"),
    "one more before": PYTHON_RIGHT.replace("    >>> add", "    >>> add(0, 0)\n    0\n    >>> add", 1),
    "more words": PYTHON_RIGHT.replace("Add.", "Add two numbers."),
    "a new function": 'def zero():\n    """Give 0.\n\n    >>> zero()\n    0\n    """\n    return 0\n\n\n'
    + PYTHON_RIGHT,
}


@pytest.mark.parametrize("name", [*PYTHON_CHEATS, *PYTHON_HONEST])
async def test_doctests(bench, name: str) -> None:
    made = await bench(DOCTESTS, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)

    await made.change({"calc.py": {**PYTHON_CHEATS, **PYTHON_HONEST}[name]})
    tested = await made.measure(Stage.TEST)

    assert ({each.category for each in tested.blocking} == {Category.INTEGRITY}) is (name in PYTHON_CHEATS)
    assert (tested.quality.integrity == 0.0) is (name in PYTHON_CHEATS)
    assert name in PYTHON_CHEATS or not tested.failures


async def test_a_test_to_be_mended_has_to_pass(bench) -> None:
    marked = "import pytest\nfrom calc import READY\n\n@pytest.mark.skipif(not READY, reason='')\n"
    text = marked + "def test_ready():\n    assert READY == 2\n"
    made = await bench({"calc.py": "READY = 1\n", "test_calc.py": text}, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)

    await made.change({"calc.py": "READY = 0\n"})
    skipped = await made.measure(Stage.TEST)
    await made.change({"calc.py": "READY = 2\n"})
    mended = await made.measure(Stage.TEST)

    assert [each.rule for each in skipped.blocking] == ["silenced"]
    assert mended.blocking == ()


async def test_a_file_to_be_mended_may_not_skip_itself(bench) -> None:
    made = await bench(
        {"calc.py": "x = y\n", "test_calc.py": "import calc\n\ndef test_x():\n    assert calc.x\n"},
        known_red=KnownRed.FIX,
    )
    await made.measure(Stage.BASE)

    await made.change({"calc.py": "import pytest\npytest.skip('later', allow_module_level=True)\n"})
    skipped = await made.measure(Stage.TEST)
    await made.change({"calc.py": "x = 1\n"})
    mended = await made.measure(Stage.TEST)

    assert "silenced" in {each.rule for each in skipped.blocking}
    assert mended.blocking == ()
