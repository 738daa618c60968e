import pytest

from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.ids import StoryId
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import KnownRed, Story


def story(title, **more):
    return Story(id=StoryId("s"), title=title, **more)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("add tests for the password reset", WorkKind.TESTS),
        ("write unit tests for the parser", WorkKind.TESTS),
        ("increase the coverage of shop.py", WorkKind.TESTS),
        ("fix a typo in the README", WorkKind.DOCS),
        ("document the retry option", WorkKind.DOCS),
        ("update the changelog", WorkKind.DOCS),
        ("Documentation: write a comment for each function", WorkKind.DOCS),
        ("explain the rates in a comment", WorkKind.DOCS),
        ("let comments be sorted by date", WorkKind.BEHAVIOUR),
        ("bump requests to 2.32", WorkKind.CHORE),
        ("upgrade all dependencies", WorkKind.CHORE),
        ("ci: cache pip", WorkKind.CHORE),
        ("refactor the parser into two classes", WorkKind.REFACTOR),
        ("rename Cart to Basket", WorkKind.REFACTOR),
        ("fix the rounding of totals", WorkKind.REPAIR),
        ("the total is wrong for empty carts", WorkKind.REPAIR),
        ("mean([]) raises a ZeroDivisionError", WorkKind.REPAIR),
        ("add a password reset", WorkKind.BEHAVIOUR),
        ("support discounts by percentage", WorkKind.BEHAVIOUR),
        ("add a test mode to the client", WorkKind.BEHAVIOUR),
        ("build a small web server", WorkKind.BEHAVIOUR),
        ("add a GitHub workflow that runs the tests", WorkKind.CHORE),
        ("bump the version to 1.1 and make total ignore negative items", WorkKind.BEHAVIOUR),
        ("make total faster", WorkKind.REFACTOR),
        ("remove the unused function old", WorkKind.REFACTOR),
        ("add type hints to shop.py", WorkKind.REFACTOR),
    ],
)
def test_the_kind_is_read_from_the_title(title, kind):
    assert kind_of_request(story(title))[0] is kind


def test_the_story_and_failing_tests_decide_before_words():
    assert kind_of_request(story("add docs", kind=WorkKind.CHORE)) == (WorkKind.CHORE, "the story says so")
    assert kind_of_request(story("add docs", known_red=KnownRed.FIX))[0] is WorkKind.REPAIR
