# ruff: noqa: ANN401 - what the interpreter and coverage hand over has no types
"""Four ways to note which functions ran, each for the Python and the run that it costs least in.

A function is named by the path of its file and the line that it begins at; a file as a whole by line 0.
Whoever asks numbers these places as it likes, by a function that gives the same number for the same place.
"""

from __future__ import annotations

import opcode
import sys
import threading
import warnings
from pathlib import Path
from types import CodeType
from typing import (  # noqa: UP035 - where Python 3.8 has them
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Set,
    Tuple,
)

Place = Tuple[str, int]  # noqa: UP006 - Python 3.8 looks at this one
Number = Callable[[Place], int]
UNSEEN: Place = ("", 0)
"""Stands for what cannot be seen: another process, a thread that nobody is told of."""
_UNSEEN_MODULES = ("popen_spawn_posix.py", "popen_forkserver.py")
_MINE = 3
"""So many references there are, when asked, to what a variable and one tuple hold."""
_LINE = (1 << 28) - 1
_NEGATIVE = 1 << 56
_PACKED_ALIKE = (7, 13, 2)
"""Coverage packs the two lines of a step into a number so since this version."""


def chosen(root: str, number: Number) -> Any:
    """Give the tracer that costs least here; only files whose path begins with `root` need to be seen."""
    if hasattr(sys, "monitoring"):
        return MonitoringTracer(number)
    return CoverageTracer.over_running(root, number) or LsProfTracer(number)


def _place(code: CodeType) -> Place:
    # A file as a whole begins where its first function may begin.
    return (code.co_filename, 0 if code.co_name == "<module>" else code.co_firstlineno)


def _numbers(codes: Iterable[CodeType], number: Number) -> set[int]:
    found: set[int] = set()
    for code in codes:
        if code.co_filename.endswith(_UNSEEN_MODULES):
            found.add(number(UNSEEN))
        found.add(number(_place(code)))
    return found


class CoverageTracer:
    """Reads what a running coverage has noted anyway, in C: takes what tells of places, and gives it back.

    What coverage is told to leave out is not seen.
    """

    def __init__(self, collector: Any, root: str, number: Number) -> None:
        """Read from one of coverage's collectors what it notes of files below `root`."""
        self._collector = collector
        self._root = root
        self._number = number
        self._tracer: Any = None
        self._told: Dict[str, Dict[int, Optional[int]]] = {}  # noqa: UP006, UP045 - see above
        """By file and note, the place that it tells of; none where it tells of none."""
        self._shared: Dict[str, Dict[int, Set[int]]] = {}  # noqa: UP006 - see above
        self._open: List[Tuple[str, Set[int]]] = []  # noqa: UP006 - see above
        """Notes that are yet to be looked at: of functions that go on, where coverage has begun new ones."""
        self._processes = ""
        self._finished = False

    @staticmethod
    def over_running(root: str, number: Number) -> Optional[CoverageTracer]:  # noqa: UP045 - see above
        """Give one where coverage runs in a way that is known here; none elsewhere."""
        control = getattr(sys.modules.get("coverage"), "Coverage", None)
        collector = getattr(getattr(control, "current", lambda: None)(), "_collector", None)
        core = getattr(collector, "core", None)
        branch = getattr(collector, "branch", None)
        known = (
            (branch is True or (branch is False and sys.version_info[:2] == (3, 11)))
            and getattr(core, "packed_arcs", False)  # its tracer in C
            and (not branch or getattr(sys.modules["coverage"], "version_info", ())[:3] >= _PACKED_ALIKE)
            and getattr(collector, "should_start_context", 0) is None
            and isinstance(getattr(collector, "data", None), dict)
            and isinstance(getattr(collector, "should_trace_cache", None), dict)
            and sys.gettrace() is not None
        )
        if not known:
            return None
        return (BranchTracer if branch else LineTracer)(collector, root, number)

    def start(self) -> bool:
        """Begin noting; false where somebody else traces."""
        self._tracer = sys.gettrace()
        return self._tracer is not None

    def forget(self) -> None:
        """Leave out what coverage noted while nobody asked; processes that were made still count."""
        self._gathered()

    def stop(self) -> bool:
        """Stop noting; false where somebody took the tracer away meanwhile."""
        return sys.gettrace() is self._tracer

    def take(self) -> set[int]:
        """Give what ran since it was last asked."""
        found = self._gathered()
        if self._process_made():
            found.add(self._number(UNSEEN))
        return found

    def finish(self) -> set[str]:
        """Give coverage back what was taken, and take nothing more; names the files that it leaves out."""
        self._gathered()
        self._finished = True
        for file, told in self._told.items():
            self._collector.data.setdefault(file, set()).update(told)
        cache = dict(self._collector.should_trace_cache)
        return {file for file, how in cache.items() if not getattr(how, "trace", False)}

    def _gathered(self) -> set[int]:
        found: set[Any] = set()
        if self._finished:
            return found
        for file, notes in self._taken_away():
            told = self._told.setdefault(file, {})
            try:
                found.update(map(told.__getitem__, notes))
            except KeyError:
                self._meet(file, notes.difference(told))
                found.update(map(told.__getitem__, notes))
            shared = self._shared.get(file)
            for note in shared.keys() & notes if shared else ():
                found |= self._shared[file][note]
        found.discard(None)
        return found

    def _taken_away(self) -> Iterator[tuple[str, set[int]]]:
        """Take all notes, by file; coverage begins anew for each file that it meets.

        Functions that still run go on with what they have, so that coverage gets it back, emptied; it holds
        on to it a while longer than it has to. Other threads may add to all of it at any time.
        """
        data = self._collector.data
        for file in list(data):
            self._open.append((file, data[file]))
            del data[file]
        later = []
        while self._open:
            file, noted = self._open[-1]
            held = sys.getrefcount(noted) > _MINE
            notes = noted.copy() if held else noted
            yield file, notes
            if held:
                noted.difference_update(notes)
                if data.setdefault(file, noted) is not noted:  # a thread came to the file meanwhile
                    later.append((file, noted))
            self._open.pop()
        self._open = later

    def _meet(self, file: str, notes: set[int]) -> None:
        """Find out what notes never seen before tell."""
        places: Dict[int, Optional[int]] = dict.fromkeys(notes)  # noqa: UP006, UP045 - see above
        if file.startswith(self._root):
            places.update(self._learnt(file, notes))
        self._told[file].update(places)

    def _learnt(self, file: str, notes: set[int]) -> Dict[int, int]:  # noqa: UP006 - see above
        """Give the place that each note tells of, but for those of none; those of more go to `_shared`."""
        raise NotImplementedError

    def _process_made(self) -> bool:
        """Whether `multiprocessing` began a process: the number of its next one tells."""
        before = self._processes
        module = sys.modules.get("multiprocessing.process")
        self._processes = repr(getattr(module, "_process_counter", "")) if module else ""
        return self._processes not in (before, "count(1)", "")


class BranchTracer(CoverageTracer):
    """Coverage with branches notes each step between two lines of a file.

    A function is entered and left by way of the negative of the line it begins at.
    """

    def _learnt(self, file: str, notes: set[int]) -> Dict[int, int]:  # noqa: UP006 - see above
        """Tell which of the steps lead into a function, or out of it."""
        places = {}
        for arc in notes:
            if arc >= _NEGATIVE:
                first = arc & _LINE if arc & _NEGATIVE else (arc >> 28) & _LINE
                places[arc] = self._number((file, first))
                if first <= 1:  # it is that of the file itself, or of a function that begins there
                    self._shared.setdefault(file, {})[arc] = {self._number((file, 0))}
        return places


class LineTracer(CoverageTracer):
    """Coverage without branches notes each line; whose line it is, is seen by compiling the file once.

    A line that several functions share counts for each of them, one that belongs to nobody for all. Not seen
    is a generator that nobody begins, of which nothing runs, and one that goes on in another test than it
    began in and does not come to another line there.
    """

    def __init__(self, collector: Any, root: str, number: Number) -> None:
        """Read from one of coverage's collectors what it notes of files below `root`."""
        super().__init__(collector, root, number)
        self._owners: Dict[str, Dict[int, Set[int]]] = {}  # noqa: UP006 - see above
        self._broken: Set[str] = set()  # noqa: UP006 - see above

    def finish(self) -> set[str]:
        """Give coverage back what was taken from it; names the files that cannot be looked into."""
        return super().finish() | self._broken

    def _learnt(self, file: str, notes: set[int]) -> Dict[int, int]:  # noqa: UP006 - see above
        """Tell whose lines these are."""
        if file not in self._owners:
            self._owners[file] = self._compiled(file)
        owners = self._owners[file]
        places = {}
        for line in notes:
            numbers = owners.get(line) or set().union(*owners.values())
            places[line] = min(numbers, default=self._number(UNSEEN))
            if len(numbers) > 1:
                self._shared.setdefault(file, {})[line] = numbers
        return places

    def _compiled(self, file: str) -> Dict[int, Set[int]]:  # noqa: UP006 - see above
        """Give the places that each line of a file stands for; all are unseen where it does not compile."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python said them when the project imported the file
                module = compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)
            owned = [(line, _place(code)) for code in _inner(module) for line in _lines(code)]
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            self._broken.add(file)
            owned = [(0, UNSEEN)]
        places: Dict[int, Set[int]] = {}  # noqa: UP006 - see above
        for line, place in owned:
            places.setdefault(line, set()).add(self._number(place))
        return places


def _inner(code: CodeType) -> Iterator[CodeType]:
    """Give a piece of code and all that is defined in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _inner(each)


def _lines(code: CodeType) -> set[int]:
    """Give the lines that are traced while it runs: not that of the `def`, where it does not stand alone."""
    resume, raw = opcode.opmap["RESUME"], code.co_code
    began = next(offset for offset in range(0, len(raw), 2) if raw[offset] == resume)
    return {line for _, end, line in code.co_lines() if end > began + 2 and line is not None}


class LsProfTracer:
    """Notes functions by the profiler in C that Python brings, up to Python 3.11: one for each thread."""

    def __init__(self, number: Number) -> None:
        """Begin switched off."""
        from _lsprof import Profiler  # noqa: PLC0415 - other Pythons may lack it

        self._number = number
        self._make = Profiler
        self._main: Any = Profiler(subcalls=False, builtins=False)
        self._threads: dict[int, Any] = {}
        # Kept: whichever thread frees one that was enabled loses its own.
        self._ended: list[Any] = []

    def start(self) -> bool:
        """Begin noting; false where somebody else profiles already."""
        if sys.getprofile() is not None:
            return False
        threading.setprofile(self._joined)
        self._main.enable()
        return True

    def forget(self) -> None:
        """Leave out nothing: nothing was noted while it was switched off."""

    def stop(self) -> bool:
        """Stop noting in this thread; false where somebody took the profiler away meanwhile."""
        kept = sys.getprofile() is self._main
        if kept:
            self._main.disable()
        threading.setprofile(None)
        return kept

    def take(self) -> set[int]:
        """Give what ran since it was last asked."""
        found: set[CodeType] = set()
        for profiler in (self._main, *self._threads.values()):
            found.update(entry[0] for entry in profiler.getstats() if not isinstance(entry[0], str))
            profiler.clear()
        if self._threads:
            alive = sys._current_frames()  # noqa: SLF001 - what still runs has no statistics yet
            for thread in list(self._threads):
                frame = alive.get(thread)
                if frame is None:
                    self._ended.append(self._threads.pop(thread))
                while frame is not None:
                    found.add(frame.f_code)
                    frame = frame.f_back
        return _numbers(found, self._number)

    def finish(self) -> set[str]:
        """Name the files that it cannot see into: none."""
        return set()

    def _joined(self, frame: Any, event: str, arg: Any) -> None:
        """Give a thread that begins a profiler of its own."""
        del frame, event, arg
        profiler = self._make(subcalls=False, builtins=False)
        self._threads[threading.get_ident()] = profiler
        profiler.enable()


class MonitoringTracer:
    """Notes functions by `sys.monitoring`, from Python 3.12 on: each function once for each asking."""

    def __init__(self, number: Number) -> None:
        """Take a tool number that neither debuggers nor coverage nor profilers use."""
        self._number = number
        self._monitoring: Any = vars(sys)["monitoring"]
        self._tool = next(number for number in (4, 3) if self._monitoring.get_tool(number) is None)
        self._monitoring.use_tool_id(self._tool, "setpoint")
        self._seen: set[CodeType] = set()
        events = self._monitoring.events
        self._events = events.PY_START | events.PY_RESUME
        for event in (events.PY_START, events.PY_RESUME):
            self._monitoring.register_callback(self._tool, event, self._began)

    def _began(self, code: CodeType, offset: int) -> Any:
        del offset
        self._seen.add(code)
        return self._monitoring.DISABLE

    def start(self) -> bool:
        """Begin noting."""
        self._monitoring.set_events(self._tool, self._events)
        return True

    def forget(self) -> None:
        """Leave out nothing: nothing was noted while it was switched off."""

    def stop(self) -> bool:
        """Stop noting."""
        self._monitoring.set_events(self._tool, 0)
        return True

    def take(self) -> set[int]:
        """Give what ran since it was last asked."""
        found, self._seen = self._seen, set()
        self._monitoring.restart_events()
        return _numbers(found, self._number)

    def finish(self) -> set[str]:
        """Name the files that it cannot see into: none."""
        return set()
