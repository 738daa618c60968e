"""Measure `setpoint serve` with many open pages: what idle ones cost, and 200 streams with 200 pages at once.

    python bench/serving.py [--runs 300] [--idle 0,10,200] [--seconds 30] [--rounds 3] [--json FILE]

The server runs in a process of its own, on a project whose runs `scale.py` makes; CPU seconds are its own.
Pages are asked for at once by one visitor, and by one visitor each. Meanwhile a run records an event every
0.2 s; its delay ends where most streams of the run have said another mark.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
from scale import LONGEST, calls, fill, project_on

from setpoint.app.project.access_keys import make_key
from setpoint.history.event_log import SqlEventLog
from setpoint.model.ids import TraceId
from setpoint.wiring.project import Project

AT_ONCE = 200
AIM_S = 1.0
EVERY_S = 0.2
SETTLE_S = 3.0
SHOWN = ("runs", "gates", "board", "learnings", "production", LONGEST)
PAGES = ("/", "/gates", "/board", "/learnings", "/production")
Figures = dict[str, object]


class Served(NamedTuple):
    """A server at work."""

    pid: int
    port: int
    token: str

    def cpu_s(self) -> float:
        """Give the seconds of the processor that it has used."""
        words = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    async def ask(self, path: str, cookie: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a request; gives what its answer is read from, behind the headers."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = (f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Accept: text/html")
        known = f"Cookie: {cookie}" if cookie else f"Authorization: Bearer {self.token}"
        closing = (known, "Connection: close", "", "")
        writer.write("\r\n".join((*lines, *closing)).encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.splitlines()[0]:
            raise SystemExit(f"{path}: {head.splitlines()[0].decode()}")
        return reader, writer

    def log_in(self) -> str:
        """Give the cookie of a new visitor."""
        host = f"http://127.0.0.1:{self.port}"
        with httpx.Client(base_url=host, headers={"sec-fetch-site": "same-origin"}) as browser:
            answer = browser.post("/login", data={"token": self.token})
            return answer.headers["set-cookie"].partition(";")[0]

    async def page_s(self, path: str, cookie: str = "") -> float:
        """Give the seconds that a page takes."""
        began = time.perf_counter()
        reader, writer = await self.ask(path, cookie)
        await reader.read(-1)
        writer.close()
        return time.perf_counter() - began


@contextmanager
def serving(project: Project) -> Iterator[Served]:
    """Start `setpoint serve` and end it."""
    token = make_key(project, "read")
    words = (sys.executable, "-m", "setpoint", "serve", "--port", "0")
    with subprocess.Popen(words, cwd=project.root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        yield Served(process.pid, int(address.rpartition(":")[2].partition("/")[0]), token)
        process.terminate()


@asynccontextmanager
async def streams(served: Served, count: int, changes: list[float]) -> AsyncIterator[None]:
    """Hold so many streams open; those of the run at work put down when its mark changes."""

    async def listen(what: str, reader: asyncio.StreamReader) -> None:
        mark = b""
        while line := await reader.readline():
            if line.startswith(b"data:") and line != mark:
                if mark and what == LONGEST:
                    changes.append(time.perf_counter())
                mark = line

    async with AsyncExitStack() as stack:
        for number in range(count):
            what = SHOWN[number % len(SHOWN)]
            reader, writer = await served.ask(f"/live/{what}")
            stack.callback(writer.close)
            stack.callback(asyncio.create_task(listen(what, reader)).cancel)
        yield


async def idle(served: Served, count: int, seconds: float) -> Figures:
    """Let streams listen while nothing happens."""
    async with streams(served, count, []):
        await asyncio.sleep(SETTLE_S)
        before = served.cpu_s()
        await asyncio.sleep(seconds)
        used = served.cpu_s() - before
    await asyncio.sleep(1)
    return {"streams": count, "seconds": seconds, "cpu_s": round(used, 2)}


async def busy(served: Served, project: Project) -> Figures:
    """Ask for pages at once while a run records events and streams listen."""
    log, changes, recorded = SqlEventLog(project.store), list[float](), list[float]()
    visitors = [served.log_in() for _ in range(AT_ONCE)]

    pages = [PAGES[number % len(PAGES)] for number in range(AT_ONCE)]

    def append() -> None:
        log.append(TraceId(LONGEST), f"busy-{time.time_ns()}", calls(1))
        recorded.append(time.perf_counter())

    async def record() -> None:
        while True:
            await asyncio.to_thread(append)
            await asyncio.sleep(EVERY_S)

    async with streams(served, AT_ONCE, changes):
        await asyncio.sleep(SETTLE_S)
        before, recording = served.cpu_s(), asyncio.create_task(record())
        await asyncio.sleep(10)
        alone_s, calm = served.cpu_s() - before, len(recorded)
        took = await asyncio.gather(*(served.page_s(page) for page in pages))
        await asyncio.sleep(2)
        apart = await asyncio.gather(*map(served.page_s, pages, visitors))
        await asyncio.sleep(2)
        recording.cancel()
        await asyncio.sleep(SETTLE_S)
    delays = [[_delay(at, changes) for at in some] for some in (recorded[1:calm], recorded[calm:])]
    return {
        "page": _shares(took),
        "page_of_a_visitor_each": _shares(apart),
        "delay_alone": _shares(delays[0]),
        "delay_with_pages": _shares(delays[1]),
        "cpu_s_of_10_s_with_events": round(alone_s, 2),
        "met": _at(took, 0.95) <= AIM_S,
    }


def _delay(at: float, changes: list[float]) -> float:
    """Give the seconds until most streams of the run have said that there is more."""
    listening = AT_ONCE // len(SHOWN)
    after = sorted(each - at for each in changes if each >= at - 0.005)[:listening]
    return max(statistics.median(after), 0.0) if after else float("nan")


def _at(times: list[float], share: float) -> float:
    return sorted(times)[int(share * (len(times) - 1))]


def _shares(times: list[float]) -> dict[str, float]:
    return {f"p{round(100 * share)}": round(_at(times, share), 3) for share in (0.5, 0.95, 0.99)}


def main() -> int:
    """Measure and print; exit 1 where the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--idle", default="0,10,200")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    found: list[Figures] = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="setpoint-bench-"))
        project = stack.enter_context(project_on(Path(folder) / "project", None))
        fill(project.store, project.root, options.runs, 10 * options.runs)
        served = stack.enter_context(serving(project))
        for count in filter(None, options.idle.split(",")):
            found.append(asyncio.run(idle(served, int(count), options.seconds)))
            print(json.dumps(found[-1]), flush=True)
        for _ in range(options.rounds):
            found.append(asyncio.run(busy(served, project)))
            print(json.dumps(found[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), "utf-8")
    return 1 if any(each.get("met") is False for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
