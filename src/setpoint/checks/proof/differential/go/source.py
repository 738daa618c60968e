"""Read packages of Go: their functions, types and known errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.checks.parsing import GO, field_of, parser_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_UNUSUAL = re.compile(rb'^//(?:go:build| ?\+build)|^import "C"', re.MULTILINE)
"""Sources that are not in every build."""
_FORBIDDEN = re.compile(
    r"\bos\.(?:Create|OpenFile|Write|Mkdir|Remove|Rename|Symlink|Link|Chmod|Chown|Chdir|Chtimes|Lchown|Truncate"
    r"|Exit|StartProcess|FindProcess|Stdin)|\bioutil\.(?:Write|Temp)|\b(?:exec|syscall|unix|sql|plugin|rpc|smtp)\."
    r"|\bnet\.(?:Dial|Listen|Lookup)|\blog\.Fatal"
    r"|\bhttp\.(?:Get|Post|Head|ListenAndServe|Serve|Client|DefaultClient|NewRequest)|\bhttptest\.NewS"
)
"""What files, processes and the network are reached by."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_ERROR = re.compile(r"[Ee]rr(?:or)?(?:$|[A-Z_])")
_MADE = re.compile(r"\(?\*?([A-Za-z_]\w*)(?:$|[,)]|, error\))")
_UNCALLED = frozenset({"init", "main", "_"})


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function or method outside other functions."""

    name: str
    """`Queue.Push` for a method."""
    text: str
    given: tuple[str, ...] = ()
    """The receiver and the parameters by name; empty where they have none."""
    kinds: tuple[str, ...] = ()
    """Names of its type parameters, or of those of its receiver."""
    gives: str = ""
    """The type of an object that it makes: of what it gives first, and no method."""
    body: int
    """Byte at which its body begins, behind the brace."""

    def called(self, kinds: str) -> str:
        """Return the expression for the function, with types for its parameters."""
        made = f"[{kinds}]" if self.kinds else ""
        owner, _, own = self.name.rpartition(".")
        return f"(*{owner}{made}).{own}" if owner else f"{own}{made}"


@dataclass(frozen=True, kw_only=True)
class Source:
    """What one or several sources of a package declare."""

    package: str = ""
    clause: int = 0
    """Byte at which the package clause ends."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    """Types by name, as they are written without comments; those without parameters."""
    errors: frozenset[str] = frozenset()
    """Variables that are named as errors are."""

    def reaching(self, words: Iterable[str] = ()) -> frozenset[str]:
        """Return the functions that reach files, processes or the network, directly or through others."""
        named = {
            name: frozenset(_WORD.findall(each.text)) - {name.rpartition(".")[2]}
            for name, each in self.functions.items()
        }
        found = {name for name, each in self.functions.items() if _FORBIDDEN.search(each.text)}
        while True:
            known = {name.rpartition(".")[2] for name in found} | {*words}
            more = {name for name, own in named.items() if own & known} - found
            if not more:
                return frozenset(found)
            found |= more


def source_of(text: bytes) -> Source:
    """Read one source; nothing where it is not in every build or the grammar is not installed."""
    parser = parser_of(GO)
    if parser is None or _UNUSUAL.search(text):
        return Source()
    root = parser.parse(text).root_node
    clause = next((each for each in root.named_children if each.type == "package_clause"), None)
    if clause is None:
        return Source()
    functions = [found for each in root.named_children if (found := _function(each)) is not None]
    return Source(
        package=text_of(clause.named_children[0]),
        clause=clause.end_byte,
        functions={each.name: each for each in functions},
        types=dict(_types(root)),
        errors=frozenset(_errors(root)),
    )


def joined(sources: Iterable[Source]) -> Source:
    """Join what the sources of one package declare."""
    known = [each for each in sources if each.package]
    return Source(
        package=known[0].package if known else "",
        functions={name: function for each in known for name, function in each.functions.items()},
        types={name: text for each in known for name, text in each.types.items()},
        errors=frozenset[str]().union(*(each.errors for each in known)),
    )


def package_in(folder: Path) -> Source:
    """Read the package in a folder, without its tests."""
    paths = [path for path in sorted(folder.glob("*.go")) if not path.name.endswith("_test.go")]
    return joined(source_of(path.read_bytes()) for path in paths if path.is_file())


def _function(node: Node) -> Function | None:
    body, own = node.child_by_field_name("body"), field_of(node, "name")
    if body is None or own in _UNCALLED or node.type not in ("function_declaration", "method_declaration"):
        return None
    given = list(_named(node.child_by_field_name("parameters")))
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        kinds = tuple(_named(node.child_by_field_name("type_parameters")))
        return Function(name=own, text=text_of(node), given=(*given,), kinds=kinds, body=body.start_byte + 1)
    kind = re.search(r"\*?\s*(\w+)\s*(?:\[(.*)\])?\s*,?\s*\)$", text_of(receiver), re.DOTALL)
    if kind is None:
        return None
    return Function(
        name=f"{kind[1]}.{own}",
        text=text_of(node),
        given=(*_named(receiver), *given),
        kinds=tuple(each.strip() for each in (kind[2] or "").split(",") if each.strip()),
        body=body.start_byte + 1,
    )


def _named(parameters: Node | None) -> Iterator[str]:
    """Yield the names of parameters; empty for one without a name."""
    for each in parameters.named_children if parameters is not None else []:
        if each.type == "comment":
            continue
        names = [text_of(name) for name in each.children_by_field_name("name")]
        yield from ("" if name == "_" else name for name in names or [""])


def _types(root: Node) -> Iterator[tuple[str, str]]:
    for top in root.named_children:
        for each in top.named_children if top.type == "type_declaration" else []:
            kind = each.child_by_field_name("type")
            if kind is not None and each.child_by_field_name("type_parameters") is None:
                yield field_of(each, "name"), " ".join(_plain(kind))


def _plain(node: Node) -> Iterator[str]:
    """Yield the words of a node without comments."""
    if node.type == "comment":
        return
    if not node.children:
        yield text_of(node)
    for each in node.children:
        yield from _plain(each)


def _errors(node: Node) -> Iterator[str]:
    for each in node.named_children:
        if each.type == "var_spec":
            names = map(text_of, each.children_by_field_name("name"))
            yield from (name for name in names if _ERROR.match(name))
        elif each.type in ("var_declaration", "var_spec_list"):
            yield from _errors(each)
