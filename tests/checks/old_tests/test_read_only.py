"""Protected files that are put back, through the evaluator's `protect` and `evaluate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.checks.old_tests import read_only
from setpoint.model.evaluation import Stage
from setpoint.model.finding import Category
from setpoint.model.stories.story import IntegrityMode
from setpoint.settings import ChecksSettings

TEST = "tests/test_calc.py"
BASE = {
    "src/calc.py": "def add(a, b):\n    return a + b\n",
    TEST: "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "tests/expected.json": "{}\n",
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    ".github/workflows/ci.yml": "on: push\n",
    "Makefile": "test:\n\tpytest\n",
}
OFF = ChecksSettings(pytest=False, bandit=False)
MODE = IntegrityMode.READ_ONLY
PUT_BACK = {
    "edited test": {TEST: "def test_add():\n    pass\n"},
    "deleted test": {TEST: None},
    "grown test": {TEST: BASE[TEST] + "\ndef test_zero():\n    assert add(0, 0) == 0\n"},
    "what a test compares with": {"tests/expected.json": "[]\n"},
    "settings of the runner": {"pyproject.toml": BASE["pyproject.toml"].replace("-q", "-x")},
    "new settings of the runner": {"pytest.ini": "[pytest]\n", "conftest.py": "x = 1\n"},
    "conftest beside the tests": {"tests/conftest.py": "x = 1\n"},
    "what the CI server runs": {".github/workflows/ci.yml": "on: never\n"},
}
STAYS = {
    "code": {"src/calc.py": "def add(a, b):\n    return b + a\n"},
    "new test": {"tests/test_zero.py": "def test_zero():\n    assert True\n"},
    "new test with fixtures": {
        "tests/more/conftest.py": "x = 1\n",
        "tests/more/test_x.py": "def test_x(): pass\n",
    },
    "other settings": {"pyproject.toml": BASE["pyproject.toml"].replace('"1"', '"2"')},
    "no test": {"Makefile": "test:\n\tpytest -q\n", "package.json": "{}\n"},
}


def stands(made, files) -> None:
    for path, text in files.items():
        place = made.tree / path
        assert (place.read_text() if place.exists() else None) == text


@pytest.mark.parametrize("name", PUT_BACK)
async def test_read_only_puts_back(bench, name: str) -> None:
    made = await bench(BASE, settings=OFF, integrity=MODE)

    await made.change(PUT_BACK[name])
    evaluated = await made.measure(Stage.EVALUATE)

    assert set(made.restored[-1]) == set(evaluated.restored) == set(PUT_BACK[name])
    stands(made, {path: BASE.get(path) for path in PUT_BACK[name]})
    assert evaluated.blocking == ()
    assert {finding.category for finding in evaluated.findings} == {Category.INTEGRITY}
    assert {finding.file for finding in evaluated.findings} == set(PUT_BACK[name])


@pytest.mark.parametrize("name", STAYS)
async def test_read_only_leaves(bench, name: str) -> None:
    made = await bench(BASE, settings=OFF, integrity=MODE)

    await made.change(STAYS[name])

    assert made.restored == [()]
    stands(made, STAYS[name])


async def test_without_protection_nothing_is_looked_at(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await bench(BASE, settings=OFF)
    for name in ("git", "ask", "changed_files", "commit_of", "contents", "files_at"):
        monkeypatch.setattr(read_only, name, None)

    assert await made.evaluator.protect(made.order, made.copy) == ()
    assert not (made.state / "seen").exists()


async def test_globs_are_put_back_in_every_mode_and_released_paths_never(bench) -> None:
    story = {"protected": ("src/*", "docs"), "may_change": ("src/free.py",)}
    made = await bench({**BASE, "src/free.py": "x = 1\n", "docs/a.md": "a\n"}, settings=OFF, **story)

    await made.change(
        {"src/calc.py": "", "src/free.py": "x = 2\n", "docs/a.md": None, TEST: "def test_b(): pass\n"}
    )

    assert made.restored == [("docs/a.md", "src/calc.py")]
    stands(made, {"src/calc.py": BASE["src/calc.py"], "docs/a.md": "a\n", "src/free.py": "x = 2\n"})


async def test_released_tests_stay_in_mode_read_only(bench) -> None:
    made = await bench(BASE, settings=OFF, integrity=MODE, may_change=("tests", "pyproject.toml"))

    await made.change({TEST: None, "pyproject.toml": BASE["pyproject.toml"].replace("-q", "-x")})

    assert made.restored == [()]


async def test_a_crash_before_the_files_are_back_leaves_the_record(
    bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await bench(BASE, settings=OFF, integrity=MODE)
    (made.tree / TEST).write_text("def test_add():\n    pass\n")

    async def dies(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(read_only.ReadOnly, "_restore", dies)
        with pytest.raises(RuntimeError, match="killed"):
            await made.evaluator.protect(made.order, made.copy)
    await made.record()
    again = await made.record()
    evaluated = await made.measure(Stage.EVALUATE)

    assert made.restored == [(TEST,), ()]
    assert again is not None
    stands(made, {TEST: BASE[TEST]})
    assert evaluated.restored in ((), (TEST,))


async def test_nothing_is_removed_through_a_link_out_of_the_copy(bench, tmp_path: Path) -> None:
    made = await bench({**BASE, "kept/.keep": ""}, settings=OFF, protected=("*.txt",))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("mine\n")
    (made.tree / "link").symlink_to(outside)

    await made.record()

    assert (outside / "a.txt").read_text() == "mine\n"
