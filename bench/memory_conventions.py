"""Tasks for `bench/memory.py` in areas of a project with unwritten rules, which reviewers insist on.

The maker does what its prompt asks for and nothing else: it is no model, so what is measured is whether the
loop puts the right learning into the right first prompt, among all those of other areas. How far a real
model heeds what stands in its prompt is not measured here.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from setpoint.model.attempt import Attempt, Brief, Stop, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ending import Ending
from setpoint.model.events.learning import MemoryRecalled
from setpoint.model.events.run import AgentFinished
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.story import KnownRed, Story
from setpoint.phase import loop
from setpoint.ports import Memory, Observer
from setpoint.testing import RunHarness, ScriptedEvaluator


class Area(NamedTuple):
    """A part of a project, what reviewers insist on there, and how people ask for work on it."""

    rules: tuple[tuple[str, str], ...]
    """Category and objection."""
    asks: tuple[str, ...]
    """Wishes; the same area in other words."""
    folder: str
    """Where its files are."""


AREAS: dict[str, Area] = {
    "endpoint": Area(
        (
            ("correctness", "requests without a body are answered with a stack trace"),
            ("security", "the caller's tenant is not compared with the record's"),
        ),
        (
            "Add an endpoint that lists {0} by date",
            "Endpoint to cancel a {0}",
            "We need a REST endpoint for renaming {0}",
            "Let clients fetch one {0} over HTTP",
            "Add an endpoint returning the totals of {0}",
            "Expose {0} search in the API",
            "A new API route that archives a {0}",
            "Endpoint: bulk import of {0}",
            "Serve {0} as CSV over the API",
            "Add an HTTP route for comments on a {0}",
            "Paginate the endpoint that lists {0}",
        ),
        "api",
    ),
    "migration": Area(
        (
            ("correctness", "the migration cannot be taken back"),
            ("performance", "the new column is filled in one transaction over the whole table"),
        ),
        (
            "Add a column with the owner to the {0} table",
            "Migration: index {0} by customer",
            "Store when a {0} was last seen in the database",
            "Rename the status column of {0}",
            "Migrate {0} amounts from float to decimal",
            "New table that links {0} with tags",
            "Make the name of a {0} unique in the schema",
            "Drop the legacy flags from the {0} table",
            "Split the address column of {0}",
            "Schema change: {0} may have several currencies",
            "Add a foreign key from {0} to accounts",
        ),
        "db/migrations",
    ),
    "command": Area(
        (
            ("requirements", "the command has no output for machines"),
            ("documentation", "the command is not in the manual"),
        ),
        (
            "Add a command that prunes old {0}",
            "Command line: show how many {0} there are",
            "A verb to export {0} from the terminal",
            "Let users rename a {0} from the command line",
            "CLI command to validate {0} files",
            "Add a --since flag to the command that lists {0}",
            "A subcommand that merges two {0}",
            "Print a summary of {0} in the terminal",
            "New command: compare two {0}",
            "CLI verb that reopens a closed {0}",
            "Command to import {0} from a spreadsheet",
        ),
        "commands",
    ),
    "parser": Area(
        (
            ("security", "input of any length is read into memory at once"),
            ("correctness", "a broken line ends the whole file instead of being reported"),
        ),
        (
            "Parse {0} from the supplier's CSV files",
            "Read {0} out of mailed XML documents",
            "Parser for the old fixed width {0} format",
            "Support quoted fields when parsing {0}",
            "Load {0} from JSON lines",
            "Accept {0} files with Windows line endings in the parser",
            "Parse the units in {0} descriptions",
            "Read dates of {0} in the German format",
            "Extend the {0} parser by optional columns",
            "Decode {0} from the scanner's binary records",
            "Parse {0} out of log files",
        ),
        "readers",
    ),
    "cache": Area(
        (
            ("correctness", "nothing takes the entry out when the record changes"),
            ("performance", "the number of entries has no bound"),
        ),
        (
            "Cache the price of a {0} for a minute",
            "Keep rendered {0} pages in memory",
            "Add a cache in front of the {0} lookup",
            "Avoid computing the {0} statistics twice",
            "Memoise permissions for each {0}",
            "Cache the thumbnails of {0}",
            "Speed up {0} search by caching its results",
            "Keep the last hundred {0} at hand",
            "Share the {0} cache between workers",
            "Cache what the remote service says about a {0}",
            "Warm the {0} cache at start",
        ),
        "caching",
    ),
    "report": Area(
        (
            ("correctness", "sums are built from rounded lines"),
            ("tests", "no test covers a report without any rows"),
        ),
        (
            "Monthly report of {0} by region",
            "Report the average age of open {0}",
            "Add the tax column to the {0} report",
            "A report that compares {0} with last year",
            "Weekly summary of {0} for the managers",
            "Show the ten largest {0} in the report",
            "Report: {0} for each sales person",
            "Group the {0} report by currency",
            "Quarterly totals of {0}",
            "PDF report of overdue {0}",
            "Report on {0} that were returned",
        ),
        "reports",
    ),
}
NOUNS = [
    "orders",
    "tickets",
    "parcels",
    "invoices",
    "members",
    "vehicles",
    "contracts",
    "lessons",
    "recipes",
    "sensors",
    "claims",
]
PRICE = Decimal("0.12")
REVIEW_PRICE = Decimal("0.03")


def attempt(name: str, text: str, cost: Decimal) -> Attempt:
    """Make the answer of an agent that takes no time."""
    return Attempt(
        agent=name,
        stop=Stop.END_TURN,
        text=text,
        usage=Usage(cost_usd=cost, scope="turn"),
        started_at=datetime.now(UTC),
        duration_s=0.0,
    )


def file_of(wish: str) -> str:
    """Return the file that a wish names at its end."""
    return wish.rpartition(" in ")[2]


class Obedient:
    """Writes the file, with a line for each objection that its prompt names, and for no other."""

    name = "obedient"

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Do what the prompt says."""
        del observer
        target = Path(brief.workdir) / file_of(brief.story.title)
        known = [text for area in AREAS.values() for _, text in area.rules if text in brief.prompt]
        heeded = [
            *(target.read_text("utf-8").splitlines()[1:] if target.exists() else ()),
            *(f"# seen to: {text}" for text in known),
        ]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join([f"wish = {brief.story.title!r}", *dict.fromkeys(heeded)]) + "\n")
        return attempt(self.name, "done", PRICE)

    async def close(self) -> None:
        """Nothing is kept."""


class Insisting:
    """Objects to every rule of an area that the change does not see to."""

    name = "insisting"

    def __init__(self, area: Area) -> None:
        self._area = area

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Review by the rules of the area."""
        del observer
        file = file_of(brief.story.title)
        text = (Path(brief.workdir) / file).read_text("utf-8")
        found = [
            {"severity": "error", "category": category, "message": message, "file": file, "line": 1}
            for category, message in self._area.rules
            if message not in text
        ]
        said = {"decision": "request_changes" if found else "approve", "findings": found}
        return attempt(self.name, json.dumps(said), REVIEW_PRICE)

    async def close(self) -> None:
        """Nothing is kept."""


async def worked(folder: Path, area: Area, wish: str, memory: Memory, terms: MemoryTerms) -> dict[str, Any]:
    """Do one task; gives how it ended, iterations, cost, and what was shown."""
    harness = RunHarness(
        agent=Obedient(),
        evaluator=ScriptedEvaluator(),
        reviewer=Insisting(area),
        folder=folder,
        limits=Limits(max_iterations=4),
        story=Story(id=StoryId("task"), title=wish, known_red=KnownRed.FIX),
        memory=memory,
    )
    order = harness.order(
        trace_id=TraceId(f"run-{folder.parent.name}-{folder.name}"), memory=terms, root="/shop"
    )
    outcome = await loop.drive(order, harness.ports(), harness.durable)
    bodies = [event.body for event in harness.log.replay(order.trace_id)]
    shown = {
        item.title
        for body in bodies
        if isinstance(body, MemoryRecalled) and body.phase == "implement" and body.iteration == 1
        for item in body.shown
    }
    wanted = [message for _, message in area.rules]
    return {
        "right": outcome.ending is Ending.VERIFIED,
        "iterations": outcome.iterations,
        "cost_usd": float(outcome.cost_usd),
        "attempts": sum(isinstance(body, AgentFinished) for body in bodies),
        "shown": len(shown),
        "fitting": sum(any(message in title for title in shown) for message in wanted) / len(wanted),
    }


def tasks(pairs: int) -> list[tuple[str, int, str]]:
    """Give area, number and wish of all tasks, the areas in turn; the first of each area teaches."""
    chance = random.Random(7)
    nouns = {name: chance.sample(NOUNS, len(NOUNS)) for name in AREAS}
    return [
        (
            name,
            number,
            f"{area.asks[number % len(area.asks)].format(noun)}, in {area.folder}/{noun}{number}.py",
        )
        for number in range(pairs + 1)
        for name, area in AREAS.items()
        for noun in (nouns[name][number % len(NOUNS)],)
    ]
