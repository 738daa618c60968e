"""Reading recorded settings: the one boundary between a recorded run or statement and today's settings."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import ValidationError

from setpoint.errors import RecordedDataError, UsageError
from setpoint.model.run import RunOrder
from setpoint.settings import SETTINGS_VERSION, Settings


def ordered_settings(order: RunOrder) -> Settings:
    """Return the settings that a run was ordered with; a key that they lack has today's default.

    Raises `RecordedDataError` where they hold a key or a value that this version does not know.
    """
    try:
        return Settings.model_validate_json(order.settings)
    except ValidationError as error:
        unread = _unread(error)
    message = (
        f"{order.trace_id} was ordered with settings of version {order.settings_version}, "
        f"which this Setpoint (version {SETTINGS_VERSION} of the settings) cannot read: {unread}"
    )
    raise RecordedDataError(message, hint="resume with the version that began it, or start a new run")


def stated_settings(own: Settings, stated: Mapping[str, object]) -> Settings:
    """Return own settings with the tables that a statement names in their place.

    Raises `UsageError` where these hold a key or a value that this version does not know.
    """
    try:
        return Settings.model_validate({**json.loads(own.model_dump_json()), **stated})
    except ValidationError as error:
        unread = _unread(error)
    raise UsageError(
        f"the statement's settings cannot be used here: {unread}",
        hint="use the version of Setpoint that wrote it, or leave --trust-commands out",
    )


def _unread(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, detail['loc'])) or 'settings'}: {detail['msg'].lower()}"
        for detail in error.errors()
    )
