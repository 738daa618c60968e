"""The page about statements: the shapes that `setpoint attest` writes."""

from __future__ import annotations

from collections.abc import Iterator

from wording import fields, first_words

from setpoint.model.reports import attestation


def page() -> Iterator[str]:
    """Yield the shapes of the statements that `setpoint attest` writes."""
    yield "# Attestations\n"
    yield (
        "`setpoint attest` writes [in-toto](https://in-toto.io) statements, version 1. Unset fields are "
        "omitted; readers ignore unknown fields. How to use them: "
        "[Export an attestation](../how-to/attest.md).\n"
    )
    yield f"## Predicate `{attestation.EVIDENCE_TYPE}`\n"
    yield f"{first_words(attestation.EvidenceLedger)}\n"
    yield from fields(attestation.EvidenceLedger)
    yield f"## Predicate `{attestation.TEST_RESULT_TYPE}`\n"
    yield f"{first_words(attestation.TestResult)}\n"
    yield from fields(attestation.TestResult)
    for model in (
        attestation.AttestedCheck,
        attestation.AttestedGate,
        attestation.AttestedFinding,
        attestation.AttestedStory,
        attestation.ResourceDescriptor,
        attestation.Subject,
        attestation.Verifier,
    ):
        yield f"## {model.__name__}\n"
        yield f"{first_words(model)}\n"
        yield from fields(model)
