"""Lock files, judged by the tools of packages themselves."""

import json
import shutil

import pytest

from checks.verdict.conftest import SHOP
from setpoint.model.proof import ObligationState
from setpoint.presets.lock_files import lock_files

PACKAGE = {"name": "shop", "version": "1.0.0"}
LOCK = {**PACKAGE, "lockfileVersion": 3, "requires": True, "packages": {"": PACKAGE}}


def test_each_lock_file_names_its_command():
    assert {"uv.lock", "package-lock.json", "Cargo.lock"} <= {each.lock for each in lock_files()}
    assert all(each.argv and each.manifest for each in lock_files())


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
async def test_a_dependency_that_is_not_locked_is_refused_by_the_tool(obligations):
    base = {**SHOP, "package.json": json.dumps(PACKAGE), "package-lock.json": json.dumps(LOCK)}
    declared = json.dumps({**PACKAGE, "dependencies": {"left-pad": "1.3.0"}})
    said = await obligations({"package.json": declared}, "chore: depend on left-pad", base=base)

    assert said["package tool"].state is ObligationState.NOT_MET
    assert "npm ci" in said["package tool"].reason
