"""Try the verbs under faults and in odd repositories, and judge what they say, leave and bill.

    python bench/faults.py [--only WORDS ...] [--verbs doctor,check,...] [--json FILE]

Each situation of `fault_situations.py` is prepared in a fresh copy of one repository, which holds a run that
is done and one that was interrupted. Each verb is judged by: no traceback, an exit code that is documented, a
hint where it failed, an end within its time, no success where nothing was measured; and afterwards, the fault
taken away, by: the record as it was or longer, and no attempt of the maker spent on the fault.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

from fault_scratch import GIT, Scratch, Situation
from fault_situations import SITUATIONS

import setpoint

SOURCE = Path(setpoint.__file__).parents[1]
VERBS = ("doctor", "check", "show", "serve", "resume", "run")
REQUEST = "add subtract to calc"
CODES = {0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 130}
EXPLAINED = (2, 3, 4)
"""Exit codes that come with a hint."""
MOST_S = 150
ADVICE = re.compile(
    r"(move|delete|remove)[^.;\n]{0,40}(file away|app\.db|\.setpoint\b(?!/cache))", re.IGNORECASE
)
EDIT = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n"
TESTS = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
NEW_TEST = "from calc import subtract\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n"


class Verdict(NamedTuple):
    """What one verb did in one situation."""

    situation: str
    verb: str
    code: int
    faults: tuple[str, ...]
    said: str
    seconds: float


def verb(at: Scratch, *words: str) -> tuple[int, str]:
    """Call Setpoint as a user does; return its exit code, and all that it printed."""
    argv = [*at.under, at.python, "-P", "-m", "setpoint", *words]
    with subprocess.Popen(
        argv, cwd=at.root, env=environment(at), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            out, _ = process.communicate(timeout=MOST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -9, f"no end within {MOST_S} s\n{process.communicate()[0].decode('utf-8', 'replace')}"
    return process.returncode, out.decode("utf-8", "replace")


def environment(at: Scratch) -> dict[str, str]:
    """Return the environment of the verbs."""
    own = {
        "PYTHONPATH": str(SOURCE),
        "SETPOINT_CACHE_DIR": str(at.cache),
        "SETPOINT_CHECKS__TIMEOUT_S": "15",
        "SETPOINT_ESCALATION__ON_LIMIT": "error",
        **at.environment,
    }
    merged = {**os.environ, **own}
    return {name: value for name, value in merged.items() if value is not None}


def served(at: Scratch) -> tuple[int, str]:
    """Start the dashboard, ask it for pages, and end it by Ctrl-C."""
    argv = [*at.under, at.python, "-P", "-m", "setpoint", "serve", "--port", "0"]
    log = at.root.with_name("serve.log")
    with log.open("wb") as out:
        process = subprocess.Popen(
            argv, cwd=at.root, env=environment(at), stdout=out, stderr=out, stdin=subprocess.DEVNULL
        )
    deadline = time.monotonic() + 40
    address = None
    while process.poll() is None and address is None and time.monotonic() < deadline:
        time.sleep(0.1)
        address = re.search(r"http://\S+:\d+", log.read_text("utf-8", "replace"))
    asked = ""
    if address is not None:
        asked = "".join(_answer(at, f"{address[0]}/{page}") for page in ("login", "", "api/v1/runs"))
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        asked += "no end within 20 s of Ctrl-C\n"
    return process.returncode, log.read_text("utf-8", "replace") + asked


def _answer(at: Scratch, address: str) -> str:
    token = at.root.with_name("token").read_text().strip()
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return f"{address}: {answer.status}\n"
    except urllib.error.HTTPError as error:
        return f"{address}: {error.code} {error.read()[:600].decode('utf-8', 'replace')}\n"
    except OSError as error:
        return f"{address}: no answer: {error}\n"


def template(folder: Path) -> Path:
    """Make the repository that all situations begin from, at the place where they use it."""
    case = folder / "case"
    at = Scratch(case / "project", case / "cache")
    (at.root / "tests").mkdir(parents=True)
    (at.root / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (at.root / "tests" / "test_calc.py").write_text(TESTS)
    plugins = [word for name in ("asyncio", "hypothesispytest", "timeout") for word in ("-p", f"no:{name}")]
    (at.root / "setpoint.toml").write_text(
        f'[agents]\nmaker = "actor"\ntest_designer = "rules"\n[proof]\nleast = "self"\n'
        '[agent.actor]\nprotocol = "acp"\ncommand = '
        f"{json.dumps([sys.executable, '-m', 'setpoint.agents.scripted', str(case / 'agent.json')])}\n"
        f"environment = {{ PYTHONPATH = {json.dumps(str(SOURCE))} }}\n"
        f"[checks]\npython = {json.dumps(sys.executable)}\nbandit = false\ncoverage = false\nreruns = 0\n"
        f"pytest_args = {json.dumps(plugins)}\n"
    )
    (at.root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    subprocess.run([*GIT, "init", "-q", "-b", "main"], cwd=at.root, check=True)
    for name, value in (("name", "Bench"), ("email", "bench@localhost")):
        at.git("config", f"user.{name}", value)
    at.git("add", "-A")
    at.git("commit", "-q", "-m", "base")
    edits = [
        {"write": "calc.py", "text": EDIT},
        {"write": "tests/test_subtract.py", "text": NEW_TEST},
        {"say": "done"},
    ]
    script = case / "agent.json"
    script.write_text(json.dumps({"prompts": [edits] * 3}))
    code, said = verb(at, "run", REQUEST)
    if code:
        raise SystemExit(f"the run that all begin from ended with {code}:\n{said}")
    script.write_text(json.dumps({"prompts": [[{"sleep": 600}]]}))
    _interrupt(at)
    script.write_text(json.dumps({"prompts": [edits] * 3}))
    code, said = verb(at, "admin", "token", "new", "read")
    found = re.search(r"\S{30,}", said)
    case.joinpath("token").write_text(found[0] if found else "")
    # Thousands of links, which take longer to copy than all else.
    (at.cache / "bytecode").rename(folder / "bytecode")
    (at.cache / "bytecode").symlink_to(folder / "bytecode")
    return Path(shutil.move(case, folder / "template"))


def _interrupt(at: Scratch) -> None:
    """Leave a run behind whose process was killed while the agent worked."""
    argv = [at.python, "-P", "-m", "setpoint", "run", f"{REQUEST}, please", "--json"]
    log = at.root.with_name("interrupted.log")
    with log.open("wb") as out:
        process = subprocess.Popen(
            argv, cwd=at.root, env=environment(at), stdout=out, stderr=out, start_new_session=True
        )
    deadline = time.monotonic() + 60
    while "actor" not in log.read_text("utf-8", "replace") and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)


def events(database: Path) -> dict[str, list[str]]:
    """Return the ids of all events by run, read beside the product."""
    found: dict[str, list[str]] = {}
    connection = sqlite3.connect(f"file:{database}?mode=rw", uri=True)
    try:
        broken = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if broken != "ok":
            raise sqlite3.DatabaseError(broken)
        for trace, key in connection.execute("SELECT trace_id, id FROM event ORDER BY trace_id, seq"):
            found.setdefault(trace, []).append(key)
    finally:
        connection.close()
    return found


def billed(database: Path, before: dict[str, list[str]]) -> list[str]:
    """Return the runs in which the maker was sent back: its change was right from the beginning."""
    connection = sqlite3.connect(f"file:{database}?mode=rw", uri=True)
    try:
        query = "SELECT id, trace_id FROM event WHERE kind = 'loop.phase_bounce'"
        new = [trace for key, trace in connection.execute(query) if key not in before.get(trace, ())]
    finally:
        connection.close()
    return new


def judged(situation: Situation, name: str, code: int, said: str) -> list[str]:
    """Return what is wrong with the answer of a verb."""
    wrong = []
    if "Traceback (most recent" in said or "internal error" in said:
        wrong.append("traceback")
    if "no end within" in said:
        wrong.append("no end")
    elif code not in CODES:
        wrong.append(f"exit code {code}")
    if code in EXPLAINED and "hint:" not in said:
        wrong.append("no hint")
    if ADVICE.search(said):
        wrong.append("advises to move or delete the record")
    if re.search(r": (500|no answer)", said) and name == "serve":
        wrong.append("page fails")
    if code == 0 and name in situation.never_ok:
        wrong.append("success without measurement")
    return wrong


def tried(situation: Situation, folder: Path, verbs: tuple[str, ...]) -> list[Verdict]:
    """Prepare a situation, call the verbs, take the fault away, and judge."""
    case = folder / "case"
    subprocess.run(["cp", "-a", str(folder / "template"), str(case)], check=True)
    at = Scratch(case / "project", case / "cache")
    before = events(at.database)
    found = []
    try:
        situation.prepare(at)
        for name in verbs:
            began = time.monotonic()
            words = {"run": ("run", f"{REQUEST} again")}.get(name, (name,))
            code, said = served(at) if name == "serve" else verb(at, *words)
            wrong = judged(situation, name, code, said)
            found.append(Verdict(situation.name, name, code, tuple(wrong), said, time.monotonic() - began))
        if situation.says and not any(situation.says in each.said.lower() for each in found):
            found.append(Verdict(situation.name, "all", 0, (f"nobody says {situation.says!r}",), "", 0.0))
    finally:
        for undo in reversed(at.undo):
            undo()
    wrong = left(at, before) if situation.holds else []
    found.append(Verdict(situation.name, "record", 0, tuple(wrong), "", 0.0))
    shutil.rmtree(case)
    return found


def left(at: Scratch, before: dict[str, list[str]]) -> list[str]:
    """Return what is wrong with the record, the fault taken away."""
    try:
        after = events(at.database)
        wrong = [
            f"events lost of {key}" for key in before if after.get(key, [])[: len(before[key])] != before[key]
        ]
        wrong += [f"billed to the maker in {trace}" for trace in billed(at.database, before)]
    except sqlite3.Error as error:
        return [f"record spoiled: {error}"]
    return wrong


def table(found: list[Verdict]) -> str:
    """Return the table of situations by verbs: an exit code, or what is wrong."""
    rows: dict[str, dict[str, str]] = {}
    for each in found:
        shown = str(each.code) if each.verb in VERBS else "ok"
        told = "; ".join(each.faults)
        rows.setdefault(each.situation, {})[each.verb] = f"**{shown} {told}**" if told else shown
    heads = [*VERBS, "record", "all"]
    lines = [f"| situation | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    lines += [f"| {name} | {' | '.join(row.get(head, '') for head in heads)} |" for name, row in rows.items()]
    bad = {each.situation for each in found if each.faults}
    return "\n".join([*lines, f"\n{len(rows)} situations, {len(bad)} with something wrong"])


def main() -> int:
    """Try and print; exit 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="words in the names of the situations")
    parser.add_argument("--verbs", default=",".join(VERBS), help="verbs, with commas")
    parser.add_argument("--json", metavar="FILE", help="write all that was printed, too")
    parser.add_argument("--folder", type=Path, help="work here, and keep the repository to begin from")
    parser.add_argument("--skip", nargs="*", default=[], help="words in the names of those to leave out")
    given = parser.parse_args()
    if os.geteuid() == 0 and not os.environ.get("FAULTS_INSIDE") and shutil.which("unshare"):
        # Mounts of the situations vanish with this process.
        os.environ["FAULTS_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    chosen = [
        each for each in SITUATIONS
        if (not given.only or any(word in each.name for word in given.only))
        and not any(word in each.name for word in given.skip)
    ]  # fmt: skip
    folder = given.folder or Path(tempfile.mkdtemp(prefix="setpoint-faults-"))
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    if not (folder / "template").is_dir():
        template(folder)
    found: list[Verdict] = []
    for each in chosen:
        mine = tried(each, folder, tuple(given.verbs.split(",")))
        found += mine
        shown = [f"{one.verb} {one.code} {one.seconds:.0f}s {' '.join(one.faults)}" for one in mine]
        print(f"{each.name}: {' | '.join(shown)}", file=sys.stderr, flush=True)
        if given.json:
            Path(given.json).write_text(json.dumps([one._asdict() for one in found], indent=1))
    if given.folder is None:
        shutil.rmtree(folder)
    print(table(found))
    return int(any(each.faults for each in found))


if __name__ == "__main__":
    sys.exit(main())
