"""Measure again where the copies were deleted meanwhile: what such a folder shows proves nothing."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from setpoint.errors import WorkspaceError
from setpoint.system.files.kept_folder import KeptFolder

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
_TRIES = 3


async def in_whole(copies: Path, act: Callable[[], Awaitable[T]]) -> T:
    """Measure in the folder for copies, once more each time when it is deleted under the measurement.

    Raises `WorkspaceError` where it is deleted again and again.
    """
    place = copies / "measured"
    for _ in range(_TRIES):
        kept = KeptFolder(place)
        try:
            made = await act()
        except (WorkspaceError, OSError, ExceptionGroup) as error:
            if not kept.gone:
                raise
            _LOG.warning("%s was deleted during a measurement (%s)", place, error)
        else:
            if not kept.gone:
                return made
            _LOG.warning("%s was deleted during a measurement; it is repeated", place)
        finally:
            kept.close()
        shutil.rmtree(place, ignore_errors=True)  # what was made in it since may be half of something
    raise WorkspaceError(
        f"{place} is deleted again and again while checks run in it",
        hint="set cache_dir (SETPOINT_CACHE_DIR) to a folder that stays; then `setpoint resume`",
    )
