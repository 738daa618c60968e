"""What a run says where nothing could be measured."""

from __future__ import annotations

from collections.abc import Awaitable

from setpoint.model.proof import Obligation, ObligationState

_MOST_SAID = 200


def not_applicable(name: str, reason: str, cut: str = "") -> Obligation:
    """Return a run that says nothing of the change."""
    return Obligation(name=name, state=ObligationState.NOT_APPLICABLE, reason=reason, cut=cut)


async def or_not_measured(name: str, run: Awaitable[Obligation]) -> Obligation:
    """Await a run; a fault of Setpoint's own instrument is named, and is nobody's fault but Setpoint's."""
    try:
        return await run
    except Exception as error:  # noqa: BLE001 -- whatever an odd project does to the instrument
        said = " ".join(str(error).split())[:_MOST_SAID]
        return not_applicable(name, f"not measured: {type(error).__name__}: {said}")
