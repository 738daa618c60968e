"""The loop around a forge: issues become stories, results become pull requests, reviews become rework.

It works on what is recorded alone. What the forge says is stored first and acted on afterwards; each fact has
a key, so that whatever ends the loop, the next pass continues where it was and nothing is done twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from typing import NamedTuple, assert_never

from setpoint.model.events import forge as f
from setpoint.model.events.people import CommentAdded, ReviewGiven, ReviewWord
from setpoint.model.forge import (
    DECISIONS,
    Deployed,
    ForgeComment,
    ForgeNews,
    ForgeReview,
    Labelled,
    Pull,
    PullState,
    ReviewState,
    ThreadResolved,
)
from setpoint.model.ids import Commit, StoryId
from setpoint.people.forge_results import Fault, Showing, attempted, publish, unheard
from setpoint.people.policy.forge_comments import (
    MOST_CHARACTERS,
    command_of,
    feedback_text,
    labelled_again,
    story_of,
    visible,
)
from setpoint.people.policy.forge_record import ForgeRecord, OwnPull
from setpoint.ports import EventLog, ForgeDesk, RemoteForge


class ForgePorts(NamedTuple):
    """The neighbours of the loop around a forge."""

    log: EventLog
    forge: RemoteForge
    desk: ForgeDesk
    label: str
    """Issues with this label become stories."""
    into: str
    """The branch that pull requests are to be merged into."""
    decisions: bool = False
    """Whether comments may accept, approve, reject or cancel."""
    fault: Fault = unheard
    """Hears of what could not be worked on, which holds nothing else up."""
    own: Collection[StoryId] = ()
    """Stories that no issue asks for, and whose results are shown, too."""


class _Settled(NamedTuple):
    """What became of a piece of news."""

    action: f.NewsAction
    reason: str
    by: str = ""
    story: StoryId | None = None


async def sync(ports: ForgePorts) -> ForgeRecord:
    """Look at the forge, act on what is new there, and show results; returns what is recorded then.

    Only one process of a project may do so at a time. Raises `ForgeError` where the forge cannot be asked:
    what was stored before stays, and the next pass continues.
    """
    record = refreshed(ports.log, ForgeRecord())
    await look(ports, record)
    return await work_through(ports, record)


async def work_through(ports: ForgePorts, record: ForgeRecord | None = None) -> ForgeRecord:
    """Act on what is stored, order rework, and show results, without looking for more news."""
    record = refreshed(ports.log, record or ForgeRecord())
    for news in tuple(record.open_news()):
        await attempted(ports.fault, news.key, _work_on(ports, record, news))
        record = refreshed(ports.log, record)
    for pull in record.open_pulls():
        await attempted(ports.fault, f"pull request {pull.number}", _rework(ports, record, pull))
    record = refreshed(ports.log, record)
    await publish(Showing(ports.log, ports.forge, ports.desk, record, ports.into, ports.fault, ports.own))
    return refreshed(ports.log, record)


async def _work_on(ports: ForgePorts, record: ForgeRecord, news: ForgeNews) -> None:
    settled = await _settle(ports, record, news)
    body = f.NewsSettled(
        news=news.key,
        action=settled.action,
        reason=settled.reason,
        by=settled.by,
        story=settled.story,
    )
    note(ports.log, f"settled:{news.key}", body)


def refreshed(log: EventLog, known: ForgeRecord) -> ForgeRecord:
    """Add what was recorded meanwhile."""
    return known.after(log.replay(f.TRACE, after=known.seq))


def note(log: EventLog, key: str, body: f.AboutForge) -> None:
    """Record a fact once."""
    log.append(f.TRACE, key, [body])


def store(log: EventLog, news: Iterable[ForgeNews]) -> None:
    """Store what happened at the forge, each fact once, by whichever way it arrives."""
    for each in news:
        kept = each
        if isinstance(each, Labelled | ForgeComment | ForgeReview) and len(each.text) > MOST_CHARACTERS:
            kept = each.model_copy(update={"text": each.text[:MOST_CHARACTERS]})
        note(log, f"news:{each.key}", f.NewsStored(news=kept))


async def look(ports: ForgePorts, record: ForgeRecord) -> None:
    """Ask the forge for what happened and store it."""
    forge, log = ports.forge, ports.log
    store(log, await forge.labelled(ports.label))
    since = refreshed(log, record).commented_since()
    if since is not None:
        store(log, await forge.comments(since))
    for own in record.watched_pulls():
        await attempted(ports.fault, f"pull request {own.number}", _look_at(ports, own))
    if any(each.state is PullState.MERGED for each in record.pulls.values()):
        store(log, await forge.deployments())


async def _look_at(ports: ForgePorts, own: OwnPull) -> None:
    pull = await ports.forge.pull(own.number)
    if pull.state is not own.state or pull.head != own.head:
        store(ports.log, [pull])
    store(ports.log, await ports.forge.reviews(own.number))
    store(ports.log, await ports.forge.threads(own.number))


async def _settle(ports: ForgePorts, record: ForgeRecord, news: ForgeNews) -> _Settled:
    match news:
        case Labelled():
            return await _labelled(ports, record, news)
        case ForgeComment():
            return await _commented(ports, record, news)
        case ForgeReview():
            return await _reviewed(ports, record, news)
        case ThreadResolved():
            return await _resolved(ports, record, news)
        case Pull():
            return await _moved(ports, record, news)
        case Deployed():
            why = await asyncio.to_thread(ports.desk.deployed, news)
            return _Settled(f.NewsAction.IGNORED if why else f.NewsAction.STATE, why or "recorded")
        case _:
            assert_never(news)


async def _labelled(ports: ForgePorts, record: ForgeRecord, news: Labelled) -> _Settled:
    forge, by = ports.forge, news.by
    if refusal := await _no_order(ports, news):
        return _Settled(f.NewsAction.IGNORED, refusal, by)
    why = ""
    if news.edited:
        why = "The text changed after the label was put on, so nobody ordered what it says now."
    elif not (await forge.permission(news.author)).trusted:
        why = f"The text was written by {news.author}, who may not push to this repository."
    if why:
        hint = (
            "Read it, remove the label, and put it on again." if news.edited else "Open an issue of your own."
        )
        await forge.comment(news.number, f"{why} {hint}", "setpoint:refused")
        return _Settled(f.NewsAction.IGNORED, why, by)
    known = record.story_of(news.number)
    if known is not None and record.ordered_near(news):
        return _Settled(f.NewsAction.STATE, "the same order, told twice", by, known)
    if known is not None:
        pull = record.pull_of(known)
        ref = pull.branch if pull and pull.state is PullState.OPEN else ports.into
        base = await forge.fetch(ports.desk.root, f"refs/heads/{ref}")
        await asyncio.to_thread(ports.desk.reopen, known, labelled_again(news), base)
        return _Settled(f.NewsAction.STORY, "labelled again", by, known)
    base = await forge.fetch(ports.desk.root, f"refs/heads/{ports.into}")
    story = story_of(news, base)
    await asyncio.to_thread(ports.desk.open, story)
    said = f"Setpoint takes this up as story `{story.id}`, as the text is now. Later edits change nothing."
    await forge.comment(news.number, said, "setpoint:story")
    return _Settled(f.NewsAction.STORY, f"ordered by {by}", by, story.id)


async def _no_order(ports: ForgePorts, news: Labelled) -> str:
    """Say why a label orders nothing; empty where it may."""
    if news.label != ports.label:
        return "another label"
    if why := await _refusal(ports.forge, news.by):
        return f"{why}, so the label orders nothing"
    there = {each.number for each in await ports.forge.labelled(ports.label)}
    return "" if news.number in there else "the label was taken off, or the issue closed"


async def _commented(ports: ForgePorts, record: ForgeRecord, news: ForgeComment) -> _Settled:
    story, by = record.story_of(news.number), news.author
    if story is None:
        return _Settled(f.NewsAction.IGNORED, "not about work of Setpoint's")
    why = await _refusal(ports.forge, by)
    if news.edited:
        why = "edited after it was written; only new comments count"
    if why:
        return _Settled(f.NewsAction.IGNORED, why, by, story)
    if command_of(news.text) is not None:
        return await _ordered(ports, record, news, story)
    pull = record.pulls.get(news.number)
    if pull is None:
        return _Settled(f.NewsAction.FEEDBACK, "said about the issue", by, story)
    text = visible(news.text)
    body: CommentAdded | ReviewGiven
    if news.file and news.line:
        body = CommentAdded(file=news.file, line=news.line, text=text, by=by)
    else:
        body = ReviewGiven(
            word=ReviewWord.COMMENTED, text=text, by=by, number=pull.number, commit=news.commit, url=news.url
        )
    await asyncio.to_thread(ports.desk.feedback, pull.runs[-1], f"feedback:forge:{news.key}", body)
    on_line = bool(news.file)
    return _Settled(
        f.NewsAction.REWORK if on_line else f.NewsAction.FEEDBACK,
        "said about a line" if on_line else "said about the pull request",
        by,
        story,
    )


async def _refusal(forge: RemoteForge, by: str) -> str:
    """Say why what somebody wrote does not count; empty where it does."""
    if by == await forge.me():
        return "Setpoint's own"
    return "" if (await forge.permission(by)).trusted else f"{by} may not push"


async def _ordered(ports: ForgePorts, record: ForgeRecord, news: ForgeComment, story: StoryId) -> _Settled:
    """Carry out a command, bound to what the person saw, and answer where it was asked."""
    command, mark = command_of(news.text), f"setpoint:answer:{news.id}"
    if command is None or isinstance(command, str):
        await ports.forge.answer(news, command or "", mark)
        return _Settled(f.NewsAction.COMMAND, "not understood", news.author, story)
    pull = record.pull_of(story)
    shown_at = record.shown_at.get(story)
    if command.name in DECISIONS and not ports.decisions:
        said = (
            f"`{command.name}` is not taken from comments here, because an agent that holds your credentials "
            "could write it (`forge.decisions` is off). Use the terminal or the dashboard."
        )
    elif (
        command.name in DECISIONS
        and pull is not None
        and (await ports.forge.pull(pull.number)).head != pull.head
    ):
        said = f"`{command.name}` was not carried out: the branch has changed since {pull.head[:10]}."
    elif command.name in DECISIONS and shown_at is not None and shown_at > news.at:
        said = (
            f"`{command.name}` was not carried out: a newer result or question is shown since you wrote it."
        )
    elif command.name == "rework":
        if pull is None or pull.state is not PullState.OPEN:
            said = "There is no open pull request. Use `/setpoint hint TEXT` to add to the work."
        else:
            body = ReviewGiven(
                word=ReviewWord.COMMENTED,
                text=command.text,
                by=news.author,
                number=pull.number,
                url=news.url,
            )
            await asyncio.to_thread(ports.desk.feedback, pull.runs[-1], f"feedback:forge:{news.key}", body)
            return _Settled(f.NewsAction.REWORK, "rework was ordered", news.author, story)
    else:
        said = await asyncio.to_thread(ports.desk.carry_out, story, command, news.author)
    await ports.forge.answer(news, said, mark)
    return _Settled(f.NewsAction.COMMAND, said, news.author, story)


async def _reviewed(ports: ForgePorts, record: ForgeRecord, news: ForgeReview) -> _Settled:
    pull, by = record.pulls.get(news.number), news.author
    if pull is None:
        return _Settled(f.NewsAction.IGNORED, "not about work of Setpoint's", by)
    if why := await _refusal(ports.forge, by):
        return _Settled(f.NewsAction.IGNORED, why, by, pull.story)
    body = ReviewGiven(
        word=ReviewWord(news.state),
        text=visible(news.text),
        by=by,
        number=news.number,
        commit=news.commit,
        url=news.url,
    )
    await asyncio.to_thread(ports.desk.feedback, pull.runs[-1], f"feedback:forge:{news.key}", body)
    if news.state is ReviewState.CHANGES_REQUESTED:
        return _Settled(f.NewsAction.REWORK, "changes are requested", by, pull.story)
    return _Settled(
        f.NewsAction.FEEDBACK if news.text else f.NewsAction.STATE, str(news.state), by, pull.story
    )


async def _resolved(ports: ForgePorts, record: ForgeRecord, news: ThreadResolved) -> _Settled:
    pull = record.pulls.get(news.number)
    if pull is None:
        return _Settled(f.NewsAction.IGNORED, "not about work of Setpoint's", news.by)
    if news.by and not (await ports.forge.permission(news.by)).trusted:
        return _Settled(f.NewsAction.IGNORED, f"{news.by} may not push", news.by, pull.story)
    body = ReviewGiven(word=ReviewWord.RESOLVED, by=news.by, number=news.number)
    await asyncio.to_thread(ports.desk.feedback, pull.runs[-1], f"feedback:forge:{news.key}", body)
    return _Settled(f.NewsAction.STATE, "a thread is resolved", news.by, pull.story)


async def _moved(ports: ForgePorts, record: ForgeRecord, news: Pull) -> _Settled:
    """Record that a pull request was merged or closed, or that people pushed to its branch."""
    own, desk = record.pulls.get(news.number), ports.desk
    if own is None:
        return _Settled(f.NewsAction.IGNORED, "not about work of Setpoint's", news.by)
    if news.state is PullState.MERGED:
        tip = await ports.forge.fetch(desk.root, f"refs/heads/{ports.into}")
        await asyncio.to_thread(desk.merged, own.runs[-1], tip)
        await asyncio.to_thread(desk.close, own.story)
        return _Settled(f.NewsAction.STATE, "merged", news.by, own.story)
    if news.state is PullState.CLOSED:
        body = ReviewGiven(
            word=ReviewWord.CLOSED, by=news.by or "somebody", number=news.number, commit=news.head
        )
        await asyncio.to_thread(desk.feedback, own.runs[-1], f"feedback:forge:{news.key}", body)
        await asyncio.to_thread(desk.close, own.story)
        return _Settled(f.NewsAction.STATE, "closed without a merge", news.by, own.story)
    if news.head == own.head:
        return _Settled(f.NewsAction.STATE, "open", news.by, own.story)
    head = await ports.forge.fetch(desk.root, f"refs/heads/{own.branch}")
    await asyncio.to_thread(desk.edited, own.runs[-1], own.head, head)
    return _Settled(f.NewsAction.STATE, "people pushed to the branch", news.by, own.story)


async def _rework(ports: ForgePorts, record: ForgeRecord, pull: OwnPull) -> None:
    """Have the story of a pull request worked on again, once for all that people said until now."""
    keys = record.wants_rework(pull.story)
    if not (keys or pull.refused) or await asyncio.to_thread(ports.desk.busy, pull.story):
        return
    base = Commit(await ports.forge.fetch(ports.desk.root, f"refs/heads/{pull.branch}"))
    said = [record.news[key] for key in keys]
    await asyncio.to_thread(ports.desk.reopen, pull.story, feedback_text(pull.number, said, base), base)
    ordered = f.ReworkOrdered(story=pull.story, number=pull.number, base=base, news=keys)
    note(ports.log, f"rework:{pull.number}:{base}:{keys[-1] if keys else 'refused'}", ordered)
