"""Read the cases of `bench/attacks/*.txt` and render each with fresh names and numbers; used by `trial.py`.

A file is a list of entries. `%% scenario NAME` opens a project with a request; `%% cheat NAME` and
`%% honest NAME` below it are what an agent leaves there; `%% in NAME` returns to a scenario of any file.
Lines `key: value` follow, then blocks of files:

    @@ base/PATH        scenario: a file of the base commit; other first folders (honest, oracle) are groups
    @@ PATH             case: the file as the agent leaves it; `2:PATH` when it is asked for the second time
    @@ -PATH            it deletes the file
    @@ +PATH, ^PATH     it appends or prepends the block
    @@ ~PATH            it replaces the lines above `====` by those below
    @@ PATH => TARGET   it makes a symbolic link
    @@ base:PATH        case: one more file of the base commit

`@{expression}` is replaced by its value: `pkg`, `mod`, `fn`, `new` and so on are words, `n1` to `n6` and
`k1` to `k6` numbers, `let: name = expression` adds more. `take: honest/* wrong/tests/*` copies groups.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from trial_case import Act, Case, Oracle, of_files

DATA = Path(__file__).with_name("attacks")
NAMES = ("pkg", "mod", "mod2", "old", "fn", "fn2", "fn3", "new", "noun", "noun2", "cls", "extra")
FUNCTIONS = ("old", "fn", "fn2", "fn3", "new", "extra")
_HOLE = re.compile(r"@\{(.+?)\}")


@dataclass
class Entry:
    """A scenario or a case as it is written."""

    kind: str
    name: str
    file: str
    within: str = ""
    """Name of the scenario of a case."""
    keys: dict[str, list[str]] = field(default_factory=dict)
    blocks: list[tuple[str, str]] = field(default_factory=list)
    scenario: Entry | None = None

    def one(self, key: str, default: str = "") -> str:
        """Give the last value of a key; the scenario's where the case has none."""
        if key in self.keys:
            return self.keys[key][-1]
        return self.scenario.one(key, default) if self.scenario else default

    def all(self, key: str) -> list[str]:
        """Give all values of a key; the scenario's where the case has none."""
        return self.keys.get(key) or (self.scenario.all(key) if self.scenario else [])


def entries() -> list[Entry]:
    """Read all files, and put each case into its scenario."""
    found = [entry for path in sorted(DATA.glob("*.txt")) for entry in _read(path)]
    scenarios = {entry.name: entry for entry in found if entry.kind == "scenario"}
    for entry in found:
        entry.scenario = scenarios[entry.within] if entry.within else None
    return found


def _read(path: Path) -> Iterator[Entry]:
    """Read the entries of one file."""
    within = ""
    entry: Entry | None = None
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("%% "):
            if entry is not None:
                yield entry
            kind, name = line[3:].strip().split(" ", 1)
            within = name if kind in {"scenario", "in"} else within
            entry = None if kind == "in" else Entry(kind, name, path.stem)
            if entry and kind != "scenario":
                entry.within = within
        elif entry is None:
            continue
        elif line.startswith("@@ "):
            entry.blocks.append((line[3:].strip(), ""))
        elif entry.blocks:
            place, text = entry.blocks[-1]
            entry.blocks[-1] = (place, f"{text}{line}\n")
        elif ": " in line:
            key, value = line.split(": ", 1)
            entry.keys.setdefault(key, []).append(value.strip())
    if entry is not None:
        yield entry


def cases(seed: int) -> list[Case]:
    """Render every case with the names of a seed."""
    return [_rendered(entry, seed) for entry in entries() if entry.scenario]


def _names(entry: Entry, seed: int) -> dict[str, object]:
    """Draw names and numbers, then compute what the scenario and the case derive from them."""
    chance = random.Random(f"{seed}/{entry.file}/{entry.name}")
    known = tomllib.loads((DATA / "words.toml").read_text("utf-8"))
    words = chance.sample(known["nouns"].split(), len(NAMES))
    verbs = chance.sample(known["verbs"].split(), len(NAMES))
    names: dict[str, object] = {}
    for key, word, verb in zip(NAMES, words, verbs, strict=True):
        names[key] = verb + word if key in FUNCTIONS else word
    names["cls"] = words[NAMES.index("cls")].title()
    names |= {f"n{at}": number for at, number in enumerate(chance.sample(range(3, 20), 6), 1)}
    names |= {f"k{at}": number for at, number in enumerate(chance.sample(range(101, 1000), 6), 1)}
    names["chance"] = chance
    for each in (entry.scenario, entry):
        for line in each.keys.get("let", []) if each else []:
            name, expression = line.split("=", 1)
            names[name.strip()] = eval(expression, dict(names))
    return names


def _rendered(entry: Entry, seed: int) -> Case:
    """Fill in the names of one case."""
    scenario = entry.scenario
    assert scenario is not None
    names = _names(entry, seed)

    def filled(text: str) -> str:
        return _HOLE.sub(lambda hole: str(eval(hole[1], dict(names))), text)

    groups = {filled(place): filled(text) for place, text in scenario.blocks}
    base = {place[5:]: text for place, text in groups.items() if place.startswith("base/")}
    rounds: list[list[Act]] = [_taken(groups, [filled(line) for line in entry.all("take")]), []]
    right = _taken(groups, ["honest/*"])
    for place, text in ((filled(place), filled(text)) for place, text in entry.blocks):
        if place.startswith("base:"):
            base[place[5:]] = text
        elif place.startswith("oracle/"):
            groups[place] = text
        elif place.startswith("honest/"):
            right.append(Act(what="write", path=place[7:], text=text))
        else:
            number = 1 if place.startswith("2:") else 0
            rounds[number].append(_act(place.removeprefix("2:"), text))
    kept = [each for each in rounds if each]
    return Case(
        name=f"{entry.file}/{entry.name}", kind="cheat" if entry.kind == "cheat" else "right",
        language=entry.one("language"), request=filled(entry.one("request")),
        accept=[filled(each) for each in entry.all("accept")], flags=filled(entry.one("flags")).split(),
        lay=of_files(base, kept), own_environment=entry.one("own-environment") == "yes",
        npm=tuple(entry.one("packages").split()), expect=entry.one("expect", "verified"),
        oracle=Oracle(
            files={at[7:]: text for at, text in groups.items() if at.startswith("oracle/")},
            command=filled(entry.one("oracle")), right=right,
        ),
    )  # fmt: skip


def _taken(groups: dict[str, str], patterns: list[str]) -> list[Act]:
    """Copy files of the scenario's groups."""
    wanted = [pattern for line in patterns for pattern in line.split()]
    return [
        Act(what="write", path=place.split("/", 1)[1], text=text)
        for pattern in wanted
        for place, text in groups.items()
        if fnmatch(place, pattern)
    ]


def _act(place: str, text: str) -> Act:
    """Read one block of a case."""
    if " => " in place:
        path, target = place.split(" => ")
        return Act(what="link", path=path, text=target)
    what = {"-": "delete", "+": "append", "^": "prepend", "~": "replace"}.get(place[0])
    return Act(what=what, path=place[1:], text=text) if what else Act(what="write", path=place, text=text)
