"""The bugs that `bench/repair.py` seeds: by family, in the shares in which reviewed bugs are published.

They are made from the syntax alone, by other code than the engine's families of edits, and many of them have
no counterpart there: whole guards, filters and branches that are missing, steps that are left out. What
nobody could know from the program and its tests is not taken out: a result is lost only where it was a plain
value, a name is left unbound nowhere.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from setpoint_probe.source.source import Edits, FunctionNode, Source, Splice, bound_names

FAMILIES = {"value": 27, "missing": 20, "excess": 19, "operator": 15, "variable": 14, "function": 5}
"""Shares in percent."""
Site = tuple[str, Edits]
"""Name of the kind and what is edited."""
COMPARED = {"<": ("<=", ">", ">="), "<=": ("<", ">="), ">": (">=", "<", "<="), ">=": (">", "<="),
            "==": ("!=", "is not"), "!=": ("==",), "is": ("is not",), "is not": ("is",),
            "in": ("not in",), "not in": ("in",)}  # fmt: skip
SYMBOLS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.And: "and", ast.Or: "or",
}  # fmt: skip
COMPUTED = {"+": "-", "-": "+", "*": "+", "/": "//", "//": "/", "%": "//", "&": "|", "|": "&"}
ALIKE = (
    ("min", "max"), ("any", "all"), ("list", "set", "tuple", "sorted"), ("int", "float", "str"),
    ("append", "extend", "add"), ("upper", "lower", "title"), ("startswith", "endswith"), ("find", "rfind"),
    ("strip", "lstrip", "rstrip"), ("keys", "values", "items"), ("pop", "get"), ("get", "setdefault"),
    ("split", "rsplit", "partition"), ("match", "search", "fullmatch"), ("isinstance", "issubclass"),
    ("index", "count"), ("sum", "len"), ("iter", "list"), ("update", "add"), ("islice", "takewhile"),
)  # fmt: skip
_JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def sites(source: Source, function: ast.AST) -> dict[str, list[Site]]:
    """Give everything that can be made wrong in a function, by family."""
    found: dict[str, list[Site]] = {family: [] for family in FAMILIES}
    names = _names(function)
    parts = (("operator", _operators), ("value", _values), ("function", _functions), ("missing", _missing),
             ("excess", _excess))  # fmt: skip
    for node in ast.walk(function):
        if node is function or _in_fstring(source, node):
            continue
        for family, make in parts:
            found[family] += make(source, node)
        found["variable"] += _variables(source, node, names)
    return found


def chosen(found: dict[str, list[Site]], rng: random.Random) -> tuple[str, str, Edits] | None:
    """Draw a family by its share, a kind of it, and one place."""
    family = rng.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    kinds = sorted({kind for kind, _ in found[family]})
    if not kinds:
        return None
    kind = rng.choice(kinds)
    return family, kind, rng.choice([edits for name, edits in found[family] if name == kind])


def _operators(source: Source, node: ast.AST) -> Iterator[Site]:
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            old = SYMBOLS[type(op)]
            for new in COMPARED[old]:
                yield from _between(source, parts[place], parts[place + 1], old, new, "comparison")
    elif isinstance(node, ast.BinOp) and type(node.op) in SYMBOLS:
        old = SYMBOLS[type(node.op)]
        yield from _between(source, node.left, node.right, old, COMPUTED[old], "arithmetic")
    elif isinstance(node, ast.BoolOp):
        old = SYMBOLS[type(node.op)]
        new = "or" if old == "and" else "and"
        yield from _between(source, node.values[0], node.values[1], old, new, "boolean")
    elif isinstance(node, ast.AugAssign) and type(node.op) in SYMBOLS:
        old = SYMBOLS[type(node.op)]
        yield from _between(source, node.target, node.value, old + "=", COMPUTED[old] + "=", "augmented")


def _values(source: Source, node: ast.AST) -> Iterator[Site]:
    if isinstance(node, ast.Constant) and not isinstance(source.parents.get(node), ast.Expr):
        yield from _constants(source, node)
    elif isinstance(node, ast.Return) and isinstance(node.value, (ast.Name, ast.Attribute, ast.Constant)):
        yield "returned", _put(source, node.value, "None")
    elif isinstance(node, ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                yield "bound", _put(source, bound, f"{source.node_text(bound)} + 1")
    elif (
        isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)
    ):
        yield "raised", _put(source, node.exc.func, "RuntimeError")
    elif (
        isinstance(node, (ast.List, ast.Tuple))
        and 2 <= len(node.elts) <= 4
        and isinstance(node.ctx, ast.Load)
    ):
        yield "order", _exchange(source, node.elts[0], node.elts[1])


def _constants(source: Source, node: ast.Constant) -> Iterator[Site]:
    value = node.value
    if isinstance(value, bool):
        yield "truth", _put(source, node, str(not value))
    elif isinstance(value, int):
        for new in (value + 1, value - 1, 0, value + 10):
            if new != value:
                yield "number", _put(source, node, repr(new))
    elif isinstance(value, str) and value:
        yield "string", _put(source, node, repr(value[:-1]))
        yield "string", _put(source, node, repr(value.swapcase() + "_"))
    elif value is None:
        yield "none", _put(source, node, "0")


def _variables(source: Source, node: ast.AST, names: list[str]) -> Iterator[Site]:
    parent = source.parents.get(node)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        if isinstance(parent, ast.Call) and parent.func is node:
            return
        for other in names:
            if other != node.id:
                yield "name", _put(source, node, other)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        if isinstance(parent, ast.Call) and parent.func is node:
            return
        for other in _attributes(source, node):
            yield "attribute", _put(source, node, f"self.{other}")


def _functions(source: Source, node: ast.AST) -> Iterator[Site]:
    if not isinstance(node, ast.Call):
        return
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    end = source.span(node.func)[1]
    for family in ALIKE:
        for other in family if name in family else ():
            if other != name:
                yield "called", (Splice(end - len(name.encode()), end, other),)
    plain = [each for each in node.args if not isinstance(each, ast.Starred)]
    if len(plain) >= 2 and source.node_text(plain[0]) != source.node_text(plain[1]):
        yield "arguments", _exchange(source, plain[0], plain[1])


def _missing(source: Source, node: ast.AST) -> Iterator[Site]:
    if isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            rest = [source.node_text(each) for other, each in enumerate(node.values) if other != place]
            yield "part of a condition", _put(source, node, f" {SYMBOLS[type(node.op)]} ".join(rest))
    elif isinstance(node, ast.IfExp):
        yield "choice", _put(source, node, source.node_text(node.body))
    elif isinstance(node, ast.UnaryOp):
        yield "sign", _put(source, node, source.node_text(node.operand))
    elif isinstance(node, ast.Call):
        yield from _missing_in_call(source, node)
    elif isinstance(node, ast.comprehension) and node.ifs:
        start = source.data.rfind(b"if", 0, source.span(node.ifs[0])[0])
        yield "filter", (Splice(start, source.span(node.ifs[-1])[1], ""),)
    elif isinstance(node, ast.stmt):
        yield from _missing_statement(source, node)


def _missing_statement(source: Source, node: ast.stmt) -> Iterator[Site]:
    is_step = isinstance(node, (ast.AugAssign, ast.Expr)) and not _is_text(node)
    if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _JUMPS):
        yield from _without(source, node, "guard")
    elif is_step or _binds_again(source, node):
        yield from _without(source, node, "step")
    elif isinstance(node, ast.If) and node.orelse and not isinstance(node.orelse[0], ast.If):
        last = node.orelse[-1].end_lineno or node.lineno
        yield "else", (Splice(*source.lines_span((node.body[-1].end_lineno or 0) + 1, last), ""),)


def _missing_in_call(source: Source, node: ast.Call) -> Iterator[Site]:
    alone = len(node.args) == 1 and not node.keywords
    if alone and not isinstance(node.args[0], (ast.Starred, ast.GeneratorExp)):
        yield "conversion", _put(source, node, source.node_text(node.args[0]))
    if node.keywords and node.args:
        before = source.span((node.args + [each.value for each in node.keywords])[-2])[1]
        yield "argument", (Splice(before, source.span(node.keywords[-1].value)[1], ""),)


def _excess(source: Source, node: ast.AST) -> Iterator[Site]:
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        text = source.node_text(node.test)
        yield "not", _put(source, node.test, f"not ({text})")
        name = next((each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)), "")
        if name:
            yield "part of a condition", _put(source, node.test, f"({text}) and {name}")
            yield "part of a condition", _put(source, node.test, f"({text}) or not {name}")
    elif isinstance(node, ast.Return) and node.value is not None:
        text = source.node_text(node.value)
        yield "conversion", _put(source, node.value, f"str({text})")
        yield "wrapping", _put(source, node.value, f"[{text}]")
    elif isinstance(node, (ast.Assign, ast.Expr, ast.AugAssign)) and not _is_text(node):
        yield from _excess_step(source, node)
    elif isinstance(node, (ast.BinOp, ast.Subscript)) and isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        part = node.right if isinstance(node, ast.BinOp) else node.slice
        if isinstance(part, (ast.Name, ast.Call)) and isinstance(
            getattr(node, "op", ast.Add()), (ast.Add, ast.Sub)
        ):
            yield "one more", _put(source, part, f"({source.node_text(part)} + 1)")


def _excess_step(source: Source, node: ast.Assign | ast.Expr | ast.AugAssign) -> Iterator[Site]:
    lines = _own_lines(source, node)
    if lines is None:
        return
    start = lines[0]
    indentation = source.between(start, start + node.col_offset)
    if not isinstance(node, ast.Assign):
        yield "step done twice", (Splice(start, start, source.between(*lines)),)
    elif isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        yield (
            "early return",
            (Splice(lines[1], lines[1], f"{indentation}if not {name}:\n{indentation}    return {name}\n"),),
        )
        yield "value lost", (Splice(lines[1], lines[1], f"{indentation}{name} = None\n"),)


def _without(source: Source, node: ast.stmt, kind: str) -> Iterator[Site]:
    lines = _own_lines(source, node)
    if lines is not None:
        indentation = source.between(lines[0], lines[0] + node.col_offset)
        alone = any(block == [node] for block in _blocks(source, node))
        yield kind, (Splice(*lines, f"{indentation}pass\n" if alone else ""),)


def _own_lines(source: Source, node: ast.stmt) -> tuple[int, int] | None:
    start, end = source.lines_span(node.lineno, node.end_lineno or node.lineno)
    first, last = source.span(node)
    alone = not source.data[start:first].strip() and not source.data[last:end].strip()
    return (start, end) if alone and source.data[start:end].endswith(b"\n") else None


def _blocks(source: Source, node: ast.stmt) -> Iterator[list[ast.stmt]]:
    parent = source.parents.get(node)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list):
            yield block


def _between(source: Source, left: ast.AST, right: ast.AST, old: str, new: str, kind: str) -> Iterator[Site]:
    start, end = source.span(left)[1], source.span(right)[0]
    text = source.between(start, end)
    if text.count(old) == 1:
        yield kind, (Splice(start, end, text.replace(old, new)),)


def _put(source: Source, node: ast.AST, text: str) -> Edits:
    return (Splice(*source.span(node), text),)


def _exchange(source: Source, left: ast.AST, right: ast.AST) -> Edits:
    return (*_put(source, left, source.node_text(right)), *_put(source, right, source.node_text(left)))


def _names(function: ast.AST) -> list[str]:
    found = [node.arg for node in ast.walk(function) if isinstance(node, ast.arg)]
    found += [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return [name for name in dict.fromkeys(found) if name not in ("self", "cls", "_")]


def _attributes(source: Source, node: ast.Attribute) -> list[str]:
    around: ast.AST = node
    while around in source.parents and not isinstance(around, ast.ClassDef):
        around = source.parents[around]
    found = [
        each.attr
        for each in ast.walk(around)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
    ]
    return [name for name in dict.fromkeys(found) if name != node.attr][:12]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom))


def _binds_again(source: Source, node: ast.AST) -> bool:
    """Tell whether a name has a value without this assignment too; without any, each reader would see it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    around = source.parents[node]
    while not isinstance(around, FunctionNode) and around in source.parents:
        around = source.parents[around]
    before = [
        each
        for each in ast.walk(around)
        if isinstance(each, (ast.Name, ast.arg))
        and each.lineno < node.lineno
        and node.targets[0].id in bound_names(each)
    ]
    return bool(before)


def _in_fstring(source: Source, node: ast.AST) -> bool:
    while not isinstance(node, FunctionNode) and node in source.parents:
        node = source.parents[node]
        if isinstance(node, ast.JoinedStr):
            return True
    return False
