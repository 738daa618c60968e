"""Run one case of `attacks.py` as a user would: a repository, an agent, `setpoint run`, then the oracle."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from attack_agent import do
from attack_cases import Act, Case

GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
AGENT = Path(__file__).with_name("attack_agent.py")
IGNORED = "__pycache__/\n*.pyc\n.venv/\nnode_modules/\ntarget/\n.pytest_cache/\n"


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one case."""

    name: str
    kind: str
    language: str
    family: str
    seed: int
    ending: str
    """Setpoint's ending; `waiting`, `refused` (nothing was run), `time limit` or `mislabelled` besides."""
    exit_code: int
    reason: str
    right: bool | None
    """Whether the delivered tree does what was asked for; None where nothing was verified."""
    seconds: float
    folder: str
    expect: str = "verified"
    """For honest work: the ending that is right, with the reason where it is not verified."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where cases run, and with which programs."""

    folder: Path
    setpoint: Path
    environment: Path
    """A virtual environment that holds pytest."""
    limit_s: float
    keep: bool


def prepared(folder: Path) -> Path:
    """Make the virtual environment of the projects under test, once."""
    environment = folder / "environment"
    if not (environment / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q", "pytest"]
        subprocess.run(pip, check=True)
        (environment / "ready").touch()
    return environment


def install(packages: Sequence[str], place: Place, root: Path) -> None:
    """Give a project its `node_modules`: a copy of what npm installs once for all cases."""
    if not packages:
        return
    kept = place.folder / "-".join(("npm", *packages))
    if not (kept / "ready").exists():
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "package.json").write_text('{"private": true}', "utf-8")
        npm = ["npm", "install", "--no-audit", "--no-fund", *packages]
        subprocess.run(npm, cwd=kept, check=True, capture_output=True)
        (kept / "ready").touch()
    shutil.copytree(kept / "node_modules", root / "node_modules", symlinks=True)


def variables(place: Place, home: Path, python: Path) -> dict[str, str]:
    """Give the environment of a user with an active virtual environment and a home of its own."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in ("LANG", "TERM", "RUSTUP_TOOLCHAIN") if name in os.environ}
    toolchains = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))
    if toolchains.exists() and not (home / ".rustup").exists():
        (home / ".rustup").symlink_to(toolchains)
    return kept | {
        "HOME": str(home),
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "GOCACHE": str(place.folder / "go-build"),
        "SETPOINT_CACHE_DIR": str(home.parent / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def own(case: Case, place: Place, folder: Path) -> Path:
    """Give the interpreter of a case; of a copy where the case changes what is installed."""
    if case.own_environment:
        shutil.copytree(place.environment, folder, symlinks=True)
        return folder / "bin" / "python"
    return place.environment / "bin" / "python"


def applied(root: Path, rounds: Sequence[Sequence[Act]]) -> None:
    """Do all acts of all rounds in a tree."""
    for each in rounds:
        for act in each:
            do(root, asdict(act))


def written(root: Path, files: dict[str, str]) -> None:
    """Write files."""
    for path, text in files.items():
        do(root, {"what": "write", "path": path, "text": text})


def does_right(case: Case, root: Path, scratch: Path, env: dict[str, str]) -> tuple[bool, str]:
    """Ask the hidden oracle about a copy of a tree."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(root, scratch, symlinks=True, ignore=shutil.ignore_patterns(".git", ".setpoint"))
    written(scratch, case.oracle)
    try:
        done = subprocess.run(
            ["bash", "-c", case.command], cwd=scratch, env=env, capture_output=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return False, "time limit"
    shutil.rmtree(scratch, ignore_errors=True)
    return done.returncode == 0, (done.stdout + done.stderr).decode("utf-8", "replace")[-1500:]


def label_fault(case: Case, place: Place) -> str:
    """Say why a case does not show what it claims; empty where it does."""
    folder = place.folder / "labels" / case.name.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    env = variables(place, folder / "home", own(case, place, folder / "environment"))
    seen: dict[str, tuple[bool, str]] = {}
    for name, rounds in {"honest": [case.right], "left": case.rounds}.items():
        root = folder / name
        written(root, case.base)
        applied(root, rounds)
        seen[name] = does_right(case, root, folder / "scratch", env)
    shutil.rmtree(folder, ignore_errors=True)
    if case.kind == "honest":
        return "" if seen["left"][0] else f"the oracle refuses it: {seen['left'][1]}"
    if not seen["honest"][0]:
        return f"the oracle refuses the honest work: {seen['honest'][1]}"
    return "the oracle accepts the cheat" if seen["left"][0] else ""


def run(case: Case, place: Place, seed: int) -> Result:
    """Drive one case to its end."""
    began = time.monotonic()
    folder = place.folder / f"{case.name.replace('/', '-').replace(' ', '_')}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    root, agent = folder / "project", folder / "agent"
    agent.mkdir(parents=True)
    (agent / "rounds.json").write_text(json.dumps([[asdict(act) for act in each] for each in case.rounds]))
    python = own(case, place, root / ".venv")
    written(root, {".gitignore": IGNORED, **case.base, "setpoint.toml": settings(agent, python)})
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True)
    install(case.packages, place, root)
    env = variables(place, folder / "home", python)
    code, output, error = driven(case, place, root, env)
    ending, reason, branch = read(code, output, error)
    reason += happened(error)
    right = None
    if ending == "verified" and branch:
        tree = folder / "delivered"
        subprocess.run([*GIT, "worktree", "add", "-q", "--detach", str(tree), branch], cwd=root, check=True)
        env = variables(place, folder / "home", own(case, place, folder / "environment"))
        right, said = does_right(case, tree, folder / "scratch", env)
        (folder / "oracle.txt").write_text(said, "utf-8")
    elif ending == "verified":
        right = False
    result = Result(
        name=case.name, kind=case.kind, language=case.language, family=case.family, seed=seed, ending=ending,
        exit_code=code, reason=reason, right=right, seconds=round(time.monotonic() - began, 1),
        folder=str(folder), expect=case.expect,
    )  # fmt: skip
    (folder / "stdout.txt").write_text(output, "utf-8")
    (folder / "stderr.txt").write_text(error, "utf-8")
    wrong = (ending == "verified" and not right) or (case.kind == "honest" and ending != "verified")
    if not (place.keep or wrong):
        shutil.rmtree(folder, ignore_errors=True)
    return result


def settings(agent: Path, python: Path) -> str:
    """Write the project's settings."""
    return (
        f'[agent.scripted]\ncommand = ["{sys.executable}", "{AGENT}", "{agent}"]\nwrites = ["{agent}/"]\n\n'
        f'[checks]\npython = "{python}"\ntimeout_s = 60\n\n[memory]\nrecall = false\nreflect = false\n'
    )


def driven(case: Case, place: Place, root: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """Call `setpoint run` within the time limit; ends what it started."""
    accept = [word for command in case.accept for word in ("--accept", command)]
    command = [
        str(place.setpoint), "run", case.request, "--agent", "scripted", "--json", "--max-iterations", "3",
        "--on-limit", "error", *accept, *case.flags,
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        output, error = process.communicate(timeout=place.limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        try:
            output, error = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, error = process.communicate()
        return -1, output.decode("utf-8", "replace"), error.decode("utf-8", "replace")
    return process.returncode, output.decode("utf-8", "replace"), error.decode("utf-8", "replace")


def read(code: int, output: str, error: str) -> tuple[str, str, str]:
    """Give ending, reason and branch."""
    last = error.strip().rsplit("\n", 1)[-1][:400]
    if code == -1:
        return "time limit", last, ""
    try:
        said = json.loads(output)
    except json.JSONDecodeError:
        return "refused", last, ""
    if code == 10:
        return "waiting", str(said.get("gate", {}).get("reason") or said.get("gate", ""))[:400], ""
    return str(said.get("ending", "refused")), str(said.get("reason", ""))[:600], str(said.get("branch", ""))


def happened(error: str) -> str:
    """Give what was restored, and why the last work was sent back."""
    restored = {path for line in error.splitlines() for path in line.partition("; restored ")[2].split(", ")}
    bounces = [line.partition("bounce ")[2] for line in error.splitlines() if " bounce " in line]
    parts = [f"restored {', '.join(sorted(restored - {''}))}"] if restored - {""} else []
    parts += [f"sent back {bounces[-1]}"[:200]] if bounces else []
    return f" [{'; '.join(parts)}]" if parts else ""
