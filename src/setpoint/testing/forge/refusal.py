"""Answers of GitHub that refuse a request."""

from __future__ import annotations

from setpoint.testing.forge.records import Json

DOCUMENTATION = "https://docs.github.com/rest"


class Refused(Exception):
    """A request that the forge refuses, with the status and the body that GitHub sends."""

    def __init__(self, status: int, message: str, errors: list[Json] | None = None) -> None:
        """Keep the HTTP status and the message; `errors` are those of a 422."""
        super().__init__(message)
        self.status = status
        self.body: Json = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
        if errors is not None:
            self.body["errors"] = errors


def missing() -> Refused:
    """Return the answer for what does not exist or may not be seen."""
    return Refused(404, "Not Found")


def invalid(resource: str, field: str, code: str = "invalid", message: str = "") -> Refused:
    """Return the answer for a value that GitHub does not accept."""
    error: Json = {"resource": resource, "field": field, "code": code}
    if message:
        error |= {"code": "custom", "message": message}
    return Refused(422, "Validation Failed", [error])
