"""Messages to a webhook: the signature first, then strict JSON."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from setpoint.errors import DeliveryRefused, UsageError

T = TypeVar("T", bound=BaseModel)

MOST_BYTES = 25_000_000
"""GitHub sends no longer messages."""
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_ID = re.compile(r"[0-9A-Za-z._-]{1,100}", re.ASCII)
_EVENT = re.compile(r"[a-z0-9_]{1,60}", re.ASCII)
_SECRET_HINT = "set the same secret at the forge and here: setting forge.secret_variable"  # noqa: S105 - tells where to set it
_TYPE_HINT = "set the content type of the webhook to application/json"


def check_signature(signature: str, body: bytes, secret: str) -> None:
    """Compare a hexadecimal HMAC-SHA256 of the raw body; raises `DeliveryRefused`."""
    if not secret:
        raise DeliveryRefused("no secret is set here, so nothing is accepted", hint=_SECRET_HINT)
    if not signature:
        raise DeliveryRefused("the message has no signature", hint=_SECRET_HINT)
    if not _HEX.fullmatch(signature):
        raise DeliveryRefused("the signature of the message has a wrong form", hint=_SECRET_HINT)
    if len(body) > MOST_BYTES:
        raise UsageError(f"the message has more than {MOST_BYTES:,} bytes")
    expected = hmac.new(secret.encode("utf-8", "surrogateescape"), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, signature):
        raise DeliveryRefused("the signature of the message is wrong", hint=_SECRET_HINT)


def delivery_id(headers: Mapping[str, str], name: str) -> str:
    """Return the id of a message; raises `UsageError` where it has none."""
    return _header(headers, name, _ID)


def event_name(headers: Mapping[str, str], name: str) -> str:
    """Return what a message is about; raises `UsageError` where it does not say."""
    return _header(headers, name, _EVENT)


def checked_json(body: bytes) -> None:
    """Raise `UsageError` for what is not one JSON object in UTF-8, each key once, with finite numbers."""
    try:
        read = json.loads(body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_infinite)
    except UnicodeDecodeError:
        raise UsageError("the message is not UTF-8", hint=_TYPE_HINT) from None
    except RecursionError:
        raise UsageError("the message is nested too deep") from None
    except ValueError as error:
        raise UsageError(f"the message is not JSON: {error}", hint=_TYPE_HINT) from None
    if not isinstance(read, dict):
        raise UsageError("the message is not a JSON object", hint=_TYPE_HINT)


def read_as(shape: type[T], body: bytes) -> T:
    """Return a checked body as this shape; raises `UsageError` where it is another."""
    try:
        return shape.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise UsageError(f"the message cannot be read: {place}: {first['msg']}") from None


def _header(headers: Mapping[str, str], name: str, form: re.Pattern[str]) -> str:
    value = headers.get(name, "")
    if not form.fullmatch(value):
        raise UsageError(f"the message has no usable header {name}")
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key appears twice in an object")
    return read


def _infinite(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON")
