"""Find functions in JavaScript and TypeScript that say whether two values agree, and tests that use them.

There is no parser: declarations, brackets and statements are known by their marks. Doubt means no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.integrity.paths.truth import Use
from setpoint.checks.integrity.text_insertions import block_at

_NAME = r"[A-Za-z_$][\w$]*"
_WORD = re.compile(_NAME)
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
_TEXTS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_FUNCTION = re.compile(
    rf"(?:\bfunction\s+(?P<plain>{_NAME})\s*|(?:(?:\b(?:const|let|var)\s+|\bexports\.)(?P<given>{_NAME})\s*="
    rf"|(?P<whole>\bmodule\.exports\s*=|\bexport\s+default\b)|[{{,]\s*(?P<entry>{_NAME})\s*:?)"
    rf"\s*(?:function\b\s*(?:{_NAME})?\s*)?)(?:<[^>()]*>)?"
    r"\((?P<takes>[^()]*)\)(?:(?:\s*:[^=>{;]+)?\s*(?P<arrow>=>)\s*|(?:\s*:[^=>{;]+)?\s*(?=\{))"
)
_ALIAS = re.compile(rf"(?:\bmodule\.exports\s*=|\bexport\s+default)\s+({_NAME})\s*;?\s*$", re.MULTILINE)
_RENAMED = re.compile(rf"({_NAME})\s*(?::|\bas\b)\s*({_NAME})")
_COMPARES = re.compile(r"[!=]==?|[<>]")
_SAYS = re.compile(r"\.(?:every|some|includes|is|isDeepStrictEqual|test|has)\(")
_LOADED = re.compile(
    rf"\b(?:const|let|var)\s+(?P<names>\{{[^}}]*\}}|{_NAME})\s*=\s*require\(\s*['\"](?P<path>[^'\"]+)['\"]\s*\)"
    rf"(?:\.(?P<of>{_NAME}))?|\bimport\s+(?P<imported>[^'\";]+?)\s+from\s+['\"](?P<origin>[^'\"]+)['\"]"
)
_ASSIGNED = re.compile(
    rf"^[ \t]*(?:(?:const|let|var)\s+)?(\{{[^}}=]*\}}|\[[^\]=]*\]|{_NAME})(?:\s*:[^=>{{]+?)?"
    r"\s*=(?![=>])([^;\n]*)",
    re.MULTILINE,
)
_WANTS = re.compile(
    r"(?:\b(?:assert|t)(?:\.(?:ok|true|truthy|isTrue|equal|strictEqual|is))?\(|\bif\s*\(|\bok\(|\bexpect\()\s*(!?)\s*$"
)
_DENIES = re.compile(r"\b(?:notOk|isFalse|false|falsy|isNotOk|notStrictEqual|notEqual)\(\s*$")
_IS_TRUE = re.compile(
    r"\s*(?:,\s*true\b|\)\s*\.(?:toBe|toEqual|toStrictEqual|to\.equal)\(\s*true\b|\)\s*\.toBeTruthy\("
    r"|\)\s*\.to\.be\.(?:true|ok)\b)"
)
_IS_MORE = re.compile(r"\s*(?:,\s*[^'\"`\s]|\)\s*\.|[=!]==?)")
_FAILS = re.compile(r"\s*\)\s*\{?\s*(?:throw\b|process\.exit|fail\w*\(|[^;}]*\b(?:throw\b|process\.exit))")
_CONSTANTS = frozenset({"true", "false", "null", "undefined", "NaN", "Infinity"})
_OPENING, _CLOSING = "([{", ")]}"
_ROUNDS = 3


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """What the paths that a source requires lead to."""

    own: Callable[[str], bool]
    """Whether a path leads to the module that compares."""
    other: Callable[[str], bool]
    """Whether a path leads to other code of the product."""


def comparers(text: str) -> frozenset[str]:
    """Return the functions that return only whether two parameters agree; `default`: the module itself."""
    plain = _COMMENT.sub("", text)
    functions = dict(_functions(plain))
    found = {name for name, (takes, body) in functions.items() if _says_whether(takes, body, functions)}
    found |= {"default" for name in _ALIAS.findall(plain) if name in found}
    found |= {new for new, old in _RENAMED.findall(plain) if old in found}
    return frozenset(found)


def use_of(text: str, names: Collection[str], resolved: Resolved) -> Use:
    """Return what a source of the tests does with functions of a module that it requires."""
    plain = _COMMENT.sub("", text)
    held, product = _bound(plain, resolved)
    product = _spread(plain, product, resolved)
    measures = tests = False
    for called, start, end in _calls(plain, held):
        given = [each for each in _split(plain[end:]) if each.strip()]
        after = plain[end + sum(len(each) + 1 for each in _split(plain[end:])) :]
        wanted = _wanted(plain[:start], after)
        tests = tests or called not in names or wanted is False or not any(map(_words, given))
        made = [_holds(each, product, resolved) for each in given[:2]]
        measures = measures or (wanted is True and any(made) and not all(made))
    return Use(measures=measures, tests=tests)


def _functions(text: str) -> Iterator[tuple[str, tuple[list[str], str]]]:
    for found in _FUNCTION.finditer(text):
        name = found["plain"] or found["given"] or found["entry"] or "default"
        takes = [each.group() for part in found["takes"].split(",") if (each := _WORD.search(part))]
        rest = text[found.end() :]
        if rest.startswith("{"):
            yield name, (takes, block_at(text, found.end()))
        elif found["arrow"]:
            yield name, (takes, f"return {_expression(rest)}")


def _says_whether(takes: list[str], body: str, functions: Collection[str]) -> bool:
    if len(takes) < 2:  # noqa: PLR2004 - two values that may agree
        return False
    values = [_expression(body[found.end() :]) for found in re.finditer(r"\breturn\b", body)]
    origin = {name: {name} for name in takes}
    for targets, value in _ASSIGNED.findall(body):
        for name in _WORD.findall(targets):
            origin[name] = _from(value, origin)
    facing = any(
        len(_from(part, origin)) > 1 and (_COMPARES.search(part) or "," in part)
        for part in re.split(r"[;\n]", body.replace("=>", " "))
    )
    return facing and bool(values) and all(_is_truth(each, functions) for each in values)


def _from(text: str, origin: Mapping[str, set[str]]) -> set[str]:
    return {each for word in _WORD.findall(text) for each in origin.get(word, ())}


def _is_truth(value: str, functions: Collection[str]) -> bool:
    text = value.replace("=>", " ").strip()
    if text in ("true", "false") or text.startswith("!"):
        return True
    if re.search(r"(?<!\?)\?(?![.?])", text) or text.lstrip("( ").startswith(("{", "[")):
        return False
    called = re.match(rf"({_NAME})\(", text)
    return bool(_COMPARES.search(text) or _SAYS.search(text) or (called and called[1] in functions))


def _expression(text: str) -> str:
    """Return an expression up to its end: a semicolon, a bracket that closes around it, or a whole line."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth < 0 or (depth == 0 and sign == ";"):
            return text[:place]
        if depth == 0 and sign == "\n" and text[:place].strip():
            continues = re.match(r"\s*(?:[&|=!?:.]|\+)", text[place:])
            if not continues and not re.search(r"(?:[&|=(,?:]|=>)\s*$", text[:place]):
                return text[:place]
    return text


def _bound(text: str, resolved: Resolved) -> tuple[dict[str, str], set[str]]:
    """Return names bound to what compares, each with its function (`*`: the module), and those of code."""
    held, product = dict[str, str](), set[str]()
    for found in _LOADED.finditer(text):
        path, names = found["path"] or found["origin"], found["names"] or found["imported"]
        renamed = {new: old for old, new in _RENAMED.findall(names)}
        local = [each for each in _WORD.findall(names) if each not in (*renamed.values(), "as", "type")]
        if resolved.own(path):
            listed = names[names.find("{") :] if "{" in names else ""
            for name in local:
                if name in _WORD.findall(listed):
                    held[name] = renamed.get(name, name)
                else:
                    held[name] = found["of"] or "*"
        elif resolved.other(path):
            product |= set(local)
    return held, product


def _spread(text: str, product: set[str], resolved: Resolved) -> set[str]:
    found = set(product)
    for _ in range(_ROUNDS):
        for targets, value in _ASSIGNED.findall(text):
            if _holds(value, found, resolved):
                found |= set(_WORD.findall(targets))
        for name, (_, body) in _functions(text):
            if name != "default" and _holds(body, found, resolved):
                found.add(name)
    return found


def _holds(text: str, product: Collection[str], resolved: Resolved) -> bool:
    quoted = [each[0][1:-1] for each in _TEXTS.finditer(text)]
    return any(word in product for word in _words(text)) or any(
        "." in each and resolved.other(each) for each in quoted
    )


def _words(text: str) -> list[str]:
    """Return the names in an expression, without texts, constants and keys."""
    plain = _TEXTS.sub("''", text)
    return [
        found[0]
        for found in _WORD.finditer(plain)
        if found[0] not in _CONSTANTS
        and not re.match(r"\s*:", plain[found.end() :])
        and not plain[: found.start()].endswith(".")
    ]


def _calls(text: str, held: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """Yield each call of a function that a source holds: its name, where it begins, where values begin."""
    for name, called in held.items():
        after = rf"(?:\.({_NAME}))?" if called == "*" else "()"
        for found in re.finditer(rf"(?<![\w$.]){re.escape(name)}{after}\(", text):
            yield (found[1] or "default") if called == "*" else called, found.start(), found.end()


def _split(text: str) -> list[str]:
    """Split what is given to a call, up to the bracket that closes it."""
    parts, depth = [""], 0
    for sign in _TEXTS.sub(lambda found: "'" + "_" * (len(found[0]) - 2) + "'", text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth < 0:
            break
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return _as_written(parts, text)


def _as_written(parts: list[str], text: str) -> list[str]:
    found, at = list[str](), 0
    for each in parts:
        found.append(text[at : at + len(each)])
        at += len(each) + 1
    return found


def _wanted(before: str, after: str) -> bool | None:
    """Return which answer a source wants from a call; none where it does not say."""
    if _DENIES.search(before):
        return False
    found = _WANTS.search(before)
    if found is None:
        return None
    wish = not found[1]
    if re.search(r"\bif\s*\(\s*!?\s*$", before):
        return (not wish) if _FAILS.match(after) else None
    if _IS_TRUE.match(after):
        return wish
    return False if _IS_MORE.match(after) or before.rstrip("! ").endswith(("expect(", "qual(")) else wish
