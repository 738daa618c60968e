"""Who may do what: tokens, one-time login links, signed sessions, and the token against forged requests."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from setpoint.app.project.access_keys import KeyKind, StoredKey

SESSION_S = 7 * 86400.0
"""Seconds for which a browser stays logged in at most; the session also ends with server and browser."""
TICKET_S = 600.0
"""Seconds for which a login link works."""


class Scope(StrEnum):
    """What a visitor may do; each includes those before it, except `signal`, which only `admin` includes."""

    SIGNAL = "signal"
    """Send signals from production, and nothing else: for monitoring systems."""
    READ = "read"
    """See everything."""
    FEEDBACK = "feedback"
    """Answer what runs ask, and say what one thinks of findings, lines of a change and learnings."""
    ADMIN = "admin"
    """Start, continue and cancel runs, and try fixes: everything that runs programs."""

    def includes(self, other: Scope) -> bool:
        """Whether this scope allows what the other does."""
        if Scope.SIGNAL in (self, other):
            return self in (other, Scope.ADMIN)
        order = list(Scope)
        return order.index(self) >= order.index(other)


LOGINS = (Scope.READ, Scope.FEEDBACK, Scope.ADMIN)
"""Scopes that a browser may have; `signal` is for monitoring systems only."""


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """Who a request comes from."""

    scope: Scope
    csrf: str = ""
    """What a writing request of a browser has to bring along; empty for a program with a token."""


@dataclass
class Access:
    """Lets visitors in. What it signs sessions with is in memory only, so they end with the server."""

    keys: Callable[[], Iterable[StoredKey]]
    """Reads what is stored of the keys, each time: one that was made or ended a moment ago counts."""
    name: str = ""
    """Names the project, for the cookie."""
    clock: Callable[[], float] = time.time
    _tickets: dict[str, tuple[Scope, float]] = field(default_factory=dict)
    _signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def cookie(self) -> str:
        """Name the cookie of this project: browsers send those of all ports to each."""
        return f"setpoint_{hashlib.sha256(self.name.encode()).hexdigest()[:8]}"

    def ticket(self, scope: Scope) -> str:
        """Make a secret for a login link; it works once, and for a while."""
        made = secrets.token_urlsafe(24)
        self._tickets[made] = (scope, self.clock() + TICKET_S)
        return made

    def redeem(self, ticket: str) -> Scope | None:
        """Take a login link's secret; none where it was used, is too old or was never made."""
        scope, until = self._tickets.pop(ticket, (None, 0.0))
        return scope if self.clock() < until else None

    def by_token(self, token: str) -> Visitor | None:
        """Recognise a program by its token; every stored one is compared."""
        return self._by_key(token, KeyKind.TOKEN)

    def by_ingest_key(self, key: str) -> Visitor | None:
        """Recognise an application that reports errors by its ingest key."""
        return self._by_key(key, KeyKind.INGEST)

    def _by_key(self, key: str, kind: KeyKind) -> Visitor | None:
        found = [each for each in self.keys() if each.opens(key) and each.kind is kind]
        # What an older version stored readable may be known to an agent, so it answers and starts nothing.
        found = [each for each in found if each.made_at or not Scope(each.scope).includes(Scope.FEEDBACK)]
        return Visitor(scope=Scope(found[0].scope)) if found else None

    def session(self, scope: Scope) -> str:
        """Make the value of a browser's cookie."""
        stem = f"{scope}.{int(self.clock() + SESSION_S)}.{secrets.token_hex(16)}"
        return f"{stem}.{self._mac(f'session:{stem}')}"

    def by_session(self, cookie: str) -> Visitor | None:
        """Recognise a browser by its cookie; none where that is forged or too old."""
        stem, _, mac = cookie.rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(f"session:{stem}").encode()):
            return None
        scope, until, _ = stem.split(".")
        if self.clock() >= int(until):
            return None
        return Visitor(scope=Scope(scope), csrf=self._mac(f"csrf:{stem}"))

    def _mac(self, text: str) -> str:
        return hmac.new(self._signing_key, text.encode(), hashlib.sha256).hexdigest()
