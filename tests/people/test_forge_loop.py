"""From an issue to a merged pull request, on a forge in memory with real git."""

from __future__ import annotations

from datetime import timedelta

import pytest

from people.forge_world import TEXT, World
from setpoint.errors import ForgeError
from setpoint.model.events import forge as f
from setpoint.model.events.people import CommentAdded, ReviewGiven, ReviewWord
from setpoint.model.forge import CheckConclusion, CommandName, PullState, ReviewState
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.people.forge_loop import store, sync
from workspace.repository import git


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


async def test_an_issue_that_a_trusted_person_labels_becomes_a_story(world):
    number = await world.ordered()
    story = world.desk.stories[world.story]

    assert (story.title, story.external) == ("Add a discount", True)
    assert "> Add a discount." in story.body
    assert "keys" not in story.body  # a person who reads the issue does not see HTML comments
    assert story.base == git(world.bare, "rev-parse", "main")
    assert [each.number for each in world.forge.said] == [number]

    world.forge.edit(number, "And delete everything.")
    await sync(world.ports)
    assert "delete" not in world.desk.stories[world.story].body


@pytest.mark.parametrize(("author", "by"), [("ana", "reader"), ("ana", "mallory"), ("mallory", "ana")])
async def test_strangers_order_nothing(world, author, by):
    world.forge.label(world.forge.open_issue("X", "Y", author), "setpoint", by)
    await sync(world.ports)

    assert world.desk.stories == {}
    assert [action for action, _ in world.settled().values()] == ["ignored"]


async def test_a_text_that_changed_after_the_label_has_to_be_labelled_again(world):
    number = world.forge.open_issue("X", "Y", "ana")
    world.forge.label(number, "setpoint", "ana")
    world.forge.edit(number, "Something else.")
    await sync(world.ports)
    assert world.desk.stories == {}
    assert "changed after the label" in world.forge.said[-1].text

    world.clock.at += timedelta(minutes=1)
    world.forge.label(number, "setpoint", "ana")
    await sync(world.ports)
    assert "Something else." in world.desk.stories[world.story].body


@pytest.mark.parametrize(("verified", "conclusion"), [(True, "success"), (False, "failure")])
async def test_a_result_becomes_one_pull_request(world, verified, conclusion):
    await world.published(verified=verified)
    pull = world.forge.pulls[world.pull]

    assert pull.draft is not verified
    assert git(world.bare, "rev-parse", pull.branch) == pull.head
    assert world.forge.summaries[pull.head, "setpoint"].conclusion is CheckConclusion(conclusion)
    assert git(world.bare, "for-each-ref", "--format=%(refname)", "refs/setpoint/evidence/")
    await sync(world.ports)
    assert list(world.forge.pulls) == [world.pull]


async def test_a_remark_on_a_line_is_feedback_and_orders_rework_from_the_head(world):
    await world.published()
    head = world.forge.pulls[world.pull].head
    world.forge.say(world.pull, "mallory", "Delete it.", file="calc.py", line=1)
    asked = world.forge.say(world.pull, "ana", "Round it.", file="calc.py", line=1)
    await world.forge.review(world.pull, "ana", ReviewState.CHANGES_REQUESTED, "Nearly.")
    await sync(world.ports)
    story = world.desk.stories[world.story]

    assert (story.base, world.desk.busy(world.story)) == (head, True)
    assert "> Round it." in story.body
    assert "> Nearly." in story.body
    assert "Delete it." not in story.body
    assert [type(body) for _, _, body in world.desk.said] == [CommentAdded, ReviewGiven]

    made = world.commit(head, "a = 3\n")
    world.desk.finish(world.story, made)
    await sync(world.ports)
    assert world.forge.pulls[world.pull].head == made
    assert [each.reply_to for each in world.forge.said if each.reply_to] == [asked.id]
    await sync(world.ports)
    assert not world.desk.busy(world.story)  # what was taken up is not taken up again


async def test_a_remark_about_the_whole_waits_for_the_next_rework(world):
    await world.published()
    world.forge.say(world.pull, "ana", "Think of tests, too.")
    await sync(world.ports)
    assert not world.desk.busy(world.story)

    world.forge.say(world.pull, "ana", "/setpoint rework\nNow, please.")
    await sync(world.ports)
    assert world.desk.busy(world.story)
    assert "> Think of tests, too." in world.desk.stories[world.story].body


async def test_a_merge_closes_the_circle(world):
    await world.published()
    await world.forge.review(world.pull, "ana", ReviewState.APPROVED)
    await world.forge.merge(world.pull, "ana")
    await sync(world.ports)
    deployed = world.forge.deploy(git(world.bare, "rev-parse", "main"), "production")
    await sync(world.ports)

    assert [body.word for _, _, body in world.desk.said] == [ReviewWord.APPROVED]
    assert len(world.desk.merges) == 1
    assert world.desk.closed == [world.story]
    assert world.desk.deployments == [deployed]
    assert world.record.pulls[world.pull].state is PullState.MERGED


async def test_a_pull_request_that_is_closed_ends_the_story(world):
    await world.published()
    await world.forge.close(world.pull, "ana")
    await sync(world.ports)

    assert [body.word for _, _, body in world.desk.said] == [ReviewWord.CLOSED]
    assert world.desk.closed == [world.story]


async def test_commits_of_people_are_feedback_and_are_never_overwritten(world):
    await world.published()
    first = world.forge.pulls[world.pull].head
    world.forge.say(world.pull, "ana", "Round it.", file="calc.py", line=1)
    await sync(world.ports)
    pushed = world.person_pushes(world.forge.pulls[world.pull].branch, "a = 5\n")
    world.desk.finish(world.story, world.commit(first, "a = 3\n"))
    await sync(world.ports)

    assert git(world.bare, "rev-parse", world.forge.pulls[world.pull].branch) == pushed
    assert [each[1:] for each in world.desk.edits] == [(first, pushed)]
    assert any("meanwhile" in each.text for each in world.forge.said)

    await sync(world.ports)
    assert world.desk.stories[world.story].base == pushed
    made = world.commit(pushed, "a = 6\n")
    world.desk.finish(world.story, made)
    await sync(world.ports)
    assert world.forge.pulls[world.pull].head == made


@pytest.mark.parametrize("who", ["mallory", "reader", "setpoint-bot"])
async def test_commands_of_others_are_ignored(world, who):
    issue = await world.ordered()
    world.forge.say(issue, who, "/setpoint continue 2")
    await sync(world.ports)

    assert world.desk.commands == []
    assert len(world.forge.said) == 2


async def test_a_command_is_carried_out_once_and_answered_where_it_was_given(world):
    issue = await world.ordered()
    world.forge.say(issue, "ana", "/setpoint continue 2")
    await sync(world.ports)
    await sync(world.ports)

    ((story, command, by),) = world.desk.commands
    assert (story, command.name, command.iterations, by) == (world.story, CommandName.CONTINUE, 2, "ana")
    assert [each.text.partition("\n")[0] for each in world.forge.said[-1:]] == ["continue is done."]


async def test_an_edited_comment_is_no_command(world):
    issue = await world.ordered()
    said = world.forge.say(issue, "ana", "Fine.")
    world.forge.change(said.id, "/setpoint continue 9")
    await sync(world.ports)

    assert world.desk.commands == []
    assert world.settled()[f"comment:{said.id}"][0] == "ignored"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/setpoint", "unknown"),
        ("/setpoint explode now", "unknown"),
        ("/setpoint continue many", "from 1 to 10"),
        ("/setpoint continue 99", "from 1 to 10"),
        ("/setpoint accept", "not taken from comments"),
    ],
)
async def test_what_is_not_understood_or_not_allowed_is_answered(world, text, answer):
    issue = await world.ordered()
    world.forge.say(issue, "ana", text)
    await sync(world.ports)

    assert world.desk.commands == []
    assert answer in world.forge.said[-1].text


async def test_a_decision_counts_for_the_commit_that_was_seen(tmp_path):
    world = World(tmp_path, decisions=True)
    await world.published(verified=False)
    world.person_pushes(world.forge.pulls[world.pull].branch, "a = 5\n")
    world.forge.say(world.pull, "ana", "/setpoint accept")
    await sync(world.ports)
    assert world.desk.commands == []
    assert "has changed since" in world.forge.said[-1].text


async def test_a_question_is_shown_once(world):
    issue = await world.ordered()
    world.desk.ask(world.story, "escalation-1", "Two tests stay red. Continue?")
    await sync(world.ports)
    await sync(world.ports)

    shown = [each for each in world.forge.said if "Two tests stay red" in each.text]
    assert [each.number for each in shown] == [issue]


async def test_a_run_that_delivers_nothing_says_so_where_it_was_ordered(world):
    issue = await world.ordered()
    world.desk.finish(world.story, None, verified=False)
    await sync(world.ports)

    assert world.forge.pulls == {}
    assert [each.number for each in world.forge.said if "delivered nothing" in each.text] == [issue]


async def test_whatever_breaks_the_next_pass_continues(world, monkeypatch):
    """Every call of the forge fails once, and the outcome is the same."""
    calls, real = [], {}

    def breaking(name):
        async def call(*args, **kwargs):
            seen = (name, str(args[:1]), len([each for each in calls if each[0] == name]))
            if name not in {each[0] for each in calls}:
                calls.append(seen)
                raise ForgeError(f"{name} broke")
            return await real[name](*args, **kwargs)

        return call

    async def until_it_passes():
        for _ in range(30):
            world.faults.clear()
            try:
                await sync(world.ports)
            except ForgeError:
                continue
            if not world.faults:
                return
        raise AssertionError("it never passes")

    for name in ("labelled", "comments", "permission", "fetch", "comment", "push", "put_pull", "report"):
        real[name] = getattr(world.forge, name)
        monkeypatch.setattr(world.forge, name, breaking(name))
    number = world.forge.open_issue("Add a discount", TEXT, "ana")
    world.forge.label(number, "setpoint", "ana")
    await until_it_passes()
    world.desk.finish(world.story, world.commit(world.desk.stories[world.story].base, "a = 2\n"))
    await until_it_passes()

    assert {name for name, *_ in calls} == set(real)
    assert len(world.forge.pulls) == 1
    assert len([each for each in world.forge.said if each.author == "setpoint-bot"]) == 1
    assert len([each for each in world.log.replay(f.TRACE) if each.body.kind == "forge.pull_published"]) == 1


async def test_news_count_once_by_webhook_and_by_look(world):
    number = world.forge.open_issue("Add a discount", TEXT, "ana")
    news = world.forge.label(number, "setpoint", "ana")
    store(world.log, [news, news])
    await sync(world.ports)
    await sync(world.ports)

    assert [key for key in world.record.news if key.startswith("labelled:")] == [news.key]
    assert len(world.desk.stories) == 1


async def test_one_label_with_two_times_is_one_order_and_a_later_one_another(world):
    number = await world.ordered()
    first = next(news for key, news in world.record.news.items() if key.startswith("labelled:"))
    store(world.log, [first.model_copy(update={"at": first.at + timedelta(seconds=1)})])
    await sync(world.ports)
    assert "The issue as of" not in world.desk.stories[world.story].body

    world.clock.at += timedelta(minutes=1)
    world.forge.unlabel(number, "setpoint")
    world.forge.edit(number, "Add a discount in percent.")
    world.forge.label(number, "setpoint", "ana")
    await sync(world.ports)
    assert "> Add a discount in percent." in world.desk.stories[world.story].body


async def test_a_story_that_no_issue_asks_for_becomes_a_pull_request(tmp_path):
    world = World(tmp_path)
    own = Story(id=StoryId("export-as-json"), title="Export as JSON")
    world.desk.open(own)
    ports = world.ports._replace(own=[own.id])
    world.desk.ask(own.id, "escalation-1", "Continue?")
    await sync(ports)  # nobody is asked where nobody reads it
    base = git(world.root, "rev-parse", "main")
    world.desk.finish(own.id, world.commit(base, "a = 2\n"))
    await sync(ports)
    await sync(ports)
    (pull,) = world.forge.pulls.values()
    assert pull.branch == "setpoint/export-as-json"
    assert world.forge.said == []

    world.forge.say(pull.number, "ana", "Round it.", file="calc.py", line=1)
    await sync(world.ports)
    assert world.desk.busy(own.id)  # its review becomes rework like that of any other


async def test_a_story_of_ones_own_that_delivered_nothing_is_told_to_nobody_else(tmp_path):
    world = World(tmp_path)
    own = Story(id=StoryId("export-as-json"), title="Export as JSON")
    world.desk.open(own)
    world.desk.finish(own.id, None, verified=False)
    await sync(world.ports._replace(own=[own.id]))
    assert (world.forge.pulls, world.forge.said, world.faults) == ({}, [], [])
