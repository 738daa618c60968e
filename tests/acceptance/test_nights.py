"""A worker over three nights: hours, money, a crash, a question, and what each morning says."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acceptance.conftest import RIGHT
from acceptance.test_board import an_actor, attempts, board, edit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
"""Each of these starts many processes, and a machine may have other things to do."""

WRITE = """
import re, sys, time
from pathlib import Path

number, played = int(re.search(r"Write number (\\d+)", sys.stdin.read())[1]), Path(PLAYED)
if number == 2 and not (played / "begun").exists():
    (played / "begun").write_text("")
    time.sleep(4712)
wrong = number == 99 or (number == 3 and not (played / "answered").exists())
Path(f"number_{number}.txt").write_text("nothing" if wrong else "done")
"""
SPENT = "$1.50 of $1.50 are spent (board.max_cost_usd)"
SETTINGS = """
[agents]
maker = "actor"
[limits]
max_iterations = 1
[board]
hours = "22:00-07:00"
max_cost_usd = 1.5
[notify.mail]
form = "command"
command = ["sh", "-c", "cat >> told.txt"]
on = ["report"]
"""


class Nights:
    """A repository with a worker whose clock the test moves."""

    def __init__(self, repository):
        self.repository, self.root = repository, repository.root
        self.played = self.root.parent / "played"
        self.played.mkdir()
        self.clock, self.heard = self.root.parent / "clock", self.root.parent / "heard"
        text = WRITE.replace("PLAYED", repr(str(self.played)))
        (self.root.parent / "edit.py").write_text(text, "utf-8")
        repository.write("calc.py", RIGHT)
        repository.write(".gitignore", "told.txt\n")
        repository.write(".setpoint/.gitignore", "*\n")
        self.worker = None

    def story(self, number, keys="", name=""):
        accepted = f"grep -q done number_{number}.txt"
        front = f"title: Write number {number}\nkind: chore\nacceptance: [{accepted}]\n{keys}"
        self.repository.write(f".setpoint/stories/{name or f'story-{number}'}.md", f"---\n{front}---\n")

    def at(self, told):
        new = self.clock.with_suffix(".new")
        new.write_text(told, "utf-8")
        new.rename(self.clock)

    def start(self):
        argv = [sys.executable, "-P", str(Path(__file__).with_name("night_worker.py")), str(self.clock)]
        with self.heard.open("a", encoding="utf-8") as out:
            environment = self.repository.environment()
            self.worker = subprocess.Popen(argv, cwd=self.root, env=environment, stdout=out, stderr=out)

    def until(self, said, times=1):
        """Wait until the worker has said something so often."""
        for _ in range(1200):
            if self.heard.read_text("utf-8").count(said) >= times:
                return
            assert self.worker.poll() is None, self.heard.read_text("utf-8")
            time.sleep(0.1)
        raise AssertionError(self.heard.read_text("utf-8"))

    def report(self):
        done = self.repository.setpoint("work", "report", "--json")
        told = json.loads(done.stdout)
        ended = {each["story_id"]: each["ending"] or each["state"] for each in told["worked"]}
        return told, ended, {each["story"]: each["on"] for each in told["waits"]}

    def told(self):
        path = self.root / "told.txt"
        return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture
def nights(repository):
    made = Nights(repository)
    yield made
    if made.worker is not None and made.worker.poll() is None:
        made.worker.kill()
        made.worker.wait()


def test_three_nights(nights):
    repository = nights.repository
    an_actor(repository, [{"cost": 0.5}, edit(repository, "")], settings=SETTINGS)
    for number, priority in ((0, 100), (1, 100), (4, 100), (2, 50)):
        nights.story(number, f"priority: {priority}\n")

    first_night(nights)
    second_night(nights)
    third_night(nights)
    nights.worker.send_signal(signal.SIGTERM)
    assert nights.worker.wait(timeout=60) == 0


def first_night(nights):
    """Begin nothing outside the hours, and no more than the money is for."""
    repository = nights.repository
    nights.at("2026-03-02T21:30:00")
    nights.start()
    nights.until("outside of the hours 22:00-07:00 (board.hours)")
    assert {each["run"] for each in board(repository).values()} == {None}
    second = repository.setpoint("work")
    assert (second.returncode, f"process {nights.worker.pid} works through" in second.stderr) == (2, True)

    nights.at("2026-03-02T22:30:00")
    nights.until(SPENT)
    assert nights.told() == ""
    nights.at("2026-03-03T07:30:00")
    nights.until(
        "shift of 2026-03-02: 3 stories worked on, 3 with a branch, 0 wait for you, $1.50 in this shift"
    )
    told, ended, waits = nights.report()
    assert (told["shift"], sorted(told["came"])) == ("2026-03-02", [f"story-{each}" for each in (0, 1, 2, 4)])
    assert (ended, waits) == (
        dict.fromkeys(("story-0", "story-1", "story-4"), "verified"),
        {"story-2": "a worker"},
    )
    assert "Shift of 2026-03-02: 3 stories worked on" in nights.told()


def second_night(nights):
    """Kill the worker in the middle of a run; the next one resumes it. A run asks a person."""
    repository = nights.repository
    nights.story(3, "on_limit: manual\npriority: 1\n")
    nights.at("2026-03-03T23:00:00")
    while not (nights.played / "begun").exists():
        time.sleep(0.2)
    interrupted = board(repository)["story-2"]["run"]
    assert interrupted
    nights.worker.send_signal(signal.SIGKILL)
    nights.worker.wait()
    while board(repository)["story-2"]["action"]["kind"] == "wait":
        time.sleep(0.2)
    nights.at("2026-03-04T01:00:00")
    nights.start()
    nights.until(SPENT, times=2)  # what was spent before the crash counts, too
    assert attempts(repository, interrupted) == [("implement-1", 1), ("implement-1", 2)]
    nights.at("2026-03-04T07:00:00")
    nights.until("shift of 2026-03-03")
    told, ended, waits = nights.report()
    assert (told["came"], ended) == (["story-3"], {"story-2": "verified", "story-3": "waiting"})
    assert (waits, told["waits"][0]["command"]) == (
        {"story-3": "you"},
        f"setpoint answer show {board(repository)['story-3']['run']}",
    )
    assert told["worked"][0]["trace_id"] == interrupted
    assert "story-3: " in nights.told()


def third_night(nights):
    """Answer by day; the story continues by itself."""
    repository = nights.repository
    (nights.played / "answered").write_text("")
    asked = board(repository)["story-3"]["run"]
    assert repository.setpoint("answer", "continue", "1", asked).returncode == 0
    nights.at("2026-03-04T22:00:00")
    nights.until("nothing is ready: every story is done")
    nights.at("2026-03-05T07:00:00")
    nights.until("shift of 2026-03-04")
    told, ended, waits = nights.report()
    assert (told["shift"], ended, waits) == ("2026-03-04", {"story-3": "verified"}, {})
    assert told["worked"][0]["trace_id"] == asked
    assert nights.told().count("Shift of ") == 3


def test_everything_that_is_possible_of_twelve_stories_is_delivered(nights):
    repository = nights.repository
    an_actor(
        repository,
        [edit(repository, "")],
        settings='[agents]\nmaker = "actor"\n[limits]\nmax_iterations = 1\n',
    )
    (nights.played / "begun").write_text("")
    (nights.played / "answered").write_text("")
    numbers = {"a": (10, 11, 12, 13), "b": (20, 21, 22, 23), "c": (30, 99, 32)}
    for chain, members in numbers.items():
        for place, number in enumerate(members):
            needs = f"depends_on: [{chain}-{place}]\n" if place else ""
            nights.story(number, needs, f"{chain}-{place + 1}")
    nights.story(40, name="alone")

    done = repository.setpoint("work", "--now", timeout=560, SETPOINT_BOARD__JOBS="2")

    cards = board(repository)
    assert len(cards) == 12
    states = {name: card["status"] for name, card in cards.items()}
    assert {name for name, status in states.items() if status == "done"} == set(states) - {"c-2", "c-3"}, (
        done.stdout
    )
    assert (states["c-2"], states["c-3"]) == ("blocked", "waiting")
    assert cards["c-3"]["waits_for"] == ["c-2"]
    tip = cards["b-4"]["branch"]
    assert [repository.git("show", f"{tip}:number_{number}.txt") for number in numbers["b"]] == ["done"] * 4
    told = repository.setpoint("work", "report").stdout
    assert "11 stories worked on, 10 with a branch, 1 waits for you" in told
    assert "waits for c-2: c-3: waits for c-2 (blocked)" in told


def test_a_worker_that_is_told_to_stop_interrupts_what_does_not_end_in_time(nights):
    repository = nights.repository
    settings = '[agents]\nmaker = "actor"\n[board]\ndrain_s = 0\n'
    an_actor(repository, [edit(repository, "")], settings=settings)
    nights.story(2)
    argv = [sys.executable, "-P", "-m", "setpoint", "work"]
    with nights.heard.open("w", encoding="utf-8") as out:
        nights.worker = subprocess.Popen(
            argv, cwd=nights.root, env=repository.environment(), stdout=out, stderr=out
        )
    while not (nights.played / "begun").exists():
        time.sleep(0.2)
    os.kill(nights.worker.pid, signal.SIGTERM)
    assert nights.worker.wait(timeout=60) == 0
    said = nights.heard.read_text("utf-8")
    assert "stopping: 1 run may end within 0 s" in said
    assert "[story-2] interrupted; the next `setpoint work` resumes it" in said
    assert board(repository)["story-2"]["action"]["kind"] == "make"
