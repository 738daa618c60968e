"""Messages of a forge to the webhook: checked, stored once, and worked on by another process."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from setpoint.errors import DeliveryRefused, UsageError
from setpoint.history.queries import newest_seq
from setpoint.model.events.forge import TRACE, DeliveryStored
from setpoint.people.forge_loop import store
from setpoint.ports import DeliveryReader
from setpoint.wiring.forge import reader_of, webhook_secret
from setpoint.wiring.project import Project

WINDOW = timedelta(days=4)
"""How old a message may be: forges send again what failed for three days; older ones are replayed."""


class StoredDelivery(NamedTuple):
    """What became of a message."""

    id: str
    news: int
    """Things that it says and Setpoint uses."""
    new: bool
    """Whether its content arrived for the first time."""


class Webhook:
    """Takes messages of the forge of one project."""

    def __init__(self, project: Project) -> None:
        """Read the secret; raise `UsageError` where the settings name no forge or there is no secret."""
        self._project = project
        self._read: DeliveryReader = reader_of(project)
        self._secret = webhook_secret(project)
        if not self._secret:
            name = project.settings.forge.secret_variable
            raise UsageError(
                f"the variable {name} holds no secret", hint=f"export {name}=... and start again"
            )

    def take(self, headers: Mapping[str, str], body: bytes) -> StoredDelivery:
        """Check and store a message.

        Raises `DeliveryRefused` for what the forge did not sign, what is about another repository, and what
        is older than a forge sends; `UsageError` for what cannot be read.
        """
        delivery = self._read(headers, body, self._secret)
        project = self._project
        wanted = project.settings.forge.repository
        if wanted and delivery.repository.lower() != wanted.lower():
            raise DeliveryRefused(f"about {delivery.repository}, not {wanted}")
        now = datetime.now(UTC)
        if delivery.at is not None and now - delivery.at > WINDOW:
            raise DeliveryRefused(f"it is about {delivery.at:%Y-%m-%d %H:%M} UTC: too old to be sent now")
        before = newest_seq(project.store, TRACE)
        # The news first: a message that is broken off here is sent again.
        store(project.log, delivery.news)
        # The id is not signed, the content is.
        digest = hashlib.sha256(body).hexdigest()[:32]
        stored = DeliveryStored(id=delivery.id, news=len(delivery.news))
        (event,) = project.log.append(TRACE, f"delivery:{digest}", [stored])
        return StoredDelivery(delivery.id, len(delivery.news), event.seq > before)
