"""`setpoint work` with a clock that a test moves: the file that is named in the arguments holds the time."""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from setpoint.app.runs.standing_worker import StandingWorker, only_worker
from setpoint.wiring.project import open_project


class FileClock:
    """Time that stands still until the file says otherwise."""

    def __init__(self, path):
        self._path = path

    def now(self):
        return datetime.fromisoformat(self._path.read_text("utf-8")).astimezone(UTC)

    async def sleep(self, _seconds):
        await asyncio.sleep(0.1)


def _told(story, text):
    sys.stdout.write(f"[{story}] {text}\n" if story else f"{text}\n")
    sys.stdout.flush()


project = open_project(Path.cwd())
clock = FileClock(Path(sys.argv[1]))
worker = StandingWorker(project, project.settings.board, (), _told, clock)
with only_worker(project):
    asyncio.run(worker.until_signalled())
