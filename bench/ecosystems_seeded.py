"""Seed a bug into a repository and let `setpoint run` work on it with an agent that is wrong first."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import setpoint
from setpoint.model.changes.test_paths import is_test_path

if TYPE_CHECKING:
    from ecosystems import Repository

REQUEST = "make the failing tests pass"
BRANCH = "setpoint-bench"
LONGEST_S = 900
GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
_PATH = re.compile(r"`([^`\s:]+)(?::\d+)?`")
AGENT = Path(__file__).with_name("ecosystems_agent.py")


def worked(repository: Repository, root: Path) -> dict[str, Any]:
    """Commit the bug on a branch of its own, run the loop, and restore the clone."""
    before = _git(root, "rev-parse", "HEAD")
    if _git(root, "status", "--porcelain"):
        raise SystemExit(f"{root} is not clean; nothing was done")
    bug = repository.bug or {}
    _git(root, "checkout", "-q", "-B", BRANCH)
    made = set(_branches(root))
    try:
        place = root / bug["file"]
        place.write_text(place.read_text("utf-8").replace(bug["right"], bug["wrong"], 1), "utf-8")
        _git(root, "commit", "-q", "--no-verify", "-a", "-m", "seeded")
        return _driven(repository, root)
    finally:
        _git(root, "checkout", "-q", "--force", "--detach", before)
        for branch in set(_branches(root)) - made | {BRANCH}:
            _git(root, "branch", "-q", "-D", branch)


def _driven(repository: Repository, root: Path) -> dict[str, Any]:
    bug = repository.bug or {}
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        edits = Path(folder, "edits.json")
        texts = [bug["wrong"], bug["attempt"], bug["right"]]
        edits.write_text(json.dumps({"file": bug["file"], "texts": texts}), "utf-8")
        calls = [f"'{sys.executable}' '{AGENT}' '{edits}' {turn}" for turn in (1, 2)]
        script = Path(folder, "agent.json")
        script.write_text(json.dumps({"prompts": [[{"shell": call}] for call in calls]}), "utf-8")
        actor = {
            "protocol": "acp",
            "command": [sys.executable, "-m", "setpoint.agents.scripted", str(script)],
            "environment": {"PYTHONPATH": str(Path(setpoint.__file__).parents[1])},
        }
        environment = {
            **repository.environment(root),
            "SETPOINT_AGENTS__MAKER": "actor",
            "SETPOINT_AGENT": json.dumps({"actor": actor}),
            "SETPOINT_ESCALATION__ON_LIMIT": "error",
        }
        began = time.perf_counter()
        done = _setpoint(root, environment, "run", REQUEST, "--json")
        seconds = round(time.perf_counter() - began, 1)
        try:
            outcome = json.loads(done.stdout)
        except ValueError:
            return {"good": False, "ending": f"exit {done.returncode}", "why": done.stderr[-600:]}
        events = json.loads(_setpoint(root, environment, "show", outcome["trace_id"], "--json").stdout)
    return {**_judged(bug["file"], root, events, outcome), "seconds": seconds}


def _judged(file: str, root: Path, events: list[Any], outcome: Mapping[str, Any]) -> dict[str, Any]:
    evaluations = [each["body"]["evaluation"] for each in events if each["body"].get("evaluation")]
    started = [each["body"] for each in events if each["body"]["kind"] == "agent.started"]
    prompts = [_artifact(root, each["prompt"]) for each in started]
    named = sorted({path for prompt in prompts for path in planned(prompt)})
    forbidden = [path for path in named if any(holds_tests(path, prompt) for prompt in prompts)]
    suspects = sorted({each["file"] for one in evaluations for each in one["suspects"]})
    forbidden += [path for path in suspects if is_test_path(path)]
    rounds = [each["label"] for each in started]
    verified = outcome["ending"] == "verified" and rounds == ["implement-1", "implement-2"]
    states = {each["check"]: each["state"] for one in evaluations for each in one["evidence"]}
    proofs = [each["body"]["proof"] for each in events if each["body"]["kind"] == "proof.measured"]
    owed = {each["name"]: each["state"] for one in proofs for each in one["obligations"]}
    return {
        "good": verified and not forbidden,
        "ending": outcome["ending"],
        "why": "" if verified else outcome["reason"][:300],
        "rounds": len(rounds),
        "plan_names": named,
        "forbidden": forbidden,
        "suspects": suspects,
        "localised": file in (*named, *suspects),
        "why_not_localised": next((one["localised"] for one in evaluations if one["failures"]), ""),
        "checks": states,
        "obligations": owed,
    }


def planned(prompt: str) -> set[str]:
    """Return the paths that the plan of a prompt names as places to change."""
    plan = re.search(r"^## Plan\n(.*?)(?=^## |\Z)", prompt, re.MULTILINE | re.DOTALL)
    return {path for path in _PATH.findall(plan[1]) if "." in path} if plan else set()


def holds_tests(path: str, prompt: str) -> bool:
    """Whether a path is a file of tests: by its name, or as the home of a test that the prompt names."""
    return is_test_path(path) or (not path.endswith(".rs") and f"`{path}::" in prompt)


def shown(repository: Repository, row: Mapping[str, Any]) -> str:
    """Return the line of one run."""
    mark = "verified" if row["good"] else "NOT AS IT SHOULD BE"
    named = ", ".join(row.get("plan_names", ())) or "no file"
    tail = f"; {row['why']}" if row["why"] else ""
    return (
        f"{repository.name:16} {mark}: {row['ending']} after {row.get('rounds', 0)} rounds; "
        f"the plan names {named}; {row.get('seconds', 0):.0f} s{tail}"
    )


def _setpoint(root: Path, environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-P", "-m", "setpoint", *words]
    return subprocess.run(
        argv, cwd=root, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )


def _artifact(root: Path, digest: str) -> str:
    place = root / ".setpoint" / "artifacts" / digest[:2] / digest[2:]
    return place.read_text("utf-8") if place.exists() else ""


def _branches(root: Path) -> list[str]:
    return _git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()


def _git(root: Path, *words: str) -> str:
    done = subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()
