"""Run real agents in sixteen situations against a scripted model, and write the table of what came of it.

    make test-agents              # installs the agents
    python bench/agents_table.py run --agents "gemini opencode" --situations "429 cut" --into cells.jsonl
    python bench/agents_table.py page cells.jsonl > docs/how-to/agents-measured.md

Each cell is a run of `setpoint run` on a small repository with a bug, with a home of its own. A run that asks
or was interrupted is healed and continued as a person would do it. A cell is good if the right change is
verified in the end.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_situations import BREAK, BUGGY, FIXED, SITUATIONS, Cell, Situation
from agents_page import page
from agents_shown import shown

from setpoint.testing.model_server import Asked, ScriptedModel, scripted_model

ROOT = Path(__file__).resolve().parents[1]
SETPOINT = Path(sys.executable).with_name("setpoint")
AGENTS = ("claude", "claude-cli", "codex", "gemini", "opencode", "qwen", "copilot", "codex-cli", "gemini-cli")
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
SAMPLE = {"calc.py": BUGGY, "test_calc.py": TEST}
PLUGINS = ("anyio", "asyncio", "hypothesispytest", "timeout", "xdist", "xdist.looponfail")
"""Plug-ins of our own environment that the sample project does not need."""
SETTINGS = f"""[checks]
python = {json.dumps(sys.executable)}
pytest_args = {json.dumps([word for name in PLUGINS for word in ("-p", f"no:{name}")])}
bandit = false
coverage = false
reruns = 0

[agents]
idle_s = 10
wall_s = 90

[limits]
max_limit_wait_s = 60

[escalation]
on_limit = "manual"
"""
ASKING = {"gemini": "default", "qwen": "default"}
"""Mode in which an agent asks for permission, where Setpoint starts it in another one."""
LONGEST_S = 200
GATE, INTERRUPTED = 10, 130


@dataclass(kw_only=True)
class Played:
    """What was seen of one cell."""

    agent: str
    situation: str
    version: str = ""
    date: str = ""
    outcome: str = ""
    """`verified`, with what a person had to do before; `n/a`; or what was lost."""
    good: bool = False
    seconds: float = 0.0
    rounds: int = 0
    broke: list[str] = field(default_factory=list)
    """Kind and next step of each breakage that was recorded."""
    killed: str = ""
    """The program that was killed, where the situation kills one."""
    shown: list[str] = field(default_factory=list)
    """Lines that tell a person of trouble, shortened."""
    goes_on: str = ""
    """How the work continues where it was not verified: a branch, a question or a command."""


class Stage:
    """The repository, the home and the model of one cell."""

    def __init__(self, folder: Path, cell: Cell, situation: Situation) -> None:
        """Nothing is made yet."""
        self.folder, self.cell, self.situation = folder, cell, situation
        self.repo, self.home = folder / "repo", folder / "home"
        self.process: subprocess.Popen[str] | None = None
        self.struck, self.killed = False, ""
        self.model: ScriptedModel | None = None

    def make(self, url: str, files: Mapping[str, str] = SAMPLE, more: str = SETTINGS) -> None:
        """Write the repository and the agent's own configuration; `more` are settings besides."""
        sys.path.insert(0, str(ROOT / "tests"))
        from real_agents.conftest import RealAgent  # noqa: PLC0415 - it belongs to the tests

        for folder in (self.repo, self.home, Path(self.cell.outside)):
            folder.mkdir(parents=True)
        variables = RealAgent(self.cell.agent, self.home).environment(url)
        if self.situation.asks and self.cell.agent.startswith("opencode"):
            config = json.loads(variables["OPENCODE_CONFIG_CONTENT"])
            config["permission"] = {"edit": "ask", "bash": "ask"}
            variables["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
        lines = [f"{key} = {json.dumps(value)}" for key, value in variables.items()]
        asking = ASKING.get(self.cell.agent, "") if self.situation.asks else ""
        mode = [f"[agent.{self.cell.agent}]", f'mode = "{asking}"'] if asking else []
        settings = "\n".join([more, *mode, f"[agent.{self.cell.agent}.environment]", *lines, ""])
        for name, text in {**files, "setpoint.toml": settings}.items():
            (self.repo / name).write_text(text, "utf-8")
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "begin")

    def git(self, *words: str) -> str:
        """Run git in the repository."""
        argv = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words]
        return subprocess.run(argv, cwd=self.repo, check=True, capture_output=True, text=True).stdout

    def setpoint(self, *words: str) -> tuple[int, str, str]:
        """Run a verb as a person would; returns exit code, output and what was shown."""
        environment = {**os.environ, "HOME": str(self.home), "COLUMNS": "200"}
        environment.pop("CI", None)
        argv = [str(SETPOINT), *words]
        self.process = subprocess.Popen(
            argv, cwd=self.repo, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            out, err = self.process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            out, err = self.process.communicate()
            return -1, out, f"{err}\nnot ended after {LONGEST_S} s"
        return self.process.returncode, out, err

    def seen(self, asked: Asked) -> None:
        """Strike when the step is due."""
        if asked.step != BREAK or not asked.tools or self.struck or not self.situation.strike:
            return
        self.struck = True
        assert self.process is not None
        if self.situation.strike == "interrupt":
            os.kill(self.process.pid, signal.SIGINT)
            return
        tree = {pid: words for pid in _below(self.process.pid) if (words := _words(pid))}
        own = [pid for pid, words in tree.items() if _is_agent(words)]
        victim = own[-1] if self.situation.strike == "agent" else own[0]
        self.killed = " ".join(Path(word.decode()).name for word in tree[victim][:3] if word)
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        time.sleep(0.5)


def _below(pid: int) -> list[int]:
    """Return the processes below one, by depth."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, level = list[int](), [pid]
    while level:
        level = sorted(child for child, parent in parents.items() if parent in level)
        found.extend(level)
    return found


def _words(pid: int) -> list[bytes]:
    """Return the command line of a process; empty where it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    return []


def _is_agent(words: list[bytes]) -> bool:
    """Whether a process is one of the agent: no means of Setpoint to hold or watch it, no command it runs."""
    program = words[0].rpartition(b"/")[2]
    ours = words[1:3] == [b"-I", b"-S"] or b"setpoint" in b" ".join(words[:4])
    return not ours and program not in (b"bwrap", b"ps", b"sh", b"bash", b"git", b"rg")


def play(agent: str, name: str, keep: Path | None = None) -> Played:
    """Run one cell."""
    situation = SITUATIONS[name]
    played = Played(agent=agent, situation=name, date=time.strftime("%Y-%m-%d"))
    folder = Path(tempfile.mkdtemp(prefix=f"cell-{agent}-{name}-", dir=keep))
    cell = Cell(agent=agent, outside=str(folder / "outside"))
    stage = Stage(folder, cell, situation)
    began = time.monotonic()
    try:
        with scripted_model(situation.scenario(cell), stage.seen) as model:
            stage.model = model
            stage.make(model.url)
            try:
                _through(stage, model, played)
            finally:
                _keep_asked(stage, model)
    finally:
        played.seconds = round(time.monotonic() - began, 1)
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    return played


def _keep_asked(stage: Stage, model: ScriptedModel) -> None:
    lines = [f"step {each.step} {each.fault or 'answered'}: {' '.join(each.tools)}" for each in model.asked]
    (stage.folder / "asked.txt").write_text("\n".join(lines), "utf-8")


def _through(stage: Stage, model: ScriptedModel, played: Played) -> None:
    """Run, and go on as the run says, until the change is verified or nothing continues."""
    words: tuple[str, ...] = ("run", "make the failing tests pass", "--agent", stage.cell.agent, "--json")
    outcome, did = dict[str, Any](), list[str]()
    for _ in range(3):
        code, out, err = stage.setpoint(*words)
        (stage.folder / f"shown-{len(did)}.txt").write_text(f"{err}\n{out}", "utf-8")
        outcome = _outcome(out)
        played.shown += [line for line in shown(err) if line not in played.shown]
        played.goes_on = _goes_on(outcome, err)
        if code in (0, -1) or len(did) > 1:
            break
        model.heal()
        if code == GATE:
            did.append("a question")
            answer = ("retry",) if "retry" in outcome.get("commands", {}) else ("continue", "1")
            stage.setpoint("gate", *answer, outcome.get("trace_id", ""))
        else:
            did.append("Ctrl-C" if code == INTERRUPTED else f"exit {code} ({outcome.get('ending', '?')})")
        words = ("resume", "--json")
    _judge(stage, model, played, outcome, did)


def _judge(
    stage: Stage, model: ScriptedModel, played: Played, outcome: dict[str, Any], did: list[str]
) -> None:
    attempt = _events(stage, "agent.finished")
    if attempt:
        played.version = ((attempt[-1].get("snapshot") or {}).get("attempt") or {}).get("version", "")
    played.broke = [
        f"{each['breakage']['kind']}: {each['then'].replace('_', ' ')}"
        for each in _events(stage, "agent.broke")
    ]
    played.killed = stage.killed
    played.rounds = int(outcome.get("iterations", 0))
    why_not = _lacks(stage, model)
    if why_not:
        played.outcome, played.good = f"n/a ({why_not})", True
        return
    branch = outcome.get("branch") or ""
    right = False
    with contextlib.suppress(subprocess.CalledProcessError):
        right = bool(branch) and stage.git("show", f"{branch}:calc.py").strip() == FIXED.strip()
    leaked = sorted(each.name for each in Path(stage.cell.outside).iterdir())
    verified = outcome.get("ending") == "verified" and right
    played.good = verified and not leaked
    before = f"{', '.join(did)}, then " if did else ""
    if verified:
        played.outcome = f"{before}verified"
    else:
        played.outcome = (
            f"{before}{outcome.get('ending', 'no outcome')}: {str(outcome.get('reason', ''))[:160]}"
        )
    if leaked:
        played.outcome += f"; wrote outside: {', '.join(leaked)}"


def _lacks(stage: Stage, model: ScriptedModel) -> str:
    """Return why an agent does not have the situation; empty where it has it."""
    offered = {name for asked in model.asked for name in asked.tools}
    situation = stage.situation
    if situation.needs and not offered & set(situation.needs):
        return "no such tool"
    if situation.asks and not _transcripts(stage, b"session/request_permission"):
        return "asks for nothing"
    if situation.strike == "agent" and stage.cell.agent.endswith("-cli"):
        return "no adapter: the next column"
    return ""


def _transcripts(stage: Stage, text: bytes) -> bool:
    return any(
        text in path.read_bytes()
        for path in stage.home.parent.rglob("*")
        if path.is_file() and "artifacts" in str(path)
    )


def _outcome(out: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        found = json.loads(out)
        return found if isinstance(found, dict) else {}
    return {}


def _events(stage: Stage, kind: str) -> list[dict[str, Any]]:
    argv = [str(SETPOINT), "show", "--json"]
    environment = {**os.environ, "HOME": str(stage.home)}
    done = subprocess.run(argv, cwd=stage.repo, env=environment, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout or "[]")
    return [each["body"] for each in told if each["body"]["kind"] == kind]


def _goes_on(outcome: dict[str, Any], err: str) -> str:
    """Return what is left to go on from."""
    if outcome.get("branch"):
        return "a branch"
    if outcome.get("gate"):
        return "a question"
    return "setpoint resume" if "setpoint resume" in err else ""


def main() -> int:
    """Run cells, or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run")
    run.add_argument("--agents", default=" ".join(AGENTS))
    run.add_argument("--situations", default=" ".join(SITUATIONS))
    run.add_argument("--into", type=Path)
    run.add_argument("--keep", type=Path)
    written = verbs.add_parser("page")
    written.add_argument("cells", type=Path, nargs="+")
    asked = parser.parse_args()
    if asked.verb == "page":
        lines = [line for path in asked.cells for line in path.read_text("utf-8").splitlines()]
        print(page([json.loads(line) for line in lines]), end="")
        return 0
    bad = 0
    for agent in asked.agents.split():
        for name in asked.situations.split():
            played = play(agent, name, asked.keep)
            bad += not played.good
            print(
                f"{agent:11} {name:14} {played.seconds:6.1f} s  {played.outcome}  {played.broke}", flush=True
            )
            if asked.into:
                with asked.into.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(vars(played)) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
