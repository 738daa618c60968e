"""Answers of processes and servers that the project's own tests stand in with, as stand-ins of ours."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from setpoint_probe.foreign_code import Raised, attempt

from .sources import OURS

_MOST_CHARACTERS = 400
_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PROCESS_CALLS = ("check_output", "getoutput", "run", "Popen", "communicate")
_MOCKS = ("Mock", "MagicMock", "AsyncMock", "SimpleNamespace", "register")
_HTTP_TOOLS = re.compile(
    r"\b(responses|respx|respx_mock|requests_mock|httpx_mock|aioresponses|httpx|urlopen)\b"
)
_HTTP_CALLS = frozenset(
    ("add", "add_response", "respond", "Response", "get", "post", "put", "patch", "delete", "head", "request")
)
_BODIES = ("json", "payload", "text", "body", "content")
_OK = 200


class Answer(NamedTuple):
    """Where an answer comes from."""

    file: str
    """The file of tests that says it."""
    about: frozenset[str]
    """Names of functions and classes that these tests use with it."""


def answers_of(texts: Mapping[str, str], module: str, names: Collection[str]) -> dict[str, Answer]:
    """Return stand-ins that answer as tests of a module say; `names` are of its functions and classes."""
    found: dict[str, Answer] = {}
    own = re.compile(rf"\b{re.escape(module.rpartition('.')[2])}\b")
    for file, text in texts.items():
        tree = attempt(partial(ast.parse, text)) if own.search(text) and OURS not in text else None
        if isinstance(tree, ast.Module):
            for double, about in _answers_in(tree, text):
                known = found.get(double, Answer(file, frozenset()))
                found[double] = known._replace(about=known.about | about.intersection(names))
    return {double: answer for double, answer in found.items() if answer.about}


def _answers_in(tree: ast.Module, text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the stand-ins of a file, each with all names in the tests that use it."""
    units = {node.name: node for node in tree.body if isinstance(node, _UNITS)}
    words = {name: frozenset(_words_in(node)) for name, node in units.items()}
    for name, node in units.items():
        about = frozenset[str]().union(
            *(words[each] for each in units if each == name or name in words[each])
        )
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            made = list(_of_process(call)) if "subprocess" in text else []
            made += _of_server(call) if _HTTP_TOOLS.search(text) else []
            yield from ((each, about) for each in made if len(each) <= _MOST_CHARACTERS)


def _words_in(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, (ast.Name, ast.Attribute)):
            yield each.id if isinstance(each, ast.Name) else each.attr
        elif isinstance(each, ast.arg):
            yield each.arg


def _of_process(call: ast.Call) -> Iterator[str]:
    """Yield what a call says that a process prints and ends with."""
    name, words = _name_of(call.func), _words_of(call)
    if name == "CompletedProcess":
        places = dict(zip(("args", "returncode", "stdout", "stderr"), call.args))
        values = {**{key: _literal(node) for key, node in places.items()}, **words}
        yield from _printed(values.get("stdout"), values.get("returncode"))
    elif name in _MOCKS:
        yield from _printed(words.get("stdout"), words.get("returncode", 0))
    elif (stood_in := _stood_in(call)) and stood_in[0].rpartition(".")[2] in _PROCESS_CALLS:
        yield from _printed(stood_in[1], 0)


def _printed(output: object, code: object) -> Iterator[str]:
    text = attempt(output.decode) if isinstance(output, bytes) else output
    if isinstance(text, str) and isinstance(code, int):
        yield f"recorded_processes({text!r}, {code})" if code else f"recorded_processes({text!r})"


def _of_server(call: ast.Call) -> Iterator[str]:
    """Yield what a call says that a server answers."""
    words = _words_of(call)
    name = _name_of(call.func)
    body = next((words[each] for each in _BODIES if each in words), None)
    status = words.get("status", words.get("status_code", _OK))
    if name == "Response" and call.args and isinstance(first := _literal(call.args[0]), int):
        status = first
    if name in _HTTP_CALLS and body is not None and isinstance(status, int):
        yield from _answered(status, body, is_json="json" in words or "payload" in words)
    elif (stood_in := _stood_in(call)) and stood_in[0].rpartition(".")[2] == "urlopen":
        yield from _answered(_OK, stood_in[1], is_json=False)


def _answered(status: int, body: Any, *, is_json: bool) -> Iterator[str]:  # noqa: ANN401 - any literal
    phrase = attempt(lambda: HTTPStatus(status).phrase)
    data = attempt(lambda: json.dumps(body)) if is_json else body
    if isinstance(phrase, Raised) or isinstance(data, Raised) or not isinstance(data, (str, bytes)):
        return
    text = data.encode() if isinstance(data, str) else data
    kind = "application/json" if is_json else "text/plain"
    head = f"HTTP/1.1 {status} {phrase}\r\nContent-Type: {kind}\r\nContent-Length: {len(text)}\r\n\r\n"
    yield f"recorded_network({head.encode() + text!r})"


def _stood_in(call: ast.Call) -> tuple[str, object] | None:
    """Return what a test puts something else in the place of, and what that gives: a literal, or none."""
    name = _name_of(call.func)
    if name == "setattr" and len(call.args) > 1:
        named = [
            each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        return (named[0], _given_by(call.args[-1])) if named else None
    if name in ("patch", "object"):
        named = [
            each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        given = next((each.value for each in call.keywords if each.arg == "return_value"), None)
        return (named[-1], _given_by(given)) if named and given is not None else None
    return None


def _given_by(node: ast.expr) -> object:
    """Return the literal that a stand-in gives: as it is, from a lambda, or as a stream."""
    if isinstance(node, ast.Lambda):
        node = node.body
    if isinstance(node, ast.Call) and _name_of(node.func) in ("BytesIO", "StringIO") and node.args:
        node = node.args[0]
    return _literal(node)


def _words_of(call: ast.Call) -> dict[str, object]:
    words = {each.arg: _literal(each.value) for each in call.keywords if each.arg}
    return {name: value for name, value in words.items() if value is not None}


def _literal(node: ast.expr) -> object:
    value: object = attempt(lambda: ast.literal_eval(node))
    return None if isinstance(value, Raised) else value


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else str(getattr(node, "attr", ""))
