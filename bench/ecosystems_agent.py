"""Act as a coding agent that replaces one text by another; started by `ecosystems_seeded.py`.

    python ecosystems_agent.py EDITS.json NUMBER < prompt

EDITS.json holds a file and one text for each turn. The prompt of each turn is kept beside EDITS.json.
"""

import json
import sys
from pathlib import Path

edits, turn = Path(sys.argv[1]), int(sys.argv[2])
asked = sys.stdin.read()
given = json.loads(edits.read_text("utf-8"))
place = Path(given["file"])
text = place.read_text("utf-8")
before, after = given["texts"][turn - 1 : turn + 1]
if before not in text:
    raise SystemExit(f"{place}: the text of turn {turn} is missing")
place.write_text(text.replace(before, after, 1), "utf-8")
