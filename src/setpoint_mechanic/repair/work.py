"""One attempt of the mechanic while it goes on: what was done and said."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from setpoint.model.attempt import Brief
from setpoint.ports import Observer
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.engine.wire.repair import Patch, Result
from setpoint_mechanic.own_tool_calls import OwnCalls
from setpoint_mechanic.repair.codemods import Tool, mended_by_tools
from setpoint_mechanic.repair.fixing import fixed
from setpoint_mechanic.repair.summary import told_fixes


class Work:
    """Applies fixes and patches to the work copy, and tells the observer."""

    def __init__(self, brief: Brief, observer: Observer, toolkit: Toolkit) -> None:
        """Do what `brief` asks, with `toolkit`."""
        self.brief, self.toolkit = brief, toolkit
        self.calls = OwnCalls(brief.label, observer)

    def say(self, *lines: str) -> None:
        """Add to the answer."""
        self.calls.lines += lines

    async def apply_fixes(self, pytest_args: Sequence[str], fixers: Sequence[Tool]) -> None:
        """Try what findings and tools offer and report each as an edit."""
        began = time.monotonic()
        applied = await fixed(self.toolkit, self.brief, pytest_args)
        applied += await mended_by_tools(self.toolkit, self.brief, fixers, pytest_args)
        for each in applied:
            title = f"{each.finding.rule or each.finding.source}: {each.note}"
            self.calls.tell(
                "apply_fix",
                "edit",
                title,
                ok=each.ok,
                seconds=time.monotonic() - began,
                file=each.finding.file,
            )
            began = time.monotonic()
        self.say(*told_fixes(applied))

    def apply_patch(self, patch: Patch) -> None:
        """Put the best patch into the work copy."""
        began = time.monotonic()
        path = Path(self.brief.workdir) / patch.file
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.write(patch.text)
        title = f"{patch.template} at {patch.file}:{patch.line}"
        self.calls.tell(
            "apply_patch", "edit", title, ok=True, seconds=time.monotonic() - began, file=patch.file
        )

    def record(self, result: Result) -> None:
        """Keep what the search saw as one JSON object in the transcript, for programs that go on from it."""
        facts = asdict(result)
        for patch in facts["patches"]:
            del patch["text"]
        self.calls.log.append(json.dumps({"repair": facts}))
