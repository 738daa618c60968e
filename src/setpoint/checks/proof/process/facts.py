"""Find where code reads facts about the process that runs it.

A function that asks for its program, its threads, its memory or its environment can tell a test from
production, and no run of a test shows what it does elsewhere. Two ways find it. Some facts count wherever
they are read, in languages but Python: arguments, stack and the test runner. All others count where their
value reaches a condition or is given back (`flow`); what tells them is in `members.toml`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from setpoint.checks.parsing import (
    GO,
    RUST,
    is_test,
    parser_of,
    suffix_of,
    text_of,
)
from setpoint.checks.proof.process.fact import Fact
from setpoint.checks.proof.process.flow import Flow
from setpoint.checks.proof.process.other_flow import other_flow
from setpoint.checks.proof.process.python_flow import python_flow

if TYPE_CHECKING:
    from tree_sitter import Node


_GO = (
    ("os", Fact.PROGRAM, "Args|Executable|Getppid"),
    ("flag", Fact.PROGRAM, "Lookup|Visit|VisitAll|CommandLine"),
    ("runtime", Fact.STACK, "Caller|Callers|CallersFrames|Stack|FuncForPC"),
    ("runtime/debug", Fact.STACK, "Stack|PrintStack"),
    ("runtime/debug", Fact.PROGRAM, "ReadBuildInfo"),
    ("testing", Fact.RUNNER, r"\w+"),
)
"""Members by the path that Go imports."""
_PROCESS = r"(?:(?<![\w.$])|(?<=\.\.\.))process"
_SCRIPT = (
    (Fact.PROGRAM, rf"{_PROCESS}\s*\??\.\s*(?:argv0?|execArgv|execPath|title|ppid|mainModule)\b"),
    (Fact.PROGRAM, rf"{_PROCESS}\s*(?:\?\.)?\["),
    (Fact.PROGRAM, r"=\s*process\s*(?=[;,)\n])|\brequire\.main\b|\bmodule\.parent\b|\bimport\.meta\.main\b"),
    (Fact.PROGRAM, r"\b(?:from|require\(|import\()\s*'(?:node:)?process'"),
    (Fact.STACK, r"\bError\s*\([^()]*\)\s*\)?\s*\??\.\s*stack\b"),
    (Fact.STACK, r"\bError\.(?:captureStackTrace|prepareStackTrace|stackTraceLimit)\b|\barguments\.callee\b"),
    (Fact.STACK, r"\.\s*stack\s*\??\.\s*(?:includes|indexOf|match|search|split|startsWith|endsWith)\b"),
    (Fact.RUNNER, r"\b(?:from|require\(|import\()\s*'(?:node:test|vitest|jest|@jest/globals|mocha)'"),
    (
        Fact.RUNNER,
        r"\b(?:from|require\(|import\()\s*'~[^']*(?:(?<=/)(?:tests?|__tests__|specs?)/[^']*|~(?:test|spec)(?:~\w+)?)'",
    ),
    (Fact.RUNNER, r"\btypeof\s+(?:globalThis\.)?(?:describe|it|test|jest|vi|expect|beforeEach)\b"),
    (
        Fact.RUNNER,
        r"\bglobalThis\??\.(?:describe|it|test|jest|vi|expect|beforeEach)\b|\bimport\.meta\.vitest\b",
    ),
    (Fact.RUNNER, r"\bNODE_ENV'?\]?\s*[!=]==?\s*'test'"),
)
_RUST = (
    (Fact.PROGRAM, r"\benv\s*::\s*(?:\{[^}]*?)?\b(?:args|args_os|current_exe)\b|\benv\s+as\b"),
    (Fact.STACK, r"\bthread\s*::\s*(?:\{[^}]*?)?\bcurrent\b(?=[^;]*\.\s*name\b|(?s:.*)\.\s*name\s*\(\))"),
    (Fact.STACK, r"\b[Bb]acktrace\b|\bLocation\s*::\s*caller\b"),
)
_SHELL = (
    (Fact.TERMINAL, r"(?:\[|\btest)\s+(?:!\s+)?-t\s+\d|\btty\b(?=\s|;|$)"),
    (Fact.RUNTIME, r"/proc/(?:self|\$|\d)[^\s\"';)]*|\$\{?PPID\b|\bps\s+-\w"),
    (Fact.STACK, r"\$\{?(?:FUNCNAME|BASH_LINENO)\b"),
)
_IS_SHELL = re.compile(rb"#!.*\b(?:ba|da|k|z)?sh\b")
_SHELL_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
_OF_RUNNERS = r"'(?:NODE_TEST_\w+|VITEST\w*|JEST_\w+|RUST_TEST_\w+|NEXTEST\w*|GO_TEST\w*)'"
_NAMES_OF_RUNNERS = r"\benv\??\.(?:NODE_TEST_\w+|VITEST\w*|JEST_\w+)"
_PROC = r"'/proc/(?:self|thread-self|\{\})[^']*'"
_KNOWN_VARIABLE = re.compile(
    r"""(['"`.])(HOME|USERPROFILE|(LOCAL)?APPDATA|XDG_\w+|TMPDIR|TE?MP|PATH|PATHEXT|SHELL|COMSPEC|EDITOR|VISUAL"""
    r"""|PAGER|LANG|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|(HTTPS?|NO|ALL)_PROXY)(\1|$|\W)"""
)
"""Variables by which systems say where things are; the arrangements of the tests give them other values."""
_IMPORT = re.compile(
    r"^(?:import[ \t]+|[ \t]*)(?P<name>(?!import\b)[\w.]+[ \t]+)?'(?P<path>[\w/]+)'[ \t;]*$", re.MULTILINE
)
_NO_NAME = re.compile(r"[.\s]")


def new_facts(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[tuple[str, Fact, str]]:
    """Yield file, fact and text of what changed files read of their process.

    What a file read at the base is not new, and what moved from one file to another is not either.
    """
    known = {path: _facts_in(path, text) for path, text in before.items()}
    flows = {path: _flow_of(path, text) for path, text in before.items()}
    moved = sum(known.values(), Counter[tuple[Fact, str]]())
    moved += Counter((each.fact, each.text) for flow in flows.values() for each in flow.read())
    for path, text in after.items():
        stood = {fact for fact, _ in known.get(path, ())}
        if path in flows:
            stood |= {each.fact for each in flows[path].read() if each.fact is not Fact.ENVIRONMENT}
        facts = _facts_in(path, text)
        reached = _flow_of(path, text).reached()
        facts |= Counter((each.fact, each.text) for each in reached if not _KNOWN_VARIABLE.search(each.text))
        for each, count in facts.items():
            if each[0] not in stood and count > moved[each]:
                yield path, *each


def _flow_of(path: str, source: bytes) -> Flow:
    return python_flow(source) if path.endswith((".py", ".pyx")) else other_flow(path, source)


def _facts_in(path: str, source: bytes) -> Counter[tuple[Fact, str]]:
    if path.endswith((".sh", ".bash")) or _IS_SHELL.match(source):
        text = _SHELL_COMMENT.sub("", source.decode("utf-8", "replace"))
        return Counter((fact, found[0]) for fact, how in _SHELL for found in re.finditer(how, text))
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix else None
    if parser is None:
        return Counter()
    return Counter(_facts(suffix, plain_text(parser.parse(source).root_node)))


def plain_text(root: Node) -> str:
    """Return a source without comments and inline tests, with its texts in single quotes and without dots."""
    return "".join(_parts(root, [root.start_byte], root.text or b""))


def _parts(root: Node, at: list[int], whole: bytes) -> Iterator[str]:
    for child in _special(root):
        yield whole[at[0] - root.start_byte : child.start_byte - root.start_byte].decode("utf-8", "replace")
        at[0] = child.end_byte
        if "comment" not in child.type and not is_test(child):
            inside = text_of(child).strip("'\"`")
            yield f"'{_NO_NAME.sub('~', inside)}'"
    yield whole[at[0] - root.start_byte :].decode("utf-8", "replace")


def _special(node: Node) -> Iterator[Node]:
    """Yield comments, texts and inline tests in their order."""
    for child in node.children:
        literal = child.type in {
            "string",
            "string_literal",
            "raw_string_literal",
            "interpreted_string_literal",
        }
        if literal or "comment" in child.type or is_test(child):
            yield child
        else:
            yield from _special(child)


def _facts(suffix: str, text: str) -> Iterator[tuple[Fact, str]]:
    patterns = {GO: _of_go(text), RUST: _RUST}.get(suffix, _SCRIPT)
    shared = ((Fact.RUNNER, _OF_RUNNERS), (Fact.RUNNER, _NAMES_OF_RUNNERS), (Fact.PROGRAM, _PROC))
    for fact, pattern in (*patterns, *shared):
        for found in re.finditer(pattern, text):
            yield fact, " ".join(found[0].split()).strip(";=, ")


def _of_go(text: str) -> tuple[tuple[Fact, str], ...]:
    """Return patterns for the names under which a file imports modules."""
    found = []
    for each in _IMPORT.finditer(text):
        for path, fact, members in _GO:
            if path == each["path"]:
                name = (each["name"] or path.rpartition("/")[2]).strip()
                within = "" if name == "." else rf"{re.escape(name)}\."
                found.append((fact, rf"\b{within}(?:{members})\b"))
    return tuple(found)
