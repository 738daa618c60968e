"""Show a command's output, or a picture of a page, as a tree gives it; nothing here judges."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.project import Project
from setpoint.checks.needs.veil import veil_of
from setpoint.model.ids import Artifact
from setpoint.model.product import ProductView, Shown, ShownPage
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run

SHOW_S = 60.0
"""Seconds that a command, or the picture of a page, may take."""
START_S = 20.0
"""Seconds after which a page that does not answer is given up."""
MOST_BYTES = 40_000
"""Bytes of an output that are kept: its beginning and its end."""
_LOOK_S = 0.1
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that make the picture of a page, in the order in which they are looked for."""


@dataclass(frozen=True, kw_only=True)
class ProductStage:
    """A tree that is checked out and furnished, on which the product is shown."""

    project: Project
    tree: Path
    artifacts: Artifacts

    async def show(self, asked: Shown) -> ProductView:
        """Run a command, or serve a page and take its picture."""
        if isinstance(asked, ShownPage):
            return await self._page(asked)
        done = await run(self._command("/bin/sh", "-c", asked))
        reason = "" if done.exit_code is not None and not done.fault else done.ending
        return ProductView(output=self._kept(done), exit_code=done.exit_code, reason=reason)

    def _command(self, *argv: str, writes: tuple[Path, ...] = ()) -> Command:
        variables = environment(self.project.interpreter, self.tree, self.project.layout.imports)
        return Command(
            argv=argv,
            cwd=self.tree,
            environment=variables,
            timeout_s=SHOW_S,
            keep_bytes=MOST_BYTES,
            writes=writes,
        )

    def _kept(self, done: Completed) -> Artifact | None:
        """Keep what was printed, without the place of the tree, which differs, and without secrets."""
        text = results.output_of(done).decode("utf-8", "replace").replace(str(self.tree), ".")
        kept = veil_of(self.project.root, self.project.needs).artifacts(self.artifacts)
        return kept.keep(text) if text else None

    async def _page(self, asked: ShownPage) -> ProductView:
        browser = next(filter(None, map(shutil.which, BROWSERS)), "")
        if not browser:
            return ProductView(reason="no browser is on this machine; hint: install chromium")
        if await _answers(asked.port):
            return ProductView(reason=f"something else answers at port {asked.port}; hint: use another port")
        halt = asyncio.Event()
        serving = asyncio.create_task(run(self._command("/bin/sh", "-c", asked.start), halt=halt))
        try:
            if await _began(serving, asked.port):
                return await self._picture(browser, asked.page)
        finally:
            halt.set()
            served = await serving
        why = f"`{asked.start}` does not answer at {asked.page}: {served.ending}"
        return ProductView(output=self._kept(served), exit_code=served.exit_code, reason=why)

    async def _picture(self, browser: str, page: str) -> ProductView:
        with _scratch() as scratch:
            file = scratch / "page.png"
            options = (
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--no-first-run", "--window-size=1280,800", f"--user-data-dir={scratch / 'profile'}",
                f"--screenshot={file}",
            )  # fmt: skip
            done = await run(self._command(browser, *options, page, writes=(scratch,)))
            if not file.is_file():
                why = f"the browser made no picture: {done.ending}"
                return ProductView(output=self._kept(done), reason=why)
            return ProductView(output=self.artifacts.keep(file.read_bytes()), picture=True)


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


async def _began(serving: asyncio.Task[Completed], port: int) -> bool:
    """Wait until something answers at a port; false where its command ends before, or takes too long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(START_S):
            while not serving.done():
                if await _answers(port):
                    return True
                await asyncio.sleep(_LOOK_S)
    return False


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
