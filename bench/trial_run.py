"""Run one case of `trial.py` as a user would: a repository, an agent, `setpoint run`, then the oracle."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from trial_case import Case, applied, git, shell, written

AGENT = Path(__file__).with_name("trial_agent.py")
_BLOCKING = {"error", "critical"}
_LONGEST = 400
ENDS_WELL = ("verified", "self_tested")
"""Endings of work that passed every run; who examined it is another question."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one case."""

    name: str
    kind: str
    language: str
    half: int
    ending: str
    """Setpoint's ending; `waiting`, `refused` (nothing was run), `time limit` or `mislabelled` besides."""
    exit_code: int
    decided_by: list[str]
    """Obligations that are not met, rules that block, checks that fail; empty where it is verified."""
    reasons: list[str]
    sent_back: list[str]
    """Why the work went back to the agent, round by round."""
    seconds: float
    proof_s: float | None
    own_s: float | None
    """What the project's own tests take."""
    cpu_s: float
    """Seconds of computing of the run; other than `seconds`, they do not depend on what else is running."""
    own_cpu_s: float | None
    right: bool | None
    """Whether the delivered tree does what was asked for; none where no oracle was asked."""
    expect: str
    without: str = ""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where cases run, and with which programs."""

    folder: Path
    setpoint: Path
    limit_s: float
    without: str
    keep: bool

    def environment(self, case: Case) -> Path:
        """Make the virtual environment of a case where there is none yet."""
        environment = self.folder / "environments" / case.environment
        if not (environment / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
            pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q", "pytest"]
            subprocess.run([*pip, *case.packages.split()], check=True)
            (environment / "ready").touch()
        return environment

    def modules(self, packages: Sequence[str], root: Path) -> None:
        """Give a project its `node_modules`: a copy of what npm installs once for all cases."""
        kept = self.folder / "-".join(("npm", *packages))
        if not (kept / "ready").exists():
            kept.mkdir(parents=True, exist_ok=True)
            (kept / "package.json").write_text('{"private": true}', "utf-8")
            npm = ["npm", "install", "--no-audit", "--no-fund", *packages]
            subprocess.run(npm, cwd=kept, check=True, capture_output=True)
            (kept / "ready").touch()
        shutil.copytree(kept / "node_modules", root / "node_modules", symlinks=True)


class Stage:
    """The folder of one case, with its repository and its environment."""

    def __init__(self, case: Case, place: Place, name: str = "") -> None:
        """Lay the base and set it up."""
        self.case, self.place = case, place
        self.folder = place.folder / "cases" / (name or case.name.replace("/", "-").replace(" ", "_"))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.root = self.folder / "project"
        self.folder.mkdir(parents=True)
        self.rounds = case.lay(self.root)
        self.python = self.own(self.root / ".venv")
        self.ready = self.prepared()

    def own(self, copy: Path) -> Path:
        """Give the interpreter of the case; of a copy where the case changes what is installed."""
        environment = self.place.environment(self.case)
        if not self.case.own_environment:
            return environment / "bin" / "python"
        shutil.copytree(environment, copy, symlinks=True)
        return copy / "bin" / "python"

    def prepared(self) -> str:
        """Set the project up; says what went wrong."""
        if self.case.npm:
            self.place.modules(self.case.npm, self.root)
        if not self.case.prepare:
            return ""
        code, said = shell(self.case.prepare, self.root, self.path(), 300)
        return said if code else ""

    def path(self) -> dict[str, str]:
        """Put the case's programs first."""
        return {
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "GOCACHE": str(self.place.folder / "go-build"),
        }

    def variables(self) -> dict[str, str]:
        """Give the environment of a user with an active virtual environment and a home of its own."""
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        kept = {name: os.environ[name] for name in ("LANG", "TERM", "RUSTUP_TOOLCHAIN") if name in os.environ}
        toolchains = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))
        if toolchains.exists() and not (home / ".rustup").exists():
            (home / ".rustup").symlink_to(toolchains)
        cache = str(self.folder / "cache")
        return kept | self.path() | {"HOME": str(home), "SETPOINT_CACHE_DIR": cache}

    def tested(self) -> tuple[int, float, str]:
        """Run the project's own tests: exit code, seconds, the end of what they say."""
        began = time.monotonic()
        code, said = shell(self.case.test, self.root, self.path(), 300)
        return code, round(time.monotonic() - began, 1), said

    def truth(self, tree: Path) -> tuple[bool, str]:
        """Ask the hidden oracle about a copy of a tree."""
        oracle = self.case.oracle
        assert oracle is not None
        scratch = self.folder / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(tree, scratch, symlinks=True, ignore=shutil.ignore_patterns(".git", ".setpoint"))
        written(scratch, oracle.files)
        code, said = shell(oracle.command, scratch, self.variables(), 120)
        return code == 0, said

    def delivered(self, branch: str) -> bool | None:
        """Ask the oracle about what was delivered; none where there is no oracle or no branch."""
        if self.case.oracle is None or not branch:
            return None
        tree = self.folder / "delivered"
        git(self.root, "worktree", "add", "-q", "--detach", str(tree), branch)
        if self.case.own_environment:
            self.python = self.own(self.folder / "environment")
        return self.truth(tree)[0]


def fault(case: Case, place: Place) -> str:
    """Say why a case does not show what it claims; empty where it does."""
    stage = Stage(case, place, "label")
    if stage.ready:
        return f"not set up: {stage.ready}"
    before = stage.tested() if case.test else (0, 0.0, "")
    applied(stage.root, stage.rounds)
    after = stage.tested() if case.test else (0, 0.0, "")
    if after[0] > before[0] or after[0] not in {0, 1}:
        return f"own tests: {before[0]} at the base, {after[0]} at the commit: {before[2]} {after[2]}"
    if case.kind == "bug" and not before[0]:
        return "no test notices the bug"
    if case.oracle is None:
        return ""
    honest = stage.folder / "honest"
    left, said = stage.truth(stage.root)
    if not case.kind.startswith(("cheat", "wrong")):
        return "" if left else f"the oracle refuses it: {said}"
    case.lay(honest)
    applied(honest, [case.oracle.right])
    right, said = stage.truth(honest)
    return f"the oracle refuses the honest work: {said}" if not right else "it is right" if left else ""


def run(case: Case, place: Place) -> Result:
    """Drive one case to its end."""
    stage = Stage(case, place)
    began_cpu = computing()
    own_s = stage.tested()[1] if case.test else None
    own_cpu_s = round(computing() - began_cpu, 1) if case.test else None
    agent = stage.folder / "agent"
    agent.mkdir()
    (agent / "rounds.json").write_text(json.dumps([[asdict(act) for act in each] for each in stage.rounds]))
    (stage.root / "setpoint.toml").write_text(settings(stage, agent), "utf-8")
    git(stage.root, "add", "-f", "setpoint.toml")
    git(stage.root, "commit", "-qm", "Settings of Setpoint")
    began, began_cpu = time.monotonic(), computing()
    code, output, error = driven(stage)
    seconds, cpu_s = round(time.monotonic() - began, 1), round(computing() - began_cpu, 1)
    (stage.folder / "stdout.txt").write_text(output, "utf-8")
    (stage.folder / "stderr.txt").write_text(error, "utf-8")
    ending, reason, branch, events = told(code, output, error, stage)
    by, reasons = decided(events, ending)
    result = Result(
        name=case.name, kind=case.kind, language=case.language, half=case.half, ending=ending,
        exit_code=code, decided_by=by or ([] if ending in ENDS_WELL else [f"exit {code}: {reason[:60]}"]),
        reasons=[reason[:_LONGEST], *reasons], sent_back=bounces(events), seconds=seconds, cpu_s=cpu_s,
        proof_s=proof_seconds(events), own_s=own_s, own_cpu_s=own_cpu_s, right=stage.delivered(branch),
        expect=case.expect, without=place.without,
    )  # fmt: skip
    if not place.keep:
        shutil.rmtree(stage.folder, ignore_errors=True)
    return result


def computing() -> float:
    """Give the seconds of computing of all children that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def settings(stage: Stage, agent: Path) -> str:
    """Write the project's settings; the small projects have commands that hang, which are cut short."""
    without = stage.place.without
    return (
        f'[agent.scripted]\ncommand = ["{sys.executable}", "{AGENT}", "{agent}"]\nwrites = ["{agent}/"]\n\n'
        f'[checks]\npython = "{stage.python}"\n'
        + ("" if stage.case.half else "timeout_s = 60\n")
        + "\n[memory]\nrecall = false\nreflect = false\n"
        + (f"\n[proof]\nwithout = {json.dumps([without])}\n" if without else "")
    )


def driven(stage: Stage) -> tuple[int, str, str]:
    """Call `setpoint run` within the time limit; ends what it started."""
    accept = [word for command in stage.case.accept for word in ("--accept", command)]
    command = [
        str(stage.place.setpoint), "run", stage.case.request, "--agent", "scripted", "--json",
        "--max-iterations", "2", "--on-limit", "error", *accept, *stage.case.flags,
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=stage.root, env=stage.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        output, error = process.communicate(timeout=stage.place.limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        try:
            output, error = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, error = process.communicate()
        return -1, output.decode("utf-8", "replace"), error.decode("utf-8", "replace")
    return process.returncode, output.decode("utf-8", "replace"), error.decode("utf-8", "replace")


def told(code: int, output: str, error: str, stage: Stage) -> tuple[str, str, str, list[dict[str, Any]]]:
    """Give ending, reason, branch and events of a run."""
    last = error.strip().rsplit("\n", 1)[-1]
    try:
        said = json.loads(output)
    except json.JSONDecodeError:
        runs = stage.root / ".setpoint" / "runs"
        names = sorted(path.name for path in runs.iterdir()) if runs.is_dir() else []
        return "time limit" if code == -1 else "refused", last, "", shown(stage, names[-1] if names else "")
    events = shown(stage, str(said.get("trace_id", "")))
    if code == 10:
        gate = said.get("gate") or {}
        return "waiting", str(gate.get("reason") or gate.get("question") or gate), "", events
    ending, reason, branch = (str(said.get(key) or "") for key in ("ending", "reason", "branch"))
    return ending or "refused", reason, branch, events


def shown(stage: Stage, name: str) -> list[dict[str, Any]]:
    """Ask for the events of a run."""
    if not name:
        return []
    words = [str(stage.place.setpoint), "show", name, "--json"]
    done = subprocess.run(words, cwd=stage.root, env=stage.variables(), capture_output=True, check=False)
    try:
        return list(json.loads(done.stdout))
    except ValueError:
        return []


def decided(events: list[dict[str, Any]], ending: str) -> tuple[list[str], list[str]]:
    """Say what decided against the work in its last round, and in what words."""
    if ending in ENDS_WELL:
        return [], []
    bodies = [event["body"] for event in events]
    by: dict[str, str] = {}
    for body in [each for each in bodies if each["kind"] == "iteration.evaluated"][-1:]:
        by |= measured(body["evaluation"])
    for body in [each for each in bodies if each["kind"] == "proof.measured"][-1:]:
        proof = body["proof"]
        owed = [each for each in proof["obligations"] if each["state"] not in {"met", "not_applicable"}]
        by |= {str(each["name"]): f"{proof['work']}: {each['reason']}" for each in owed}
    for body in bodies:
        if body["kind"] == "gate.requested":
            by[f"asks: {body['gate'].get('kind', '')}"] = str(body["gate"].get("reason", ""))
    return list(by), [f"{name}: {reason}"[:_LONGEST] for name, reason in by.items()]


def measured(evaluation: dict[str, Any]) -> dict[str, str]:
    """Say what an evaluation holds against the work: rules that block, tests and checks that fail."""
    by: dict[str, str] = {}
    for finding in evaluation["findings"]:
        if finding["severity"] in _BLOCKING:
            by.setdefault(f"{finding['source']}: {finding.get('rule') or '-'}", finding["message"])
    if evaluation["failures"]:
        by["tests fail"] = ", ".join(each["test"] for each in evaluation["failures"][:3])
    for each in evaluation["evidence"]:
        if each["state"] == "error":
            by.setdefault(f"check {each['check']} is broken", each["reason"])
    return by


def bounces(events: list[dict[str, Any]]) -> list[str]:
    """Say why work went back to the agent."""
    found = [event["body"] for event in events if event["body"]["kind"] == "loop.phase_bounce"]
    return [str(each["reason"])[:_LONGEST] for each in found]


def proof_seconds(events: list[dict[str, Any]]) -> float | None:
    """Sum the seconds that ended with a proof; none where nothing was proved."""
    from datetime import datetime  # noqa: PLC0415 - nothing else here reads times

    spans = [
        (datetime.fromisoformat(event["at"]) - datetime.fromisoformat(before["at"])).total_seconds()
        for before, event in pairwise(events)
        if event["body"]["kind"] == "proof.measured"
    ]
    return round(sum(spans), 1) if spans else None
