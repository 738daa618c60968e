"""Describe each event of a forge in one line."""

from __future__ import annotations

from typing import assert_never

from setpoint.cli.render.line import Line
from setpoint.model.events import forge as f
from setpoint.model.forge import (
    Deployed,
    ForgeComment,
    ForgeNews,
    ForgeReview,
    Labelled,
    Pull,
    ThreadResolved,
)


def of_forge(body: f.AboutForge) -> Line:
    """Return the line for an event of a forge."""
    shown = Line("")
    match body:
        case f.NewsStored():
            shown = Line(_news(body.news), detail=True)
        case f.DeliveryStored():
            shown = Line(f"message {body.id} of the forge is stored", detail=True)
        case f.NewsSettled():
            shown = Line(f"{body.news}: {body.action}: {body.reason}", detail=body.action == "ignored")
        case f.PullPublished():
            shown = _published(body)
        case f.PublishRefused():
            text = f"{body.run} could not be pushed to pull request {body.number}: {body.reason}"
            shown = Line(text, "yellow")
        case f.QuestionShown():
            shown = Line(f"{body.run} asks in {body.number}", "yellow")
        case f.ReworkOrdered():
            count = len(body.news)
            remarks = f"{count} remark{'' if count == 1 else 's'}"
            shown = Line(f"{body.story} is worked on again from {body.base[:10]}: {remarks}")
        case _:
            assert_never(body)
    return shown


def _published(body: f.PullPublished) -> Line:
    if not body.number:
        return Line(f"{body.run} delivered nothing; the issue says so", "yellow")
    draft = "draft of " if body.draft else ""
    return Line(f"{body.run} is shown in {draft}pull request {body.number} {body.url}".rstrip(), "green")


def _news(news: ForgeNews) -> str:
    match news:
        case Labelled():
            return f"{news.by} put {news.label} on issue {news.number}"
        case ForgeComment():
            return f"{news.author} commented on {news.number}"
        case ForgeReview():
            return f"{news.author} reviewed {news.number}: {news.state}"
        case ThreadResolved():
            return f"{news.by or 'somebody'} resolved a thread of {news.number}"
        case Pull():
            return f"pull request {news.number} is {news.state}"
        case Deployed():
            return f"{news.commit[:10]} was deployed to {news.environment}"
        case _:
            assert_never(news)
