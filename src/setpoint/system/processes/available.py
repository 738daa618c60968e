"""Which means of confinement work on this machine: each is tried once while Setpoint runs."""

from __future__ import annotations

import shutil

from setpoint.errors import SandboxUnavailable
from setpoint.model.config.sandbox import Means
from setpoint.system.processes.confinement_test import Trial, trial

ORDER = (Means.LANDLOCK, Means.BWRAP)
"""What `auto` tries, in this order: the first takes no time and changes nothing else for the program."""


class AvailableMeans:
    """Tries the means of confinement, each once while this lives."""

    def __init__(self, *, hides: bool = False) -> None:
        """Say whether places have to be hidden, which one means alone can do."""
        self._hides = hides
        self._tried: dict[tuple[Means, str], Trial] = {}

    async def usable(self, wanted: Means, where: str) -> Trial | None:
        """Return the configured sandbox, as tried, or for `auto` the first that works; none for `none`.

        Raises `SandboxUnavailable`, naming the setting, if the sandbox does not work here.
        """
        if wanted is Means.NONE:
            return None
        if wanted is Means.AUTO:
            for means in ORDER:
                if (each := await self.tried(means)).works:
                    return each
            return None
        if (found := await self.tried(wanted)).works:
            return found
        raise SandboxUnavailable(
            f"setting {where} = '{wanted}' cannot be kept on this machine: {found.why_not}",
            hint=f"fix that, or set {where} to 'auto' (the first that works) or 'none'",
        )

    async def trials(self) -> tuple[Trial, ...]:
        """Try each means that `auto` may take, in its order."""
        return tuple([await self.tried(means) for means in ORDER])

    async def why_none(self) -> str:
        """Say of each means why it does not work here."""
        return "; ".join(f"{each.means}: {each.why_not}" for each in await self.trials())

    async def tried(self, means: Means) -> Trial:
        """Try one means."""
        if means is Means.LANDLOCK and self._hides:
            return Trial(means=means, why_not="it cannot hide what sandbox.hide names", words=means)
        key = means, shutil.which("bwrap") or ""
        if key not in self._tried:
            self._tried[key] = await trial(means)
        return self._tried[key]
