"""The edits that are tried: one token is replaced, added or dropped; how likely each is, is a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, NamedTuple

from setpoint_mechanic.repair.one_token.grammars import FUNCTIONS, inside, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

OPERATORS = {
    "<": ("<=", ">", ">="), "<=": ("<", ">=", ">"), ">": (">=", "<", "<="), ">=": (">", "<=", "<"),
    "==": ("!=", ">=", "<="), "!=": ("==", "<", ">"), "===": ("!==",), "!==": ("===",),
    "+": ("-",), "-": ("+",), "*": ("/", "+"), "/": ("*",), "%": ("/",), "**": ("*",),
    "&&": ("||",), "||": ("&&", "??"), "??": ("||",),
    "&": ("|", "&^"), "|": ("&", "^"), "^": ("|", "&"), "<<": (">>",), ">>": ("<<",), ">>>": (">>",),
    "+=": ("-=", "="), "-=": ("+=", "="), "*=": ("/=",), "/=": ("*=",), "=": ("+=",),
    "|=": ("&=",), "&=": ("|=",),
    "++": ("--",), "--": ("++",),
}  # fmt: skip
"""What an operator is replaced by, likeliest first."""
WORDS = (
    ("true", "false"), ("break", "continue"), ("min", "max"), ("Min", "Max"), ("floor", "ceil"),
    ("Floor", "Ceil"), ("startsWith", "endsWith"), ("HasPrefix", "HasSuffix"), ("TrimPrefix", "TrimSuffix"),
    ("TrimLeft", "TrimRight"),
    ("trimStart", "trimEnd"), ("indexOf", "lastIndexOf"), ("Index", "LastIndex"), ("some", "every"),
    ("push", "unshift"), ("pop", "shift"), ("toUpperCase", "toLowerCase"), ("ToUpper", "ToLower"),
    ("IsUpper", "IsLower"), ("keys", "values"), ("slice", "substring"), ("const", "let"), ("in", "of"),
    ("undefined", "null"), ("padStart", "padEnd"), ("map", "flatMap"), ("IsLetter", "IsDigit"),
)  # fmt: skip
"""Words of which one is written for the other."""
_OTHERS = {a: b for pair in WORDS for a, b in (pair, pair[::-1])}
PRIORS = {
    "operator": 0.9, "word": 0.8, "number": 0.7, "sign": 0.7, "operand": 0.45,
    "index": 0.45, "arguments": 0.5, "letter": 0.4, "length": 0.4, "variable": 0.35, "field": 0.3,
    "function": 0.4, "statement": 0.15, "condition": 0.14, "unguarded": 0.13, "negation": 0.12,
}  # fmt: skip
"""How likely a family of edits is to be the repair, between 0 and 1."""
WEAK = frozenset({"statement", "condition", "unguarded", "negation"})
"""Families that fit weak tests by chance: they leave code out, invert what it does, or ask something else."""
_LATER = 0.85
"""Share of the prior for each further edit of a family at the same place."""
_FLIPPED = 3
"""Places that the opposite of an equality with a number is put back: such edits pass weak tests by chance."""
_EQUALITIES = ("==", "!=", "===", "!==")
_MOST_NAMES = 6
_BRANCHES = ("if_statement", "while_statement", "do_statement", "ternary_expression", "for_statement")
_CALLS = ("argument_list", "arguments")
_JOINING = frozenset({"-", "/", "%", "<", ">", "<=", ">="})


class Edit(NamedTuple):
    """One change of a file, as a place of bytes and what stands there afterwards."""

    start: int
    end: int
    text: str
    family: str
    likely: float
    """Its prior."""
    line: int
    """1-based."""


def edits_of(root: Node, lines: Container[int]) -> Iterator[Edit]:
    """Yield the edits of all tokens that begin on some lines."""
    for node in inside(root):
        line = node.start_point[0] + 1
        if line not in lines or node.is_error:
            continue
        for family, make in _FAMILIES.items():
            first = _FLIPPED if node.type in _EQUALITIES and _beside_number(node) else 0
            if family in _NAMED and _is_asked(node):
                family = "condition"  # noqa: PLW2901 - another name is another whole condition
            for place, (where, text) in enumerate(make(node), start=first):
                likely = PRIORS[family] * _LATER**place
                yield Edit(where.start_byte, where.end_byte, text, family, likely, line)


_Change = tuple["Node", str]
_NAMED = ("variable", "field")
_PARTS = ("member_expression", "selector_expression", "unary_expression")


def _is_asked(name: Node) -> bool:
    """Whether a name, or what it is the last part of, is the whole condition of a branch."""
    node, parent = name, name.parent
    while parent is not None and parent.end_byte == node.end_byte and parent.type in _PARTS:
        node, parent = parent, parent.parent
    if parent is not None and parent.type == "parenthesized_expression":
        node, parent = parent, parent.parent
    return parent is not None and parent.type in _BRANCHES and parent.child_by_field_name("condition") == node


def _operators(node: Node) -> Iterator[_Change]:
    parent = node.parent
    if node.is_named or parent is None or node.type not in OPERATORS:
        return
    if parent.type.endswith(("binary_expression", "assignment_expression", "assignment_statement")) or (
        parent.type in ("update_expression", "inc_statement", "dec_statement")
    ):
        yield from ((node, other) for other in OPERATORS[node.type])


def _beside_number(operator: Node) -> bool:
    """Whether an operand of an operator is a number or reckons with one."""
    parent = operator.parent
    return parent is not None and any(each.type in ("int_literal", "number") for each in inside(parent))


def _words(node: Node) -> Iterator[_Change]:
    if node.child_count == 0 and (other := _OTHERS.get(text_of(node))) is not None:
        yield node, other


def _numbers(node: Node) -> Iterator[_Change]:
    if node.type in ("int_literal", "number") and (text := text_of(node)).isdecimal():
        value = int(text)
        nearby = (value - 1, value + 1, 0, -value) if value > 0 else (1,)
        yield from ((node, str(each)) for each in dict.fromkeys(nearby) if each != value)


def _signs(node: Node) -> Iterator[_Change]:
    if node.type == "unary_expression" and text_of(node).startswith("-"):
        yield node, text_of(node)[1:]


def _negations(node: Node) -> Iterator[_Change]:
    """Drop a negation, or negate a condition."""
    parent, text = node.parent, text_of(node)
    if parent is None or not node.is_named:
        return
    if node.type == "unary_expression" and text.startswith("!"):
        yield node, text[1:]
        return
    asked = parent.type in _BRANCHES and parent.child_by_field_name("condition") == node
    joined = parent.type == "binary_expression" and parent.children[1].type in ("&&", "||")
    returned = parent.type in ("return_statement", "expression_list", "arrow_function") and node.type in (
        "call_expression",
        "member_expression",
    )
    enclosed = node.type == "parenthesized_expression"
    inner = text[1:-1] if enclosed else text
    if (asked or joined or returned) and not inner.startswith("!"):
        opposite = f"!{inner}" if re.fullmatch(r"[\w.]+", inner) else f"!({inner})"
        yield node, f"({opposite})" if enclosed else opposite


def _unguarded(node: Node) -> Iterator[_Change]:
    """Let the body of an `if` without `else` run always."""
    body = node.child_by_field_name("consequence") if node.type == "if_statement" else None
    others = (node.child_by_field_name(each) for each in ("alternative", "initializer"))
    if body is not None and body.named_children and not any(others):
        first, last = body.named_children[0], body.named_children[-1]
        at = body.start_byte
        text = (body.text or b"")[first.start_byte - at : last.end_byte - at].decode("utf-8", "replace")
        yield node, text if body.type in ("block", "statement_block") else text_of(body)


def _operands(node: Node) -> Iterator[_Change]:
    if node.type != "binary_expression" or node.child_count != 3:  # noqa: PLR2004 - two operands and what joins them
        return
    left, joint, right = node.children
    if joint.type in _JOINING:
        yield node, f"{text_of(right)} {joint.type} {text_of(left)}"
    else:
        yield node, text_of(left)
        yield node, text_of(right)


def _indexes(node: Node) -> Iterator[_Change]:
    parent = node.parent
    if parent is None or parent.type not in ("index_expression", "slice_expression", "subscript_expression"):
        return
    if node.is_named and any(parent.child_by_field_name(name) == node for name in ("index", "start", "end")):
        yield from ((node, f"{text_of(node)} {sign} 1") for sign in "-+" if node.type not in _LITERAL)


_LITERAL = ("int_literal", "number", "string", "interpreted_string_literal", "template_string")


def _lengths(node: Node) -> Iterator[_Change]:
    text = text_of(node) if node.type in ("call_expression", "member_expression") else ""
    if re.fullmatch(r"len\(.*\)|.*\.length", text, re.DOTALL):
        yield from ((node, f"{text} {sign} 1") for sign in "-+")


def _arguments(node: Node) -> Iterator[_Change]:
    if node.type not in _CALLS:
        return
    parts = [text_of(each) for each in node.named_children if each.type != "comment"]
    for at in range(len(parts) - 1):
        if parts[at] != parts[at + 1]:
            yield node, f"({', '.join([*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]])})"


def _letters(node: Node) -> Iterator[_Change]:
    text = text_of(node) if node.type in ("rune_literal", "string", "interpreted_string_literal") else ""
    if len(text) == 3 and text[1].isalpha():  # noqa: PLR2004 - a letter and its quotes
        yield node, text.swapcase()


def _functions(node: Node) -> Iterator[_Change]:
    """Call another function of the file."""
    call, root = node.parent, node
    if node.type != "identifier" or call is None or call.type != "call_expression":
        return
    while root.parent is not None:
        root = root.parent
    if call.child_by_field_name("function") == node:
        top = [each for child in root.named_children for each in (child, *child.named_children)]
        named = (each.child_by_field_name("name") for each in top if each.type == "function_declaration")
        yield from _replaced(node, list(dict.fromkeys(text_of(each) for each in named if each is not None)))


def _variables(node: Node) -> Iterator[_Change]:
    if node.type == "identifier" and not _declares(node):
        top = _outermost(node)
        known = dict.fromkeys(text_of(each) for each in inside(top) if _declares(each)) if top else {}
        yield from _replaced(node, list(known))


def _fields(node: Node) -> Iterator[_Change]:
    if node.type in ("field_identifier", "property_identifier") and (top := _outermost(node)) is not None:
        called = _is_called(node)
        same = (each for each in inside(top) if each.type == node.type and _is_called(each) == called)
        yield from _replaced(node, list(dict.fromkeys(map(text_of, same))))


def _statements(node: Node) -> Iterator[_Change]:
    if node.type in ("expression_statement", "assignment_statement", "continue_statement", "inc_statement"):
        yield node, ""


def _replaced(node: Node, names: list[str]) -> Iterator[_Change]:
    """Put other names in the place of one, the most similar first."""
    own = text_of(node)
    others = sorted((each for each in names if each not in (own, "_")), key=lambda each: -_alike(own, each))
    yield from ((node, each) for each in others[:_MOST_NAMES])


def _alike(one: str, other: str) -> float:
    """Say how much of two names is the same at their ends."""
    pairs = (zip(one, other, strict=False), zip(reversed(one), reversed(other), strict=False))
    same = max(next((at for at, (a, b) in enumerate(each) if a != b), 1) for each in map(list, pairs))
    return same / max(len(one), len(other))


def _declares(node: Node) -> bool:
    """Whether a name is a parameter or a variable where it begins."""
    parent = node.parent
    if node.type != "identifier" or parent is None:
        return False
    if parent.type in (
        "formal_parameters",
        "required_parameter",
        "optional_parameter",
        "parameter_declaration",
    ):
        return parent.child_by_field_name("type") != node
    if parent.type in ("variable_declarator", "var_spec", "arrow_function", "assignment_pattern"):
        return node in (parent.child_by_field_name(each) for each in ("name", "parameter", "left"))
    grand = parent.parent
    if grand is None or grand.type not in ("short_var_declaration", "range_clause"):
        return False
    return grand.child_by_field_name("left") == parent


def _outermost(node: Node) -> Node | None:
    """Return the outermost function around a node."""
    found, at = None, node.parent
    while at is not None:
        found = at if at.type in FUNCTIONS else found
        at = at.parent
    return found


def _is_called(node: Node) -> bool:
    parent = node.parent
    call = parent.parent if parent is not None else None
    return (
        call is not None and call.type == "call_expression" and call.child_by_field_name("function") == parent
    )


_FAMILIES: dict[str, Callable[[Node], Iterator[_Change]]] = {
    "operator": _operators,
    "word": _words,
    "number": _numbers,
    "sign": _signs,
    "operand": _operands,
    "index": _indexes,
    "length": _lengths,
    "arguments": _arguments,
    "letter": _letters,
    "variable": _variables,
    "field": _fields,
    "function": _functions,
    "statement": _statements,
    "unguarded": _unguarded,
    "negation": _negations,
}
