"""Measure what is recalled at a step: precision at 3 where lessons are known to be right, silence elsewhere.

    python bench/recall.py [bench/data/recall.jsonl] [--misses]

The data hold one object a line, lessons and stories; all lessons are in one memory of one project.
A lesson: `lesson` (its name), `title`; if known `body`, `context`, `files`, `symbols`, `rules` (of checks,
failing tests, types of errors), `command`, `trust` (system, human or external), `tags`.
A story: `story` (its name), `right` (names of lessons that help; empty: silence is right), and the step:
`wish`, `failures` (`test`, `error`, `message`, `file`, `functions`), `findings` (`rule`, `message`, `file`,
`symbol`, `category`), `files` (that the plan names, or that failing tests reach).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from setpoint.learning.loop import searched
from setpoint.learning.policy.at_hand import AtHand, at_hand
from setpoint.learning.policy.recall import recollections
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.evidence import Cause, Failure, Frame
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import TraceId
from setpoint.model.learning import Hint, LearningKind, Proposal, Trust
from setpoint.testing import ListMemory

HERE, MOST = "here", 3
TERMS = MemoryTerms(hold_out=0.0, withhold=0.0)


def lesson(told: dict[str, Any]) -> Proposal:
    """Make a learning of a run that was verified; a place is put into the words by which it is found, too."""
    places = {name: tuple(told.get(name, ())) for name in ("files", "symbols", "rules")}
    hint = {"command": told.get("command", ""), **places}
    words = (told.get("context", ""), *(word for some in places.values() for word in some))
    return Proposal(
        kind=LearningKind.PROCEDURAL,
        title=told["title"],
        body=told.get("body", ""),
        context=" ".join(filter(None, words)),
        scope=HERE,
        believed=0.67,
        trust=Trust(told.get("trust", "system")),
        tags=("verified", *told.get("tags", ())),
        hint=Hint(**{name: value for name, value in hint.items() if name in Hint.model_fields}),
        source=f"run:{told['lesson']}",
    )


def asked(story: dict[str, Any]) -> AtHand:
    """Collect what is at hand in a story."""
    failures = [
        Failure(
            test=each["test"],
            cause=Cause.RUNTIME,
            message=each.get("message", ""),
            file=each.get("file", ""),
            error=each.get("error", ""),
            frames=tuple(
                Frame(file=each.get("file", ""), line=1, function=name) for name in each.get("functions", ())
            ),
        )
        for each in story.get("failures", ())
    ]
    findings = [
        Finding(
            source="bench",
            severity=Severity.ERROR,
            category=Category(each.get("category", "correctness")),
            rule=each.get("rule", ""),
            message=each["message"],
            file=each.get("file", ""),
            symbol=each.get("symbol", ""),
        )
        for each in story.get("findings", ())
    ]
    return at_hand(story.get("wish", ""), failures, findings, story.get("files", ()))


def main() -> None:
    """Print the figures, and with `--misses` what was shown in place of what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path(__file__).parent / "data" / "recall.jsonl")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    lines = [json.loads(line) for line in given.data.read_text("utf-8").splitlines() if line.strip()]
    memory = ListMemory()
    names = {memory.learn([lesson(each)])[0]: each["lesson"] for each in lines if "lesson" in each}
    precision, found, silent = [], [], []
    for story in (each for each in lines if "story" in each):
        at, right = asked(story), set(story["right"])
        items = recollections(searched(memory, at), at, TraceId(story["story"]), HERE, TERMS)
        shown = [names[item.learning] for item in items if item.shown][:MOST]
        if right:
            precision.append(len(right & set(shown)) / len(shown) if shown else 0.0)
            found.append(bool(right & set(shown)))
        else:
            silent.append(not shown)
        if given.misses and (set(shown) - right or (right and not right & set(shown))):
            print(f"{story['story']}: shown {shown}, right {sorted(right)}")
    for name, values in (("precision at 3", precision), ("a right one shown", found), ("silence", silent)):
        print(f"{name}: {sum(values) / len(values):.2f} of {len(values)}" if values else f"{name}: no story")


if __name__ == "__main__":
    main()
