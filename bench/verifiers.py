"""Broken verifiers: whole runs whose acceptance command cannot answer, with an agent that does wrong work.

    python bench/verifiers.py [--only WORD] [--languages python typescript go] [--python PYTHON]

Nothing may be verified by them, and the agent may not be sent back for them. About twenty minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from integrity import git, write
from ordinary import _AGENT as AGENT

from setpoint.model.events import Event
from setpoint.model.events.run import PhaseBounce
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

REQUEST = "Add mean(values), which returns the arithmetic mean of a list of numbers"


@dataclass(frozen=True, kw_only=True)
class Language:
    """A project that passes its tests, wrong work for the request, and verifiers that are broken in it."""

    files: Mapping[str, str]
    work: Mapping[str, str]
    good: str
    """A command that answers."""
    broken: Mapping[str, str]


GENERAL = {
    "program that is not installed": "no-such-verifier --strict",
    "program that is not installed, behind a folder": "./scripts/verify.sh",
    "file without permission": "./README.md",
    "interpreter that is not installed": "ruby check.rb",
    "shell script that is missing": "sh verify.sh",
    "bash script that is missing": "bash scripts/check.sh",
    "target that make lacks": "make verify-mean",
    "killed by a signal": "sh -c 'kill -9 $$'",
    "terminated by a signal": "sh -c 'kill -15 $$'",
    "out of memory by signal": "sh -c 'ulimit -v 1000; exec {good}'",
    "hangs": "sleep 600",
    "hangs behind good": "{good} && sleep 600",
    "masked by true": "{good} --nope || true",
    "masked by a colon": "no-such-verifier || :",
    "masked by an echo": "no-such-verifier || echo failed",
    "masked by a semicolon": "no-such-verifier; true",
    "masked by a pipe": "no-such-verifier | cat",
    "masked by exit": "no-such-verifier; exit 0",
    "always true": "true",
    "shell syntax": "if then fi (",
}
PYTHON = {
    "unknown option": "python -m pytest -q --no-such-option",
    "file that is missing": "python -m pytest -q tests/test_mean_acceptance.py",
    "name that selects nothing": "python -m pytest -q -k no_such_test",
    "everything deselected": "python -m pytest -q -m no_such_mark",
    "plug-in that is missing": "python -m pytest -q -p no_such_plugin",
    "module that is missing": "python -m no_such_module",
    "script that is missing": "python check_mean.py",
    "unittest finds nothing": "python -m unittest discover -s src",
    "unknown test in a file": "python -m pytest -q tests/test_shop.py::test_no_such",
    "collect only": "python -m pytest -q --collect-only",
}
TYPESCRIPT = {
    "unknown option": "node --no-such-option --test",
    "file that is missing": "node --test test/mean.acceptance.test.ts",
    "name that selects nothing": "node --test --test-name-pattern=no_such_test test/none/*.ts",
    "script that npm lacks": "npm run verify-mean",
    "script that npm lacks, silently": "npm run --silent verify-mean",
    "module that is missing": "node check-mean.js",
    "package that is not installed": "npx --no-install no-such-runner",
    "tsc that is not installed": "node_modules/.bin/tsc --noEmit",
    "import that is missing": "node --import=no-such-loader --test",
    "yarn without a script": "yarn verify-mean",
}
GO = {
    "unknown option": "go test -no-such-option ./...",
    "package that is missing": "go test ./mean/...",
    "name that selects nothing": "go test -run NoSuchTest ./...",
    "command that go lacks": "go verify ./...",
    "tool that is not installed": "golangci-lint run",
    "tool of go that is missing": "go tool no-such-tool",
    "file that is missing": "go run check_mean.go",
    "module that is missing": "go run example.com/none/check@latest",
    "folder that is missing": "go vet ./no/such/...",
    "only listed": "go test -list . ./...",
}
LANGUAGES = {
    "python": Language(
        files={
            "src/shop.py": "def total(values):\n    return sum(values)\n",
            "tests/test_shop.py": "from shop import total\n\n\n"
            "def test_total():\n    assert total([1, 2]) == 3\n",
            "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n\n'
            '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
        },
        work={
            "src/shop.py": "def total(values):\n    return sum(values)\n\n\n"
            "def mean(values):\n    return total(values)\n"
        },
        good="python -m pytest -q",
        broken=PYTHON,
    ),
    "typescript": Language(
        files={
            "src/shop.js": "export const total = (values) => values.reduce((a, b) => a + b, 0);\n",
            "test/shop.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
            'import { total } from "../src/shop.js";\n\n'
            'test("total", () => assert.equal(total([1, 2]), 3));\n',
            "package.json": '{"name": "shop", "version": "1.0.0", "type": "module", '
            '"scripts": {"test": "node --test"}}\n',
        },
        work={
            "src/shop.js": "export const total = (values) => values.reduce((a, b) => a + b, 0);\n"
            "export const mean = (values) => total(values);\n"
        },
        good="node --test",
        broken=TYPESCRIPT,
    ),
    "go": Language(
        files={
            "go.mod": "module example.com/shop\n\ngo 1.19\n",
            "shop.go": "package shop\n\nfunc Total(values []int) int {\n\ts := 0\n"
            "\tfor _, v := range values {\n\t\ts += v\n\t}\n\treturn s\n}\n",
            "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n'
            "\tif Total([]int{1, 2}) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
        },
        work={
            "mean.go": "package shop\n\nfunc Mean(values []int) float64 { return float64(Total(values)) }\n"
        },
        good="go test ./...",
        broken=GO,
    ),
}


class Ended(NamedTuple):
    """How a run with a broken verifier ended."""

    reason: str
    verified: bool = False
    calls: int = 0
    """How often the agent was started."""
    blamed: bool = False
    """Whether the agent was sent back for the command."""


def run(language: Language, command: str, folder: Path, python: str) -> Ended:
    """Drive one run."""
    root = folder / "project"
    words = json.dumps([sys.executable, str(folder / "agent.py"), str(folder / "edits.json")])
    settings = (
        f"[checks]\npython = {json.dumps(python)}\nmypy = false\nbandit = false\ncoverage = false\n"
        f"timeout_s = 20\n\n"
        f"[limits]\nmax_iterations = 3\n\n[agent.maker]\ncommand = {words}\n"
    )
    root.mkdir(parents=True)
    write(root, {"README.md": "A shop.\n", **language.files, "setpoint.toml": settings})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "The shop")
    (folder / "agent.py").write_text(AGENT)
    (folder / "edits.json").write_text(json.dumps(language.work))
    environment = {**os.environ, "SETPOINT_CACHE_DIR": str(folder / "cache")}
    argv = (sys.executable, "-m", "setpoint", "run", REQUEST, "--agent", "maker", "--json")
    done = subprocess.run(
        (*argv, "--accept", command), cwd=root, capture_output=True, text=True, check=False, env=environment
    )
    try:
        outcome = json.loads(done.stdout)
    except ValueError:
        return Ended(reason=f"no outcome: {(done.stderr or done.stdout)[-300:]}")
    events = recorded(root, folder / "cache", outcome["trace_id"])
    return Ended(
        verified=outcome.get("mark") == "IMPLEMENTATION_VERIFIED",
        calls=sum(event.body.kind == "agent.started" for event in events),
        blamed=any(isinstance(event.body, PhaseBounce) and command in event.body.reason for event in events),
        # A run that waits for a person has a question in place of a reason.
        reason=outcome.get("reason") or outcome.get("gate", {}).get("question", ""),
    )


def recorded(root: Path, cache: Path, trace: str) -> Sequence[Event]:
    """Return the events of a run."""
    os.environ["SETPOINT_CACHE_DIR"] = str(cache)
    project = open_project(root)
    try:
        return project.log.replay(TraceId(trace))
    finally:
        project.store.close()


def main() -> int:
    """Run what is asked for; 1 where something was verified or the agent was blamed."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--only", default="")
    asked.add_argument("--languages", nargs="*", default=list(LANGUAGES))
    asked.add_argument("--python", default=sys.executable)
    given = asked.parse_args()
    counts = {"runs": 0, "verified": 0, "blamed": 0, "agent not started": 0}
    print("| language | verifier | verified | agent started | sent back for it | reason |")
    print("|---|---|---|---|---|---|")
    for name in given.languages:
        language = LANGUAGES[name]
        for title, form in {**GENERAL, **language.broken}.items():
            if given.only not in title:
                continue
            command = form.replace("{good}", language.good)
            with tempfile.TemporaryDirectory(prefix="bench-") as folder:
                ended = run(language, command, Path(folder), given.python)
            counts["runs"] += 1
            reason = " ".join(ended.reason.split())[:300]
            counts["verified"] += ended.verified
            counts["blamed"] += ended.blamed
            counts["agent not started"] += not ended.calls
            print(
                f"| {name} | {title} | {ended.verified} | {ended.calls} | {ended.blamed} | {reason} |",
                flush=True,
            )
    print(f"\n{counts}")
    return int(bool(counts["verified"] or counts["blamed"]))


if __name__ == "__main__":
    sys.exit(main())
