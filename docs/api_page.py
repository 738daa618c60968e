"""The page of the reference that lists the operations of the dashboard's JSON API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from wording import row

from setpoint.web.app import DESCRIBED

TITLES = {
    "forge": "Forge",
    "runs": "Runs, questions, stories and metrics",
    "feedback": "Feedback",
    "learnings": "Learnings",
    "production": "Production",
}
SCOPES = {"Reader": "read", "Answerer": "feedback", "Admin": "admin", "Monitor": "signal"}
Schema = Mapping[str, Any]


def page() -> Iterator[str]:
    """Yield every operation with its scope, parameters and answer."""
    made = FastAPI()
    for router, tag in DESCRIBED:
        made.include_router(router, tags=[tag])
    described = made.openapi()
    yield "# JSON API\n"
    yield (
        "Served by `setpoint serve`, described in full by `/api/openapi.json`. A program sends "
        "`Authorization: Bearer TOKEN` with a token that `setpoint token new` makes; "
        "the body is `application/json`, `{}` when there is nothing to send. A refusal is an object with "
        "`detail`: 401 without a token, 403 with a token of too small a scope, 404 for an unknown resource, "
        "409 for an action that is impossible now, 422 for an invalid body. A started action (202) appears "
        "in the record of its run, or with its error in `GET /api/v1/work`.\n"
    )
    scopes = {name: scope for router, _ in DESCRIBED for name, scope in _scopes(router.routes)}
    bodies: dict[str, str] = {}
    for tag, title in TITLES.items():
        yield f"## {title}\n"
        yield "| operation | scope | takes | returns | what it does |"
        yield "|---|---|---|---|---|"
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                if operation["tags"] == [tag]:
                    yield _operation(f"{method.upper()} {path}", operation, scopes, bodies)
        yield ""
    yield "## Request bodies\n"
    for name, key in bodies.items():
        yield from _body(name, described["components"]["schemas"][key])


def _operation(name: str, operation: Schema, scopes: Mapping[str, str], bodies: dict[str, str]) -> str:
    asked = [f"`?{each['name']}`" for each in operation.get("parameters", ()) if each["in"] == "query"]
    sent = _schema(operation.get("requestBody", {}))
    if "$ref" in sent:
        name_of = _named(sent)
        bodies[name_of] = sent["$ref"].rpartition("/")[2]
        asked.append(f"[{name_of}](#{name_of.lower()})")
    given = next(
        (text for code, each in operation["responses"].items() if code < "3" and (text := _shape(each))),
        "text",
    )
    does = " ".join(operation["description"].split())
    return row(f"`{name}`", scopes[name], ", ".join(asked), f"`{given}`", does)


def _scopes(routes: list[Any]) -> Iterator[tuple[str, str]]:
    for route in routes:
        if isinstance(route, APIRoute):
            needed = route.endpoint.__annotations__
            visitor = needed.get("_visitor") or needed.get("visitor")
            scope = SCOPES[visitor] if visitor else "a signature"
            for method in route.methods:
                yield f"{method} {route.path_format}", scope


def _shape(answer: Schema) -> str:
    """Return the name of a sent or returned shape; empty for plain text."""
    schema = _schema(answer)
    if schema.get("type") == "array":
        return f"{_named(schema['items'])}[]"
    return _named(schema)


def _schema(answer: Schema) -> Schema:
    found: Schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _named(schema: Schema) -> str:
    name = str(schema.get("$ref", "")).rpartition("/")[2].rpartition("__")[2]
    return name or schema.get("title", "")


def _body(name: str, schema: Schema) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{schema['description']}\n"
    yield "| field | type | required | meaning |"
    yield "|---|---|---|---|"
    for field, each in schema["properties"].items():
        needed = "yes" if field in schema.get("required", ()) else "no"
        yield row(f"`{field}`", _type(each), needed, " ".join(each.get("description", "").split()))
    yield ""


def _type(schema: Schema) -> str:
    kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    names = (f"`{_named(each)}`" if "$ref" in each else each.get("type", "") for each in kinds)
    return " or ".join(dict.fromkeys(names))
