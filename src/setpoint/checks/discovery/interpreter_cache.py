"""What interpreters answered, kept until something is installed beside them."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.checks.discovery.interpreter import Interpreter, installed, probe
from setpoint.model.value import Value
from setpoint.system.files.atomic import write_atomic
from setpoint.version import __version__


class _Kept(Value):
    stamp: str
    interpreter: Interpreter


_ALL: TypeAdapter[dict[str, _Kept]] = TypeAdapter(dict[str, _Kept])


class Probes:
    """Asks interpreters what they are, each once for as long as neither it nor what it holds changes."""

    def __init__(self, path: Path) -> None:
        """Keep the answers in a file."""
        self._path = path

    async def ask(self, path: str, reason: str) -> Interpreter | str:
        """Return what an interpreter is; gives why where it does not answer, which is never kept."""
        kept = self._load().get(path)
        if kept is not None and kept.stamp == await asyncio.to_thread(_stamp, path, kept.interpreter):
            return kept.interpreter.with_reason(reason)
        found = await probe(path, reason)
        if isinstance(found, Interpreter):
            fresh = _Kept(stamp=await asyncio.to_thread(_stamp, path, found), interpreter=found)
            everything = {**self._load(), path: fresh}
            write_atomic(self._path, _ALL.dump_json(everything).decode(), flush=False)
        return found

    def _load(self) -> dict[str, _Kept]:
        try:
            return _ALL.validate_json(self._path.read_bytes())
        except (FileNotFoundError, ValidationError):  # never kept, or by a version that wrote it otherwise
            return {}


def _stamp(path: str, interpreter: Interpreter) -> str:
    """Return what changes with the interpreter itself and with every install; empty where it is gone."""
    facts = [__version__]
    try:
        for file in (Path(path), Path(path).resolve(), Path(interpreter.prefix) / "pyvenv.cfg"):
            if file.exists():
                stat = file.stat()
                facts.append(f"{file} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}")
        facts += installed(interpreter.folders)
    except OSError:
        return ""
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()
