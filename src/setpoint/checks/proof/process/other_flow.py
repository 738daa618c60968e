"""Find what files of Go, JavaScript, TypeScript and Rust read of their process that decides something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import (
    FUNCTIONS,
    GO,
    RUST,
    field_of,
    is_test,
    parser_of,
    suffix_of,
    text_of,
)
from setpoint.checks.proof.process import grammar
from setpoint.checks.proof.process.fact import PROC, Fact, Read, told
from setpoint.checks.proof.process.flow import Expression, Flow
from setpoint.checks.proof.process.module_names import module_names

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST = 60
_GLOBALS = ("globalThis", "global", "self", "window")
_SPANS = frozenset({"elapsed", "duration_since", "Sub", "Since", "Until", "Before", "After", "Compare"})
"""Methods and functions that compare two readings of a clock."""
_TERMINAL = frozenset({"isTTY", "is_terminal"})
_SYSTEM = r"target_\w+|unix|windows|feature|panic|docsrs|doc|rustfmt|clippy|any|all|not|loom|miri"
_BUILDS = re.compile(rf'(?<![\w"])(?!(?:{_SYSTEM})\b)[a-z_]\w*(?![\w"])')
_MARKS = frozenset({"attribute_item", "inner_attribute_item", "comment"})
_CONDITIONAL = re.compile(r"#!?\[\s*cfg\(")
_NOT_IN_TESTS = re.compile(r"\bnot\s*\((?:\s*(?:any|all)\s*\()?[^()]*\btest\b")
_OTHER_FILE = re.compile(r"#!?\[\s*cfg_attr\(.*\bpath\s*=")
_GO_SYSTEM = re.compile(
    r"aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|unix"
    r"|386|amd64|arm(64)?|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm|cgo|gc|gccgo|ignore|tools?|appengine|go1\.\d+"
)


def other_flow(path: str, source: bytes) -> Flow:
    """Return how values flow in a file; an empty flow where it cannot be parsed."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix else None
    if parser is None:
        return Flow()
    language = {GO: "go", RUST: "rust"}.get(suffix, "javascript")
    root = parser.parse(source).root_node
    reader = _Reader(language, root)
    reader.walk(root, "")
    return reader.flow


class _Reader:
    """Reads one file."""

    def __init__(self, language: str, root: Node) -> None:
        self.flow = Flow()
        self._language = language
        self._imported = dict(module_names(language, root))
        for name in _parameters_in(root):
            self._imported.pop(name, None)

    def walk(self, node: Node, scope: str) -> None:
        """Take in a node and all that is in it."""
        if is_test(node) and node.type in ("mod_item", "function_item"):
            return
        self.flow.always += self._marked(node)
        inner = scope
        if node.type in FUNCTIONS:
            inner = scope or f"{field_of(node, 'name')}:{node.start_byte}"
            self._parameters(node, inner)
        self.flow.conditions += [self.expression(each, inner) for each in grammar.conditions(node)]
        self.flow.returned += [self.expression(each, inner) for each in grammar.given_back(node)]
        if found := grammar.assigned(node):
            self._assigned(node, found, inner)
        if node.type in ("call_expression", "new_expression"):
            given = node.child_by_field_name("arguments")
            called = re.findall(r"\w+", field_of(node, "function"))
            if given is not None and called:
                self.flow.passed.append((called[-1], self.expression(given, inner)))
        for child in node.named_children:
            self.walk(child, inner)

    def expression(self, node: Node, scope: str) -> Expression:
        """Return what an expression is made of; functions in it are read by themselves."""
        found = Expression()
        node = grammar.unwrapped(node)
        if read := self._read(node):
            found.reads.append(read)
            return found
        if (sides := _sides(node)) is not None:
            found.pairs.append((self.expression(sides[0], scope), self.expression(sides[1], scope)))
        elif node.type == "call_expression" and _last(field_of(node, "function")) in _SPANS:
            since = Expression()
            for child in node.named_children:
                since.add(self.expression(child, scope))
            found.pairs.append((since, Expression(reads=[Read(Fact.CLOCK, "", returned=False)])))
        elif node.type in grammar.NAMES:
            found.names.append((scope, text_of(node)))
        elif (both := grammar.chain(node)) is not None:
            self._chained(found, both, scope)
        elif node.type not in FUNCTIONS:
            for child in node.named_children:
                found.add(self.expression(child, scope))
        return found

    def _chained(self, found: Expression, both: tuple[Node, Node], scope: str) -> None:
        left, right = both
        if right.type in grammar.TEXTS or right.type.endswith("identifier"):
            found.names.append(("", f".{_plain(right)}"))
        else:
            found.add(self.expression(right, scope))
        if not self._parts(left):
            found.add(self.expression(left, scope))

    def _read(self, node: Node) -> Read | None:
        """Return what a node reads of the process by itself."""
        text = " ".join(text_of(node).split())[:_LONGEST]
        if node.type in grammar.TEXTS:
            return Read(Fact.RUNTIME, text) if PROC.match(text.strip("`'\"r#")) else None
        if node.type == "macro_invocation":
            return self._macro(node, text)
        both = grammar.chain(node)
        if both is not None and _plain(both[1]) in _TERMINAL:
            return Read(Fact.TERMINAL, text)
        if node.type == "new_expression" and field_of(node, "constructor") == "Date":
            return told(self._language, ["Date", "new"], text) if _is_bare(node) else None
        asked = node.child_by_field_name("function") if node.type == "call_expression" else node
        if asked is None or (node.type == "call_expression" and _last(text_of(asked)) in _SPANS):
            return None
        parts = self._parts(asked)
        read = told(self._language, parts, text) if parts else None
        whole = node is asked or _is_bare(node) or (read is not None and read.fact is Fact.ENVIRONMENT)
        return read if whole else None

    def _macro(self, node: Node, text: str) -> Read | None:
        name = field_of(node, "macro").rpartition("::")[2]
        inside = text_of(node).partition("(")[2]
        if name == "cfg" and _BUILDS.search(inside):
            return Read(Fact.BUILD, text)
        if name == "option_env" or (name == "env" and "CARGO_" not in inside and "OUT_DIR" not in inside):
            return Read(Fact.BUILD, text)
        return None

    def _marked(self, node: Node) -> Iterator[Read]:
        """Yield the conditions of builds under which a compiler leaves code out."""
        if node.type not in _MARKS:
            return
        text = " ".join(text_of(node).split())
        if self._language == "go" and text.startswith("//go:build "):
            tags = re.findall(r"[\w.]+", text.removeprefix("//go:build "))
            if any(_GO_SYSTEM.fullmatch(tag) is None for tag in tags):
                yield Read(Fact.BUILD, text[:_LONGEST])
        elif self._language == "rust" and _CONDITIONAL.match(text):
            inside = node.parent is not None and node.parent.type == "block"
            names = {*_BUILDS.findall(text.partition("(")[2])}
            if names - {"test"} or (names and (inside or _NOT_IN_TESTS.search(text))):
                yield Read(Fact.BUILD, text[:_LONGEST])
        elif self._language == "rust" and _OTHER_FILE.match(text):
            yield Read(Fact.BUILD, text[:_LONGEST])

    def _parts(self, node: Node) -> list[str]:
        """Return the names that lead to a member of a module or global object; empty for anything else."""
        node = grammar.unwrapped(node)
        if node.type in grammar.NAMES:
            name = text_of(node)
            return [*self._imported.get(name, ())]
        both = grammar.chain(node)
        if both is None:
            return []
        left, right = both
        if node.type == "subscript_expression" and right.type not in grammar.TEXTS:
            return []
        if text_of(left) in _GLOBALS and self._language == "javascript":
            return [*self._imported.get(_plain(right), ())]
        held = self._parts(left)
        return [*held, _plain(right)] if held else self._imported_path(node)

    def _imported_path(self, node: Node) -> list[str]:
        """Return a whole path of Rust, which needs no import."""
        if self._language != "rust" or node.type != "scoped_identifier":
            return []
        parts = text_of(node).replace(" ", "").split("::")
        return parts if parts[0] in ("std", "core", "libc") else []

    def _assigned(self, node: Node, found: tuple[list[Node], Node], scope: str) -> None:
        left, value = found
        held = [target for each in left for target in grammar.targets(each)]
        names = [
            (scope, f".{_plain(name)}") if member or grammar.of_field(node) else (scope, text_of(name))
            for name, member in held
        ]
        if scope and grammar.declares(node):
            self.flow.bound[scope].update(name for _, name in names if not name.startswith("."))
        if value.type in FUNCTIONS and names:
            inner = scope or f":{value.start_byte}"
            self.flow.parameters[names[0][1].lstrip(".")] += self._given(value, inner)
        self.flow.assigned.append((names, self.expression(value, scope)))

    def _parameters(self, node: Node, scope: str) -> None:
        names = [*self._given(node, scope)]
        self.flow.bound[scope].update(name for _, name in names)
        self.flow.parameters[field_of(node, "name")] += names

    def _given(self, node: Node, scope: str) -> Iterator[tuple[str, str]]:
        for held in _parameter_nodes(node):
            yield from ((scope, text_of(name)) for name, member in grammar.targets(held) if not member)


def _parameters_in(node: Node) -> Iterator[str]:
    """Yield the names of all parameters, which hide what is there without an import."""
    for child in node.named_children:
        if node.type in FUNCTIONS and child in _parameter_nodes(node):
            yield from (text_of(name) for name, member in grammar.targets(child) if not member)
        yield from _parameters_in(child)


def _parameter_nodes(function: Node) -> list[Node]:
    held = (function.child_by_field_name(field) for field in ("parameters", "parameter", "receiver"))
    return [each for each in held if each is not None]


def _sides(node: Node) -> tuple[Node, Node] | None:
    """Return both sides of a difference or comparison."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type == "binary_expression" and left is not None and right is not None:
        return (left, right) if field_of(node, "operator") in grammar.SIDES else None
    return None


def _is_bare(call: Node) -> bool:
    """Whether a call has no argument, which would be worth a look of its own."""
    given = call.child_by_field_name("arguments")
    return given is None or not given.named_children


def _plain(node: Node) -> str:
    return text_of(node).strip("'\"`#")


def _last(text: str) -> str:
    return next(reversed(re.findall(r"\w+", text)), "")
