"""A maker asks what the fast checks say, and learns nothing of hidden tests."""

import json

import pytest

from acceptance.conftest import RIGHT

WRONG = "def add(a, b):\n    return b - a\n"
HIDDEN = {
    "tests": [
        {
            "path": "test_hidden_secret.py",
            "text": "from calc import add\n\n\ndef test_hidden_marker():\n    assert add(7, 8) == 15\n",
            "behaviour": "adds the numbers seven and eight HIDDEN-SENTENCE",
        }
    ]
}
LEARN = [
    "setpoint_check",
    "setpoint_check test_hidden_secret.py",
    "setpoint_check --hidden; setpoint_check -v; setpoint_check '$(cat /etc/passwd)'",
    "cd .setpoint/check; echo hidden > ask-0000000000000001; sleep 1; cat answer-0000000000000001",
    "mkdir -p .setpoint/evidence; ls -R .setpoint; cat .setpoint/evidence/* .setpoint/bin/*",
    "cp calc.py keep; echo 'def add(a, b): return 15' > calc.py; setpoint_check; mv keep calc.py",
    "echo 'import os; print(os.listdir(chr(46) * 2))' > conftest.py; setpoint_check; rm conftest.py",
    "ln -s ../../../../.. up; sleep 1; setpoint_check; rm up",
    "cd .setpoint; rm -r check; ln -s $HOME check; setpoint_check & sleep 2; kill $!; ls ~ | grep -c answer",
    "mkfifo pipe; timeout 8 setpoint_check; rm pipe",
]
"""Ten ways to learn a hidden test, to run a command, to write through the tool, or to wear it out."""


@pytest.mark.slow
def test_no_question_of_a_maker_shows_a_hidden_test(repository, tmp_path):
    told = tmp_path / "played"
    told.mkdir()
    asks = [{"write": "calc.py", "text": WRONG}]
    asks += [{"shell": f"( {line} ) > {told}/{number}.txt 2>&1; true"} for number, line in enumerate(LEARN)]
    asks += [{"write": "calc.py", "text": RIGHT}]
    repository.crew(asks, critic=[[{"say": json.dumps(HIDDEN)}]] * 9)
    settings = (repository.root / "setpoint.toml").read_text().replace('reviewer = "critic"\n', "")
    repository.write("setpoint.toml", f"{settings}\n[self_check]\nevery_s = 0\n")
    repository.commit("a test designer")

    code, outcome = repository.run(timeout=240, SETPOINT_AGENTS__TEST_DESIGNER="critic")

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    hidden = [body for body in bodies if body["kind"].startswith("tests.hidden")]
    assert "test_hidden_secret.py" in json.dumps(hidden), [body["kind"] for body in bodies]
    answers = {file.name: file.read_text() for file in told.iterdir()}
    for name, answer in answers.items():
        for word in ("hidden_secret", "hidden_marker", "HIDDEN-SENTENCE", "root:"):
            lines = [line for line in answer.splitlines() if "takes no arguments" not in line]
            assert word not in "\n".join(lines), (name, answer)
    assert "assert -1 == 5" in answers["0.txt"] or "test_add" in answers["0.txt"]
    assert "takes no arguments" in answers["1.txt"]
    assert answers["8.txt"].strip().endswith("0")
    changed = repository.git("diff", "--name-only", "main", outcome["branch"]).split()
    assert changed == ["calc.py"]


@pytest.mark.slow
def test_a_maker_that_asks_is_told_what_was_learnt_of_the_failing_test(repository, tmp_path):
    told = tmp_path / "played"
    told.mkdir()
    lesson = {
        "kind": "procedural",
        "title": "Sums are built with plus",
        "context": "tests/test_calc.py::test_add",
        "believed": 0.8,
        "hint": {"rules": ["tests/test_calc.py::test_add"]},
        "source": "team",
    }
    pack = tmp_path / "team.jsonl"
    pack.write_text(f"setpoint-learnings/1\n{json.dumps(lesson)}\n")
    repository.setpoint("learn", "import", str(pack), "--trusted")
    steps = [{"write": "calc.py", "text": WRONG}, {"shell": f"setpoint_check > {told}/wrong.txt"}]
    steps += [{"write": "calc.py", "text": RIGHT}, {"shell": f"setpoint_check > {told}/right.txt"}]
    memory = "[memory]\nhold_out = 0\nwithhold = 0\n"
    repository.agent(steps, settings=f"{memory}[self_check]\nevery_s = 0\n")

    code, _ = repository.run("--agent", "actor")

    assert code == 0
    assert "Learnt earlier: Sums are built with plus" in (told / "wrong.txt").read_text()
    assert "Learnt earlier" not in (told / "right.txt").read_text()
