"""Messages to a webhook, as GitHub signs them."""

import hashlib
import hmac
import json

SECRET = "the-secret"
ID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def signature(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers(event: str, body: bytes, secret: str = SECRET, id_: str = ID) -> dict[str, str]:
    return {
        "x-github-event": event,
        "x-github-delivery": id_,
        "x-hub-signature-256": f"sha256={signature(body, secret)}",
        "content-type": "application/json",
    }


def written(payload) -> bytes:
    return json.dumps(payload).encode()
