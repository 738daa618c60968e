"""REST: who asks, what people may do, the app and its tokens, the repository and its commits."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
from datetime import timedelta

from setpoint.testing.forge.naming import stamp
from setpoint.testing.forge.payloads.people import app, profile, user
from setpoint.testing.forge.payloads.pulls import short
from setpoint.testing.forge.payloads.repository import commit, repository
from setpoint.testing.forge.records import Caller, Json
from setpoint.testing.forge.refusal import Refused, missing
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route
from setpoint.testing.forge.world import TOKEN_LIFE, World

_LONGEST_JWT_S = 600
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")
"""What precedes the digest in a signature by PKCS #1 v1.5 (RFC 8017, 9.2)."""
_LEGACY = {"maintain": "write", "triage": "read"}


def _me(ask: Ask) -> Reply:
    if ask.caller is not None and ask.caller.app:
        raise Refused(403, "Resource not accessible by integration")
    return Reply(body=profile(ask.world, ask.by))


def _user(ask: Ask) -> Reply:
    if ask.found["login"] not in ask.world.accounts:
        raise missing()
    return Reply(body=profile(ask.world, ask.found["login"]))


def _permission(ask: Ask) -> Reply:
    world, login = ask.world, ask.found["login"]
    app = ask.caller is not None and ask.caller.app
    if not app and not world.may_write(ask.by):
        raise Refused(403, "Must have push access to view collaborator permission.")
    if login not in world.accounts and login not in world.roles:
        raise Refused(404, f"{login} is not a user")
    role = world.role(login)
    legacy = _LEGACY.get(role, role)
    levels = ("pull", "triage", "push", "maintain", "admin")
    reached = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}[role]
    granted = {name: at < reached for at, name in enumerate(levels)}
    shown = {**user(world, login), "permissions": granted, "role_name": role}
    return Reply(body={"permission": legacy, "role_name": role, "user": shown})


def _rate_limit(ask: Ask) -> Reply:
    world = ask.world
    used = world.spent(ask.token)
    left = {
        "limit": world.limit,
        "used": used,
        "remaining": max(0, world.limit - used),
        "reset": world.resets_at(),
    }
    return Reply(body={"resources": {"core": left, "search": left, "graphql": left}, "rate": left})


def _app(ask: Ask) -> Reply:
    _verified(ask.world, ask.token)
    return Reply(body=app(ask.world))


def _installation(ask: Ask) -> Reply:
    _verified(ask.world, ask.token)
    world, made = ask.world, app(ask.world)
    number, page = world.installation_id, f"{world.url}/settings/installations/{world.installation_id}"
    body: Json = {
        "id": number,
        "account": user(world, world.owner),
        "repository_selection": "selected",
        "access_tokens_url": f"{world.api}/app/installations/{number}/access_tokens",
        "repositories_url": f"{world.api}/installation/repositories",
        "html_url": page,
        "app_id": world.app_id,
        "app_slug": world.app_slug,
        "target_id": world.account(world.owner).id,
        "target_type": "User",
        "permissions": made["permissions"],
        "events": made["events"],
        "created_at": stamp(world.created),
        "updated_at": stamp(world.created),
        "single_file_name": None,
        "suspended_by": None,
        "suspended_at": None,
    }
    return Reply(body=body)


def _access_token(ask: Ask) -> Reply:
    world = ask.world
    _verified(world, ask.token)
    if ask.number() != world.installation_id:
        raise missing()
    token, ends = f"ghs_{secrets.token_hex(18)}", world.at() + TOKEN_LIFE
    world.tokens[token] = Caller(login=f"{world.app_slug}[bot]", app=True, expires=ends)
    permissions = app(world)["permissions"]
    body = {"token": token, "expires_at": stamp(ends), "permissions": permissions}
    return Reply(status=201, body={**body, "repository_selection": "selected"})


def _verified(world: World, token: str) -> None:
    """Check the JWT of the app; raises the 401 of GitHub with what is wrong."""
    try:
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(_decoded(part)) for part in signed.split("."))
        proof = int.from_bytes(_decoded(signature))
    except (ValueError, binascii.Error):
        raise Refused(401, "A JSON web token could not be decoded") from None
    now = world.at()
    begins, ends = claims.get("iat", 0), claims.get("exp", 0)
    if header.get("alg") != "RS256" or str(claims.get("iss")) != str(world.app_id):
        raise Refused(401, "'Issuer' claim ('iss') must be an Integer or String of the app")
    if begins > now.timestamp() + 60:
        raise Refused(401, "'Issued at' claim ('iat') must be an Integer representing a time in the past")
    if not now.timestamp() < ends <= (now + timedelta(seconds=_LONGEST_JWT_S + 60)).timestamp():
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future, or past")
    if world.app_key is not None and not _holds(*world.app_key, signed.encode(), proof):
        raise Refused(401, "A JSON web token could not be decoded")


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _holds(modulus: int, exponent: int, signed: bytes, proof: int) -> bool:
    """Return whether an RS256 signature is the key's."""
    size = (modulus.bit_length() + 7) // 8
    digest = _SHA256 + hashlib.sha256(signed).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    return pow(proof, exponent, modulus) == int.from_bytes(padded)


def _repository(ask: Ask) -> Reply:
    return Reply(body={**repository(ask.world), "subscribers_count": 0, "network_count": 0})


def _sha(ask: Ask, name: str = "ref") -> str:
    found = ask.world.bare.tip(ask.found[name])
    if found is None:
        raise Refused(422, f"No commit found for SHA: {ask.found[name]}")
    return found


def _commit(ask: Ask) -> Reply:
    return Reply(body=commit(ask.world, ask.world.bare.facts(_sha(ask))))


def _pulls_of(ask: Ask) -> Reply:
    sha, world = _sha(ask), ask.world
    found = [
        each
        for each in world.pulls()
        if sha == each.merging.merge_commit
        or _brings(world, each.merging.base_sha, each.merging.head_sha, sha)
    ]
    return Reply(pages=[short(world, each) for each in found])


def _brings(world: World, base: str, head: str, sha: str) -> bool:
    return world.bare.contains(head, sha) and not world.bare.contains(base, sha)


def _branch(ask: Ask) -> Reply:
    name, world = ask.found["name"], ask.world
    sha = world.bare.branches().get(name)
    if sha is None:
        raise Refused(404, "Branch not found")
    url = f"{world.api_repo}/branches/{name}"
    body: Json = {
        "name": name,
        "commit": commit(world, world.bare.facts(sha)),
        "_links": {"self": url, "html": f"{world.page}/tree/{name}"},
        "protected": False,
        "protection": {
            "enabled": False,
            "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
        },
        "protection_url": f"{url}/protection",
    }
    return Reply(body=body)


GLOBAL_ROUTES = (
    Route("GET", "/user", _me, "anyone"),
    Route("GET", "/users/{login}", _user, "anyone"),
    Route("GET", "/rate_limit", _rate_limit, "anyone"),
    Route("GET", "/app", _app, "anyone"),
    Route("POST", "/app/installations/{number:number}/access_tokens", _access_token, "anyone"),
)
ROUTES = (
    Route("GET", "", _repository),
    Route("GET", "/installation", _installation, "anyone"),
    Route("GET", "/collaborators/{login}/permission", _permission, "sign-in"),
    Route("GET", "/branches/{name:rest}", _branch),
    Route("GET", "/commits/{ref}/pulls", _pulls_of),
    Route("GET", "/commits/{ref:rest}", _commit),
)
