"""What of a change lies on the side of the tests, and the place in which it is as at the base."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from setpoint.checks.old_tests import places
from setpoint.checks.old_tests.places import Aside, collected, side_of_tests
from setpoint.checks.old_tests.start_files import is_start_file, same_settings, shares_settings, steers_ci
from setpoint.model.evaluation import Stage
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy

STARTS = [
    "conftest.py", "a/b/conftest.py", "pytest.ini", "tox.ini", "sitecustomize.py", "x.pth",
    "vitest.config.ts", "packages/a/jest.config.js", ".mocharc.yml", ".mocharc", ".coveragerc",
    "vitest.workspace.js",
]  # fmt: skip
OTHERS = ["package.json", "pyproject.toml", "src/conftests.py", "vitest.md", "config.py", "pth", "Makefile"]


@pytest.mark.parametrize("path", STARTS)
def test_runners_start_from_it(path: str) -> None:
    assert is_start_file(path)


@pytest.mark.parametrize("path", OTHERS)
def test_no_runner_starts_from_it(path: str) -> None:
    assert not is_start_file(path)


def test_what_a_ci_server_runs() -> None:
    assert all(map(steers_ci, (".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml")))
    assert not any(map(steers_ci, (".github/ISSUE_TEMPLATE.md", "docs/workflows.md")))


def test_settings_of_runners_alone_make_a_shared_file_one_of_theirs() -> None:
    base = b'[project]\nversion = "1"\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.ruff]\nindent = 99\n'
    sections = b"[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n[coverage:run]\nbranch = true\n"

    assert shares_settings("a/pyproject.toml")
    assert same_settings("pyproject.toml", base, base.replace(b'"1"', b'"2"').replace(b"99", b"80"))
    assert not same_settings("pyproject.toml", base, base.replace(b"-q", b"-x"))
    assert not same_settings("pyproject.toml", base, None)
    assert same_settings("pyproject.toml", None, b'[project]\nname = "x"\n')
    assert same_settings("setup.cfg", sections, sections.replace(b"= x", b"= y"))
    assert not same_settings("setup.cfg", sections, sections.replace(b"true", b"false"))


def test_files_that_hold_tests() -> None:
    tests = ("a.py::test_x[1]", "tests/test_b.py::test_b", "src/c.py::c.f", "src/d.py::d", "e.test.js::e")

    assert collected(tests) == {"a.py", "tests/test_b.py"}


class Rust:
    """Stands for a language with tests inside its sources, each on a line of its own."""

    def inline_tests(self, path: str, source: bytes) -> frozenset[str]:
        return frozenset(line for line in source.decode().splitlines() if line.startswith("test"))

    def with_tests_of(self, code: bytes, tests: bytes, path: str) -> bytes:
        kept = [line for line in code.decode().splitlines() if not line.startswith("test")]
        return "".join(f"{line}\n" for line in (*kept, *sorted(self.inline_tests(path, tests)))).encode()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a repository of two commits; return it with both of them."""
    monkeypatch.setattr(places, "language_of", lambda path: Rust() if path.endswith(".rs") else None)

    def make(before: dict[str, str], after: dict[str, str | None]) -> tuple[Path, Commit, Commit]:
        root, commits = tmp_path / "project", list[Commit]()
        root.mkdir()
        for files in (before, after):
            for path, text in files.items():
                place = root / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, "utf-8") if text is not None else place.unlink()
            for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
                named = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", *words)
                subprocess.run(named, cwd=root, check=True, capture_output=True)
            done = subprocess.run(("git", "rev-parse", "HEAD"), cwd=root, check=True, capture_output=True)
            commits.append(Commit(done.stdout.decode().strip()))
        return root, commits[0], commits[1]

    return make


BEFORE: dict[str, str] = {
    "code.py": "a = 1\n",
    "test_code.py": "def test_a(): pass\n",
    "tests/data.txt": "1\n",
    "checks.js": "test\n",
    "lib.js": "x\n",
    "setup.cfg": "[tool:pytest]\naddopts = -q\n",
    "pyproject.toml": '[project]\nversion = "1"\n',
    "lib.rs": "one\ntest_one\n",
    "package.json": "{}\n",
}
AFTER: dict[str, str | None] = {
    "code.py": "a = 2\n",
    "test_code.py": "def test_b(): pass\n",
    "test_more.py": "def test_c(): pass\n",
    "tests/data.txt": None,
    "checks.js": "test 2\n",
    "lib.js": "y\n",
    "setup.cfg": "[tool:pytest]\naddopts = -x\n",
    "pyproject.toml": '[project]\nversion = "2"\n',
    "lib.rs": "two\ntest_two\n",
    "package.json": '{"a": 1}\n',
    "pytest.ini": "[pytest]\n",
}
TESTS = ("test_code.py::test_a", "checks.js::one", "lib.rs::test_one")


async def test_the_side_of_the_tests_is_as_at_the_base_and_all_else_is_the_result(
    repository, tmp_path
) -> None:
    root, base, head = repository(BEFORE, AFTER)

    side = await side_of_tests(root, base, head, AFTER, TESTS)
    aside = Aside(
        place=tmp_path / "x" / "place", base=base, paths=side.paths, known=frozenset(), inline=side.inline
    )
    copy = WorkCopy(trace_id=TraceId("run-1"), path=str(root), base=base, base_tree=Tree("0"))
    there = await aside.as_at_base(Measured(copy, head, Tree("0"), Stage.TEST))

    of_tests = {"test_code.py", "test_more.py", "tests/data.txt", "checks.js", "setup.cfg", "pytest.ini"}
    assert set(side.paths) == of_tests
    assert (side.inline, side.reaching) == (
        ("lib.rs",),
        {"tests/data.txt", "checks.js", "setup.cfg", "pytest.ini"},
    )
    place = Path(there.copy.path)
    found = {path: (place / path).read_text() for path in {*BEFORE, *AFTER} if (place / path).exists()}
    assert {path: found[path] for path in of_tests & found.keys()} == {
        path: BEFORE[path] for path in of_tests & BEFORE.keys()
    }
    assert found["lib.rs"] == "two\ntest_one\n"
    assert {path: found[path] for path in found.keys() - of_tests - {"lib.rs"}} == {
        path: AFTER[path] for path in AFTER.keys() - of_tests - {"lib.rs"}
    }


def aside(*paths: str, reaching: frozenset[str] = frozenset()) -> Aside:
    known = frozenset({"tests/test_a.py::test_a", "tests/test_b.py::test_b"})
    return Aside(place=Path("/x"), base=Commit("0"), paths=paths, known=known, reaching=reaching)


def test_only_files_that_changed_run_again_unless_something_reaches_all() -> None:
    one, every = aside("tests/test_a.py"), aside("tests/helpers.py", reaching=frozenset({"tests/helpers.py"}))

    assert (one.untouched, one.files) == ({"tests/test_b.py::test_b"}, ("tests/test_a.py",))
    assert (every.untouched, every.files) == (frozenset(), ())


def test_which_runners_a_change_of_tests_concerns() -> None:
    assert [aside("tests/test_a.py").concerns(each) for each in ("pytest", "vitest")] == [True, False]
    assert [aside("a.test.ts", "x.snap").concerns(each) for each in ("pytest", "vitest")] == [False, True]
    assert [aside("tests/data.json").concerns(each) for each in ("unittest", "own_tests")] == [True, True]
