"""What roles have to answer with: the shapes that prompts ask for and answers are checked against."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Literal, get_origin

from pydantic import (
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from setpoint.model.finding import Category, Severity
from setpoint.model.value import Value

_NEVER_NULL = frozenset({"findings", "settled"})
"""Where null is no answer; an empty list says that there is nothing."""
_NOT_ASKED_FOR = ("rule", "reproducible")
"""Keys that a reviewer without a model gives besides; no model is asked for them."""
_DECISIONS = {
    "approved": "approve",
    "changes_requested": "request_changes",
    "requested_changes": "request_changes",
    "human_required": "require_human",
}
_SEVERITIES = {"blocker": "critical", "high": "error", "major": "error", "minor": "warning", "low": "info"}
"""Names of other scales; the blocking ones stay blocking."""
_NUMBER = re.compile(r"\d+")
_PERCENT = 100


def _plain(name: str) -> str:
    """Return a name as it is defined: small letters, with underscores."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


class Shape(Value):
    """A JSON object that a role answers with; what it holds besides is not looked at, null is left out.

    One element may replace a list of it.
    """

    model_config = ConfigDict(extra="ignore")
    EXAMPLE: ClassVar[Mapping[str, Any]] = {}
    """An answer that fits, as prompts show it."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: Any) -> Any:  # noqa: ANN401 - whatever an agent wrote
        if not isinstance(values, Mapping):
            return values
        fields = cls.model_fields
        return {
            key: [value] if isinstance(value, Mapping | str) and _is_list(fields.get(key)) else value
            for key, value in values.items()
            if value is not None or key in _NEVER_NULL or key not in fields or fields[key].is_required()
        }


def _is_list(field: FieldInfo | None) -> bool:
    return field is not None and get_origin(field.annotation) is tuple


class Replacement(Shape):
    """Lines of a file, and what is to stand there."""

    start_line: int
    """First line to replace, from 1."""
    end_line: int
    """Last line to replace."""
    replacement: str


class ReproductionShape(Shape):
    """What fails because of an objection: a command, or a new file of tests."""

    command: str = ""
    """A shell command that must end with 0, and does not."""
    path: str = ""
    """Of a new file of tests, from the root of the project."""
    text: str = ""
    """The whole file."""

    @model_validator(mode="after")
    def _one_of_both(self) -> ReproductionShape:
        if bool(self.command.strip()) == bool(self.path.strip() and self.text.strip()):
            raise ValueError("a reproduction has a command, or a path and a text")
        return self


class Objection(Shape):
    """One thing that a reviewer finds wrong."""

    id: str = ""
    """Only where it is an open objection again: its id; what it says besides is then optional."""
    severity: Severity | None = None
    """`error` and `critical` must not be delivered."""
    category: Category | None = None
    message: str = ""
    """What is wrong, in one line."""
    file: str = ""
    """Path from the root of the project."""
    line: int = 0
    """From 1; 0 where it is about no line."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    suggested_fix: str = ""
    """What to do."""
    suggested_edits: tuple[Replacement, ...] = ()
    """Replacements of whole lines of the file."""
    reproduction: ReproductionShape | None = None
    """What shows it: Setpoint runs it on the base and on the change."""
    rule: str = ""
    reproducible: bool = False

    @field_validator("severity", "category", mode="before")
    @classmethod
    def _as_named(cls, value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - whatever an agent wrote
        """Read names in any case; a category that does not exist is no reason to lose an objection."""
        if not isinstance(value, str):
            return value
        name = _plain(value)
        if info.field_name == "category" and name not in set(Category):
            return Category.CORRECTNESS
        return _SEVERITIES.get(name, name)

    @field_validator("line", mode="before")
    @classmethod
    def _first_line(cls, value: Any) -> Any:  # noqa: ANN401 - as above
        """Read the first number of `12-15` or `L12`; a place without a number is about no line."""
        if isinstance(value, list | tuple):
            value = value[0] if value else 0
        found = _NUMBER.search(value) if isinstance(value, str) else None
        return int(found[0]) if found else 0 if isinstance(value, str) else value

    @field_validator("confidence", mode="before")
    @classmethod
    def _as_share(cls, value: Any) -> Any:  # noqa: ANN401 - as above
        """Read `90`, `90%` and `high`, which names no number."""
        if isinstance(value, str):
            try:
                value = float(value.strip().rstrip("%"))
            except ValueError:
                return 1.0
        return value / 100 if isinstance(value, int | float) and 1 < value <= _PERCENT else value

    @field_validator("suggested_edits", mode="before")
    @classmethod
    def _whole_edits(cls, value: Any) -> Any:  # noqa: ANN401 - as above
        """Leave out edits that cannot be read; the objection counts without them."""
        try:
            return _EDITS.validate_python(value)
        except ValidationError:
            return ()

    @field_validator("reproduction", mode="before")
    @classmethod
    def _whole_reproduction(cls, value: Any) -> Any:  # noqa: ANN401 - as above
        """Leave out a reproduction that cannot be read; the objection counts without it."""
        try:
            return ReproductionShape.model_validate(value)
        except ValidationError:
            return None

    @model_validator(mode="after")
    def _says_what(self) -> Objection:
        missing = [name for name in ("severity", "category", "message") if not getattr(self, name)]
        if missing and not self.id:
            raise ValueError(f"a finding without the id of an open objection needs {', '.join(missing)}")
        return self


class Settlement(Shape):
    """What a reviewer says about an objection that the maker declines."""

    id: str
    """Of the declined objection."""
    withdrawn: bool
    """Whether the maker is right."""
    reason: str = ""


class ReviewShape(Shape):
    """A reviewer's judgement of a change."""

    EXAMPLE = {
        "decision": "request_changes",
        "findings": [
            {
                "severity": "error",
                "category": "correctness",
                "file": "src/pay.py",
                "line": 41,
                "message": "a refund of 0 is charged as a payment",
                "suggested_fix": "return before the charge where the amount is 0",
                "reproduction": {
                    "path": "tests/test_refund_of_nothing.py",
                    "text": "from pay import refund\n\n\ndef test_nothing():\n    assert refund(0) == 0\n",
                },
            }
        ],
        "feedback": "One error in refunds; the rest reaches the goal.",
        "tests_express_request": False,
        "expressing_tests": ["tests/test_pay.py::test_refund"],
    }

    decision: Literal["approve", "request_changes", "require_human"]
    findings: tuple[Objection, ...] = ()
    """Only what you can point at; an empty list is a good answer."""
    settled: tuple[Settlement, ...] = ()
    """Only where the maker declines objections."""
    feedback: str = ""
    """One or two sentences."""
    tests_express_request: bool = False
    """Whether the tests of the change assert what the goal asks for, so that wrong work would fail them."""
    expressing_tests: tuple[str, ...] = ()
    """Where only some do: their names, for example `test_total` or `tests/test_cart.py::test_total`."""

    @model_validator(mode="before")
    @classmethod
    def _objections_alone(cls, values: Any) -> Any:  # noqa: ANN401 - whatever an agent wrote
        """Read objections without a decision as a request for changes, if one of them blocks."""
        if (
            isinstance(values, Mapping)
            and "decision" not in values
            and {"severity", "message"} <= set(values)
        ):
            values = [values]
        if not isinstance(values, list | tuple):
            return values
        try:
            found = _OBJECTIONS.validate_python(values)
        except ValidationError:
            return values
        blocks = any(each.severity in (Severity.ERROR, Severity.CRITICAL) for each in found)
        return {"decision": "request_changes", "findings": found} if blocks else values

    @field_validator("decision", mode="before")
    @classmethod
    def _as_decided(cls, value: Any) -> Any:  # noqa: ANN401 - as above
        return _DECISIONS.get(_plain(value), _plain(value)) if isinstance(value, str) else value


_EDITS = TypeAdapter(tuple[Replacement, ...])
_OBJECTIONS = TypeAdapter(tuple[Objection, ...])


class HiddenTestShape(Shape):
    """A file of tests that the maker never sees."""

    path: str
    """Of a new file, from the root of the project."""
    text: str
    """The whole file."""
    behaviour: str
    """What it expects, in one sentence."""


class TestDesignShape(Shape):
    """Tests that a test designer writes from the request alone."""

    __test__ = False
    EXAMPLE = {
        "tests": [
            {
                "path": "tests/test_refund.py",
                "text": "from pay import refund\n\n\ndef test_refund():\n    assert refund(0) == 0\n",
                "behaviour": "a refund of 0 gives 0",
            }
        ]
    }

    tests: tuple[HiddenTestShape, ...]


class AnsweredTestShape(Shape):
    """What the author of a hidden test says of it."""

    path: str
    """One of the files that were asked about."""
    withdrawn: bool
    """Whether it asks for more than the request."""
    reason: str
    """One sentence."""


class AnsweredTestsShape(Shape):
    """What an author says of hidden tests that fail for the second time."""

    EXAMPLE = {
        "tests": [
            {"path": "tests/test_refund.py", "withdrawn": True, "reason": "the goal leaves the message open"}
        ]
    }

    tests: tuple[AnsweredTestShape, ...]


class OpinionShape(Shape):
    """What a reviewer thinks of one file that the maker asks leave for."""

    path: str
    """One of the files that were asked for."""
    grant: bool | None = None
    """Whether it should be allowed; null where you cannot say."""
    reason: str = ""
    """One sentence."""


class OpinionsShape(Shape):
    """What a reviewer thinks of all that the maker asks leave for."""

    EXAMPLE = {
        "opinions": [
            {"path": "tests/test_pay.py", "grant": True, "reason": "the goal changes what it asserts"}
        ]
    }

    opinions: tuple[OpinionShape, ...]


def example_of(shape: type[Shape]) -> str:
    """Write the example of a shape as JSON, for a prompt."""
    return json.dumps(shape.EXAMPLE, indent=1)


@cache  # reading what is written under the fields takes a tenth of a second
def schema_of(shape: type[Value]) -> str:
    """Write a shape as the JSON schema that a prompt asks by, without what no model is asked for."""
    return json.dumps(_lean(shape.model_json_schema()), separators=(", ", ": "))


def _lean(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON schema
    if isinstance(schema, list):
        return [_lean(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _lean(value) for key, value in schema.items() if key not in ("title", "default")}
    if isinstance(properties := kept.get("properties"), dict):
        kept["properties"] = {
            # A property may itself be called like a keyword, so what was left out is looked up anew.
            name: _lean(value)
            for name, value in schema["properties"].items()
            if name not in _NOT_ASKED_FOR or "severity" not in properties
        }
    return kept
