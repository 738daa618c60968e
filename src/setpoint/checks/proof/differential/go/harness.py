"""Write the test of Go that answers recorded calls inside of a package."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.proof.differential.go.source import Function, Source
from setpoint_probe.wire.calls_order import GO_ANSWERS

_BASIC = (
    "bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "[]interface{}", "map[string]interface{}", "map[string]string",
    "bytes.Buffer", "bytes.Reader", "strings.Reader", "strings.Builder",
)  # fmt: skip
_KNOWN = {"io.EOF": "io.EOF", "os.ErrNotExist": "os.ErrNotExist", "os.ErrExist": "os.ErrExist"}


@dataclass(frozen=True, kw_only=True)
class Answering:
    """Where the answering test of one package finds what it needs."""

    word: str
    """A fresh word that names it."""
    scratch: Path
    """A folder with the calls, to which the answers are written."""
    module: str
    """The path by which the module is imported."""
    wall_s: float


def harness(
    place: Answering,
    package: Source,
    functions: Mapping[str, tuple[Function, str]],
    loose: Collection[str],
    new_errors: Collection[str],
) -> str:
    """Return a test file for a package.

    Args:
        place: Where it finds and leaves what.
        package: The package as it is on this side.
        functions: The function and the types for its parameters, by the key of its calls.
        loose: Types that are declared otherwise on the other side.
        new_errors: Variables of known errors that one side alone has.
    """
    own = {name: name for name in sorted(package.errors - {*new_errors})}
    kinds = [*_BASIC, *sorted(package.types)]
    filled = {
        "PACKAGE": package.package,
        "TESTNAME": f"Test{place.word.title()}",
        "CALLS": json.dumps(str(place.scratch / "calls.jsonl")),
        "ANSWERS": json.dumps(str(place.scratch / "answers.jsonl")),
        "SCRATCH": json.dumps(str(place.scratch / "home")),
        "VARIABLE": json.dumps(place.word.upper()),
        "PATH": json.dumps(place.module),
        "WALL": str(int(place.wall_s * 1000)),
        "FUNCTIONS": _table((json.dumps(key), each.called(kind)) for key, (each, kind) in functions.items()),
        "TYPES": "".join(f"\n\treflect.TypeOf((*{each})(nil)).Elem()," for each in kinds) + "\n",
        "LOOSE": _table((json.dumps(each), "true") for each in loose),
        "ERRORS": _table((json.dumps(name), each) for name, each in (_KNOWN | own).items()),
    }
    text = GO_ANSWERS.read_text("utf-8")
    for mark, value in filled.items():
        text = text.replace(f"«{mark}»", value)
    return text


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"\n\t{key}: {value}," for key, value in rows) + "\n"
