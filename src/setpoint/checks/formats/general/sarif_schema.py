"""The parts of a SARIF log that Setpoint reads, and how they refer to each other."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar
from urllib.parse import unquote

from pydantic import BeforeValidator, Field

from setpoint.checks.formats.parsing import Part
from setpoint.checks.formats.report import Sources

T = TypeVar("T")
Level = Literal["none", "note", "warning", "error"]
_Positive = Annotated[int, Field(ge=1)]
_PLACEHOLDER = re.compile(r"\{(\d{1,3})\}")
_NESTED = 10
"""Most folders that may be named by one another; more are a ring."""


def _number(value: object) -> object:
    """Take a score as text or number; anything else is ignored, as the standard does not define it."""
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _words(value: object) -> object:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else ()


def _word(value: object) -> object:
    return value if isinstance(value, str) else ""


class Properties(Part):
    """What tools say beyond the standard."""

    score: Annotated[float | None, BeforeValidator(_number)] = Field(default=None, alias="security-severity")
    tags: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    precision: Annotated[str, BeforeValidator(_word)] = ""
    issue_confidence: Annotated[str, BeforeValidator(_word)] = ""


class Message(Part):
    """A text, or the name of one that the rule holds."""

    text: str | None = None
    id: str | None = None
    arguments: tuple[str, ...] = ()


class Defaults(Part):
    """How a rule is set when nobody sets it."""

    level: Level | None = None


class Rule(Part):
    """A rule of a tool."""

    id: str = ""
    default: Defaults = Field(default=Defaults(), alias="defaultConfiguration")
    properties: Properties = Properties()
    messages: dict[str, Message] = Field(default={}, alias="messageStrings")
    help_uri: str | None = Field(default=None, alias="helpUri")


class Component(Part):
    """A tool or a part of one."""

    name: str
    rules: tuple[Rule, ...] = ()


class Tool(Part):
    """A tool with the packs of rules it was given."""

    driver: Component
    extensions: tuple[Component, ...] = ()


class ComponentReference(Part):
    """Which of the packs."""

    index: int | None = None


class RuleReference(Part):
    """Which rule of which pack."""

    id: str | None = None
    index: int | None = None
    component: ComponentReference = Field(default=ComponentReference(), alias="toolComponent")


class Place(Part):
    """A file."""

    uri: str | None = None
    base: str | None = Field(default=None, alias="uriBaseId")
    index: int | None = None


class Region(Part):
    """A span of a file, counted from 1."""

    start_line: _Positive | None = Field(default=None, alias="startLine")
    start_column: _Positive | None = Field(default=None, alias="startColumn")
    end_line: _Positive | None = Field(default=None, alias="endLine")
    end_column: _Positive | None = Field(default=None, alias="endColumn")


class Physical(Part):
    """A file with a span of it."""

    place: Place = Field(default=Place(), alias="artifactLocation")
    region: Region = Region()


class Logical(Part):
    """A function or class."""

    name: str | None = None
    full_name: str | None = Field(default=None, alias="fullyQualifiedName")


class Location(Part):
    """Where something is."""

    physical: Physical = Field(default=Physical(), alias="physicalLocation")
    logical: tuple[Logical, ...] = Field(default=(), alias="logicalLocations")

    @property
    def symbol(self) -> str:
        """Name the function or class, where the tool does."""
        return next((each.full_name or each.name or "" for each in self.logical), "")


class Suppression(Part):
    """That somebody wants a result to be passed over."""

    status: Literal["accepted", "underReview", "rejected"] | None = None


class Replacement(Part):
    """A span, and its replacement."""

    deleted: Region = Field(alias="deletedRegion")
    inserted: Message = Field(default=Message(), alias="insertedContent")


class Change(Part):
    """The replacements in one file."""

    place: Place = Field(alias="artifactLocation")
    replacements: tuple[Replacement, ...]


class SarifFix(Part):
    """A fix, of one file or of several."""

    description: Message = Message()
    changes: tuple[Change, ...] = Field(alias="artifactChanges")


class Result(Part):
    """One result."""

    rule_id: str | None = Field(default=None, alias="ruleId")
    rule_index: int | None = Field(default=None, alias="ruleIndex")
    rule: RuleReference = RuleReference()
    kind: Literal["pass", "open", "informational", "notApplicable", "review", "fail"] = "fail"
    level: Level | None = None
    message: Message
    locations: tuple[Location, ...] = ()
    suppressions: tuple[Suppression, ...] | None = None
    baseline_state: str | None = Field(default=None, alias="baselineState")
    fixes: tuple[SarifFix, ...] = ()
    properties: Properties = Properties()


class Notification(Part):
    """What a tool says about its own work."""

    level: Level = "warning"
    message: Message = Message()
    locations: tuple[Location, ...] = ()


class Invocation(Part):
    """One start of the tool."""

    execution_successful: bool = Field(alias="executionSuccessful")
    execution_notifications: tuple[Notification, ...] = Field(default=(), alias="toolExecutionNotifications")
    configuration_notifications: tuple[Notification, ...] = Field(
        default=(), alias="toolConfigurationNotifications"
    )


class Artifact(Part):
    """A file that the tool looked at."""

    location: Place = Place()


class Run(Part):
    """What one run of a tool gave."""

    tool: Tool
    results: tuple[Result, ...] | None = None
    """None where the tool did not come to look."""
    invocations: tuple[Invocation, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    bases: dict[str, Place] = Field(default={}, alias="originalUriBaseIds")

    def rule_of(self, result: Result) -> Rule:
        """Return the rule that a result refers to, by index or by name; an empty one where it is not told."""
        at = result.rule.component.index
        pack = _at(self.tool.extensions, at) if at is not None else self.tool.driver
        index = result.rule.index if result.rule.index is not None else result.rule_index
        if pack is not None and (rule := _at(pack.rules, index)):
            return rule
        name = result.rule.id or result.rule_id or ""
        known = {rule.id: rule for each in (*self.tool.extensions, self.tool.driver) for rule in each.rules}
        parts = name.split("/")
        names = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((known[each] for each in names if each in known), Rule())

    def path_of(self, place: Place, sources: Sources) -> str:
        """Return the path of a file from the root of the tree; empty where there is none."""
        if place.uri is None and (named := _at(self.artifacts, place.index)):
            place = named.location
        uri, base = place.uri or "", place.base
        for _ in range(_NESTED):
            if base is None or uri.startswith(("/", "file:")) or base not in self.bases:
                break
            outer = self.bases[base]
            uri, base = (outer.uri or "") + uri, outer.base
        if uri.startswith("file:"):
            uri = "/" + re.sub(r"^file:(//[^/]*)?", "", uri).lstrip("/")
        path = unquote(uri)
        return sources.relative(path) if path else ""


def located(place: Location, run: Run, sources: Sources) -> tuple[str, int]:
    """Return path and line of a location."""
    return run.path_of(place.physical.place, sources), place.physical.region.start_line or 0


def told(message: Message, rule: Rule) -> str:
    """Return a message's text, with its arguments where they belong."""
    held = rule.messages.get(message.id or "", Message())
    text = message.text or held.text or rule.id or "no message"
    if not message.arguments:
        return text

    def filled(match: re.Match[str]) -> str:
        number = int(match[1])
        return message.arguments[number] if number < len(message.arguments) else match[0]

    return _PLACEHOLDER.sub(filled, text)


def _at(items: Sequence[T], index: int | None) -> T | None:
    return items[index] if index is not None and 0 <= index < len(items) else None
