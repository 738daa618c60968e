"""The board as a user works with it: steps, rework first, several stories at once, edits in between."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import setpoint
from acceptance.conftest import RIGHT, WISH
from setpoint.stories.front_matter import taken_apart

pytestmark = pytest.mark.timeout(400)
"""Each of these starts many processes, and a machine may have other things to do."""

EDIT = """
import re, sys
from pathlib import Path

number = re.search(r"module number (\\d+)", sys.stdin.read())[1]
value = {"break": -1, "mend": 100 + int(number)}[sys.argv[1]]
Path(f"module_{number}.py").write_text(f"def value():\\n    return {value}\\n")
"""
WRITE = """
import re, sys
from pathlib import Path

number = re.search(r"Write number (\\d+)", sys.stdin.read())[1]
Path(f"number_{number}.txt").write_text("done")
"""
WRONG = {"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}
FIX = {"write": "calc.py", "text": RIGHT}
STORY = "make-the-failing-tests-pass"
LOOSE = {"SETPOINT_SANDBOX__AGENTS": "none"}
"""For an actor that plays the person too: an agent cannot reach a story."""


def an_actor(repository, *prompts, settings="", **more):
    """Give the repository agents by name, each with the steps of its prompts; `actor` makes the change."""
    text = settings
    for name, played in {"actor": prompts, **more}.items():
        script = repository.root.parent / f"{name}.json"
        # Each review begins a process, so what it counts lies where the agent may write; makers count alone.
        counter = {} if name == "actor" else {"counter": f"played/{name}"}
        script.write_text(json.dumps({"prompts": played, **counter}), "utf-8")
        argv = json.dumps([sys.executable, "-m", "setpoint.agents.scripted", str(script)])
        source = json.dumps(str(Path(setpoint.__file__).parents[1]))
        writes = json.dumps([f"{repository.root.parent / 'played'}/"])
        text += f'\n[agent.{name}]\nprotocol = "acp"\ncommand = {argv}\nwrites = {writes}\n'
        text += f"environment = {{ PYTHONPATH = {source} }}\n"
    repository.write("setpoint.toml", text)
    repository.commit("settings")


def stories_of(repository, count):
    """Write a module, a test and a story for each number."""
    (repository.root.parent / "edit.py").write_text(EDIT, "utf-8")
    repository.write("calc.py", RIGHT)
    for number in range(count):
        repository.write(f"module_{number}.py", f"def value():\n    return {number}\n")
        test = f"from module_{number} import value\n\n\ndef test_value():\n    assert value() >= 0\n"
        repository.write(f"tests/test_module_{number}.py", test)
        wanted = f"python -c 'from module_{number} import value; assert value() >= 100'"
        story = (
            f'---\ntitle: Raise module number {number}\nacceptance: ["{wanted}"]\n'
            f"x-owner: me # by hand\n---\n\nTo {100 + number}.\n"
        )
        repository.write(f".setpoint/stories/story-{number}.md", story)
    repository.write(".setpoint/.gitignore", "*\n")


def edit(repository, word):
    return {"shell": f"{sys.executable} '{repository.root.parent / 'edit.py'}' {word}"}


def front(repository, name):
    text = (repository.root / f".setpoint/stories/{name}.md").read_text("utf-8")
    return yaml.safe_load(taken_apart(text).front)


def board(repository):
    listed = repository.setpoint("story", "list", "--all", "--json")
    return {each["id"]: each for each in json.loads(listed.stdout)}


def attempts(repository, run):
    events = [each["body"] for each in json.loads(repository.setpoint("show", run, "--json").stdout)]
    return [(each["label"], each["attempt"]) for each in events if each["kind"] == "agent.started"]


@pytest.mark.slow
def test_four_stories_at_once_do_not_disturb_each_other(repository):
    stories_of(repository, 4)
    an_actor(repository, [edit(repository, "break")], [edit(repository, "mend")])
    before = repository.git("rev-parse", "main")

    done = repository.setpoint("run", "--auto", "--jobs", "4", "--agent", "actor", "--json", timeout=200)

    outcome = json.loads(done.stdout)
    assert (done.returncode, len(outcome["worked"]), outcome["left"]) == (0, 4, []), done.stderr
    assert repository.git("rev-parse", "main") == before
    assert repository.git("status", "--porcelain") == ""
    for each in outcome["worked"]:
        number = int(each["story"].removeprefix("story-"))
        assert repository.git("diff", "--name-only", "main", each["branch"]) == f"module_{number}.py"
        assert f"return {100 + number}" in repository.git("show", f"{each['branch']}:module_{number}.py")
        assert attempts(repository, each["run"]) == [("implement-1", 1), ("implement-2", 1)]
        told = front(repository, each["story"])
        assert (told["status"], told["refinement_count"], told["last_run"]) == ("done", 1, each["run"])
        text = (repository.root / f".setpoint/stories/{each['story']}.md").read_text("utf-8")
        assert text.startswith(f"---\ntitle: Raise module number {number}\nacceptance: ")
        assert "\nx-owner: me # by hand\nstatus: done\n" in text


@pytest.mark.slow
def test_a_story_begins_from_what_its_dependencies_delivered(repository):
    (repository.root.parent / "edit.py").write_text(WRITE, "utf-8")
    for number, needs in enumerate(("[]", "[]", "[story-0, story-1]")):
        keys = f"title: Write number {number}\nkind: chore\nacceptance: [test -f number_{number}.txt]\n"
        story = f"---\n{keys}depends_on: {needs}\n---\n"
        repository.write(f".setpoint/stories/story-{number}.md", story)
    repository.write(".setpoint/.gitignore", "*\n")
    repository.write("calc.py", RIGHT)
    an_actor(repository, *[[edit(repository, "")]] * 9)
    assert board(repository)["story-2"]["waits_for"] == ["story-0", "story-1"]
    refused = repository.setpoint("run", "story-2")
    assert (refused.returncode, "waits for story-0 (ready); story-1 (ready)" in refused.stderr) == (2, True)

    done = repository.setpoint("run", "--auto", "--agent", "actor", "--json", timeout=200)

    worked = {each["story"]: each for each in json.loads(done.stdout)["worked"]}
    assert (done.returncode, list(worked)[-1]) == (0, "story-2"), done.stderr
    tip = worked["story-2"]["branch"]
    for number in range(3):
        assert repository.git("show", f"{tip}:number_{number}.txt") == "done"
    report = repository.setpoint("show", "log", worked["story-2"]["run"]).stdout
    assert "begins from the work of story-1" in report

    repository.write("README.md", "newer")
    repository.commit("a newer base")
    again = repository.setpoint("run", "story-0", "--agent", "actor", timeout=200)
    assert again.returncode == 0, again.stderr
    assert repository.git("show", "setpoint/story-0-2:README.md") == "newer"
    third = board(repository)["story-2"]
    assert (third["status"], third["action"]["kind"]) == ("ready", "start")
    assert third["action"]["reason"].startswith("measured on an older story-0")

    repository.setpoint("run", "--auto", "--agent", "actor", timeout=200)

    third = board(repository)["story-2"]
    assert (third["status"], {each["story"] for each in third["needs"]}) == ("done", {"story-0", "story-1"})
    assert repository.git("show", f"{third['branch']}:README.md") == "newer"


def test_one_step_does_one_phase_and_says_what_is_next(repository):
    an_actor(repository, [{"cost": 0.5}, WRONG])
    done = []
    for words in ((WISH, "--agent", "actor"), (), (), (), (), ("--iteration",)):
        if len(done) == 4:
            # The next process has a new agent, which plays its script from the beginning.
            script = {"prompts": [[{"expect": "test_add"}, {"cost": 0.5}, FIX]]}
            (repository.root.parent / "actor.json").write_text(json.dumps(script), "utf-8")
        told = repository.setpoint("lab", "step", *words, "--json")
        assert told.returncode == 0, told.stderr
        done.append(json.loads(told.stdout))

    assert [each["phases"] for each in done] == [
        ["research"],
        ["plan"],
        ["implement"],
        ["evaluate"],
        ["implement"],
        ["evaluate", "review", "test"],
    ]
    assert [(each["next"]["kind"], each["next"]["phase"]) for each in done] == [
        ("think", "plan"),
        ("make", "implement"),
        ("judge", "evaluate"),
        ("rework", "implement"),
        ("judge", "evaluate"),
        ("rest", ""),
    ]
    outcome = done[-1]["outcome"]
    assert (outcome["ending"], float(outcome["cost_usd"])) == ("verified", pytest.approx(1.0))
    assert attempts(repository, done[-1]["run"]) == [("implement-1", 1), ("implement-2", 1)]
    assert repository.setpoint("lab", "step").stdout.startswith("nothing to do")


def test_rework_goes_before_a_new_story_of_higher_priority(repository):
    an_actor(repository, [WRONG], [FIX])
    stepped = repository.setpoint("lab", "step", WISH, "--iteration", "--agent", "actor", "--json")
    assert json.loads(stepped.stdout)["next"]["kind"] == "rework"
    assert front(repository, STORY)["status"] == "rework"
    assert front(repository, STORY)["implement_complete"] is False
    repository.setpoint("story", "new", "something urgent", "--priority", "900")
    following = repository.setpoint("story", "next")
    assert following.stdout.startswith(
        f"{STORY}: rework(implement) (priority 450): sent back to implement (1/7)"
    )
    (repository.root.parent / "actor.json").write_text(json.dumps({"prompts": [[FIX]]}))

    done = repository.setpoint("run", "--auto", "--max-stories", "1", "--json")

    outcome = json.loads(done.stdout)
    assert [(each["story"], each["did"]) for each in outcome["worked"]] == [(STORY, "rework(implement)")]
    assert done.returncode == 0
    assert [each["id"] for each in outcome["left"]] == ["something-urgent"]
    assert "max_stories" in outcome["stopped"]


WAYS = ("first", "second", "third", "fourth", "fifth", "sixth")


def rejecting(number):
    finding = {
        "severity": "error",
        "category": "correctness",
        "message": f"wrong in the {WAYS[number]} way",
        "file": "calc.py",
    }
    return [{"say": json.dumps({"decision": "request_changes", "findings": [finding]})}]


def test_the_circuit_breaker_blocks_the_story_until_its_count_is_set_back(repository):
    made = [[{"write": "calc.py", "text": f"{RIGHT}# {number}\n"}] for number in range(6)]
    settings = (
        'preset = "classic"\n[agents]\nmaker = "actor"\nreviewer = "critic"\n'
        "[limits]\nstagnation = false\ndiminishing_returns = false\n"
    )
    an_actor(repository, *made, settings=settings, critic=[rejecting(number) for number in range(6)])

    done = repository.setpoint("run", WISH, "--json", SETPOINT_ESCALATION__ON_LIMIT="manual")

    assert done.returncode == 10, done.stderr
    told = front(repository, STORY)
    assert (told["status"], told["refinement_count"]) == ("blocked", 3)
    assert "3/3" in told["last_error"]
    entries = [
        (each["iteration"], each["agentType"], each["result"]) for each in told["refinement_iterations"]
    ]
    assert entries == [(1, "implement", "failed"), (2, "implement", "failed"), (3, "implement", "failed")]
    assert told["refinement_iterations"][0]["reviewFeedback"] == "Review failed: 1 error"
    shown = repository.setpoint("story", "show", STORY).stdout
    assert "3/3" in shown
    assert "wrong in the third way" in shown
    again = repository.setpoint("run", "--auto", "--json")
    assert json.loads(again.stdout)["worked"] == []
    assert [each["action"]["kind"] for each in json.loads(again.stdout)["left"]] == ["answer"]
    stepped = repository.setpoint("lab", "step", STORY)
    assert (stepped.returncode, "answer" in stepped.stdout) == (10, True)

    repository.setpoint("answer", "cancel", "--go")

    assert board(repository)[STORY]["action"]["kind"] == "look"
    told = front(repository, STORY)
    assert (told["status"], told["refinement_count"]) == ("blocked", 3)

    repository.setpoint("story", "set", STORY, "refinement_count=0")

    assert board(repository)[STORY]["action"]["kind"] == "start"


def test_an_edit_during_a_run_is_noticed_and_does_not_reach_it(repository):
    path = repository.root / f".setpoint/stories/{STORY}.md"
    edited = {"shell": f"printf '\\nAnd make it blue.\\n' >> '{path}'"}
    an_actor(repository, [edited, WRONG], [{"expect": "test_add"}, FIX])

    done = repository.setpoint("run", WISH, "--agent", "actor", **LOOSE)

    assert done.returncode == 0
    assert "the story was edited while the run worked" in done.stdout
    card = board(repository)[STORY]
    assert (card["status"], card["edited"]) == ("done", True)
    assert "And make it blue." in path.read_text("utf-8")
    order = json.loads(repository.setpoint("show", "--json").stdout)[0]["body"]["order"]
    assert "blue" not in order["story"]["body"]


def test_a_story_that_is_deleted_during_its_run_loses_nothing(repository):
    path = repository.root / f".setpoint/stories/{STORY}.md"
    an_actor(repository, [{"shell": f"rm '{path}'"}, FIX])

    done = repository.setpoint("run", WISH, "--agent", "actor", **LOOSE)

    assert done.returncode == 0
    assert f"{path} is gone" in done.stdout
    assert not path.exists()
    assert repository.git("show", f"setpoint/{STORY}:calc.py") == RIGHT.strip()


@pytest.mark.slow
def test_an_interruption_ends_all_stories_and_each_goes_on_later(repository):
    stories_of(repository, 2)
    an_actor(repository, [{"sleep": 4712}])
    argv = [sys.executable, "-P", "-m", "setpoint", "run", "--auto", "--jobs", "2", "--agent", "actor"]
    running = subprocess.Popen(
        argv, cwd=repository.root, env=repository.environment(), stdout=subprocess.PIPE
    )
    runs = []
    while len(runs) < 2:
        time.sleep(2)
        assert running.poll() is None
        cards = board(repository).values()
        runs = [each["run"] for each in cards if each["run"] and attempts(repository, each["run"])]

    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)

    assert running.returncode == 130
    assert _working(repository) == []
    assert {each["action"]["kind"] for each in board(repository).values()} == {"make"}
    script = {"prompts": [[edit(repository, "mend")]]}
    (repository.root.parent / "actor.json").write_text(json.dumps(script), "utf-8")

    done = repository.setpoint("run", "--auto", "--jobs", "2", "--json", timeout=200)

    worked = json.loads(done.stdout)["worked"]
    assert (done.returncode, sorted(each["run"] for each in worked)) == (0, sorted(runs)), done.stderr
    assert {each["did"] for each in worked} == {"make(implement)"}
    for run in runs:
        assert attempts(repository, run) == [("implement-1", 1), ("implement-1", 2)]


def _working(repository):
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(repository.root.parent) in line]
