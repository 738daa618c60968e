"""Webhooks of a fake forge: signed deliveries, which a test may pause, double, reorder, lose and repeat."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit
from uuid import uuid4

from setpoint.testing.forge.records import Json

TIMEOUT_S = 10.0
"""Time within which a receiver must answer, as on GitHub."""
_NUMBERS = 1_000_000
"""Deliveries that one hook can count."""


@dataclass(kw_only=True)
class Attempt:
    """One sending of a delivery."""

    at: datetime
    status: int
    """HTTP status of the answer; 0 where there was none."""
    redelivery: bool = False


@dataclass(kw_only=True)
class WebhookDelivery:
    """An event on its way to a receiver."""

    id: int
    guid: str
    event: str
    body: bytes
    """The raw body, which the signature covers."""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def payload(self) -> Json:
        """Return the body as it is read."""
        payload: Json = json.loads(self.body)
        return payload

    @property
    def action(self) -> str:
        """Return the `action` of the event, empty where it has none."""
        return str(self.payload.get("action", ""))


class Hook:
    """A webhook that the repository has: where its events go."""

    def __init__(self, number: int, url: str, secret: str, repository_id: int) -> None:
        """Send nothing before `open`."""
        self.id = number
        self.url = url
        self.secret = secret
        self.created = datetime.now(UTC)
        self.deliveries: list[WebhookDelivery] = []
        """All that was sent or lost, oldest first."""
        self._repository_id = repository_id
        self._waiting: deque[tuple[WebhookDelivery, bool]] = deque()
        self._changed = threading.Condition()
        self._paused = self._closed = self._busy = False
        self._drops = self._doubles = 0
        self._thread = threading.Thread(target=self._work, daemon=True)

    def open(self) -> None:
        """Begin to send."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what waits is not sent."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def accept(self, event: str, payload: Json) -> None:
        """Queue an event; its GUID is new."""
        with self._changed:
            number = self.id * _NUMBERS + len(self.deliveries) + 1
            body = json.dumps(payload, separators=(",", ":")).encode()
            made = WebhookDelivery(id=number, guid=str(uuid4()), event=event, body=body)
            self.deliveries.append(made)
            if self._drops:
                self._drops -= 1
                made.attempts.append(Attempt(at=datetime.now(UTC), status=0))
                return
            self._waiting.append((made, False))
            if self._doubles:
                self._doubles -= 1
                self._waiting.append((made, False))
            self._changed.notify_all()

    def pause(self) -> None:
        """Hold deliveries back until `resume`."""
        with self._changed:
            self._paused = True

    def resume(self) -> None:
        """Send what was held back, in its order."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def reverse(self) -> None:
        """Turn the order of what is held back around."""
        with self._changed:
            self._waiting.reverse()

    def drop_next(self, times: int = 1) -> None:
        """Lose the next events; GitHub does not send them again on its own."""
        with self._changed:
            self._drops = times

    def double_next(self, times: int = 1) -> None:
        """Send each of the next events twice, under the same GUID."""
        with self._changed:
            self._doubles = times

    def redeliver(self, guid: str) -> None:
        """Send a delivery again under its GUID; raises `KeyError` for a GUID that never was."""
        with self._changed:
            found = next((each for each in self.deliveries if each.guid == guid), None)
            if found is None:
                raise KeyError(f"{self.url}: no delivery has the GUID {guid}")
            self._waiting.append((found, True))
            self._changed.notify_all()

    def flush(self, timeout_s: float = 30.0) -> None:
        """Wait until everything is sent; raises `TimeoutError` after `timeout_s` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._waiting and not self._busy, timeout_s):
                raise TimeoutError(f"{self.url}: {len(self._waiting)} deliveries wait after {timeout_s:g} s")

    def headers(self, delivery: WebhookDelivery) -> dict[str, str]:
        """Return the headers that GitHub sends with a delivery."""
        key = self.secret.encode()
        sha1 = hmac.new(key, delivery.body, hashlib.sha1).hexdigest()
        sha256 = hmac.new(key, delivery.body, hashlib.sha256).hexdigest()
        signed = {"X-Hub-Signature": f"sha1={sha1}", "X-Hub-Signature-256": f"sha256={sha256}"}
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/fake",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(self.id),
            "X-GitHub-Hook-Installation-Target-ID": str(self._repository_id),
            "X-GitHub-Hook-Installation-Target-Type": "repository",
            **(signed if self.secret else {}),
        }

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or (self._waiting and not self._paused))
                if self._closed:
                    return
                delivery, again = self._waiting.popleft()
                self._busy = True
            status = self._sent(delivery)
            with self._changed:
                delivery.attempts.append(Attempt(at=datetime.now(UTC), status=status, redelivery=again))
                self._busy = False
                self._changed.notify_all()

    def _sent(self, delivery: WebhookDelivery) -> int:
        target = urlsplit(self.url)
        path = f"{target.path or '/'}{'?' + target.query if target.query else ''}"
        connection = HTTPConnection(target.netloc, timeout=TIMEOUT_S)
        try:
            connection.request("POST", path, delivery.body, self.headers(delivery))
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, HTTPException):
            return 0
        finally:
            connection.close()
