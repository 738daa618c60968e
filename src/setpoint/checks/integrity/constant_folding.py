"""What a piece of code comes to without being run: strings put together from parts, decoded, turned round."""

from __future__ import annotations

import ast
import base64
import binascii
import codecs

_LONGEST = 10_000
_POINTS = range(0x110000)
_OLD_AND_NEW = 2
_CASES = ("lower", "upper", "strip", "decode", "encode", "title")
"""Methods after which a text is still the same for whoever looks for a name in it."""


def folded(node: ast.AST) -> str | None:
    """Return the text that an expression always is; none if the code does not show it."""
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = folded(node.left), folded(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [folded(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values]
        return None if None in parts else "".join(part for part in parts if part is not None)
    if isinstance(node, ast.Subscript):
        return _sliced(node)
    return _called(node) if isinstance(node, ast.Call) else None


def _constant(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else None


def _sliced(node: ast.Subscript) -> str | None:
    text = folded(node.value)
    step = node.slice.step if isinstance(node.slice, ast.Slice) else None
    backwards = step is not None and ast.unparse(step) == "-1"
    return text[::-1] if text is not None and backwards else None


def _called(node: ast.Call) -> str | None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    if name == "join" and isinstance(node.func, ast.Attribute) and node.args:
        return _joined(node.func.value, node.args[0])
    if name in ("chr", "bytes", "bytearray", "str") and node.args:
        return _made(node.args[0])
    if name == "replace" and isinstance(node.func, ast.Attribute) and len(node.args) == _OLD_AND_NEW:
        text, old, new = folded(node.func.value), folded(node.args[0]), folded(node.args[1])
        return None if text is None or old is None or new is None else text.replace(old, new)[:_LONGEST]
    if (text := _decoded(name, node)) is not None:
        return text
    if name in _CASES and isinstance(node.func, ast.Attribute):
        text = folded(node.func.value)
        return text.lower() if text is not None and name == "lower" else text
    return None


def _joined(separator: ast.expr, parts: ast.expr) -> str | None:
    between = folded(separator)
    if between is None:
        return None
    if isinstance(parts, ast.List | ast.Tuple):
        texts = [folded(each) for each in parts.elts]
        return None if None in texts else between.join(text for text in texts if text is not None)
    if isinstance(parts, ast.Call) and parts.args and ast.unparse(parts.func) in ("map", "reversed"):
        made = _made(parts.args[-1])
        return made[::-1] if made is not None and ast.unparse(parts.func) == "reversed" else made
    if isinstance(parts, ast.GeneratorExp | ast.ListComp):
        return _made(parts.generators[0].iter)
    return folded(parts)


def _made(node: ast.expr) -> str | None:
    """Return the text that a list of code points, one code point or a text stands for."""
    if isinstance(node, ast.List | ast.Tuple):
        points = [each.value for each in node.elts if isinstance(each, ast.Constant)]
        fine = len(points) == len(node.elts) and all(
            isinstance(each, int) and each in _POINTS for each in points
        )
        return "".join(chr(each) for each in points if isinstance(each, int)) if fine else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value in _POINTS:
        return chr(node.value)
    return folded(node)


def _decoded(name: str, node: ast.Call) -> str | None:
    text = folded(node.args[0]) if node.args else None
    if text is None or len(text) > _LONGEST:
        return None
    try:
        if name == "b64decode":
            return base64.b64decode(text, validate=True).decode("latin-1")
        if name in ("fromhex", "unhexlify"):
            return bytes.fromhex(text).decode("latin-1")
        if name == "decode" and len(node.args) > 1 and "rot" in (folded(node.args[1]) or ""):
            return codecs.decode(text, "rot13")
    except (ValueError, binascii.Error):
        return None
    return None
