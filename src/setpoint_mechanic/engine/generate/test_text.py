"""Writes cases as tests that people can read, in pytest's or in unittest's style."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .cases import Cast
from .given.fixtures import FOLDER
from .given.given import written_for
from .module_names import import_of
from .oracle import filled
from .programs import program
from .rows import row_of, written
from .search import Kept
from .stand_ins import copied, shown
from .trial import Outcome
from .values.kinds import MODULES

_WIDTH = 100
_TITLE = '''"""Tests of `{module}` that pin how it behaves at present, be that right or wrong.

Written by `setpoint cover` from the code itself: they notice changes of behaviour, they do not say what was
meant. Where one fails after a wanted change, change or delete it. Tests whose docstring begins with "Checks"
hold the code to its own documentation and types instead.
"""
'''
_SPECIFIED = "# Specified: by the documentation and the types of the code."
_PINNED = "# Pinned: what the code does at present, be that right or wrong."
_LEAST_ROWS = 2
"""Tests that differ in values only, from which on they become rows of one."""


class Draft(NamedTuple):
    """A test that is to be judged."""

    name: str
    target: str
    why: str
    kept: Kept
    source: str = ""
    """By what the code's author specified it; empty: it pins what the code does."""


def drafts(kept: Sequence[Kept], reasons: Sequence[str], sources: Sequence[str]) -> list[Draft]:
    """Name the tests: what is called, and what comes of it. What is specified comes first."""
    counts: dict[str, int] = {}
    found = []
    triples = sorted(zip(kept, reasons, sources), key=lambda each: (not each[2], each[0].case.target))
    for each, why, source in triples:
        name = _name(each)
        counts[name] = counts.get(name, 0) + 1
        number = f"_{counts[name]}" if counts[name] > 1 else ""
        found.append(Draft(f"{name}{number}", each.case.target, why, each, source))
    return found


def _name(kept: Kept) -> str:
    return f"{stem_of(kept.case.target)}_{_what(kept.outcome)}"


def stem_of(name: str) -> str:
    """Return how the names of all tests of a function begin."""
    target = re.sub(r"__(\w+?)__", r"\1", name).replace(".", "_").lower()
    return f"test_{re.sub(r'[^a-z0-9]+', '_', target).strip('_') or 'module'}"


def _what(outcome: Outcome) -> str:
    if outcome.kind == "error":
        return f"raises_{outcome.error.rpartition('.')[2].lower()}"
    if outcome.wrap != "{}":
        return "gives_items" if "list" in outcome.wrap else "gives_its_result"
    check = outcome.checks[0] if outcome.checks else ""
    if match := re.fullmatch(r"\{\} (?:is|==) (None|True|False|-?\d{1,6})", check):
        return f"gives_{match[1].lower().replace('-', 'minus_')}"
    if match := re.fullmatch(r"\{\} == '([A-Za-z][A-Za-z0-9 _]{0,20})'", check):
        return f"gives_{re.sub(r'[^a-z0-9]+', '_', match[1].lower()).strip('_')}"
    empty = {
        "{} == []": "an_empty_list",
        "{} == ''": "an_empty_text",
        "{} == {{}}": "an_empty_dict",
        "{} == ()": "an_empty_tuple",
    }
    kind = outcome.type.lstrip("_").lower()
    article = "an" if kind[:1] in "aeiou" else "a"
    return f"gives_{empty.get(check) or f'{article}_{kind}'}"


def file_of(tests: Iterable[Draft], cast: Cast, module: str, style: str) -> str:
    """Write a whole file of tests."""
    tests = list(tests)
    specified = [each for each in tests if each.source]
    pinned = [each for each in tests if not each.source]
    blocks = []
    for note, group in ((_SPECIFIED, specified), (_PINNED, pinned)):
        texts = _blocks(group, cast, style)
        if texts and specified:
            texts[0] = f"{note}\n{texts[0]}"
        blocks += texts
    body = "\n\n\n".join(blocks) if style == "pytest" else "\n\n".join(blocks)
    used = [name for name in MODULES if re.search(rf"(?<![\w.'\"]){name}\.", body)]
    used += re.findall(r"^# needs (\S+)$", body, re.MULTILINE)
    body = re.sub(r"^# needs \S+\n", "", body, flags=re.MULTILINE)
    if style == "unittest":
        used.append("unittest")
        owner = "".join(part.title() for part in re.split(r"\W|_", module.rpartition(".")[2]))
        body = f"class {owner}Pinned(unittest.TestCase):\n" + _indented(body)
    elif "pytest." in body:
        used.append("pytest")
    given = dict.fromkeys(name for each in tests for name in program(each.kept.case, cast).given)
    given_imports, given_texts = written_for(given, cast.offers.given)
    if style == "pytest" and any("pytest." in text for text in given_texts):
        used.append("pytest")
    doubles = copied(body)
    if "tempfile." in body:
        used += ["pathlib", "tempfile"]
    plain = {f"import {name}" for name in used if name != "pytest"}
    lines = {*plain, *doubles.imports}
    imports = "\n".join(sorted(lines, key=lambda line: (line.startswith("from"), line)))
    if "pytest" in used:
        imports = f"{imports}\n\nimport pytest".strip()
    own = {import_of(module, cast.module), *given_imports}
    sections = [_TITLE.format(module=module), imports, "\n".join(sorted(own))]
    head = "\n\n".join(part.strip() for part in sections if part.strip())
    return "\n\n\n".join([head, *doubles.texts, *given_texts, body.rstrip()]) + "\n"


def _blocks(tests: Sequence[Draft], cast: Cast, style: str) -> list[str]:
    """Write tests, those of a function that differ in values only as rows of one."""
    of_target: dict[str, dict[object, list[Draft]]] = {}
    for each in tests:
        row = None if each.source or style != "pytest" else row_of(each.kept.case, each.kept.outcome, cast)
        if row:
            of_target.setdefault(each.target, {}).setdefault(row.columns, []).append(each)
    groups = [max(found.values(), key=len) for found in of_target.values()]
    grouped = {each.name: group for group in groups if len(group) >= _LEAST_ROWS for each in group}
    blocks = [_rows(group, cast) for group in groups if len(group) >= _LEAST_ROWS]
    return [*(_test(each, cast, style) for each in tests if each.name not in grouped), *blocks]


def _rows(group: Sequence[Draft], cast: Cast) -> str:
    rows = [(each, row_of(each.kept.case, each.kept.outcome, cast)) for each in group]
    stem = stem_of(group[0].target)
    told = [(row, each.name[len(stem) + 1 :]) for each, row in rows if row]
    return written(stem, cast.targets[group[0].target], told)


def _test(draft: Draft, cast: Cast, style: str) -> str:
    lines, needs = _lines(draft, cast, style)
    words = ["self"] if style == "unittest" else []
    words += cast.offers.fixtures(program(draft.kept.case, cast).given)
    if any(re.search(rf"\b{FOLDER}\b", line) for line in lines):
        if style == "unittest":
            lines = [*_OWN_FOLDER, *lines]
        else:
            words.append(FOLDER)
    head = f"def {draft.name}({', '.join(words)}):"
    return f"{needs}{head}\n" + _indented("\n".join([f'"""{draft.why}"""', *lines]))


_OWN_FOLDER = (
    "folder = tempfile.TemporaryDirectory()",
    "self.addCleanup(folder.cleanup)",
    f"{FOLDER} = pathlib.Path(folder.name)",
)
"""A temporary folder, for a test that gets none from pytest."""


def _lines(draft: Draft, cast: Cast, style: str) -> tuple[list[str], str]:
    """Write the body of a test; the second is what has to be imported for it, as a comment."""
    case, outcome = draft.kept.case, draft.kept.outcome
    bound = program(case, cast).names
    bind = any(name in bound for name, _ in outcome.after) or outcome.kind == "error"
    steps = program(case, cast, bind=bind)
    call = filled(outcome.wrap, steps.call) if outcome.wrap != "{}" else steps.call
    run = "run_still" if outcome.still else "asyncio.run"
    simple = not steps.setup and outcome.kind == "value" and len(outcome.checks) == 1 and not outcome.after
    waits = steps.waits
    if waits and simple and call.startswith("await ") and len(call) < _WIDTH:
        call, waits = f"{run}({call[len('await ') :]})", False
    if outcome.kind == "error":
        lines = _raising(list(steps.setup), call, outcome, style)
    else:
        lines = [*steps.setup, *_asserting(call, outcome, style)]
    if waits:
        lines = ["async def scenario():", _indented("\n".join(lines)), "", f"{run}(scenario())"]
    if steps.doubles:
        lines = [f"with {', '.join(map(shown, steps.doubles))}:", _indented("\n".join(lines))]
    return lines, f"# needs {outcome.imports}\n" if outcome.imports else ""


def _raising(lines: list[str], call: str, outcome: Outcome, style: str) -> list[str]:
    steps = [*lines, call]
    at = min(outcome.line, len(steps) - 1)
    word = f"self.assertRaises({outcome.error})" if style == "unittest" else f"pytest.raises({outcome.error})"
    return [*steps[:at], f"with {word}:", _indented(steps[at])]


def _asserting(call: str, outcome: Outcome, style: str) -> list[str]:
    after = [_assertion(check, name, style) for name, check in outcome.after]
    plain = call.isidentifier() or outcome.checks == ("{} is None",)
    if len(outcome.checks) == 1 and (not after or plain) and len(call) < _WIDTH:
        return [_assertion(outcome.checks[0], call, style), *after]
    about = [_assertion(check, "result", style) for check in outcome.checks]
    return [*([f"result = {call}"] if call != "result" else []), *about, *after]


def _assertion(check: str, subject: str, style: str) -> str:
    simple = isinstance(
        ast.parse(subject, mode="eval").body, (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.ListComp)
    )
    shown = subject if simple or not check.startswith("{}") else f"({subject})"
    if style == "pytest":
        return f"assert {filled(check, shown)}"
    match = re.fullmatch(r"(.*?\{\}\S*) (==|is) (.*)", check, re.DOTALL)
    if match is None:
        return f"self.assertTrue({filled(check, shown)})"
    left, right = filled(match[1], subject), filled(match[3], "")
    return f"self.{'assertIs' if match[2] == 'is' else 'assertEqual'}({left}, {right})"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))
