"""Whether code with which tests compare belongs to them: no other code imports it, and they test with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from setpoint.checks.integrity.paths import truth, truth_scripts
from setpoint.checks.integrity.paths.comparing_code import compares, failing, wants_failure
from setpoint.checks.integrity.paths.product_reads import imported, is_declared, is_used
from setpoint.checks.integrity.paths.sources import DECLARED, Sources

_SCRIPTS = (".js", ".jsx", ".cjs", ".mjs", ".ts", ".tsx", ".cts", ".mts")
_ENDING = re.compile(r"\.(?:[cm]?[jt]sx?|py)$")


def compares_for_tests(path: str, known: Sources) -> bool:
    """Whether a file holds code that compares, and belongs to the tests by who imports it and how."""
    folder = path.rpartition("/")[0]
    if not folder or folder.split("/")[0] in DECLARED:
        return False
    text = known.texts.get(path, "")
    fails = compares(path, text)
    said = _truths(path, text)
    if not (fails or said) or is_used(path, known) or is_declared(path, known):
        return False
    users = [source for source in known.tests if source != path and refers(source, path, known)]
    if fails and not any(wants_failure(known.tests[source]) for source in users):
        return any(refers(source, other, known) for source in users for other in known.programs - {path})
    return bool(said) and _measures(path, said | failing(path, text), users, known)


def _truths(path: str, text: str) -> frozenset[str]:
    if path.endswith(".py"):
        return truth.comparers(text)
    return truth_scripts.comparers(text) if path.endswith(_SCRIPTS) else frozenset()


def _measures(path: str, names: frozenset[str], users: list[str], known: Sources) -> bool:
    """Whether tests measure other code with functions that return a truth, and no test is about these."""
    uses = [_use(source, path, names, known) for source in users if not _mirrors(source, path)]
    if len(uses) < len(users) or any(each.tests for each in uses):
        return False
    return any(each.measures for each in uses)


def _mirrors(source: str, path: str) -> bool:
    """Whether a file of tests is called like the file that it tests."""
    stem = path.rpartition("/")[2].partition(".")[0]
    parts = re.split(r"[._-]", source.rpartition("/")[2])
    return {*parts} - {"test", "tests", "spec", "py", *(each[1:] for each in _SCRIPTS)} == {
        *re.split(r"[_-]", stem)
    }


def _use(source: str, path: str, names: frozenset[str], known: Sources) -> truth.Use:
    text = known.tests[source]
    if source.endswith(".py"):
        return truth.use_of(text, names, _imports(path, known))
    return truth_scripts.use_of(text, names, _resolved(source, path, known)) if names else truth.Use()


def _imports(path: str, known: Sources) -> truth.Imports:
    folders, stem = _module(path)
    others = {part for other in _apart(path, known) if other.endswith(".py") for part in _loaded_as(other)}
    programs = {other.rpartition("/")[2] for other in _apart(path, known)}

    def own(dotted: str) -> bool:
        *before, last = dotted.split(".")
        return last == stem and before == folders[len(folders) - len(before) :]

    return truth.Imports(
        own=own,
        other=lambda dotted: not own(dotted) and not others.isdisjoint(dotted.split(".")),
        program=lambda text: text.rpartition("/")[2] in programs,
    )


def _module(path: str) -> tuple[list[str], str]:
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return (folders[:-1], folders[-1]) if stem == "__init__" else (folders, stem)


def _loaded_as(path: str) -> Iterator[str]:
    folders, stem = _module(path)
    yield stem
    yield from folders[-1:]


def _apart(path: str, known: Sources) -> Iterator[str]:
    """Yield the code of the product in other outermost folders: neighbours may be one with a file."""
    inside = f"{path.partition('/')[0]}/"
    return (other for other in known.programs if not other.startswith(inside))


def _resolved(source: str, path: str, known: Sources) -> truth_scripts.Resolved:
    here = source.rpartition("/")[0]
    others = {each for other in _apart(path, known) for each in _required_as(other)}
    own = set(_required_as(path))

    def place(text: str) -> str:
        return _ENDING.sub("", normpath(f"{here}/{text}" if here else text))

    return truth_scripts.Resolved(
        own=lambda text: text.startswith(".") and place(text) in own,
        other=lambda text: (
            (text.startswith(".") or "/" in text or "." in text)
            and not {place(text), _ENDING.sub("", text)}.isdisjoint(others)
        ),
    )


def _required_as(path: str) -> Iterator[str]:
    place = _ENDING.sub("", path)
    yield place
    if place.endswith("/index") or place == "index":
        yield place[: -len("/index")] or "."


def refers(source: str, path: str, known: Sources) -> bool:
    """Whether a source of the tests imports, requires or sources a file."""
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    if source.endswith(".py"):
        return path.endswith(".py") and stem in imported(known.tests[source])
    given = [each.parts[-1] for each in known.named_by_tests[source] if each.parts]
    if path.endswith((".sh", ".bash")):
        return name in given
    return name in given or stem in given
