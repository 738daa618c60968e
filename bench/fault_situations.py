"""The faults and odd situations of `bench/faults.py`: each prepares one small repository.

A situation gets a `Scratch`: a repository with a run that is done and one that was interrupted. It changes
something, and says what each verb is put before the command line and into the environment.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from fault_scratch import BY_PERMISSIONS, GIT, KILLED, NEWER, Scratch, Situation


def _clone(*options: str) -> Callable[[Scratch], object]:
    def prepare(at: Scratch) -> None:
        def into(old: Path) -> None:
            for key in ("allowFilter", "allowAnySHA1InWant"):
                subprocess.run([*GIT, "config", f"uploadpack.{key}", "true"], cwd=old, check=True)
            argv = [*GIT, "clone", "-q", *options, f"file://{old}", str(at.root)]
            subprocess.run(argv, check=True, capture_output=True)

        at.moved(into)

    return prepare


def _branch_in_the_way(at: Scratch) -> None:
    for name in at.git("for-each-ref", "--format=%(refname)", "refs/heads/setpoint/").split():
        at.git("update-ref", "-d", name)
    at.git("update-ref", "refs/heads/setpoint", "HEAD")


def _worktree(at: Scratch) -> None:
    def into(old: Path) -> None:
        argv = [*GIT, "worktree", "add", "-q", "-b", "side", str(at.root)]
        subprocess.run(argv, cwd=old, check=True, capture_output=True)

    at.moved(into)


def _submodule(at: Scratch) -> None:
    other = at.root.with_name("other")
    subprocess.run([*GIT, "init", "-q", "-b", "main", str(other)], check=True)
    (other / "data.txt").write_text("1\n")
    for words in (("add", "-A"), ("commit", "-q", "-m", "one")):
        subprocess.run([*GIT, *words], cwd=other, check=True)
    at.git("submodule", "add", "-q", str(other), "lib")
    at.git("commit", "-q", "-m", "lib")


def _unfilled_submodule(at: Scratch) -> None:
    _submodule(at)
    at.git("submodule", "deinit", "-f", "-q", "lib")
    shutil.rmtree(at.root / ".git" / "modules", ignore_errors=True)


def _lfs(at: Scratch) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12\n"
    at.write("model.bin", pointer, commit=False)
    at.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")


def _shell(*commands: str) -> None:
    for each in commands:
        subprocess.run(["sh", "-c", each], check=True, capture_output=True)


def _smallfs(where: str, kilobytes: int = 64) -> Callable[[Scratch], object]:
    """Put a folder onto a disk of its own that is full but for some kilobytes."""

    def prepare(at: Scratch) -> None:
        folder = {"state": at.state, "cache": at.cache, "temp": at.root.with_name("temp")}[where]
        folder.mkdir(exist_ok=True)
        used = int(subprocess.check_output(["du", "-sk", str(folder)], text=True).split()[0])
        size = used * 2 + 2000
        _shell(
            f"cp -a '{folder}' '{folder}.kept'",
            f"mount -t tmpfs -o size={size}k,nr_inodes=0 full '{folder}'",
            f"cp -a '{folder}.kept/.' '{folder}/'",
            f"head -c 1G /dev/zero > '{folder}/ballast' 2>/dev/null; true",
            f"truncate -s -{kilobytes}k '{folder}/ballast'",
        )
        at.undo.append(
            lambda: _shell(
                f"rm -rf '{folder}.kept' '{folder}/ballast'",
                f"cp -a '{folder}' '{folder}.kept'",
                f"umount -l '{folder}'",
                f"rm -rf '{folder}'",
                f"mv '{folder}.kept' '{folder}'",
            )
        )
        if where == "temp":
            at.environment["TMPDIR"] = str(folder)

    return prepare


def _read_only(*which: str) -> Callable[[Scratch], object]:
    def prepare(at: Scratch) -> None:
        for each in which:
            folder = {"state": at.state, "root": at.root, "cache": at.cache}[each]
            _shell(f"mount --bind '{folder}' '{folder}'", f"mount -o remount,ro,bind '{folder}'")
            at.undo.append(partial(_shell, f"umount -l '{folder}'"))

    return prepare


def _locked(at: Scratch) -> None:
    connection = sqlite3.connect(at.database, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN EXCLUSIVE")
    at.undo.append(connection.close)


def _sql(*statements: str) -> Callable[[Scratch], object]:
    def prepare(at: Scratch) -> None:
        with sqlite3.connect(at.database) as connection:
            for each in statements:
                connection.execute(each)
        connection.close()

    return prepare


def _clock(step: str) -> Callable[[Scratch], object]:
    """Move the recorded times, which is as if the clock had been stepped the other way since."""

    def prepare(at: Scratch) -> None:
        with sqlite3.connect(at.database) as connection:
            query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'event'"
            triggers = connection.execute(query).fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute("UPDATE event SET at = strftime('%Y-%m-%d %H:%M:%f', at, ?)", (step,))
            for _, sql in triggers:
                connection.execute(sql)
        connection.close()

    return prepare


def _closed_wal(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _bytes(name: str, spoil: Callable[[bytes], bytes | None]) -> Callable[[Scratch], object]:
    """Spoil a file of the state; it is brought back afterwards."""

    def prepare(at: Scratch) -> None:
        path = next(iter(sorted(at.state.glob(name))))
        if path.suffix == ".db":
            _closed_wal(path)
        kept = path.read_bytes()
        told = spoil(kept)
        path.unlink() if told is None else path.write_bytes(told)
        sides = [Path(f"{path}{end}") for end in ("-wal", "-shm")]
        at.undo += [partial(each.unlink, missing_ok=True) for each in sides]
        at.undo.append(lambda: path.write_bytes(kept))

    return prepare


def _gone(name: str, *, back: bool = True) -> Callable[[Scratch], object]:
    def prepare(at: Scratch) -> None:
        for path in sorted(at.root.parent.glob(name)):
            away = path.with_name(f"{path.name}.away")
            path.rename(away)
            if back:
                at.undo.append(partial(_returned, path, away))

    return prepare


def _returned(path: Path, away: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    away.rename(path)


def _mode(name: str, mode: int) -> Callable[[Scratch], object]:
    """Change the mode of one path, and call the verbs without root's right to ignore it."""

    def prepare(at: Scratch) -> None:
        path = at.root / name
        was = stat.S_IMODE(path.stat().st_mode)
        path.chmod(mode)
        at.undo += [lambda: path.chmod(was)]
        if os.geteuid() == 0:
            at.under = BY_PERMISSIONS

    return prepare


def _pytest(text: str, *, name: str = "conftest.py") -> Callable[[Scratch], object]:
    return lambda at: at.write(name, text)


def _killed_once(at: Scratch) -> None:
    mark = at.root.with_name("marks")
    mark.mkdir()
    mark.chmod(0o777)
    once = f"from pathlib import Path\np = Path({str(mark)!r}) / 'once'\n"
    at.write(
        "conftest.py",
        f"{once}if not p.exists():\n    p.touch()\n    {KILLED.replace(chr(10), chr(10) + '    ')}\n",
    )
    settings = at.root / "setpoint.toml"
    settings.write_text(f'{settings.read_text()}\n[sandbox]\nchecks = "none"\n')
    at.write("setpoint.toml", settings.read_text())


def _env(**names: str | None) -> Callable[[Scratch], object]:
    return lambda at: at.environment.update(names)


def _through(*words: str) -> Callable[[Scratch], object]:
    def prepare(at: Scratch) -> None:
        at.under = words

    return prepare


def _hook(at: Scratch) -> None:
    path = at.root / ".git" / "hooks" / "pre-commit"
    path.write_text("#!/bin/sh\necho refused >&2\nexit 1\n")
    path.chmod(0o755)


def _conflict(at: Scratch) -> None:
    at.git("checkout", "-q", "-b", "left")
    at.write("calc.py", "def add(a, b):\n    return b + a\n")
    at.git("checkout", "-q", "main")
    at.write("calc.py", "def add(a, b):\n    return (a + b)\n")
    with suppress(subprocess.CalledProcessError):
        at.git("merge", "-q", "left")


def _lost_object(at: Scratch) -> None:
    blob = at.git("rev-parse", "HEAD:calc.py")
    path = at.root / ".git" / "objects" / blob[:2] / blob[2:]
    kept = path.read_bytes()
    path.chmod(0o644)
    path.unlink()
    at.undo.append(lambda: path.write_bytes(kept))


def _held_run(at: Scratch) -> None:
    with sqlite3.connect(at.database) as connection:
        rows = connection.execute("SELECT DISTINCT trace_id FROM event").fetchall()
    for (trace,) in rows:
        path = at.state / "locks" / f"{trace}.lock"
        path.parent.mkdir(exist_ok=True)
        file = path.open("a+")
        fcntl.flock(file, fcntl.LOCK_EX)
        at.undo.append(file.close)


def _as_directory(at: Scratch) -> None:
    _gone("project/.setpoint/app.db*")(at)
    at.database.mkdir()


def _away(at: Scratch) -> None:
    def cut(kept: bytes) -> bytes:
        return kept[: len(kept) // 2]

    _bytes("app.db", cut)(at)


def _no_repository(at: Scratch) -> None:
    _gone("project/.git")(at)


def _scrambled(kept: bytes) -> bytes:
    """Spoil every second page but the first."""
    pages = [kept[at : at + 4096] for at in range(0, len(kept), 4096)]
    return b"".join(page if number % 2 == 0 else b"\xa5" * len(page) for number, page in enumerate(pages))


S = Situation
SITUATIONS = (
    S("nothing wrong", lambda _: None),
    S("shallow clone", _clone("--depth=1")),
    S("partial clone", _clone("--filter=blob:none")),
    S("linked worktree", _worktree),
    S("sparse checkout", lambda at: at.git("sparse-checkout", "set", "tests")),
    S("submodule", _submodule),
    S("submodule not fetched", _unfilled_submodule),
    S("LFS without git-lfs", _lfs),
    S("source not UTF-8", lambda at: at.write("old.py", b"# -*- coding: latin-1 -*-\nname = '\xe9'\n")),
    S("file name not UTF-8", lambda at: at.write(os.fsdecode(b"caf\xe9.txt"), "1\n")),
    S("story not UTF-8", lambda at: at.write("stories/old.md", b"# caf\xe9\n")),
    S("settings not UTF-8", lambda at: at.write("setpoint.toml", b"# \xe9\n"), never_ok=("check", "run")),
    S("settings wrong", lambda at: at.write("setpoint.toml", "[checks\n"), never_ok=("check", "run")),
    S("not UTF-8 locale", _env(LC_ALL="C", LANG="C", PYTHONIOENCODING="ascii")),
    S("no commit yet", lambda at: at.git("checkout", "-q", "--orphan", "empty")),
    S("detached head", lambda at: at.git("checkout", "-q", "--detach")),
    S("no repository", _no_repository, never_ok=("check", "run")),
    S("merge conflict", _conflict, never_ok=("check",)),
    S("index.lock left over", lambda at: at.write(".git/index.lock", "", commit=False)),
    S("git object lost", _lost_object, never_ok=("run",)),
    S("HEAD broken", lambda at: at.write(".git/HEAD", "ref: refs/heads/gone\n", commit=False)),
    S("line ends CRLF", lambda at: at.write("calc.py", "def add(a, b):\r\n    return a + b\r\n")),
    S("link in a circle", lambda at: (at.root / "loop").symlink_to("loop")),
    S("hook refuses commits", _hook),
    S("signing without a key", lambda at: at.git("config", "commit.gpgsign", "true")),
    S("nobody named", lambda at: [at.git("config", "--unset", f"user.{each}") for each in ("name", "email")]),
    S("branch in the way", _branch_in_the_way),
    S("no git", _env(PATH="/nowhere"), never_ok=("check", "run")),
    S("full disk: state", _smallfs("state"), says="no space left"),
    S("full disk: copies", _smallfs("cache"), says="no space left"),
    S("full disk: temporary files", _smallfs("temp", 4)),
    S("file size limit", _through("prlimit", "--fsize=40000", "--")),
    S("read-only: state", _read_only("state"), never_ok=("run",), says="read-only"),
    S("read-only: repository", _read_only("root"), never_ok=("run",)),
    S("read-only: copies", _read_only("cache"), never_ok=("run",)),
    S("read-only: all", _read_only("root", "cache"), never_ok=("run",)),
    S("permission: state", _mode(".setpoint", 0o000), never_ok=("run",), says="permission"),
    S("permission: record", _mode(".setpoint/app.db", 0o000), never_ok=("run",), says="permission"),
    S("permission: record not writable", _mode(".setpoint/app.db", 0o444), never_ok=("doctor", "run")),
    S("record locked", _locked, never_ok=("run",), says="locked"),
    S("record is no database", _bytes("app.db", lambda _: b"x" * 9000), never_ok=("run",)),
    S("record scrambled", _bytes("app.db", _scrambled), never_ok=("run",)),
    S("record cut in half", _away, never_ok=("run",)),
    S("record empty", _bytes("app.db", lambda _: b""), never_ok=("run", "resume", "show")),
    S("record newer", _sql(NEWER), never_ok=("run",), says="newer version"),
    S("record gone", _gone("project/.setpoint/app.db*"), never_ok=("run", "resume", "show")),
    S("record a folder", _as_directory, never_ok=("run",)),
    S("engine scrambled", _bytes("engine.db", lambda _: b"x" * 9000)),
    S("engine gone", _gone("project/.setpoint/engine.db*", back=False)),
    S("artifact gone", _gone("project/.setpoint/artifacts", back=False)),
    S("folder of copies gone", _gone("cache", back=False)),
    S("name of copies scrambled", _bytes("repository.json", lambda _: b"{")),
    S("snapshots gone", _gone("project/.setpoint/repositories", back=False)),
    S("runs folder gone", _gone("project/.setpoint/runs", back=False)),
    S("state deleted", _gone("project/.setpoint", back=True), never_ok=("resume", "show")),
    S("run held by another", _held_run),
    S("clock stepped back", _clock("+2 days")),
    S("clock stepped ahead", _clock("-4000 days")),
    S("check killed always", _pytest(KILLED), never_ok=("check", "run")),
    S("check killed once", _killed_once),
    S("check out of memory", _pytest("raise MemoryError\n"), never_ok=("check", "run")),
    S("check hangs", _pytest("import time\ntime.sleep(900)\n"), never_ok=("check", "run")),
    S("tests cannot be collected", _pytest("import nowhere\n"), never_ok=("check", "run")),
    S("few handles", _through("prlimit", "--nofile=48", "--")),
    S("little memory", _through("prlimit", "--as=700000000", "--")),
    S("no home", _env(HOME=None)),
    S("no folder for temporary files", _env(TMPDIR="/nowhere/at/all")),
)
