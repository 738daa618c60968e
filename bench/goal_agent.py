"""Act as a coding agent that leaves the files of a case; started by `goal_kinds.py`.

    python goal_agent.py LEFT.json < prompt

LEFT.json maps paths to texts; one that begins with `+` is added to the end of the file.
"""

import json
import sys
from pathlib import Path

sys.stdin.read()
for path, text in json.loads(Path(sys.argv[1]).read_text("utf-8")).items():
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    before = place.read_text("utf-8") if text.startswith("+") and place.exists() else ""
    place.write_text(before + text.removeprefix("+"), "utf-8")
