"""The app gets tokens for its JWT, and each wrong JWT is refused."""

from __future__ import annotations

import base64
import hashlib

import pytest

from testing.forge.story import jwt

# Two Mersenne primes make a key that nobody must keep secret.
PRIMES = (2**607 - 1, 2**1279 - 1)
MODULUS = PRIMES[0] * PRIMES[1]
PRIVATE = pow(65537, -1, (PRIMES[0] - 1) * (PRIMES[1] - 1))
SIZE = (MODULUS.bit_length() + 7) // 8
SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


def signed(token):
    body = token.rpartition(".")[0]
    digest = SHA256 + hashlib.sha256(body.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (SIZE - 3 - len(digest)) + b"\x00" + digest
    proof = pow(int.from_bytes(padded), PRIVATE, MODULUS).to_bytes(SIZE)
    return f"{body}.{base64.urlsafe_b64encode(proof).decode().rstrip('=')}"


@pytest.fixture
def token_of(forge, client):
    def asked(token):
        url = f"/app/installations/{forge.installation_id}/access_tokens"
        return client.as_(token).ask("POST", url)

    return asked


def test_a_token_of_the_installation_writes_as_the_bot(forge, client, token_of):
    forge.open_issue("One", by="ana")
    made = token_of(jwt(forge.app_id, forge._world.at().timestamp()))
    assert made.status == 201
    app = client.as_(made.body["token"])
    written = app.repo("POST", "/issues/1/comments", {"body": "Hello"}).body
    assert (written["user"]["login"], written["user"]["type"]) == ("setpoint[bot]", "Bot")
    assert app.repo("GET", "/collaborators/ana/permission").body["permission"] == "write"
    assert app.repo("PATCH", "/issues/1", {"state": "closed"}).status == 200
    forge.lock(1, by="ana")
    assert app.repo("POST", "/issues/1/comments", {"body": "Bye"}).status == 201
    forge.pass_time(3600)
    assert app.repo("GET", "/issues/1").status == 401


@pytest.mark.parametrize(
    "wrong",
    [{"issuer": 1}, {"algorithm": "none"}, {"algorithm": "HS256"}, {"life_s": 700}, {"life_s": -1}],
    ids=str,
)
def test_a_wrong_jwt_is_refused(forge, token_of, wrong):
    issuer = wrong.pop("issuer", forge.app_id)
    assert token_of(jwt(issuer, forge._world.at().timestamp(), **wrong)).status == 401
    assert token_of("eyJ.x.y").status == 401
    assert token_of(forge.token).status == 401


def test_the_signature_is_checked_with_a_key(forge, token_of):
    token = jwt(forge.app_id, forge._world.at().timestamp())
    forge.trust_app_key(MODULUS)
    assert token_of(token).status == 401
    assert token_of(signed(token)).status == 201
    header, claims, proof = signed(token).split(".")
    other = jwt(forge.app_id, forge._world.at().timestamp() + 1).split(".")[1]
    assert claims != other
    assert token_of(f"{header}.{other}.{proof}").status == 401


def test_an_unknown_installation_does_not_exist(forge, client):
    token = jwt(forge.app_id, forge._world.at().timestamp())
    assert client.as_(token).ask("POST", "/app/installations/1/access_tokens").status == 404
    assert client.as_(token).repo("GET", "/installation").body["id"] == forge.installation_id
