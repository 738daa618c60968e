"""Notes on a change: what is told, where, and what is not."""

from __future__ import annotations

import pytest

from setpoint.checks.notes.all import MOST_OF_A_RULE, notes_of
from setpoint.checks.tree_diff import Work

TEST = "tests/test_calc.py"
CODE = "def add(a, b):\n    return a + b\n"
TESTS = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n"


def work(before: dict[str, str], after: dict[str, str], **more: object) -> Work:
    changed = tuple(path for path in {**before, **after} if before.get(path) != after.get(path))
    return Work(changed=changed, lines={}, before=before, after=after, **more)


def told(before: dict[str, str], after: dict[str, str], **more: object) -> list[tuple[str, str, int]]:
    return [(each.rule, each.file, each.line) for each in notes_of(work(before, after, **more))]


LINES = {
    "noqa": ("a.py", "import os  # noqa: F401", "suppression"),
    "type: ignore": ("a.py", "x: int = 'a'  # type: ignore[assignment]", "suppression"),
    "no cover": ("a.py", "    if x:  # pragma: no cover", "suppression"),
    "eslint": ("src/a.ts", "// eslint-disable-next-line no-console", "suppression"),
    "ts-ignore": ("src/a.ts", "// @ts-expect-error it is late", "suppression"),
    "nolint": ("a.go", "x() //nolint:errcheck", "suppression"),
    "allow": ("src/a.rs", "#[allow(dead_code)]", "suppression"),
    "pytest": ("a.py", "if 'pytest' in sys.modules:", "under-test"),
    "current test": ("a.py", 'if os.environ.get("PYTEST_CURRENT_TEST"):', "under-test"),
    "node": ("src/a.js", 'if (process.env.NODE_ENV === "test") return 1;', "under-test"),
    "go": ("a.go", "if testing.Testing() {", "under-test"),
    "rust": ("src/a.rs", "    if cfg!(test) { return 1 }", "under-test"),
    "skip": (TEST, "@pytest.mark.skip(reason='later')", "skip"),
    "xfail": (TEST, "@pytest.mark.xfail", "skip"),
    "it.skip": ("src/a.test.ts", "it.skip('adds', () => {})", "skip"),
    "t.Skip": ("a_test.go", "	t.Skip()", "skip"),
    "postinstall": ("package.json", '    "postinstall": "node x.js"', "install-hook"),
    "cmdclass": ("setup.py", "setup(cmdclass={'install': Install})", "install-hook"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_the_change_adds_is_told_with_its_place(name: str) -> None:
    path, line, rule = LINES[name]

    assert told({path: "first\n"}, {path: f"first\n{line}\n"}) == [(rule, path, 2)]


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_stood_there_is_not_told_wherever_it_moves(name: str) -> None:
    path, line, _ = LINES[name]

    assert told({path: f"{line}\nlast\n"}, {path: f"first\n\n  {line}\n"}) == []


def test_tests_may_name_their_runner_and_code_may_hold_the_word_skip() -> None:
    after = {TEST: "import pytest\n", "a.py": "def skip(row):\n    return self.skip(row)\n"}

    assert told({}, after) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "message"),
    [
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 90\n",
            "[tool.coverage.report]\nfail_under = 80\n",
            "fail_under demands less: 90 before, 80 now",
        ),
        (
            "pyproject.toml",
            'addopts = "--cov-fail-under=90"\n',
            'addopts = "--cov-fail-under=9.5"\n',
            "cov-fail-under demands less: 90 before, 9.5 now",
        ),
        (
            "setup.cfg",
            "[flake8]\nmax-complexity = 10\n",
            "[flake8]\nmax-complexity = 25\n",
            "max-complexity demands less: 10 before, 25 now",
        ),
        ("setup.cfg", "fail_under = 90\n", "x = 1\n", "fail_under is gone; it was 90"),
    ],
)
def test_a_lowered_threshold_is_told(path: str, before: str, after: str, message: str) -> None:
    (note,) = notes_of(work({path: before}, {path: after}))

    assert (note.rule, note.message) == ("lowered", message)
    assert told({path: after}, {path: before}) == []


def test_a_new_host_in_a_lock_file_is_told_once_and_in_generated_files_too() -> None:
    known = "resolution: {tarball: https://packages.example.org/a.tgz}\n"
    other = "resolution: {tarball: https://evil.example.net/b.tgz}\n"
    before, after = {"package-lock.json": known}, {"package-lock.json": known + other + other}

    assert told(before, after, generated=frozenset(before)) == [("lock-host", "package-lock.json", 2)]


FILES = {
    "conftest": (None, "tests/conftest.py", "x = 1\n", "runner-settings"),
    "config": ("a\n", "vitest.config.ts", "b\n", "runner-settings"),
    "ci": ("a\n", ".github/workflows/ci.yml", "b\n", "ci-settings"),
    "agents": ("a\n", "AGENTS.md", "b\n", "steers-agents"),
    "claude": (None, ".claude/settings.json", "{}\n", "steers-agents"),
    "build": (None, "build.rs", "fn main() {}\n", "install-hook"),
    "deleted": ("a\n", "tests/test_old.py", None, "deleted-test"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_steers_tests_builds_or_agents_is_told(name: str) -> None:
    before, path, after, rule = FILES[name]
    texts = [{path: text} if text is not None else {} for text in (before, after)]

    assert told(*texts) == [(rule, path, 0)]


def test_fewer_assertions_in_a_file_of_the_base_are_told() -> None:
    fewer = TESTS.replace("    assert add(2, 2) == 4\n", "")

    (note,) = notes_of(work({TEST: TESTS}, {TEST: fewer}))

    assert (note.rule, note.message) == ("fewer-assertions", "fewer assertions: 2 before, 1 now")
    assert told({TEST: fewer}, {TEST: TESTS}) == []


def test_code_that_compares_with_a_value_of_the_changes_tests_is_told() -> None:
    tests = TESTS + "    assert add(12345, 2) == 99887\n"
    special = "def add(a, b):\n    if a == 12345:\n        return 99887\n    return a + b\n"

    assert told({TEST: TESTS, "calc.py": CODE}, {TEST: tests, "calc.py": special}) == [
        ("test-value", "calc.py", 2)
    ]
    assert told({"calc.py": CODE}, {"calc.py": special}) == []


def test_generated_code_is_not_read_and_many_notes_of_a_rule_are_counted() -> None:
    text = "".join(f"import m{number}  # noqa\n" for number in range(MOST_OF_A_RULE + 3))

    assert told({}, {"a_pb2.py": text}, generated=frozenset({"a_pb2.py"})) == []
    found = notes_of(work({}, {"a.py": text}))
    assert len(found) == MOST_OF_A_RULE + 1
    assert found[-1].message == "3 more like these"
