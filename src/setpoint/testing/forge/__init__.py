"""A forge on loopback that behaves as GitHub Enterprise Server, over a real bare repository.

See docs/how-to/test-forge.md. No real GitHub was reached while it was written: its payloads are compared with
GitHub's published descriptions and examples.
"""

from setpoint.testing.forge.fake import FakeForge
from setpoint.testing.forge.records import Comment, Issue, LineComment, Pull, Review, Thread
from setpoint.testing.forge.refusal import Refused
from setpoint.testing.forge.webhooks import Attempt, Hook, WebhookDelivery

__all__ = [
    "Attempt",
    "Comment",
    "FakeForge",
    "Hook",
    "Issue",
    "LineComment",
    "Pull",
    "Refused",
    "Review",
    "Thread",
    "WebhookDelivery",
]
