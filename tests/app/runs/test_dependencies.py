"""Stories that depend on others: what they wait for, begin from, and are measured on again."""

import subprocess

import pytest

from app.runs.test_board import project, write
from model.examples import EXAMPLES, OUTCOME
from setpoint.app.runs.board import begin_from, find_card, set_keys, story_path
from setpoint.app.runs.order import resolve_story
from setpoint.errors import StoryError, UsageError
from setpoint.model.ending import Ending
from setpoint.model.events.run import RunFinished
from setpoint.model.stories.board import ActionKind
from setpoint.model.stories.story import Status
from setpoint.stories.story_file import read_file

__all__ = ["project"]


@pytest.mark.parametrize(
    ("files", "faults"),
    [
        (
            {"a": "[b]", "b": "[c]", "c": "[a]"},
            {"a": "a > b > c > a", "b": "b > c > a > b", "c": "c > a > b > c"},
        ),
        ({"a": "[a]"}, {"a": "a > a"}),
        ({"a": "[b]", "b": "[c, b]"}, {"a": "", "b": "no story has the id 'c'"}),
        ({"a": "[b]", "b": "[b]"}, {"a": "", "b": "b > b"}),
    ],
)
def test_dependencies_that_cannot_be_are_refused_with_their_path(project, files, faults):
    for name, needs in files.items():
        write(project, f"{name}.md", f"---\ntitle: {name}\ndepends_on: {needs}\n---\n")
    for name, expected in faults.items():
        card = find_card(project, name)
        assert (card.status is Status.BLOCKED) == bool(expected)
        assert expected in card.fault
        if expected:
            assert f"{name}.md:3: " in card.fault
            with pytest.raises(StoryError):
                resolve_story(project, name)


def git(project, *words):
    done = subprocess.run(["git", *words], cwd=project.root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def committed(project, name, text, message="more"):
    (project.root / name).write_text(text, "utf-8")
    git(project, "add", name)
    git(project, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", message)
    return git(project, "rev-parse", "HEAD")


def delivered(project, story, run, needs=(), ending=Ending.VERIFIED, **files):
    """Record a run of a story, with a branch that changes files."""
    base = git(project, "symbolic-ref", "--short", "HEAD")
    git(project, "checkout", "-qb", f"setpoint/{run}")
    for name, text in files.items():
        committed(project, name, text, f"work\n\nSetpoint-Run: {run}")
    git(project, "checkout", "-q", base)
    started = EXAMPLES["run.started"]
    order = started.order.model_copy(
        update={
            "trace_id": run,
            "story": started.order.story.model_copy(update={"id": story}),
            "needs": tuple(needs),
            "story_digest": "",
        }
    )
    told = {"trace_id": run, "ending": ending, "branch": f"setpoint/{run}"}
    bodies = (
        started.model_copy(update={"order": order}),
        RunFinished(outcome=OUTCOME.model_copy(update=told)),
    )
    project.log.append(run, "all", bodies)


@pytest.fixture
def chain(project):
    """A story that depends on two others."""
    committed(project, "one", "1\n")
    write(project, "cart.md", "---\ntitle: Cart\n---\n")
    write(project, "till.md", "---\ntitle: Till\n---\n")
    write(project, "shop.md", "---\ntitle: Shop\ndepends_on: [cart, till]\n---\n")
    return project


def test_a_story_waits_until_all_it_needs_is_delivered(chain):
    card = find_card(chain, "shop")
    assert (card.status, card.action.automatic) == (Status.WAITING, False)
    assert (card.waits_for, card.action.reason) == (("cart", "till"), "waits for cart (ready); till (ready)")
    with pytest.raises(UsageError, match=r"waits for cart \(ready\); till \(ready\)"):
        begin_from(chain, read_file(story_path(chain, "shop")).story, "HEAD")
    delivered(chain, "cart", "run-1", cart="c\n")
    delivered(chain, "till", "run-2", ending=Ending.STOPPED, till="t\n")
    assert find_card(chain, "shop").action.reason == "waits for till (blocked)"
    set_keys(chain, "till", ("status=done",))  # a person did it by hand
    assert find_card(chain, "shop").action.automatic


def test_a_story_begins_from_the_newest_base_with_what_it_needs(chain):
    delivered(chain, "cart", "run-1", cart="c\n")
    delivered(chain, "till", "run-2", till="t\n")
    newest = committed(chain, "one", "2\n")
    story = read_file(story_path(chain, "shop")).story
    commit, needs = begin_from(chain, story, "HEAD")
    assert [(each.story, each.run) for each in needs] == [("cart", "run-1"), ("till", "run-2")]
    assert [git(chain, "show", f"{commit}:{name}") for name in ("one", "cart", "till")] == ["2", "c", "t"]
    assert begin_from(chain, story, "HEAD")[0] == commit
    assert begin_from(chain, story.model_copy(update={"depends_on": ()}), "HEAD") == (newest, ())
    git(chain, "merge", "-q", "--ff-only", commit)
    git(chain, "branch", "-qD", "setpoint/run-1", "setpoint/run-2")
    assert begin_from(chain, story, "HEAD") == (commit, ())  # its work is in the base
    git(chain, "reset", "-q", "--hard", newest)
    assert "its branch setpoint/run-1 is gone" in find_card(chain, "shop").action.reason


def test_what_conflicts_is_named_and_blocks(chain):
    delivered(chain, "cart", "run-1", one="c\n")
    delivered(chain, "till", "run-2", one="t\n")
    card = find_card(chain, "shop")
    assert (card.status, card.action.kind) == (Status.BLOCKED, ActionKind.LOOK)
    assert "cannot be merged onto the base: conflict in one; hint: " in card.action.reason
    with pytest.raises(UsageError, match="conflict in one"):
        begin_from(chain, read_file(story_path(chain, "shop")).story, "HEAD")


def test_a_new_delivery_makes_what_depends_on_it_ready_again(chain):
    delivered(chain, "cart", "run-1", cart="c\n")
    delivered(chain, "till", "run-2", till="t\n")
    _, needs = begin_from(chain, read_file(story_path(chain, "shop")).story, "HEAD")
    delivered(chain, "shop", "run-3", needs, shop="s\n")
    assert find_card(chain, "shop").status is Status.DONE
    delivered(chain, "cart", "run-4", cart="newer\n")
    card = find_card(chain, "shop")
    assert (card.status, card.action.kind) == (Status.READY, ActionKind.START)
    assert card.action.reason == "measured on an older cart; a new run begins from the new one"
    git(chain, "merge", "-q", "setpoint/run-3")
    assert find_card(chain, "shop").status is Status.DONE  # what is merged is not done again
    git(chain, "reset", "-q", "--hard", "HEAD~1")
    set_keys(chain, "cart", ("status=ready",))
    assert find_card(chain, "shop").action.reason == "waits for cart (ready)"
