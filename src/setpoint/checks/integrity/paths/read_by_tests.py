"""Whether tests keep a folder for themselves: they read its files on their own, and test code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from setpoint.checks.integrity.paths.product_reads import imported
from setpoint.checks.integrity.paths.sources import Sources

_READS = re.compile(
    r"\b(?:open\w*|\w*read(?!only|y|ing|s\b)\w*|include_str|include_bytes|slurp|load_file|file_get_contents)"
    r"\s*!?\(|\bFile\.read\w*\s|\bimport\b.*\bfrom\b|\b(?:cat|diff|cmp)\s+[-\w\"'$./<]",
    re.IGNORECASE,
)
"""A call or a command that reads a file."""
_REDIRECTS = re.compile(r"(?<![<=-])<(?![<=])\s*[\"$./\w]")
_LOADS = re.compile(r"\b(\w+)\.\w*load\w*\(")
_BOUND = re.compile(
    r"^\s*(?:\w+\s+)?([A-Za-z_]\w*)(?:\s*,\s*\w+)*\s*(?::\s*[\w.\[\], |<>]+?)?\s*:?=(?![=>])"
    r"|\bfor\s*\(?\s*(?:const|let|var)?\s*(\w+)(?:\s*,\s*(\w+))?\s*(?:in|of|:?=)\b|\bas\s+(\w+)"
    r"|^\s*(?:async\s+)?(?:def|function|func|fn)\s+(\w+)"
)
_PARAMETRIZED = re.compile(r"parametrize\(\s*[\"']([\w, ]+)[\"']")
_DEFINES = re.compile(r"^\s*(?:export\s+)?(?:async\s+)?(?:def|function|func|fn)\s+(\w+)|^(\w+)\s*\(\)\s*\{")
_FOLDER = r"(?:(?<!\[)[\"'`]|[/\\]|^|[\s=(])(?:{folder})(?:[\"'`](?!\s*[\]:])|[/\\])"
_OPEN, _CLOSED = "([", ")]"
_ROUNDS = 3
_ENTRIES = ("__init__", "__main__", "index", "mod")
"""Stems of files that are loaded by the name of their folder."""
_LEAST_NAME = 3


def keeps(folder: str, known: Sources) -> bool:
    """Whether a source of the tests reads files of a folder itself, and it or one that uses it tests code."""
    own = frozenset(name for text in known.tests.values() for name in _readers(text))
    for source, text in known.tests.items():
        if not reads(text, folder, own | _loaders(source, text, known), shell=is_shell(source)):
            continue
        if any(tests_code(each, known) for each in (source, *_users(source, known))):
            return True
    return False


def _users(source: str, known: Sources) -> Iterator[str]:
    here, _, name = source.rpartition("/")
    spoken = re.compile(rf"[./\"' ]{re.escape(name.partition('.')[0])}\b")
    for other, text in known.tests.items():
        below = name == "conftest.py" and other.startswith(here)
        if below or spoken.search(text):
            yield other


def is_shell(source: str) -> bool:
    """Whether a source of the tests is a script of a shell, as one without an ending is."""
    return source.endswith((".sh", ".bash")) or "." not in source.rpartition("/")[2]


def reads(text: str, folder: str, own: frozenset[str], *, shell: bool = False) -> bool:
    """Whether a source reads what lies in a folder: on one line with its name, or with a name given to it.

    `own` are names that read when they are called.
    """
    lines = list(_statements(text))
    spoken = re.compile(_FOLDER.format(folder=re.escape(folder)))
    reading = re.compile("|".join([rf"\b{re.escape(each)}(?:\.\w+)?\(" for each in sorted(own)]) or r"(?!)")
    held = set[str]()
    for _ in range(_ROUNDS):
        for line in lines:
            if not (spoken.search(line) or any(re.search(rf"\b{each}\b", line) for each in held)):
                continue
            if _READS.search(line) or reading.search(line) or (shell and _REDIRECTS.search(line)):
                return True
            held |= {name for found in _BOUND.finditer(line) for name in found.groups() if name}
            held |= {name.strip() for found in _PARAMETRIZED.findall(line) for name in found.split(",")}
        held = {each for each in held if len(each) >= _LEAST_NAME or each.isupper()}
    return False


def _statements(text: str) -> Iterator[str]:
    """Yield the lines of a source; what a bracket leaves open is one line, except blocks."""
    held, depth = "", 0
    for line in text.splitlines():
        depth = max(0, depth + sum(line.count(each) for each in _OPEN) - sum(line.count(e) for e in _CLOSED))
        held = f"{held} {line}" if held else line
        if depth == 0 or line.rstrip().endswith(("{", ";", ":")):
            yield held
            held, depth = "", 0
    if held:
        yield held


def _readers(text: str) -> Iterator[str]:
    """Yield the functions of a source of the tests that read files."""
    inside = ""
    for line in text.splitlines():
        if found := _DEFINES.match(line):
            inside = found[1] or found[2]
        if inside and _READS.search(line):
            yield inside


def _loaders(source: str, text: str, known: Sources) -> frozenset[str]:
    """Return the libraries by which a Python source loads: what it imports and is not of the product."""
    if not source.endswith(".py"):
        return frozenset()
    used = {found[1] for found in _LOADS.finditer(text)} & imported(text)
    return frozenset(used - set(names_of_code(known)))


def names_of_code(known: Sources) -> dict[str, str]:
    """Return the names by which the code of the product is loaded, each with a path."""
    found = dict[str, str]()
    for path in known.programs:
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0]
        found[folder.rpartition("/")[2] if stem in _ENTRIES and folder else stem] = path
    return found


def tests_code(source: str, known: Sources) -> bool:
    """Whether a source of the tests refers to code of the product: compiled tests always do."""
    code = names_of_code(known)
    given = known.named_by_tests[source]
    last = {each.parts[-1] for each in given if each.parts}
    whole = {path.rpartition("/")[2] for path in known.programs}
    if not whole.isdisjoint(last):
        return True
    if source.endswith(".py"):
        held = imported(known.tests[source])
        return not code.keys().isdisjoint(held | (last if "subprocess" in held else set()))
    if is_shell(source):
        return not code.keys().isdisjoint(last)
    climbs = any(each.text.strip("./") == "" and ".." in each.text for each in given)
    return climbs or not code.keys().isdisjoint(last) or _compiled(source, known)


def _compiled(source: str, known: Sources) -> bool:
    suffix = f".{source.rpartition('.')[2]}"
    scripts = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".rb", ".php", ".lua", ".pl")
    return suffix not in scripts and any(path.endswith(suffix) for path in known.programs)
