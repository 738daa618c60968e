"""Show the results and questions of runs at a forge: one pull request for each story, updated in place."""

from __future__ import annotations

import asyncio
import contextlib
from typing import NamedTuple

from setpoint.errors import ForgeError
from setpoint.model.events import forge as f
from setpoint.model.forge import Pull, PullState, PullText
from setpoint.model.ids import Commit
from setpoint.people.policy.forge_record import ForgeRecord, OwnPull
from setpoint.ports import EventLog, ForgeDesk, RemoteForge, RunResult, RunTexts

EVIDENCE = "refs/setpoint/evidence"
"""Begins the refs that hold the statement, the report and the findings of a run."""


async def publish(log: EventLog, forge: RemoteForge, desk: ForgeDesk, record: ForgeRecord, into: str) -> None:
    """Show each result and each question that is not shown yet."""
    for result in await asyncio.to_thread(desk.results, tuple(record.stories)):
        issue, pull = record.stories[result.story], record.pull_of(result.story)
        if result.gate:
            await _asked(log, forge, record, result)
        elif result.finished and result.run not in record.shown:
            if not result.branch or result.commit is None:
                said = f"Run `{result.run}` delivered nothing. {result.headline}"
                await forge.comment(pull.number if pull else issue, said, f"setpoint:{result.run}")
                told = f.PullPublished(story=result.story, run=result.run, number=0)
                log.append(f.TRACE, f"shown:{result.run}", [told])
                continue
            earlier = pull.runs if pull else ()
            texts = await asyncio.to_thread(desk.texts, result.run, issue, earlier)
            stands = pull if pull is not None and pull.state is PullState.OPEN else None
            await _shown(_Showing(log, forge, desk, record, into), result, result.commit, texts, stands)


class _Showing(NamedTuple):
    """Where results are shown."""

    log: EventLog
    forge: RemoteForge
    desk: ForgeDesk
    record: ForgeRecord
    into: str


async def _asked(log: EventLog, forge: RemoteForge, record: ForgeRecord, result: RunResult) -> None:
    if f"{result.run}:{result.gate}" in record.asked:
        return
    pull = record.pull_of(result.story)
    number = pull.number if pull and pull.state is PullState.OPEN else record.stories[result.story]
    said = (
        f"Run `{result.run}` asks: {result.headline}\n\n"
        "Answer with a new comment, for example `/setpoint continue 2`, or `/setpoint hint TEXT`."
    )
    await forge.comment(number, said, f"setpoint:{result.run}:{result.gate}")
    shown = f.QuestionShown(story=result.story, run=result.run, gate=result.gate, number=number)
    log.append(f.TRACE, f"asked:{result.run}:{result.gate}", [shown])


async def _shown(
    at: _Showing, result: RunResult, commit: Commit, texts: RunTexts, pull: OwnPull | None
) -> None:
    branch = pull.branch if pull else result.branch
    try:
        await at.forge.push(at.desk.root, commit, [f"refs/heads/{branch}"])
    except ForgeError as error:
        if pull is None or (await at.forge.pull(pull.number)).head == pull.head:
            raise  # not because of other people's commits: the next pass tries again
        refused = f.PublishRefused(
            story=result.story, run=result.run, number=pull.number, reason=error.message
        )
        said = (
            f"Run `{result.run}` worked on {pull.head[:10]}; people pushed to the branch meanwhile. Its work "
            "is not lost: Setpoint continues from the new head."
        )
        await at.forge.comment(pull.number, said, f"setpoint:{result.run}:refused")
        at.log.append(f.TRACE, f"refused:{result.run}", [refused])
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


async def _put(at: _Showing, result: RunResult, texts: RunTexts, branch: str, pull: OwnPull | None) -> Pull:
    wanted = PullText(
        branch=branch, into=at.into, title=texts.title, text=texts.text, draft=not result.verified
    )
    return await at.forge.put_pull(wanted, pull.number if pull else None)
