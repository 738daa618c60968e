"""Find the functions of changed sources of Go, so that both sides can be called."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from setpoint.checks.parsing import GO
from setpoint.checks.proof.differential.functions import FOLDER, Comparable
from setpoint.checks.proof.differential.go.source import Function, Source, joined, source_of
from setpoint.checks.proof.sensitivity.changed_function import Insertion
from setpoint.checks.proof.subject import Subject
from setpoint_probe.wire.calls_order import GO_RECORDER

_IMPORTS = (
    "reflect", "encoding/hex", "encoding/json", "os", "runtime", "sort", "strconv", "strings", "sync",
    "unicode/utf8", "unsafe",
)  # fmt: skip
_VALUE = re.compile(r"^\s*(?:const\s+|var\s+)?(\w+)(?:\s+\w+)?\s*=\s*(.+)$", re.MULTILINE)


def is_go(path: str) -> bool:
    """Whether a file is a source of Go, and no test."""
    return path.endswith(GO) and not path.endswith("_test.go")


def folder_of(path: str) -> str:
    """Return the folder of a file, empty for the root."""
    return PurePosixPath(path).parent.as_posix().removeprefix(".")


def sources_of(subject: Subject, texts: Mapping[str, bytes]) -> dict[str, Source]:
    """Read the changed sources of one side."""
    return {
        path: source_of(text) for path, text in texts.items() if is_go(path) and path not in subject.of_tests
    }


def comparable_go(subject: Subject) -> Comparable:
    """Compare the functions of the changed sources."""
    here, there = sources_of(subject, subject.after), sources_of(subject, subject.before)
    before = _by_folder(there)
    now: dict[str, tuple[str, str]] = {}
    texts: dict[str, tuple[str, ...]] = {}
    changed: list[str] = []
    known: list[str] = []
    for path, source in here.items():
        old = before.get(folder_of(path), Source()).functions
        for name, function in source.functions.items():
            key = f"{path}::{name}"
            now[key] = (folder_of(path), name)
            sides = [(subject.after[path], function)]
            sides += [(subject.before.get(path, b""), old[name])] if name in old else []
            texts[key] = tuple(_with_values(*each) for each in sides)
            known += [key] if name in old else []
            if name not in old or old[name].text != function.text:
                changed.append(key)
    return Comparable(
        now=dict(sorted(now.items(), key=lambda each: each[0] not in changed)),
        before={key: now[key] for key in known},
        changed=frozenset(changed),
        loose=dict.fromkeys(_loose(here, there), ()),
        texts=texts,
        recording=_recording(subject, here),
    )


def _by_folder(sources: Mapping[str, Source]) -> dict[str, Source]:
    groups: dict[str, list[Source]] = defaultdict(list)
    for path, source in sources.items():
        groups[folder_of(path)].append(source)
    return {folder: joined(own) for folder, own in groups.items()}


def _with_values(source: bytes, function: Function) -> str:
    """Return a function as it is written, with what the values are that it names."""
    words = frozenset(re.findall(r"\w+", function.text))
    values = _VALUE.findall(source.decode("utf-8", "replace"))
    return "\n".join([function.text, *(value for name, value in values if name in words)])


def _loose(here: Mapping[str, Source], there: Mapping[str, Source]) -> Iterator[str]:
    """Yield the types that are declared otherwise than at the base, with their package."""
    now, before = _by_folder(here), _by_folder(there)
    for folder in now.keys() & before.keys():
        one, other = now[folder].types, before[folder].types
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                yield f"{now[folder].package}.{name}"


def _recording(subject: Subject, here: Mapping[str, Source]) -> dict[str, tuple[Insertion, ...]]:
    """Return what records calls; the first source of each package gets the code that all of them use."""
    files = ", ".join(json.dumps(path) for path in here)
    found: dict[str, tuple[Insertion, ...]] = {}
    begun: set[str] = set()
    for path, source in here.items():
        own = [_seen(f"{path}::{name}", function) for name, function in source.functions.items()]
        if own and folder_of(path) not in begun:
            begun.add(folder_of(path))
            imports = "; ".join(f'setpoint{name.rpartition("/")[2]} "{name}"' for name in _IMPORTS)
            more = f'\nconst setpointFolder = "{FOLDER}"\n\nvar setpointFiles = []string{{{files}}}\n'
            own.append(Insertion(source.clause, f"; import ({imports})"))
            own.append(Insertion(len(subject.after[path]), f"{more}{GO_RECORDER.read_text('utf-8')}"))
        if own:
            found[path] = tuple(own)
    return found


def _seen(name: str, function: Function) -> Insertion:
    kinds = ' + "," + '.join(f"setpointType((*{each})(nil))" for each in function.kinds) or '""'
    given = "".join(f", {f'&{each}' if each else 'nil'}" for each in function.given)
    return Insertion(function.body, f" setpointSeen({json.dumps(name)}, {kinds}{given});")
