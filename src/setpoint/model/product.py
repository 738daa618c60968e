"""What of the product is shown before and after a change; it is never evidence."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Discriminator, Field, Tag, field_validator

from setpoint.model.ids import Artifact
from setpoint.model.value import Text, Value


class ShownPage(Value):
    """A page to show: what serves it, and where it is then."""

    start: Annotated[str, Field(min_length=1)]
    """Command that serves the page from the root of the tree, run by the shell and ended afterwards."""
    page: str
    """Its address on this machine, with a port: `http://127.0.0.1:8000/`."""

    @field_validator("page")
    @classmethod
    def _here(cls, page: str) -> str:
        parts = urlsplit(page)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost") or not parts.port:
            raise ValueError("a page is at http://127.0.0.1:PORT/, with the port that its command serves")
        return page

    @property
    def port(self) -> int:
        """The port of its address."""
        return urlsplit(self.page).port or 0

    def __str__(self) -> str:
        """Return it as a title."""
        return f"{self.page} ({self.start})"


Shown = Annotated[
    Annotated[str, Field(min_length=1), Tag("shown-command")] | Annotated[ShownPage, Tag("shown-page")],
    Discriminator(lambda given: "shown-command" if isinstance(given, str) else "shown-page"),
]
"""A command whose output is shown, or a page."""


class ProductView(Value):
    """How something of the product looks on one tree."""

    output: Artifact | None = None
    """What the command printed, or the picture of the page (PNG); none where there is nothing to show."""
    picture: bool = False
    exit_code: int | None = None
    """Of the command; none where it did not end by itself."""
    reason: Text = ""
    """Why there is nothing to show, or why it is not all."""
