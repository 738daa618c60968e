"""Which protected files a request asks to change: a pure function of its words.

A file is released only where a clause has a plain verb of changing and names the file as what is changed:
"update tests/test_calc.py", "rename add() in the tests too". "Make tests/test_calc.py pass" releases nothing,
nor does a clause that says what is not to be done. Quoted lines and blocks of code do not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.stories.story import Story

_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_CLAUSES = re.compile(
    r"[;\n]|(?<=\s)\(|[,:.!?](?=\s|$)|\b(?:and|but|so|that|until|because|since|while|when|then)\b|\s[-\u2013\u2014]\s",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:update|change|edit|modify|revise|rewrite|rename|move|delete|remove|drop|adapt|adjust|reformat|format"
    r"|parametri[sz]e|merge|split|replace|convert|port|migrate|regenerate|refresh|simplify|restructure|bump)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"\b(?:add|append|put|include|declare|register|set|enable|raise|pin|run)\b", re.IGNORECASE)
"""Verbs that ask to change a file of settings; to a file of tests a maker may add anyway."""
_NOT = re.compile(
    r"\b(?:don't|do not|never|without|not|no|cannot|leave|keep|stay\w*|unchanged|instead of|rather than)\b",
    re.IGNORECASE,
)
_GREEN = re.compile(
    r"\b(?:pass\w*|green|succeed\w*|fail\w*|red|work(?:s|ing)?|satisf\w+|mend|repair)\b", re.IGNORECASE
)
_IT = re.compile(r"\b(?:it|they|them|these|those)\b", re.IGNORECASE)
_NO_OBJECT = re.compile(
    r"\b(?:as|like|per|according|from|against|using|use|with|by|for|see|look\w*|read\w*|make|get|let|have|until"
    r"|cover\w*|test(?:ed)? by)\b",
    re.IGNORECASE,
)
"""Words behind which a file is not what is changed."""
_THE_TESTS = re.compile(
    r"\b(?:the|its|their|all|existing|these|those)\s+(?:\w+\s+)?tests?\b(?!\s+(?:suite|runner))",
    re.IGNORECASE,
)
_OF_EXPECTED = (
    (
        re.compile(r"\bsnapshots\b", re.IGNORECASE),
        re.compile(r"snapshots?(?:__)?/|\.(?:snap|ambr)$", re.IGNORECASE),
    ),
    (re.compile(r"\bgolden(?:s| files?| outputs?)\b", re.IGNORECASE), re.compile(r"golden", re.IGNORECASE)),
    (
        re.compile(r"\bexpected (?:outputs?|results|files)\b", re.IGNORECASE),
        re.compile(r"expected", re.IGNORECASE),
    ),
)
"""General words for what tests compare with, each with how the paths of these files look."""
_MADE_AGAIN = re.compile(
    r"\b(?:update|regenerate|refresh|adapt|adjust|rewrite|re-?record|re-?generate)\b", re.IGNORECASE
)
_OF_CODE = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|sh|bash)$")
_CONTINUES = re.compile(r"\s*(?:also\s+)?(?:in\s+|of\s+)?(?:the\s+|its\s+|their\s+)?$", re.IGNORECASE)
_NAMES = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]{2,})'|\b(\w+)\(|\b(\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b"
)
MOST_RELEASED = 20
"""More files than this are not released by a general word such as "the tests"."""


class Release(NamedTuple):
    """One protected file that a request asks to change."""

    path: str
    because: str
    """The clause, as the request words it."""


def asks_for_tests(story: Story) -> bool:
    """Whether a request speaks of changing tests that it does not name, so that their text has to be read."""
    return not story.external and any(_general(each) for each in _clauses(story.wish))


def asked_among(story: Story, paths: Iterable[str]) -> tuple[str, ...]:
    """Return those of many paths that a request would ask to change, were they protected."""
    if story.external:
        return ()
    clauses = [each for each in _clauses(story.wish) if each.asks]
    return tuple(
        path
        for path in paths
        if any(
            (path.rpartition("/")[2] in each.text and _asked(each, path)) or _expected(each, path)
            for each in clauses
        )
    )


def released_by(
    story: Story, protected: Mapping[str, frozenset[str]], tests: Mapping[str, str]
) -> tuple[Release, ...]:
    """Return the protected files that a request asks to change.

    `protected` are the files, each with words of which the clause has to hold one. `tests` are the
    texts of files of tests: "the tests" are those that hold a name which the request mentions.
    """
    if story.external:
        return ()
    clauses = _clauses(story.wish)
    green = {path for clause in clauses if clause.green for path in protected if _place(path, clause.text)}
    found: dict[str, str] = {}
    for clause in clauses:
        for path in sorted(protected):
            words = protected[path]
            if path not in green and _asked(clause, path) and (not words or words & _words(clause.text)):
                found.setdefault(path, clause.said)
        made_again = [path for path in sorted(protected) if path not in green and _expected(clause, path)]
        if len(made_again) <= MOST_RELEASED:
            found |= {path: clause.said for path in made_again if path not in found}
        if _general(clause):
            names = _names(story.wish)
            fitting = [path for path, text in tests.items() if path not in green and _holds(text, names)]
            if len(fitting) <= MOST_RELEASED:
                found |= {path: clause.said for path in sorted(fitting) if path not in found}
    return tuple(Release(path, because) for path, because in found.items())


class _Clause(NamedTuple):
    text: str
    verb_end: int
    """Where the verb of changing ends; -1 without one."""
    adds: int
    """Where a verb of adding ends; -1 without one."""
    said: str
    """The clause, with what it continues."""
    green: bool
    """Whether it speaks of tests that pass or fail, or the clause behind it does ("so that it passes")."""

    @property
    def asks(self) -> bool:
        """Whether it asks to change or to add anything."""
        return self.verb_end > -1 or self.adds > -1


def _clauses(request: str) -> list[_Clause]:
    plain = _FENCED.sub("\n", _QUOTED_LINE.sub("\n", request))
    clauses: list[_Clause] = []
    for text in (each for each in _CLAUSES.split(plain) if each and each.strip()):
        changes, adds = (_end(pattern, text) for pattern in (_CHANGES, _ADDS))
        said = " ".join(text.split())
        before = clauses[-1] if clauses else None
        if changes == adds == -1 and before is not None and before.asks and _continues(text):
            changes = 0 if before.verb_end > -1 else -1
            adds = 0 if before.adds > -1 else -1
            said = f"{before.said} ... {said}"
        green = _GREEN.search(text) is not None
        if green and before is not None and _IT.search(text):
            clauses[-1] = before._replace(green=True)
        clauses.append(_Clause(text, changes, adds, said, green))
    return clauses


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return found.end() if found else -1


def _continues(text: str) -> bool:
    """Whether a clause without a verb begins with what is changed as well."""
    first = re.search(r"[\w.-]*/[\w./-]+|\w+\.\w+|\btests?\b", text)
    return first is not None and _CONTINUES.match(text[: first.start()]) is not None


def _asked(clause: _Clause, path: str) -> bool:
    start = clause.verb_end if is_test_path(path) else max(clause.verb_end, clause.adds)
    if start < 0 or clause.green or _NOT.search(clause.text):
        return False
    if start == clause.adds:
        start = clause.verb_end if -1 < clause.verb_end < start else start
    place = _place(path, clause.text, start)
    return place is not None and _NO_OBJECT.search(clause.text[start:place]) is None


def _general(clause: _Clause) -> bool:
    """Whether a clause asks to change tests without naming their files."""
    if clause.verb_end < 0 or clause.green or _NOT.search(clause.text):
        return False
    found = _THE_TESTS.search(clause.text, clause.verb_end)
    return found is not None and _NO_OBJECT.search(clause.text[clause.verb_end : found.start()]) is None


def _expected(clause: _Clause, path: str) -> bool:
    """Whether a clause asks to make data such as this again, by a general word: "update the snapshots"."""
    if clause.green or _NOT.search(clause.text) or _OF_CODE.search(path):
        return False
    verb = _MADE_AGAIN.search(clause.text)
    for word, looks in _OF_EXPECTED:
        found = word.search(clause.text, verb.end()) if verb else None
        if verb and found and looks.search(path):
            return _NO_OBJECT.search(clause.text[verb.end() : found.start()]) is None
    return False


def _place(path: str, text: str, start: int = 0) -> int | None:
    """Return where a text names a file, by its path or its name; none where it does not."""
    name = path.rpartition("/")[2]
    for each in dict.fromkeys((path, name)):
        pattern = re.compile(rf"(?<![\w/.-])(?:\./)?{re.escape(each)}(?![\w/-])(?!\.\w)")
        if found := pattern.search(text, start):
            return found.start()
    return None


def _names(request: str) -> frozenset[str]:
    found = (next(filter(None, each.groups())) for each in _NAMES.finditer(request))
    return frozenset(name.removesuffix("()").strip() for name in found)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", text.lower()))


def _holds(text: str, names: Collection[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names if len(name) > 1)
