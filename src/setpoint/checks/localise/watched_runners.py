"""Whose tests can be run watched, line by line."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.checks.localise.go_spectra import GoSpectra
from setpoint.checks.localise.python_spectra import PythonSpectra
from setpoint.checks.localise.script_spectra import SCRIPTS, ScriptSpectra
from setpoint.checks.localise.spectra import Spectra
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.pytest import Runner


def spectra_of(
    runner: Runner | None, files: tuple[str, ...], checks: Iterable[object]
) -> tuple[Spectra, ...]:
    """Return what watches the tests of a project: of pytest, and of the suites among some checks."""
    python = () if runner is None else (PythonSpectra(runner=runner, files=files),)
    suites = [each for each in checks if isinstance(each, PackageSuite)]
    go = [GoSpectra(suite=each) for each in suites if each.name == "go_test"]
    scripts = [ScriptSpectra(suite=each) for each in suites if each.name in SCRIPTS]
    return (*python, *go, *scripts)
