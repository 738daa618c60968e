"""The unit for systemd that is shipped: systemd can read it, and it gives a worker its time to end."""

import re
import shutil
import subprocess
import sys

import pytest

from house.source import ROOT
from setpoint.model.config.limits import BoardLimits

UNIT = ROOT / "deploy" / "setpoint-work@.service"


def test_the_unit_gives_runs_their_time_and_is_the_one_of_the_page():
    text = UNIT.read_text("utf-8")
    assert int(re.search(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)[1]) > BoardLimits().drain_s
    assert text in (ROOT / "docs/how-to/night.md").read_text("utf-8")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
def test_systemd_reads_the_unit(tmp_path):
    # The program of the unit is looked for, so it is one that is there.
    unit = tmp_path / "setpoint-work@tmp.service"
    unit.write_text(UNIT.read_text("utf-8").replace("/usr/bin/env setpoint", sys.executable), "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)],
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
