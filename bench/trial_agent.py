"""Act as a coding agent that leaves what its script says; started by `trial.py` as a command agent.

    python trial_agent.py FOLDER < prompt

FOLDER holds `rounds.json`, a list of lists of acts, and keeps the count of calls. After the last round the
agent does the same as in that round. It gives a reason for everything that asks for one.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def do(root: Path, act: dict[str, str]) -> None:
    """Do one act in a tree."""
    place = root / act["path"]
    what, text = act["what"], act["text"]
    if what == "delete":
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    there = place.read_text("utf-8") if place.exists() and what not in {"write", "run", "link"} else ""
    if what == "link":
        place.unlink(missing_ok=True)
        place.symlink_to(text)
        return
    if what == "replace":
        old, new = (part.rstrip("\n") for part in text.split("====\n", 1))
        if old not in there:
            sys.stderr.write(f"{place}: not found: {old}\n")
        text = there.replace(old, new)
    elif what == "append":
        text = there if text in there else there + text
    elif what == "prepend":
        text = there if there.startswith(text) else text + there
    if place.is_symlink():
        place.unlink()
    place.write_text(text, "utf-8", errors="surrogateescape", newline="")
    if what == "run" or text.startswith("#!"):
        place.chmod(0o755)


def main() -> None:
    """Act once."""
    folder = Path(sys.argv[1])
    rounds = json.loads((folder / "rounds.json").read_text("utf-8"))
    count = folder / "count"
    number = int(count.read_text()) if count.exists() else 0
    prompt = sys.stdin.read()
    (folder / f"prompt-{number}.txt").write_text(prompt, "utf-8")
    count.write_text(str(number + 1))
    acts = [act for each in rounds[: number + 1] for act in each] if number < len(rounds) else rounds[-1]
    for act in acts:
        do(Path.cwd(), act)
    print("I implemented the request, and all tests pass.")
    for mark in dict.fromkeys(re.findall(r"^\W*([a-z]+-[0-9a-f]{4,}|[0-9a-f]{8,})\b", prompt, re.MULTILINE)):
        print(f"REASON {mark}: the request asks for it, and there is no other way.")


if __name__ == "__main__":
    main()
