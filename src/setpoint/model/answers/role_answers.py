"""What roles have to answer with: the shapes that prompts ask for and answers are checked against."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from setpoint.model.finding import Category, Severity
from setpoint.model.value import Value

_NEVER_NULL = frozenset({"findings", "settled"})
"""Where null is no answer; an empty list says that there is nothing."""
_NOT_ASKED_FOR = ("rule", "reproducible")
"""Keys that a reviewer without a model gives besides; no model is asked for them."""


class Shape(Value):
    """A JSON object that a role answers with; what it holds besides is not looked at, null is left out."""

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
            key: value
            for key, value in values.items()
            if value is not None or key in _NEVER_NULL or key not in fields or fields[key].is_required()
        }


class Replacement(Shape):
    """Lines of a file, and what is to stand there."""

    start_line: int
    """First line to replace, from 1."""
    end_line: int
    """Last line to replace."""
    replacement: str


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
    rule: str = ""
    reproducible: bool = False

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


class SealedTestShape(Shape):
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

    tests: tuple[SealedTestShape, ...]


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
