"""What files compile to is kept by their content, with the real pytest."""

from __future__ import annotations

import hashlib
import marshal
import os
from pathlib import Path

import pytest

from evaluators.suites.started import runner_of
from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckResult, CheckState, Outcome
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.evaluators.suites.bytecode import told, trim
from setpoint.evaluators.suites.python import TestSuite
from setpoint.ports import Measured, WorkCopy

FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "tests/test_calc.py": "from calc import add\ndef test_add():\n    assert add(1, 2) == 3\n",
}
ADD = "tests/test_calc.py::test_add"


def written(place: Path, **others: str) -> Path:
    for path, text in {
        **FILES,
        **{name.replace("__", "/") + ".py": text for name, text in others.items()},
    }.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    return place


async def run(place: Path, bytecode: str, *args: str) -> CheckResult:
    runner = await runner_of(place, *args, bytecode=bytecode)
    copy = WorkCopy(trace_id=TraceId("run"), path=str(place), base=Commit("b"), base_tree=Tree("t"))
    measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)
    return await TestSuite(runner=runner, only=("tests/test_calc.py",)).run(measured)


def compiled(folder: Path, name: str) -> set[Path]:
    """Give what is kept of files of that name."""
    codes = {path: marshal.loads(path.read_bytes()[32:]) for path in folder.iterdir()}
    return {path for path, code in codes.items() if Path(code.co_filename).name == name}


def outcome(result: CheckResult) -> Outcome | None:
    return result.tests.outcomes.get(ADD) if result.tests else None


async def test_what_is_kept_is_used_in_a_selection_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    fresh = written(tmp_path / "fresh")
    first = await run(fresh, told(folder, take=True))
    assert outcome(first) is Outcome.PASSED
    right = compiled(folder, "calc.py")

    # Were something else kept under the same content, it would be believed: so nothing else may be there.
    wrong = written(tmp_path / "wrong", calc="def add(a, b):\n    return a - b\n")
    assert outcome(await run(wrong, told(folder, take=True))) is Outcome.FAILED
    (other,) = compiled(folder, "calc.py") - right
    for path in right:
        path.write_bytes(other.read_bytes())
    assert outcome(await run(fresh, told(folder, take=True))) is Outcome.FAILED
    assert outcome(await run(fresh, told(folder, take=False))) is Outcome.PASSED
    assert outcome(await run(fresh, "")) is Outcome.PASSED


async def test_content_of_the_same_length_and_time_is_told_apart(tmp_path: Path) -> None:
    folder, place = tmp_path / "kept", written(tmp_path / "place")
    assert outcome(await run(place, told(folder, take=True))) is Outcome.PASSED
    times = (place / "calc.py").stat()
    (place / "calc.py").write_text(FILES["calc.py"].replace("a + b", "a - b"))
    os.utime(place / "calc.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert outcome(await run(place, told(folder, take=True))) is Outcome.FAILED


async def test_a_traceback_names_the_tree_that_is_measured(tmp_path: Path) -> None:
    folder, raising = tmp_path / "kept", "def add(a, b):\n    raise KeyError(a)\n"
    results = [
        await run(written(tmp_path / name, calc=raising), told(folder, take=True)) for name in ("one", "two")
    ]
    for result in results:
        assert result.tests is not None
        (failure,) = result.tests.failures
        assert (failure.file, failure.line) == ("calc.py", 2)
        assert [frame.file for frame in failure.frames] == ["tests/test_calc.py", "calc.py"]


async def test_what_is_told_while_a_file_is_compiled_is_told_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    always = "from calc import add\ndef test_add():\n    assert (add(1, 2) == 4, 'never')\n"
    place = written(tmp_path / "place", tests__test_calc=always)
    kinds = ("-W", "error::pytest.PytestAssertRewriteWarning")
    assert outcome(await run(place, told(folder, take=True))) is Outcome.PASSED
    for _ in range(2):
        result = await run(place, told(folder, take=True), *kinds)
        assert result.tests is not None
        assert result.tests.outcomes == {"tests/test_calc.py": Outcome.ERROR}


@pytest.mark.parametrize("harm", [b"", b"x" * 40])
async def test_what_is_damaged_is_compiled_anew(tmp_path: Path, harm: bytes) -> None:
    folder, place = tmp_path / "kept", written(tmp_path / "place")
    await run(place, told(folder, take=True))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        path.write_bytes(harm)
    assert (await run(place, told(folder, take=True))).state is CheckState.PASS
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after.keys() == before.keys()
    assert all(hashlib.sha256(data[32:]).digest() == data[:32] for data in after.values())


async def test_tests_find_python_and_pytest_as_they_are(tmp_path: Path) -> None:
    looks = (
        "from importlib.machinery import SourceFileLoader\nfrom _pytest.assertion import rewrite\nimport os\n"
        "from calc import add\ndef test_add():\n    assert 'source_to_code' not in vars(SourceFileLoader)\n"
        "    assert rewrite._rewrite_test.__module__ == '_pytest.assertion.rewrite'\n"
        "    assert not [name for name in os.environ if name.startswith('SETPOINT')]\n"
    )
    place = written(tmp_path / "place", tests__test_calc=looks)
    assert outcome(await run(place, told(tmp_path / "kept", take=True))) is Outcome.PASSED
    assert outcome(await run(place, told(tmp_path / "kept", take=True))) is Outcome.PASSED


async def test_a_folder_that_is_gone_or_shielded_costs_nothing_but_time(tmp_path: Path) -> None:
    place = written(tmp_path / "place")
    assert outcome(await run(place, f"take:{tmp_path / 'nowhere' / 'deep'}")) is Outcome.PASSED


def test_what_was_not_asked_for_the_longest_goes_first(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}").write_bytes(b"")
        os.utime(tmp_path / f"{number}", ns=(number, number))
    trim(tmp_path, most=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3", "4"]
