"""Results of earlier checks, kept by everything that went into them, how they were held included."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.model.evidence import CheckResult, CheckState
from setpoint.system.files.atomic import write_atomic
from setpoint.system.processes import hold_identity
from setpoint.version import __version__

_RESULTS: TypeAdapter[tuple[CheckResult, ...]] = TypeAdapter(tuple[CheckResult, ...])
_LASTING = (CheckState.PASS, CheckState.FAIL, CheckState.FLAKY)


class ResultCache:
    """Files under one folder, each the results of checks that belong together."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which is made when the first results are kept."""
        self._folder = folder

    def get(self, parts: Iterable[str]) -> tuple[CheckResult, ...] | None:
        """Return what was kept under the same parts, marked as taken from the cache."""
        try:
            path = self._path(parts)
            found = _RESULTS.validate_json(path.read_bytes())
            os.utime(path)  # what is asked for is kept (`evaluators.caches`)
        except (FileNotFoundError, ValidationError):  # never kept, or by a version that wrote it otherwise
            return None
        return tuple(
            each.model_copy(update={"evidence": each.evidence.model_copy(update={"cached": True})})
            for each in found
        )

    def keep(self, parts: Iterable[str], results: tuple[CheckResult, ...]) -> None:
        """Keep results, unless a tool broke: that may be otherwise the next time."""
        if all(each.state in _LASTING for each in results):
            write_atomic(self._path(parts), _RESULTS.dump_json(results).decode(), flush=False)

    def _path(self, parts: Iterable[str]) -> Path:
        key = hashlib.sha256(
            "\x1f".join([__version__, *hold_identity(), *parts]).encode("utf-8", "surrogateescape")
        ).hexdigest()
        return self._folder / key[:2] / f"{key[2:]}.json"
