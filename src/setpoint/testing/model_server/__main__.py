"""Serve a scenario: `python -m setpoint.testing.model_server SCENARIO [-- COMMAND ...]`.

With a command it ends with the command, which finds the address in `SCRIPTED_MODEL_URL`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
from pathlib import Path

from setpoint.errors import SettingsError
from setpoint.testing.model_server.scenario import Scenario
from setpoint.testing.model_server.server import scripted_model

VARIABLE = "SCRIPTED_MODEL_URL"


def main() -> int:
    """Serve until the command ends, or for `--seconds`."""
    parser = argparse.ArgumentParser(prog="python -m setpoint.testing.model_server", description=__doc__)
    parser.add_argument("scenario", type=Path, help="a TOML file")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long it serves without a command")
    parser.add_argument("command", nargs="*", help="run while it serves")
    asked = parser.parse_args()
    try:
        scenario = Scenario.read(asked.scenario)
    except SettingsError as error:
        parser.exit(2, f"{error}\n")
    with scripted_model(scenario) as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        if not asked.command:
            threading.Event().wait(asked.seconds)
            return 0
        argv = ["env", f"{VARIABLE}={model.url}", *asked.command]
        return subprocess.run(argv, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
