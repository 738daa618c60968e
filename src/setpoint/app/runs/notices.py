"""Notify the people whom `[notify]` names that a run asks or has ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime

from setpoint.errors import UsageError
from setpoint.history.notices.notice import Notice, notice_of
from setpoint.history.notices.send import send
from setpoint.model.config.notice_target import NoticeKind, NoticeTarget
from setpoint.model.events import Event
from setpoint.model.events.run import GateOpened, RunFinished
from setpoint.model.run import RunOrder
from setpoint.settings import whole_environment
from setpoint.wiring.project import Project, find_run

MOST_WAIT_S = 40.0
"""Seconds that the end of a drive waits for receivers that are slow."""
_AT_ONCE = 4
_LOG = logging.getLogger(__name__)


@contextmanager
def telling(
    project: Project, order: RunOrder, heard: Callable[[Event], None]
) -> Iterator[Callable[[Event], None]]:
    """Yield a listener that notifies people of events; at the end, wait for notices on their way.

    Nothing here changes the run: a receiver that fails is a warning.
    """
    targets = project.settings.notify
    if not targets:
        yield heard
        return
    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="notices")
    sent: list[Future[None]] = []

    def hear(event: Event) -> None:
        heard(event)
        if not isinstance(event.body, GateOpened | RunFinished):
            return
        told = find_run(project, order.trace_id)
        if notice := notice_of(event, order, project.root.name, told):
            sent.extend(
                pool.submit(_tell, project, name, target, notice)
                for name, target in targets.items()
                if notice.kind in target.on
            )

    try:
        yield hear
    finally:
        late = wait(sent, timeout=MOST_WAIT_S).not_done
        if late:
            _LOG.warning("%d of %d notices were not delivered in time", len(late), len(sent))
        pool.shutdown(wait=False, cancel_futures=True)


def tell_all(project: Project, notice: Notice) -> None:
    """Send a notice to all who want its kind, one after the other; one that fails is a warning."""
    for name, target in project.settings.notify.items():
        if notice.kind in target.on:
            _tell(project, name, target, notice)


def _tell(project: Project, name: str, target: NoticeTarget, notice: Notice) -> None:
    if why := _sent(project, target, notice):
        _LOG.warning("%s got no notice that %s: %s", name, _DONE[notice.kind], why)


_DONE = {
    NoticeKind.ASKS: "the run asks",
    NoticeKind.VERIFIED: "the run is verified",
    NoticeKind.STOPPED: "the run has stopped",
    NoticeKind.REPORT: "a shift is over",
}


def _sent(project: Project, target: NoticeTarget, notice: Notice) -> str:
    """Send a notice; return why that failed, empty where it did not."""
    try:
        asyncio.run(send(target, notice, whole_environment(), project.root))
    except UsageError as error:
        return f"{error.message} ({error.hint})" if error.hint else error.message
    except Exception as error:  # noqa: BLE001 - a boundary: nothing here changes how a run ends
        return f"{type(error).__name__}: {error}"
    return ""


def try_notices(project: Project, name: str = "") -> dict[str, str]:
    """Send a test notice to each receiver, or to one; gives why each failed, empty where it took the notice.

    Raises `UsageError` where no receiver has the name, or there is none.
    """
    targets = project.settings.notify
    if not targets or (name and name not in targets):
        message = f"no receiver is called {name}" if name else "nobody gets notices of runs"
        known = f"there are {', '.join(sorted(targets))}" if targets else "add [notify.NAME] to setpoint.toml"
        raise UsageError(message, hint=known)
    now = datetime.now(UTC)
    notice = Notice(
        kind=NoticeKind.ASKS,
        id=f"test-{now:%Y%m%dT%H%M%S%f}",
        at=now,
        run="run-test",
        repository=project.root.name,
        title="A test of Setpoint: nothing to do",
        lines=("This receiver gets a notice when a run asks, is verified or has stopped.",),
    )
    chosen = {name: targets[name]} if name else targets
    return {each: _sent(project, target, notice) for each, target in chosen.items()}
