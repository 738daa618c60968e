"""Measure what hidden tests and a reviewer add to a run of each real agent, against a scripted model.

    make test-agents                          # installs the agents
    python bench/judges.py run --agents "gemini opencode"
    python bench/judges.py page               # from what is kept: the page, and figures of the product

Each cell is a run of `setpoint run` on a small repository with one account for all roles. The maker forgets
an edge in its first round; the hidden test of the designer asks for it; the reviewer approves. A rate limit
meets the designer's calls until the run has ended, or the reviewer's for some seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent_situations import SITUATIONS, Cell
from agents_table import ROOT, SETTINGS, Stage
from judges_page import figures, page

from setpoint.model.attempt import Role
from setpoint.testing.model_server import (
    Asked,
    Conversation,
    Fault,
    Read,
    Say,
    Scenario,
    ScriptedModel,
    Write,
)
from setpoint.testing.model_server.dialects import Dialect
from setpoint.testing.model_server.tools import Call, move

Json = dict[str, Any]
KEPT = ROOT / "bench" / "data" / "judges.jsonl"
PAGE = ROOT / "docs" / "how-to" / "judges-measured.md"
FIGURES = ROOT / "src" / "setpoint" / "agents" / "judges.toml"
AGENTS = ("claude", "codex", "gemini", "copilot", "opencode", "qwen")
CASES = ("without", "judged", "limit-designer", "limit-reviewer")
REQUEST = (
    "add a function mean(values) to calc.py: the arithmetic mean of a list of numbers, 0 for an empty list"
)
BASE = "def add(a, b):\n    return a + b\n"
FORGETS = f"{BASE}\n\ndef mean(values):\n    return sum(values) / len(values)\n"
RIGHT = f"{BASE}\n\ndef mean(values):\n    return sum(values) / len(values) if values else 0\n"
OLD = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
OWN = "from calc import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n"
HIDDEN = """import calc


def test_mean_of_numbers():
    assert calc.mean([2, 4, 9]) == 5


def test_mean_of_nothing_is_zero():
    assert calc.mean([]) == 0
"""
DESIGN = {
    "tests": [
        {
            "path": "test_mean_edges.py",
            "text": HIDDEN,
            "behaviour": "mean gives the arithmetic mean, and 0 for an empty list",
        }
    ]
}
APPROVAL = {
    "decision": "approve",
    "findings": [],
    "feedback": "It does what the goal says.",
    "tests_express_request": True,
}
OPENS = {
    Role.TEST_DESIGNER: "Write tests for a request before anybody has worked on it",
    Role.REVIEWER: "Review a change that somebody else wrote",
}
"""How the prompts of the roles begin."""
SENT_BACK = "Your last change was measured and sent back"
"""Opens the second round of a maker whose session could not be continued."""
MODEL = "gpt-5.5"
"""One that Codex knows: of another one it warns in the text of its answer."""
ENDS = r"IMPLEMENTATION_VERIFIED|SELF-TESTED|UNPROVEN|waits for a person"
CHARACTERS = 4
"""That count as one token."""
DESIGNERS_RESET_S, REVIEWERS_RESET_S = 1800, 10
_CLOSED_BY = {
    "tests.hidden": Role.TEST_DESIGNER,
    "tests.answered": Role.TEST_DESIGNER,
    "review.completed": Role.REVIEWER,
    "agent.finished": Role.MAKER,
}


class Account(ScriptedModel):
    """A scripted model that counts the calls of each role, and tells the size of request and answer."""

    def __init__(self, scenario: Scenario, limited: str) -> None:
        """Take the role that meets a rate limit; empty: none does."""
        super().__init__(scenario)
        self.calls: dict[str, list[tuple[int, int]]] = {}
        """Tokens in and out of each call by role; calls that were refused count with nothing out."""
        self._limited, self._first_s = limited, 0.0

    def meet(self, dialect: Dialect, path: str, body: Json) -> tuple[Asked, Fault | None]:
        """Refuse the calls of the limited role."""
        asked, fault = super().meet(dialect, path, body)
        role = _role(dialect, body, asked)
        if role == self._limited and role:
            self._first_s = self._first_s or time.monotonic()
            ends_s = DESIGNERS_RESET_S if role == Role.TEST_DESIGNER else REVIEWERS_RESET_S
            left_s = round(ends_s - (time.monotonic() - self._first_s))
            if left_s > 0:
                self.calls.setdefault(role, []).append((0, 0))
                fault = Fault(kind="status", status=429, resets_in_s=left_s, retry_after_s=left_s)
        return asked, fault

    def played(self, dialect: Dialect, asked: Asked) -> tuple[str, list[bytes]]:
        """Write the size of request and answer where each dialect writes a figure of its own."""
        due = move(self.scenario, dialect.opening(asked.body), asked.step, dialect.tools(asked.body))
        said = json.dumps(due.arguments) if isinstance(due, Call) else due.text
        came, went = (
            len(json.dumps(asked.body, ensure_ascii=False)) // CHARACTERS,
            len(said) // CHARACTERS + 1,
        )
        self.calls.setdefault(_role(dialect, asked.body, asked), []).append((came, went))
        kind, pieces = super().played(dialect, asked)
        counts = {b"1000": came, b"50": went, b"1050": came + went}
        return kind, [
            re.sub(
                rb'(okens?(?:Count)?|promptTokenCount)": (1000|50|1050)\b',
                lambda found: found[1] + b'": ' + str(counts[found[2]]).encode(),
                piece,
            )
            for piece in pieces
        ]


def _role(dialect: Dialect, body: Json, asked: Asked) -> str:
    opening = dialect.opening(body)
    role = next((role for role, begins in OPENS.items() if begins in opening), Role.MAKER)
    return str(role) if asked.tools else "other"


@contextmanager
def account(scenario: Scenario, limited: str) -> Iterator[Account]:
    """Serve the account that all roles share."""
    model = Account(scenario, limited)
    model.open()
    try:
        yield model
    finally:
        model.close()


def scenario(agent: str) -> Scenario:
    """Return what the model does in each role; qwen wants absolute paths, which no scenario knows."""
    read = Read(read="calc.py")
    fixed = (read, Write(write="calc.py", text=RIGHT), Say(say="Done."))
    first = (
        read,
        Write(write="calc.py", text=FORGETS),
        Write(write="test_mean.py", text=OWN),
        Say(say="Done."),
    )
    answers = {Role.TEST_DESIGNER: DESIGN, Role.REVIEWER: APPROVAL}
    return Scenario(
        steps=(*first, *fixed),
        conversations=(
            *(
                # Twice, for agents whose own words around the answer have it asked for once more.
                Conversation(when=OPENS[role], steps=(read, *[Say(say=json.dumps(said))] * 2))
                for role, said in answers.items()
            ),
            Conversation(when=SENT_BACK, steps=fixed),
        ),
        own_tools=not agent.startswith("qwen"),
    )


def play(agent: str, case: str, keep: Path | None = None) -> Json:
    """Run one cell, and return what is kept of it."""
    folder = Path(tempfile.mkdtemp(prefix=f"judges-{agent}-{case}-", dir=keep))
    stage = Stage(folder, Cell(agent=agent, outside=str(folder / "outside")), SITUATIONS["wrong-first"])
    judges = "" if case == "without" else f'test_designer = "maker"\nreviewer = "{agent}"\n'
    settings = SETTINGS.replace("[agents]\n", f"[agents]\n{judges}")
    limited = {"limit-designer": Role.TEST_DESIGNER, "limit-reviewer": Role.REVIEWER}.get(case, "")
    with account(scenario(agent), limited) as model:
        stage.make(model.url, {"calc.py": BASE, "test_calc.py": OLD}, settings)
        config = stage.home / ".codex" / "config.toml"
        if config.exists():
            config.write_text(config.read_text("utf-8").replace('"scripted"', f'"{MODEL}"'), "utf-8")
        began = time.monotonic()
        code, out, err = stage.setpoint("run", REQUEST, "--agent", agent, "--max-cost", "5")
        seconds = time.monotonic() - began
        calls = dict(model.calls)
    (folder / "shown.txt").write_text(f"{err}\n---\n{out}", "utf-8")
    bodies = _bodies(stage)
    kept = {
        "agent": agent, "case": case, "date": time.strftime("%Y-%m-%d"), "version": _version(bodies),
        "exit": code, "seconds": round(seconds, 1), "line": _line(out), "roles": _roles(bodies, calls),
        "notes": [each for each in _notes(bodies) if each.startswith(("hidden tests:", "reviews ("))],
        "broke": [_broke(each) for each in bodies if each["kind"] == "agent.broke"],
    }  # fmt: skip
    if keep is None:
        shutil.rmtree(folder, ignore_errors=True)
    return kept


def _bodies(stage: Stage) -> list[Json]:
    _, out, _ = stage.setpoint("show", "--json")
    return [each["body"] for each in json.loads(out or "[]")]


def _version(bodies: list[Json]) -> str:
    attempts = (each["snapshot"].get("attempt") for each in bodies if each["kind"] == "agent.finished")
    return next((each["version"] for each in attempts if each and each.get("version")), "")


def _broke(body: Json) -> str:
    said = body["breakage"]["message"].splitlines()[0]
    return f"{body['phase']}: {body['breakage']['kind']}: {said}; waits {body['wait_s']:.0f} s"


def _line(out: str) -> str:
    """Return the words that a run ends with, without what it took; of one that waits its question."""
    ends = [line for line in out.splitlines() if re.search(ENDS, line)]
    found = re.search(rf"(?:{ENDS}).*?(?=: \d+ iteration|$)", (ends or [""])[-1])
    return found[0] if found else (out.strip().splitlines() or ["nothing"])[-1]


def _notes(bodies: list[Json]) -> list[str]:
    return list(next((each["order"]["notes"] for each in bodies if each["kind"] == "run.started"), ()))


def _roles(bodies: list[Json], calls: dict[str, list[tuple[int, int]]]) -> dict[str, Json]:
    """Return what each role used: calls as the server saw them, all else as Setpoint recorded it."""
    found: dict[str, Json] = {role: {"calls": len(each)} for role, each in calls.items()}
    for role, each in calls.items():
        found[role] |= {"sent": sum(one for one, _ in each), "answered": sum(one for _, one in each)}
    for body in bodies:
        role = _CLOSED_BY.get(body["kind"], "")
        usage = body.get("usage") or ((body.get("snapshot") or {}).get("attempt") or {}).get("usage")
        if not role or not usage or usage.get("scope") == "none":
            continue
        told = found.setdefault(str(role), {"calls": 0, "sent": 0, "answered": 0})
        told["sessions"] = told.get("sessions", 0) + 1
        for name in ("input_tokens", "output_tokens", "duration_s", "cost_usd"):
            if usage.get(name) is not None:
                told[name] = round(told.get(name, 0) + float(usage[name]), 4)
    return found


def main() -> None:
    """Run cells, or write the page and the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("run", "page"))
    parser.add_argument("--agents", default=" ".join(AGENTS))
    parser.add_argument("--cases", default=" ".join(CASES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--into", type=Path, default=KEPT)
    given = parser.parse_args()
    if given.verb == "page":
        cells = [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
        PAGE.write_text(page(cells), "utf-8")
        FIGURES.write_text(figures(cells), "utf-8")
        return
    for case in given.cases.split():
        for agent in given.agents.split():
            kept = play(agent, case, given.keep)
            print(json.dumps(kept), flush=True)
            with given.into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main()
