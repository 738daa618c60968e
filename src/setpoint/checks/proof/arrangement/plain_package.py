"""Run the tests of other languages in a neutral place, in another order where the runner has one."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import replace
from pathlib import Path

from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.proof.arrangement.neutral_place import NeutralPlace
from setpoint.checks.proof.arrangement.plain_pytest import PlainRun
from setpoint.checks.suites.package_suite import RUNNERS, PackageSuite
from setpoint.model.evidence import Outcome
from setpoint_probe.plugin import FOLDER

_REPORTERS = ("node_reporter.mjs", "mocha_reporter.cjs")
_RENAMING = """\
program=$1
shift
folder=FOLDER
rm -f "$folder/main-program" && cp "$program" "$folder/main-program" 2>/dev/null || exec "$program" "$@"
exec "$folder/main-program" "$@"
"""
"""Runs a program from another folder; the name of one that is built for tests tells that it is."""
_VERSION = re.compile(r"(\d+)\.(\d+)")
_SHUFFLES_FILES = 2
"""First version of vitest that orders files by a seed and leaves the tests in them as they are."""


async def plain_package(suite: PackageSuite, place: NeutralPlace, only: Selection, seed: int) -> PlainRun:
    """Run all packages of a suite, or some tests; nothing is run again."""
    outcomes: dict[str, Outcome] = {}
    argv: tuple[str, ...] = ()
    broken: list[str] = []
    for folder, share in suite.shares(place.tree, only):
        scratch = place.scratch()
        for reporter in _REPORTERS:
            await asyncio.to_thread(shutil.copy, FOLDER / reporter, scratch / reporter)
        start = suite.start(place.tree, folder, scratch)
        variables = place.neutral(start.variables, suite.cache)
        if suite.name == "cargo_test":
            variables["RUST_TEST_THREADS"] = "1"
        under, renamed = await asyncio.to_thread(_another_name, suite.name, scratch)
        args = (*start.args, *_another_order(suite, seed), *renamed)
        start = replace(start, variables=variables, args=args, under=under, inside=scratch)
        once = await RUNNERS[suite.name].run(start, share)
        argv = once.done.command.argv
        outcomes |= once.report.outcomes if once.report else {}
        broken += [once.broken] if once.broken else []
    return PlainRun(outcomes=outcomes, argv=argv, broken="; ".join(broken))


def _another_name(runner: str, scratch: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Let test programs run under a plain name beside other programs; return words and arguments for it."""
    folders = {
        "go_test": f"$(mktemp -d '{scratch}/XXXXXX')",
        "cargo_test": '$(dirname "$(dirname "$program")")',
    }
    if runner not in folders:
        return (), ()
    script = scratch / "run.sh"
    script.write_text(_RENAMING.replace("FOLDER", folders[runner]), "utf-8")
    if runner == "go_test":
        return ("/bin/sh", str(script)), ()
    return (), ("--config", f"target.'cfg(all())'.runner = ['/bin/sh', '{script}']")


def _another_order(suite: PackageSuite, seed: int) -> tuple[str, ...]:
    found = _VERSION.search(suite.program.version)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if suite.name == "go_test" and version >= (1, 17):
        return (f"-shuffle={seed}",)
    if suite.name == "vitest" and version[0] >= _SHUFFLES_FILES:
        return ("--sequence.shuffle.files=true", f"--sequence.seed={seed}")
    return ()
