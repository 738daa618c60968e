"""What goes wrong around a forge, and what somebody tries: nothing is held up, nothing gets through."""

from __future__ import annotations

from datetime import timedelta

import pytest

from people.forge_world import World
from setpoint.errors import ForgeError
from setpoint.model.forge import CommandName, PullState
from setpoint.people.forge_loop import store, sync
from setpoint.people.forge_results import Showing, publish


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


async def test_one_broken_item_holds_up_no_other(world, monkeypatch):
    await world.published()
    broken, pull = world.pull, world.forge.pull

    async def gone(number):
        if number == broken:
            raise ForgeError("it is gone")
        return await pull(number)

    monkeypatch.setattr(world.forge, "pull", gone)
    number = world.forge.open_issue("Another", "More.", "ana")
    world.forge.label(number, "setpoint", "ana")
    await sync(world.ports)

    assert world.faults == [f"pull request {broken}: it is gone"]
    assert number in world.record.stories.values()


@pytest.mark.parametrize("end", ["close", "merge"])
async def test_a_result_after_the_end_of_its_pull_request_is_not_pushed(world, end):
    await world.published()
    head = world.forge.pulls[world.pull].head
    world.forge.say(world.pull, "ana", "Round it.", file="calc.py", line=1)
    await sync(world.ports)
    await getattr(world.forge, end)(world.pull, "ana")
    world.desk.finish(world.story, world.commit(head, "a = 3\n"))
    await sync(world.ports)

    assert list(world.forge.pulls) == [world.pull]
    assert any("after this was closed" in each.text for each in world.forge.said)
    assert world.faults == []


async def test_who_wants_more_after_a_close_puts_the_label_on_again(world):
    issue = await world.published()
    first = world.pull
    await world.forge.close(first, "ana")
    await sync(world.ports)
    world.forge.label(issue, "setpoint", "ana")
    world.clock.at += timedelta(minutes=1)
    world.forge.label(issue, "setpoint", "ana")
    await sync(world.ports)
    world.desk.finish(world.story, world.commit(world.desk.stories[world.story].base, "a = 4\n", "again"))
    await sync(world.ports)

    assert len(world.forge.pulls) == 2
    assert world.forge.pulls[max(world.forge.pulls)].branch == f"setpoint/{world.story}-2"


async def test_what_is_merged_stays_merged_whatever_arrives_late(world):
    await world.published()
    closed = world.forge.pulls[world.pull].model_copy(update={"state": PullState.CLOSED})
    await world.forge.merge(world.pull, "ana")
    await sync(world.ports)
    store(world.log, [closed])
    await sync(world.ports)
    assert world.record.pulls[world.pull].state is PullState.MERGED


async def test_a_pull_request_that_is_reopened_is_heard_again(world):
    await world.published()
    pull = await world.forge.close(world.pull, "ana")
    await sync(world.ports)
    world.forge.pulls[world.pull] = pull.model_copy(update={"state": PullState.OPEN})
    await sync(world.ports)
    world.forge.say(world.pull, "ana", "Round it.", file="calc.py", line=1)
    await sync(world.ports)
    assert world.desk.busy(world.story)


async def test_a_decision_is_about_the_newest_thing_that_was_shown(tmp_path):
    world = World(tmp_path, decisions=True)
    issue = await world.ordered()
    world.forge.say(issue, "ana", "/setpoint accept")
    world.desk.ask(world.story, "escalation-1", "Continue?")
    record = world.record
    await publish(Showing(world.log, world.forge, world.desk, record, "main"))
    await sync(world.ports)
    assert world.desk.commands == []
    assert "newer result or question" in world.forge.said[-1].text

    world.forge.say(issue, "ana", "/setpoint accept")
    await sync(world.ports)
    assert [command.name for _, command, _ in world.desk.commands] == [CommandName.ACCEPT]


async def test_a_label_with_odd_characters_refuses_as_any_other(tmp_path):
    world = World(tmp_path)
    ports = world.ports._replace(label="please -- do it")
    world.forge.label(world.forge.open_issue("X", "Y", "mallory"), "please -- do it", "ana")
    await sync(ports)
    assert "who may not push" in world.forge.said[-1].text
    assert world.faults == []


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- x -->",
        "<!-- x",
        "<![CDATA[ x ]]>",
        "<?x?>",
        "<!x>",
        "[//]: # (x)",
        "\ufe0f",
        "\u200bx"[:1],
        "\U000e0041",
    ],
)
async def test_nothing_that_the_page_does_not_show_gets_into_a_story(world, hidden):
    number = world.forge.open_issue("T", f"Seen.\n\n{hidden}\n", "ana")
    world.forge.label(number, "setpoint", "ana")
    await sync(world.ports)
    assert world.desk.stories[world.story].body.rstrip().endswith("> Seen.")


async def test_code_is_shown_as_it_is(world):
    number = world.forge.open_issue("T", "Mend `<!--` here. And this.", "ana")
    world.forge.label(number, "setpoint", "ana")
    await sync(world.ports)
    assert "Mend `<!--` here. And this." in world.desk.stories[world.story].body


@pytest.mark.parametrize(
    "text", ["    /setpoint rework", "\u200b/setpoint rework", "<!-- a -->/setpoint rework"]
)
async def test_a_command_is_the_first_thing_of_a_comment(world, text):
    issue = await world.ordered()
    world.forge.say(issue, "ana", text)
    await sync(world.ports)
    assert [action for action, _ in world.settled().values()][-1] != "command"


async def test_three_backticks_inside_a_line_hide_nothing(world):
    number = world.forge.open_issue("T", "Seen. ``` <!-- evil -->", "ana")
    world.forge.label(number, "setpoint", "ana")
    await sync(world.ports)
    assert "evil" not in world.desk.stories[world.story].body
