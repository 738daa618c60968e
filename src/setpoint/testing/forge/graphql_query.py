"""The part of GraphQL that clients of a forge use: operations with fields, arguments, aliases and variables.

Fragments, directives and introspection are left out; a query with them gets the syntax error of a server.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(
    r'[\s,]+|#[^\n]*|("(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|[{}()\[\]:$!=@|])'
)
_CONSTANTS = {"true": True, "false": False, "null": None}


class QueryError(Exception):
    """A query that cannot be read, or asks for what is not there."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field that is asked for."""

    name: str
    alias: str
    arguments: dict[str, Any] = field(default_factory=dict)
    fields: tuple[Field, ...] = ()


def parse(text: str, variables: dict[str, Any]) -> tuple[Field, ...]:
    """Return the fields of the one operation of a query, with the variables filled in."""
    reader = _Reader(_tokens(text), variables)
    return reader.operation()


def project(value: object, asked: tuple[Field, ...]) -> object:
    """Return of a value what is asked for; lists by entry. A callable value gets the arguments."""
    if isinstance(value, list):
        return [project(each, asked) for each in value]
    if value is None or not asked:
        return value
    found = {}
    for each in asked:
        if not isinstance(value, dict) or each.name not in value:
            kind = value.get("__typename", "Query") if isinstance(value, dict) else type(value).__name__
            raise QueryError(f"Field '{each.name}' doesn't exist on type '{kind}'")
        inner = value[each.name]
        if callable(inner):
            inner = inner(**each.arguments)
        if isinstance(inner, dict) and not each.fields:
            raise QueryError(f"Field must have selections (field '{each.name}')")
        found[each.alias] = project(inner, each.fields)
    return found


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise QueryError(f"Parse error on {text[at : at + 10]!r}")
        if match[1]:
            found.append(match[1])
        at = match.end()
    return found


class _Reader:
    def __init__(self, tokens: list[str], variables: dict[str, Any]) -> None:
        self._tokens = tokens
        self._at = 0
        self._variables = dict(variables)

    def operation(self) -> tuple[Field, ...]:
        if self._next in ("query", "mutation"):
            self._take()
            if self._next not in ("{", "("):
                self._take()
            if self._next == "(":
                self._definitions()
        asked = self._selection()
        if self._next:
            raise QueryError(f"Parse error on {self._next!r}: only one operation is supported")
        return asked

    @property
    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, expected: str = "") -> str:
        token = self._next
        if not token or (expected and token != expected):
            raise QueryError(f"Parse error on {token!r} (expecting {expected or 'more'})")
        self._at += 1
        return token

    def _definitions(self) -> None:
        self._take("(")
        while self._next != ")":
            self._take("$")
            name = self._take()
            self._take(":")
            required = False
            while self._next not in ("$", ")", "="):
                required = self._take() == "!"
            if self._next == "=":
                self._take()
                self._variables.setdefault(name, self._value())
            if required and self._variables.get(name) is None:
                raise QueryError(f"Variable ${name} was provided invalid value")
            self._variables.setdefault(name, None)
        self._take(")")

    def _selection(self) -> tuple[Field, ...]:
        self._take("{")
        found = []
        while self._next != "}":
            found.append(self._field())
        self._take("}")
        return tuple(found)

    def _field(self) -> Field:
        alias = name = self._take()
        if not (name[0].isalpha() or name[0] == "_"):
            raise QueryError(f"Parse error on {name!r}: fragments and directives are not supported")
        if self._next == ":":
            self._take()
            name = self._take()
        arguments = {}
        if self._next == "(":
            self._take()
            arguments = self._object(")")
        fields = self._selection() if self._next == "{" else ()
        return Field(name=name, alias=alias, arguments=arguments, fields=fields)

    def _value(self) -> object:
        word = self._take()
        if word == "$":
            name = self._take()
            if name not in self._variables:
                raise QueryError(f"Variable ${name} is used but not declared")
            return self._variables[name]
        if word == "{":
            return self._object("}")
        if word == "[":
            listed = []
            while self._next != "]":
                listed.append(self._value())
            self._take()
            return listed
        if word[0] == '"' or word[0].isdigit() or word[0] == "-":
            return json.loads(word)
        return _CONSTANTS.get(word, word)

    def _object(self, end: str) -> dict[str, Any]:
        made = {}
        while self._next != end:
            key = self._take()
            self._take(":")
            made[key] = self._value()
        self._take()
        return made
