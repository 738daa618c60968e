"""Statements as files: written as JSON, read as a statement, an envelope (DSSE) or a bundle of lines."""

from __future__ import annotations

import base64
import binascii
import json

from pydantic import ValidationError

from setpoint.errors import UsageError
from setpoint.model.reports.attestation import (
    EVIDENCE_TYPE,
    PAYLOAD_TYPE,
    STATEMENT_TYPE,
    EvidenceStatement,
    Statement,
)

_HINT = "use the file that `setpoint admin attest` wrote"


def written(statement: Statement, *, indent: int | None = 2) -> str:
    """Write a statement as JSON, names as the framework has them; what is not set is left out."""
    return statement.model_dump_json(by_alias=True, exclude_none=True, indent=indent)


def read_evidence(data: bytes, place: str) -> EvidenceStatement:
    """Read the statement of a run's evidence; whatever it is not is a `UsageError` that names the place.

    Other statements of a bundle are passed over; an envelope's signature is not looked at here.
    """
    try:
        found = _objects(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"{place}: no JSON: {error}", hint=_HINT) from None
    kinds = []
    for each in found:
        plain = _payload(each, place) if "payload" in each else each
        if plain.get("_type") != STATEMENT_TYPE:
            raise UsageError(
                f"{place}: no in-toto statement v1 (_type is {plain.get('_type')!r})", hint=_HINT
            )
        if plain.get("predicateType") == EVIDENCE_TYPE:
            return _evidence(plain, place)
        kinds.append(str(plain.get("predicateType")))
    raise UsageError(
        f"{place}: holds {', '.join(kinds) or 'nothing'}, no {EVIDENCE_TYPE}",
        hint="write the whole evidence: setpoint admin attest RUN --predicate evidence",
    )


def _objects(text: str) -> list[dict[str, object]]:
    """Read one JSON object, or one a line; raises `ValueError`."""
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = [json.loads(line) for line in text.splitlines() if line.strip()]
    if wrong := [each for each in documents if not isinstance(each, dict)]:
        raise ValueError(f"an object was expected, not {type(wrong[0]).__name__}")
    return documents


def _payload(envelope: dict[str, object], place: str) -> dict[str, object]:
    if envelope.get("payloadType") != PAYLOAD_TYPE:
        raise UsageError(f"{place}: an envelope of {envelope.get('payloadType')!r}", hint=_HINT)
    try:
        plain = json.loads(base64.b64decode(str(envelope["payload"]), validate=True))
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"{place}: the envelope's payload cannot be read: {error}", hint=_HINT) from None
    if not isinstance(plain, dict):
        raise UsageError(f"{place}: the envelope holds no object", hint=_HINT)
    return plain


def _evidence(plain: dict[str, object], place: str) -> EvidenceStatement:
    try:
        return EvidenceStatement.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{place}: {where}: {first['msg'].lower()}", hint=_HINT) from None
