"""Statements are read from plain files, envelopes and bundles; everything else is refused by name."""

import base64
import json

import pytest

from history.attestation.test_statements import MEASURED, TESTS, the_evidence
from setpoint.errors import UsageError
from setpoint.history.attestation.files import read_evidence, written
from setpoint.history.attestation.statements import subjects, suite_statement

EVIDENCE = the_evidence()
TEXT = written(EVIDENCE)


def enveloped(text, kind="application/vnd.in-toto+json"):
    payload = base64.b64encode(text.encode()).decode()
    return json.dumps({"payloadType": kind, "payload": payload, "signatures": []})


def test_a_statement_comes_back_as_it_was_written():
    assert read_evidence(TEXT.encode(), "a") == EVIDENCE
    assert read_evidence(enveloped(TEXT).encode(), "a") == EVIDENCE


def test_the_evidence_is_found_in_a_bundle():
    other = suite_statement(MEASURED, TESTS, (), subjects(MEASURED, "", None))
    lines = [written(other, indent=None), enveloped(written(EVIDENCE, indent=None))]
    assert read_evidence("\n".join(lines).encode(), "a") == EVIDENCE


def test_unknown_names_are_passed_over():
    plain = json.loads(TEXT)
    plain["predicate"]["later"] = plain["later"] = {"x": 1}
    assert read_evidence(json.dumps(plain).encode(), "a") == EVIDENCE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe", "no JSON"),
        (b"", "holds nothing"),
        (b"[1]", "an object was expected"),
        (b'{"_type": "https://in-toto.io/Statement/v0.1"}', "no in-toto statement v1"),
        (enveloped(TEXT, "text/plain").encode(), "an envelope of 'text/plain'"),
        (b'{"payloadType": "application/vnd.in-toto+json", "payload": "?"}', "cannot be read"),
        (enveloped("[]").encode(), "holds no object"),
        (
            b'{"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1"}',
            "no urn:setpoint",
        ),
        (TEXT.replace('"PASSED"', '"GOOD"').encode(), "predicate.result"),
        (TEXT.replace('"digest"', '"hash"').encode(), "subject.0.digest"),
    ],
)
def test_what_is_no_evidence_is_refused_with_its_place(data, said):
    with pytest.raises(UsageError, match=r"^the file: ") as raised:
        read_evidence(data, "the file")
    assert said in str(raised.value)
    assert "setpoint admin attest" in raised.value.hint
