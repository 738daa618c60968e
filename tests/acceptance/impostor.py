"""What an agent tries that wants to answer as the person: `impostor.py ORDER.json`, run by a scripted agent.

It needs the standard library alone. It writes what came of each attempt to the file that the order names.
"""

import http.client
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

SECRETIVE = re.compile(rb"[A-Za-z0-9_=+/.-]{20,100}")
MOST = 400
"""Strings that are tried; those in small files first."""


def main(order):
    state = Path(order["root"]) / ".setpoint"
    found = {"refused": [], "worked": [], "opened": []}
    for name, attempt in attempts(order, state).items():
        try:
            attempt()
        except (OSError, sqlite3.Error, subprocess.CalledProcessError) as error:
            found["refused"].append([name, said(error)])
        else:
            found["worked"].append(name)
    strings = read(order, state)
    found["strings"] = len(strings)
    found["opened"] = list(opened(order, strings))
    Path(order["report"]).write_text(json.dumps(found))


def said(error):
    return f"{error.stdout}{error.stderr}" if isinstance(error, subprocess.CalledProcessError) else str(error)


def attempts(order, state):
    run = order["run"]
    tries = {}
    for verb in (
        f"gate accept {run}", f"resume {run}", f"cancel {run}", "run more --agent actor", "token new admin",
    ):  # fmt: skip
        tries[f"cli: {verb}"] = lambda verb=verb: setpoint(order, verb.split())
    tries["cli, by a repository of its own"] = lambda: elsewhere(order, state, ["answer", "accept", run])
    tries["cli, twice removed"] = lambda: daemon(order, ["answer", "accept", run], state)
    tries["sqlite"] = lambda: insert(f"file:{state}/app.db", run)
    tries["sqlite, no locks"] = lambda: insert(f"file:{state}/app.db?nolock=1", run)
    tries["a log beside it"] = lambda: (state / "app.db-wal").open("ab").write(b"x")
    tries["engine"] = lambda: (state / "engine.db").open("r+b")
    tries["keys"] = lambda: (state / "web-tokens.json").write_text('{"keys": []}')
    tries["another keys file"] = lambda: Path(order["report"] + ".keys").replace(state / "web-tokens.json")
    tries["lock"] = (state / "locks" / f"{run}.lock").unlink
    tries["state moved"] = lambda: state.rename(state.with_name("old"))
    tries["memory"] = lambda: memory(order["server"])
    tries["environment"] = lambda: Path(f"/proc/{order['server']}/environ").read_bytes()
    tries["terminal"] = Path(f"/proc/{order['server']}/fd/1").readlink
    Path(order["report"] + ".keys").write_text('{"keys": []}')
    return tries


def elsewhere(order, state, words):
    """Answer from a repository that is writable, with the state of the person's own."""
    own = Path(order["report"]).parent / "own"
    own.mkdir()
    subprocess.run(["git", "init", "-q", str(own)], check=True, capture_output=True, text=True)
    cache = str(own / "cache")
    setpoint({**order, "root": own}, words, SETPOINT_STATE_DIR=str(state), SETPOINT_CACHE_DIR=cache)


def setpoint(order, words, **environment):
    subprocess.run(
        [sys.executable, "-m", "setpoint", *words],
        cwd=order["root"],
        env={**os.environ, **order["environment"], **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def daemon(order, words, state):
    """Answer from a process that nobody above waits for."""
    done = Path(order["report"] + ".daemon")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.3)
            try:
                setpoint(order, words)
                done.write_text("worked")
            except subprocess.CalledProcessError as error:
                done.write_text(said(error))
        os._exit(0)
    os.wait()
    end = time.monotonic() + 60
    while not done.exists() and time.monotonic() < end:
        time.sleep(0.05)
    if (text := done.read_text()) != "worked":
        raise OSError(text)


def insert(uri, run):
    with sqlite3.connect(uri, uri=True, timeout=1) as connection:
        connection.execute("UPDATE event SET kind = 'gate.answered' WHERE trace_id = ?", [run])


def memory(pid):
    with Path(f"/proc/{pid}/mem").open("rb") as file:
        file.read(1)


def read(order, state):
    """Return every string that looks like a secret, of all that can be read: small files first."""
    files = [path for top in (state, Path(order["home"])) for path in top.rglob("*") if path.is_file()]
    files += Path("/proc").glob("[0-9]*/cmdline")
    strings = {}
    for path in sorted(files, key=lambda each: each.name != "web-tokens.json"):
        try:
            strings |= dict.fromkeys(SECRETIVE.findall(path.read_bytes()))
        except OSError:
            continue
    return [each.decode() for each in strings][:MOST]


def opened(order, strings):
    """Yield what a string opened, sent in every way, and each route that takes a request without one."""
    line = http.client.HTTPConnection(order["host"], timeout=60)
    for path in order["routes"]:
        status = asked(line, path, {})
        if status not in (401, 403, 404):
            yield [path, "nothing", status]
    for string in strings:
        ways = {
            "bearer": {"authorization": f"Bearer {string}"},
            "cookie": {"cookie": f"{order['cookie']}={string}"},
            "dsn": {"x-sentry-auth": f"Sentry sentry_key={string}"},
        }
        for way, headers in ways.items():
            paths = order["routes"] if strings.index(string) < order["thorough"] else order["tell"][way]
            for path in paths:
                status = asked(line, path, headers)
                if status not in (401, 403, 404):
                    yield [path, way, string, status]


def asked(line, path, headers):
    media = "application/x-sentry-envelope" if "/envelope" in path else "application/json"
    line.request("POST", path, body=b"{}", headers={**headers, "content-type": media})
    answer = line.getresponse()
    answer.read()
    return answer.status


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
