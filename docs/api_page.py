"""The page of the reference that lists the operations of the dashboard's JSON API."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from wording import row

from setpoint.web import api, hooks, production


def page() -> Iterator[str]:
    """Every operation with what it needs."""
    made = FastAPI()
    for router in (api.router, production.api, hooks.router, hooks.envelopes):
        made.include_router(router)
    yield "# JSON API\n"
    yield (
        "Served by `setpoint serve`, described in full by `/api/openapi.json`. A program sends "
        "`Authorization: Bearer TOKEN` with one of the tokens of `web-tokens.json` in the state directory; a "
        "body is `application/json`. A refusal is an object with `detail`.\n"
    )
    yield "| operation | what it does |"
    yield "|---|---|"
    for path, operations in made.openapi()["paths"].items():
        for method, told in operations.items():
            yield row(f"`{method.upper()} {path}`", " ".join(told["description"].split()))
