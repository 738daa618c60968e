"""Supervisor between Setpoint and one command, so that nothing the command starts can outlive it.

It runs in a process of its own, started with `python -I -S`, and needs nothing but the standard library, and
little of that, because every command waits for these imports. Its argument is the number of a socket: through
it Setpoint sends the order (what to start), and gets one line for everything that happens. When Setpoint
closes its end, or is killed, the whole tree is ended.

Lines sent to Setpoint: `started PID`, `refused ERRNO PLACE`, `exited CODE`, `signalled NUMBER`, `left COUNT`.

On Linux the supervisor is the subreaper of all that is started below it, so a process which leaves its
session or forks twice is still found. Elsewhere only the command's own process group is ended.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import marshal
import os
import resource
import select
import signal
import sys
import time

LENGTH_BYTES = 4
"""The order is preceded by its length, big endian."""
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
REAP_S = 10.0
"""Seconds after which a tree that survives SIGKILL (stuck in the kernel) is given up."""
POLL_S = 0.02
HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


def descendants(root: int) -> list[int]:
    """Find all living processes below `root`, nearest first, by the parent links under /proc (Linux)."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib costs milliseconds at every command
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - as above
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it ended while we looked
        if state not in (b"Z", b"X"):
            parents.setdefault(int(parent), []).append(int(name))
    found = list(parents.get(root, ()))
    for pid in found:
        found.extend(parents.get(pid, ()))
    return found


class Order:
    """What to start, and its bounds."""

    argv: list[str]
    cwd: str
    environment: dict[str, str]
    memory_bytes: int | None
    file_bytes: int
    grace_s: float
    leftover_s: float
    writable: list[str] | None
    """Where Landlock lets it write; none lets it write anywhere."""
    readable: list[str] | None
    """Where Landlock lets it read beside that; none lets it read everything."""
    wrapper: list[str]
    """Words that are put before the command."""
    network: bool
    """Whether it has the network of the machine."""
    shown: list[tuple[str, str]]
    """Folders, each with the place at which it is seen."""

    def __init__(self, held: dict[str, object]) -> None:
        """Take the fields as they came; `typing` and `dataclasses` would cost more than all the rest."""
        vars(self).update(held)


class Supervisor:
    """One command and all that it starts."""

    def __init__(self, link: int, order: Order) -> None:
        """Take the order; nothing is started yet."""
        self.link = link
        self.order = order
        self.child = 0
        self.status: int | None = None
        self.prctl = ctypes.CDLL(None).prctl if sys.platform.startswith("linux") else None
        self.reaps = self.prctl is not None
        self.wake, wake_end = os.pipe()
        for end in (self.wake, wake_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        self.told_to_end = False
        for number in HANDLED:
            signal.signal(number, self._noted)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def _noted(self, number: int, _frame: object) -> None:
        if number != signal.SIGCHLD:
            self.told_to_end = True

    def tell(self, line: str) -> None:
        """Send one line; without a reader the cleaning continues."""
        try:
            os.write(self.link, line.encode() + b"\n")
        except OSError:
            self.told_to_end = True

    def start(self) -> bool:
        """Start the command in a session of its own; tells why where that cannot be done."""
        if self.prctl:
            self.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        trouble, trouble_end = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            self._become(trouble_end)
        os.close(trouble_end)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        reason = os.read(trouble, 64)
        os.close(trouble)
        self.tell(f"refused {reason.decode()}" if reason else f"started {self.child}")
        return not reason

    def _become(self, trouble: int) -> None:
        place = "setup"
        try:
            if self.prctl:
                self.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.setsid()
            signal.set_wakeup_fd(-1)
            for number in (*HANDLED, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            self._limit()
            order = self.order
            if order.shown or not order.network:
                place = "namespace"
                # By its bare name, as this one; and only where it is wanted, for every command waits.
                enter = importlib.import_module("namespaces").enter
                enter(network=order.network, shown=order.shown)
            place = "cwd"
            os.chdir(order.cwd)
            place = "program"
            argv = order.argv
            if order.wrapper:  # which would not tell us that there is no such program
                argv = [*order.wrapper, found(argv[0], order.environment), *argv[1:]]
            if order.writable is not None:
                place = "sandbox"
                importlib.import_module("landlock").confine(order.writable, order.readable)
                place = "program"
            os.execvpe(argv[0], argv, order.environment)  # noqa: S606 - that is its purpose
        except (OSError, ValueError) as error:
            os.write(trouble, f"{getattr(error, 'errno', None) or errno.EINVAL} {place}".encode())
        finally:
            os._exit(127)

    def _limit(self) -> None:
        wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: self.order.file_bytes}
        if self.reaps and self.order.memory_bytes is not None:  # macOS knows no such limit
            wanted[resource.RLIMIT_AS] = self.order.memory_bytes
        for kind, limit in wanted.items():
            hard = resource.getrlimit(kind)[1]
            lower = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (lower, lower))

    def watch(self) -> None:
        """Wait until the command ends, or until it shall be ended."""
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        poll.register(self.link, select.POLLIN)
        while self.reap() and self.status is None and not self.told_to_end:
            for descriptor, _ in poll.poll():
                if descriptor == self.wake:
                    self._drain()
                elif not self._hears():
                    self.told_to_end = True

    def _drain(self) -> None:
        try:
            while os.read(self.wake, 4096):
                pass
        except BlockingIOError:
            return

    def _hears(self) -> bool:
        try:
            return bool(os.read(self.link, 64))
        except OSError:
            return False

    def reap(self) -> bool:
        """Bury the dead and keep the command's own status; gives whether any process is left below."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                self.status = status

    def sweep(self) -> None:
        """End all that is left, first politely, then not; tells how many there were."""
        if not self._any_left():
            return
        left = self._asked_to_end()
        end = time.monotonic() + REAP_S
        while self._any_left() and time.monotonic() < end:
            left.update(self._signal(signal.SIGKILL))
            self._pause()
        if self.status is not None and left:
            self.tell(f"left {len(left)}")

    def _asked_to_end(self) -> set[int]:
        """Ask each process once, so that what it starts to tidy up is not disturbed, and wait a while."""
        asked: set[int] = set()
        end = time.monotonic() + (self.order.grace_s if self.status is None else self.order.leftover_s)
        while self._any_left() and time.monotonic() < end:
            if not asked:  # a process that forks and ends while we look is found at the second look
                asked.update(self._signal(signal.SIGTERM))
            self._pause()
        return asked

    def _signal(self, number: int) -> list[int]:
        if not self.reaps:
            return [self.child] if self._signal_group(number) else []
        found = descendants(os.getpid())
        for pid in found:
            for sent in (number, signal.SIGCONT):
                try:
                    os.kill(pid, sent)
                except ProcessLookupError:
                    break
                except PermissionError:  # it runs as another user now; it is not ours to end
                    break
        return found

    def _signal_group(self, number: int) -> bool:
        try:
            os.killpg(self.child, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _any_left(self) -> bool:
        """Without children there are no descendants either, where orphans become our children."""
        return self.reap() or (not self.reaps and self._signal_group(0))

    def _pause(self) -> None:
        select.select([self.wake], [], [], POLL_S)
        self._drain()


def found(program: str, environment: dict[str, str]) -> str:
    """Find a program as exec would; raises `OSError` where there is none."""
    if "/" in program:
        places = [program]
    else:
        places = [f"{folder}/{program}" for folder in os.get_exec_path(environment)]
    for place in places:
        if os.access(place, os.X_OK) and not os.path.isdir(place):  # noqa: PTH112 - see above
            return place
    raise FileNotFoundError(errno.ENOENT, program)


def read_order(link: int) -> Order | None:
    """Read the order; none where Setpoint went away before it had sent all of it."""
    wanted, data = LENGTH_BYTES, b""
    while len(data) < wanted:
        part = os.read(link, wanted - len(data))
        if not part:
            return None
        data += part
        if wanted == LENGTH_BYTES and len(data) == wanted:
            wanted += int.from_bytes(data, "big")
    held: dict[str, object] = marshal.loads(data[LENGTH_BYTES:])  # noqa: S302 - our own parent wrote it
    return Order(held)


def main() -> int:
    """Start the command, wait, tell how it ended, leave nothing behind."""
    link = int(sys.argv[1])
    os.set_inheritable(link, False)  # noqa: FBT003 - it has no name
    order = read_order(link)
    if order is None:
        return 0
    supervisor = Supervisor(link, order)
    if not supervisor.start():
        return 127
    supervisor.watch()
    status = supervisor.status
    if status is not None:
        supervisor.tell(ending(status))
        supervisor.sweep()
        return os.waitstatus_to_exitcode(status) & 0xFF
    supervisor.sweep()
    if supervisor.status is not None:
        supervisor.tell(ending(supervisor.status))
    return 128 + signal.SIGTERM


def ending(status: int) -> str:
    """Say how a process ended."""
    if os.WIFSIGNALED(status):
        return f"signalled {os.WTERMSIG(status)}"
    return f"exited {os.WEXITSTATUS(status)}"
