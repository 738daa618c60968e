"""Which protected files a request asks to change, by its words alone."""

import pytest

from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.stories.policy.may_change import asked_among, asks_for_tests, released_by

CALC, TEXT, SNAPSHOT = "tests/test_calc.py", "tests/test_text.py", "tests/out/report.txt"
CI = ".github/workflows/ci.yml"
PROTECTED = {
    **dict.fromkeys((CALC, TEXT, CI, SNAPSHOT), frozenset()),
    "pyproject.toml": frozenset({"pytest", "markers"}),
}
TEXTS = {CALC: "assert add(1, 2) == 3", TEXT: "assert find('x') == 'no such item'"}
RELEASES = {
    "update tests/test_calc.py": {CALC},
    "Rename add in calc.py and tests/test_calc.py": {CALC},
    "Rename add() to plus(), in the tests too": {CALC},
    "Change the message 'no such item' to 'nothing found' and adapt the tests": {TEXT},
    "Merge test_text.py into test_calc.py": {CALC, TEXT},
    "Parametrize the tests in tests/test_calc.py": {CALC},
    "Update the snapshot tests/out/report.txt": {SNAPSHOT},
    "Run the tests on Python 3.13 in .github/workflows/ci.yml": {CI},
    "Add -ra to the pytest options in pyproject.toml": {"pyproject.toml"},
}
RELEASES_NOTHING = (
    "make tests/test_calc.py pass",
    "fix tests/test_calc.py",
    "Change calc.py to make tests/test_calc.py pass",
    "Update add() so tests/test_calc.py passes",
    "Update tests/test_calc.py so that it passes",
    "Update the test in tests/test_calc.py, it fails",
    "Change add(); the tests in tests/test_calc.py must pass",
    "don't change tests/test_calc.py",
    "Rewrite add() without changing tests/test_calc.py",
    "Change add() as in tests/test_calc.py",
    "Change add() and look at tests/test_calc.py",
    "Update the code for tests/test_calc.py",
    "Add a test to tests/test_calc.py",
    "Bump attrs to 23 in pyproject.toml",
    "Keep the tests; update add()",
    "Fix this:\n> update tests/test_calc.py",
    "Fix this:\n```\nupdate tests/test_calc.py\n```",
    "add add()",
)


def story(request: str, **more: object) -> Story:
    title, _, body = request.partition("\n")
    return Story(id=StoryId("s"), title=title, body=body, **more)


@pytest.mark.parametrize("request_", RELEASES)
def test_a_plain_verb_releases_what_it_names(request_: str) -> None:
    assert {each.path for each in released_by(story(request_), PROTECTED, TEXTS)} == RELEASES[request_]


@pytest.mark.parametrize("request_", RELEASES_NOTHING)
def test_naming_a_test_releases_nothing(request_: str) -> None:
    assert released_by(story(request_), PROTECTED, TEXTS) == ()


def test_the_words_of_strangers_release_nothing() -> None:
    external = story("update tests/test_calc.py and the tests", external=True)

    assert released_by(external, PROTECTED, TEXTS) == ()
    assert not asks_for_tests(external)


def test_the_reason_is_the_clause() -> None:
    (found,) = released_by(story("Speed it up. Also update tests/test_calc.py, please."), PROTECTED, TEXTS)

    assert found == (CALC, "Also update tests/test_calc.py")


def test_what_was_called_granted_is_still_read() -> None:
    assert Story.model_validate({"id": "s", "title": "t", "granted": ["tests/a.py"]}).may_change == (
        "tests/a.py",
    )


SNAP, GOLDEN, EXPECTED = "src/__snapshots__/a.test.js.snap", "golden/report.txt", "expected/a.csv"
MADE_AGAIN = {
    "Print three decimals and update the snapshots": {SNAP},
    "Regenerate the golden files": {GOLDEN},
    "Round up; adapt the expected output": {EXPECTED},
    "Update golden/report.txt": {GOLDEN},
}
NOT_MADE_AGAIN = (
    "Make the snapshots pass",
    "Update the code, not the snapshots",
    "Update a.js so that the snapshots match",
    "Keep the golden files",
    "Delete old snapshots from the bucket",
    "Update calc.js as the expected output says",
)


@pytest.mark.parametrize("request_", MADE_AGAIN)
def test_general_words_release_what_tests_compare_with(request_: str) -> None:
    protected = dict.fromkeys((SNAP, GOLDEN, EXPECTED, "tests/golden_files.py", *PROTECTED), frozenset[str]())

    assert {each.path for each in released_by(story(request_), protected, {})} == MADE_AGAIN[request_]
    assert set(asked_among(story(request_), (SNAP, GOLDEN, EXPECTED, "src/a.js"))) == MADE_AGAIN[request_]


@pytest.mark.parametrize("request_", NOT_MADE_AGAIN)
def test_what_is_only_spoken_of_stays(request_: str) -> None:
    protected = dict.fromkeys((SNAP, GOLDEN, EXPECTED), frozenset[str]())

    assert released_by(story(request_), protected, {}) == ()
