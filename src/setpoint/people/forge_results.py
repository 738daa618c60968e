"""Show the results and questions of runs at a forge: one pull request for each story, updated in place."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

from setpoint.errors import ForgeBusy, ForgeError, SetpointError
from setpoint.model.events import forge as f
from setpoint.model.forge import Pull, PullState, PullText
from setpoint.model.ids import Commit, StoryId
from setpoint.people.policy.forge_record import ForgeRecord, OwnPull
from setpoint.ports import EventLog, ForgeDesk, RemoteForge, RunResult, RunTexts

MOST_NAMES = 10
EVIDENCE = "refs/setpoint/evidence"
"""Begins the refs that hold the statement, the report and the findings of a run."""


Fault = Callable[[str], None]
"""Hears what could not be worked on, and why."""


def unheard(_text: str) -> None:
    """Take a fault without telling anybody."""


class Showing(NamedTuple):
    """What is shown where."""

    log: EventLog
    forge: RemoteForge
    desk: ForgeDesk
    record: ForgeRecord
    into: str
    fault: Fault = unheard
    own: Collection[StoryId] = ()
    """Stories that no issue asks for, and whose results are shown, too."""


async def attempted(fault: Fault, what: str, work: Awaitable[None]) -> None:
    """Do one piece of work; if it fails, say so; the others continue. Only a busy forge ends all."""
    try:
        await work
    except ForgeBusy:
        raise
    except SetpointError as error:
        fault(f"{what}: {error.message}")


async def publish(at: Showing) -> None:
    """Show each result and each question that is not shown yet."""
    stories = tuple(dict.fromkeys((*at.record.stories, *at.own)))
    for result in await asyncio.to_thread(at.desk.results, stories):
        if result.gate:
            await attempted(at.fault, result.run, _asked(at, result))
        elif result.finished and result.run not in at.record.shown:
            await attempted(at.fault, result.run, _told(at, result))


async def _asked(at: Showing, result: RunResult) -> None:
    if f"{result.run}:{result.gate}" in at.record.asked:
        return
    pull = at.record.pull_of(result.story)
    number = pull.number if pull and pull.state is PullState.OPEN else at.record.stories.get(result.story)
    if number is None:  # it is asked where the worker is
        return
    said = (
        f"Run `{result.run}` asks: {result.headline}\n\n"
        "Answer with a new comment, for example `/setpoint continue 2`, or `/setpoint hint TEXT`."
    )
    await at.forge.comment(number, said, f"setpoint:{result.run}:{result.gate}")
    shown = f.QuestionShown(story=result.story, run=result.run, gate=result.gate, number=number)
    at.log.append(f.TRACE, f"asked:{result.run}:{result.gate}", [shown])


async def _told(at: Showing, result: RunResult) -> None:
    issue, pull = at.record.stories.get(result.story, 0), at.record.pull_of(result.story)
    over = pull is not None and (await at.forge.pull(pull.number)).state is not PullState.OPEN
    said = ""
    if not result.branch or result.commit is None:
        said = f"Run `{result.run}` delivered nothing. {result.headline}"
    elif over:
        said = f"Run `{result.run}` ended after this was closed, so its work is not pushed."
    if result.commit is None or said:
        if number := pull.number if pull else issue:
            await at.forge.comment(number, said, f"setpoint:{result.run}")
        told = f.PullPublished(story=result.story, run=result.run, number=0)
        at.log.append(f.TRACE, f"shown:{result.run}", [told])
        return
    texts = await asyncio.to_thread(at.desk.texts, result.run, issue, pull.runs if pull else ())
    await _shown(at, result, result.commit, texts, pull)


async def _shown(
    at: Showing, result: RunResult, commit: Commit, texts: RunTexts, pull: OwnPull | None
) -> None:
    branch = await _pushed(at, result, commit, pull)
    if not branch:
        return
    await at.forge.push(at.desk.root, texts.evidence, [f"{EVIDENCE}/{result.run}"])
    made = await _put(at, result, texts, branch, pull)
    await at.forge.report(commit, texts.summary)
    with contextlib.suppress(ForgeError):  # code scanning is an addition; the pull request says the same
        await at.forge.upload_sarif(commit, f"refs/heads/{branch}", texts.sarif)
    if pull is not None:
        said = f"Commit {commit[:10]} is the new head, by run `{result.run}`. It is {result.headline}"
        await at.forge.comment(pull.number, said, f"setpoint:{result.run}")
        for each in at.record.taken_up(pull.number):
            await at.forge.answer(each, said, f"setpoint:{result.run}:{each.id}")
    shown = f.PullPublished(
        story=result.story,
        run=result.run,
        number=made.number,
        branch=branch,
        head=commit,
        draft=not result.verified,
        url=made.url,
    )
    at.log.append(f.TRACE, f"shown:{result.run}", [shown])


async def _pushed(at: Showing, result: RunResult, commit: Commit, pull: OwnPull | None) -> str:
    """Push a result and return the branch; empty where people pushed to the pull request meanwhile."""
    if pull is None:
        return await _pushed_anew(at, commit, result.branch)
    try:
        await at.forge.push(at.desk.root, commit, [f"refs/heads/{pull.branch}"])
    except ForgeError as error:
        if (await at.forge.pull(pull.number)).head == pull.head:
            raise  # not because of other people's commits: the next pass tries again
        said = (
            f"Run `{result.run}` worked on {pull.head[:10]}; people pushed to the branch meanwhile. "
            "Setpoint continues from the new head."
        )
        await at.forge.comment(pull.number, said, f"setpoint:{result.run}:refused")
        refused = f.PublishRefused(
            story=result.story, run=result.run, number=pull.number, reason=error.message
        )
        at.log.append(f.TRACE, f"refused:{result.run}", [refused])
        return ""
    return pull.branch


async def _pushed_anew(at: Showing, commit: Commit, branch: str) -> str:
    """Push to a branch without a pull request: the first of its names that holds nothing else."""
    for number in range(1, MOST_NAMES):
        name = branch if number == 1 else f"{branch}-{number}"
        try:
            await at.forge.push(at.desk.root, commit, [f"refs/heads/{name}"])
        except ForgeError:
            # Where the branch is not there either, its name is not the reason.
            await at.forge.fetch(at.desk.root, f"refs/heads/{name}")
        else:
            return name
    raise ForgeError(f"{branch}: {MOST_NAMES} branches of this name hold other work", hint="delete old ones")


async def _put(at: Showing, result: RunResult, texts: RunTexts, branch: str, pull: OwnPull | None) -> Pull:
    wanted = PullText(
        branch=branch, into=at.into, title=texts.title, text=texts.text, draft=not result.verified
    )
    return await at.forge.put_pull(wanted, pull.number if pull else None)
