"""Whether the product reads a file: it names the file, a folder of it, or how its name is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from fnmatch import fnmatch

from setpoint.checks.integrity.paths.named_paths import Named, named_in
from setpoint.checks.integrity.paths.sources import MANIFEST, Sources, Spoken
from setpoint.model import syntax
from setpoint.model.changes.work_kind import is_program

_LEAST_STEM = 3
_MADE = re.compile(r"^(?:.*(?:[}*)>]|%\w|\$\w+|:\w+))?(?P<ending>\.[\w.]+)$")
"""The last part of a path that is made: an ending that is put onto a name."""
_HOLE = re.compile(r"[{}*$%<>:]")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_MARKUP = (".html", ".htm")
"""Texts in which a word is prose, unless it looks like a path."""
_LOADS = r"(?:\b(?:import|require|from|source|include|load|use|mod)\b|[./\"'])[^\n]*\b{stem}\b"


def stem_of(path: str) -> str:
    """Return the name of a file up to its first dot, or nothing where that is too short to say anything."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return stem if len(stem) >= _LEAST_STEM else ""


def product_reads(path: str, known: Sources, *, owned: str = "", stems: bool = True) -> bool:
    """Whether code or a manifest names a file, its stem or a folder of it, or lists the folder it lies in.

    `owned` is a folder of the file that tests name as theirs, where there is one. Then a stem says something
    only where the product also makes names with this ending, the key of a mapping names no folder, and what
    lies in the folder is not heard. Without `stems`, a stem says nothing.
    """
    stem, spoken, made = stem_of(path) if stems else "", False, False
    for source in known.spoken:
        if owned and source.path.startswith(f"{owned}/"):
            continue
        here = source.path.rpartition("/")[0]
        near = bool(here) and path.startswith(f"{here}/")
        if near and source.lists:
            return True
        for each in source.names:
            ends = _makes(each, path)
            if names(each, path, source, strict=bool(owned)) or (near and ends):
                return True
            spoken = spoken or (bool(stem) and stem in each.parts)
            made = made or ends
    return spoken and (made or not owned)


def names(each: Named, path: str, source: Spoken, *, strict: bool) -> bool:
    """Whether a text names a file by its name, a pattern or a folder; strictly, keys and prose do not."""
    *folders, name = path.split("/")
    parts = each.parts
    if strict and len(parts) == 1 and (each.key or (not each.quoted and _is_prose(each, source))):
        return False
    if not parts:
        return False
    if not {*folders, name}.isdisjoint(parts):
        return True
    if _DOTTED.fullmatch(each.text) and not set(folders).isdisjoint(each.text.split(".")[1:]):
        return True
    return "*" in parts[-1] and bool(parts[-1].strip("*")) and fnmatch(name, parts[-1])


def _is_prose(each: Named, source: Spoken) -> bool:
    return source.path.endswith(_MARKUP) and re.search(r"[./\\]", each.text) is None


def _makes(each: Named, path: str) -> bool:
    """Whether a text puts the ending of a file onto a name, in no folder but one of the file."""
    *folders, name = path.split("/")
    parts = each.parts
    found = _MADE.match(parts[-1]) if parts else None
    if found is None or not name.endswith(found["ending"]):
        return False
    return all(part in folders or _HOLE.search(part) is not None for part in parts[:-1])


def lists_ending(path: str, known: Sources) -> bool:
    """Whether a source of the product lists a folder that it is given, for files with this ending."""
    return any(source.lists and any(_makes(each, path) for each in source.names) for source in known.spoken)


def names_any(folder: str, known: Sources) -> bool:
    """Whether a source of the product apart from a folder names any file in it."""
    held = {path.rpartition("/")[2] for path in known.files if path.startswith(f"{folder}/")}
    return any(
        each.parts[-1] in held
        for source in known.spoken
        if not source.path.startswith(f"{folder}/")
        for each in source.names
        if each.parts
    )


def is_used(path: str, known: Sources) -> bool:
    """Whether other code of the product loads a file: Python by its imports, others by any word like it."""
    stem = path.rpartition("/")[2].partition(".")[0]
    pattern = re.compile(_LOADS.format(stem=re.escape(stem)))
    for source, text in known.product.items():
        if source == path or not is_program(source):
            continue
        if source.endswith(".py") and path.endswith(".py"):
            if stem in imported(text) or stem in _words(source, text):
                return True
        elif pattern.search(text) is not None:
            return True
    return False


def _words(source: str, text: str) -> Collection[str]:
    return {part for each in named_in(source, text) for part in re.split(r"[./\\:]", each.text)}


def is_declared(path: str, known: Sources) -> bool:
    """Whether a manifest names a file or its folder."""
    *folders, name = path.split("/")
    words = "|".join(re.escape(each) for each in (*folders, name.partition(".")[0]))
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
    return any(
        MANIFEST.search(source) and pattern.search(text) is not None for source, text in known.product.items()
    )


def imported(text: str) -> frozenset[str]:
    """Return each name and each part of a module that a Python source imports."""
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    found = set[str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {part for each in node.names for part in each.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            found |= {*(node.module or "").split("."), *(each.name for each in node.names)}
    return frozenset(found)
