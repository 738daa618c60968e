"""What interpreters answered, kept until something is installed beside them."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.checks.discovery.interpreter import Interpreter, installed, is_shim, probe
from setpoint.model.value import Value
from setpoint.system.files.atomic import write_atomic
from setpoint.version import __version__


class _Kept(Value):
    stamp: str
    interpreter: Interpreter


_ALL: TypeAdapter[dict[str, _Kept]] = TypeAdapter(dict[str, _Kept])


class Probes:
    """Asks interpreters what they are, each once for as long as neither it nor what it holds changes."""

    def __init__(self, path: Path, root: Path) -> None:
        """Keep the answers in a file; shims answer for `root`."""
        self._path, self._root = path, root

    async def ask(self, path: str, reason: str) -> Interpreter | str:
        """Return what an interpreter is; gives why where it does not answer, which is never kept."""
        kept = self._load().get(path)
        now = await asyncio.to_thread(_stamp, path, self._root, kept.interpreter) if kept else ""
        if kept and now and kept.stamp == now:
            return kept.interpreter.with_reason(reason)
        found = await probe(path, reason, self._root)
        if isinstance(found, Interpreter):
            stamp = await asyncio.to_thread(_stamp, path, self._root, found)
            fresh = _Kept(stamp=stamp, interpreter=found)
            everything = {**self._load(), path: fresh}
            write_atomic(self._path, _ALL.dump_json(everything).decode(), flush=False)
        return found

    def _load(self) -> dict[str, _Kept]:
        try:
            return _ALL.validate_json(self._path.read_bytes())
        except (FileNotFoundError, ValidationError):  # never kept, or by a version that wrote it otherwise
            return {}


def _stamp(path: str, root: Path, interpreter: Interpreter) -> str:
    """Return what changes with the interpreter itself and with every install; empty where nobody knows."""
    facts = [__version__]
    files = [Path(path), Path(path).resolve(), Path(interpreter.prefix) / "pyvenv.cfg"]
    if is_shim(path):
        pyenv = Path(path).parents[1]
        if not (pyenv / "versions").is_dir():
            return ""  # another's, which may look anywhere
        files += [Path(interpreter.path), pyenv / "version"]
        files += [folder / ".python-version" for folder in (root, *root.parents)]
    try:
        for file in files:
            if file.exists():
                stat = file.stat()
                facts.append(f"{file} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}")
        facts += installed(interpreter.folders)
    except OSError:
        return ""
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()
