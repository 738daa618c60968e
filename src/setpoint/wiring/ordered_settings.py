"""Reading the settings that an order holds: the one boundary between a recorded run and today's settings."""

from __future__ import annotations

from pydantic import ValidationError

from setpoint.errors import RecordedDataError
from setpoint.model.run import RunOrder
from setpoint.settings import SETTINGS_VERSION, Settings


def ordered_settings(order: RunOrder) -> Settings:
    """Return the settings that a run was ordered with; a key that they lack has today's default.

    Raises `RecordedDataError` where they hold a key or a value that this version does not know.
    """
    try:
        return Settings.model_validate_json(order.settings)
    except ValidationError as error:
        unread = "; ".join(
            f"{'.'.join(map(str, detail['loc'])) or 'settings'}: {detail['msg'].lower()}"
            for detail in error.errors()
        )
    message = (
        f"{order.trace_id} was ordered with settings of version {order.settings_version}, "
        f"which this Setpoint (version {SETTINGS_VERSION} of the settings) cannot read: {unread}"
    )
    raise RecordedDataError(message, hint="resume with the version that began it, or start a new run")
