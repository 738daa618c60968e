"""Tests get tighter limits of time while a function is sabotaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from setpoint.checks.proof.subject import limited
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.presets.check_settings import ToolSettings

UNUSED: Any = None


@pytest.mark.parametrize(("name", "args"), [("go_test", ("-short", "-timeout=12s")), ("vitest", ("-short",))])
def test_a_test_program_of_go_ends_by_itself_however_long_its_build_takes(name: str, args) -> None:
    suite = PackageSuite(
        name=name,
        preset=UNUSED,
        program=UNUSED,
        project=UNUSED,
        root=Path(),
        folders=("",),
        cache="",
        artifacts=UNUSED,
        timeout_s=600.0,
        asked=ToolSettings(args=("-short",)),
    )

    held = limited(suite, 60.0, 12.3)

    assert isinstance(held, PackageSuite)
    assert (held.asked.args, held.asked.timeout_s) == (args, 60.0)
