"""`setpoint demo --tour`: what the reader is told is what Setpoint found."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys

import pytest

from house.source import SAMPLE
from pictures import ASSETS, FRAME, README, frame, plain, tour, words
from setpoint.cli.project.tour import _script


def _failing(root):
    argv = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rf"]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout
    return sum(line.startswith("FAILED") for line in done.stdout.splitlines())


def test_each_turn_does_what_its_explanation_says(tmp_path):
    root = tmp_path / "shop"
    shutil.copytree(SAMPLE, root)
    old_tests = tmp_path / "old tests"
    shutil.copytree(root / "tests", old_tests)
    found = []
    for turn in _script()["turns"]:
        subprocess.run(turn["shell"], shell=True, cwd=root, check=True)
        as_they_were = tmp_path / f"as they were {len(found)}"
        shutil.copytree(root, as_they_were)
        shutil.copytree(old_tests, as_they_were / "tests", dirs_exist_ok=True)
        found.append((_failing(root), _failing(as_they_were)))

    assert found == [(1, 1), (0, 1), (0, 0)]
    assert not list(root.rglob("*.orig"))


@pytest.mark.slow
def test_each_turn_of_the_halting_demo_leaves_as_many_failures_as_r0_says(tmp_path):
    root = tmp_path / "payments"
    shutil.copytree(SAMPLE.parent / "sample_halting", root)
    found = [_failing(root)]
    for turn in _script("halting")["turns"]:
        subprocess.run(turn["shell"], shell=True, cwd=root, check=True)
        found.append(_failing(root))

    assert found == [15, 3, 1, 0]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_halting_demo_goes_on_at_the_scores_of_r0_and_halts_at_the_last(tmp_path):
    argv = [sys.executable, "-m", "setpoint", "demo", "--halting"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)

    decided = re.findall(r"^#(\d) score ([\d.]+) .*?→ (go on|stop)", done.stdout, re.MULTILINE | re.DOTALL)
    assert decided == [("1", "0.65", "go on"), ("2", "0.78", "go on"), ("3", "0.88", "stop")]
    flat = " ".join(done.stdout.split())
    assert all(" ".join(text.split()) in flat for text in _script("halting")["told"].values())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_agent_claims_is_sent_back_is_caught_and_passes(tmp_path):
    shown = plain(tour(tmp_path))

    assert words(shown) == words((ASSETS / "tour.txt").read_text("utf-8")), "hint: make screenshots"
    flat = " ".join(shown.split())
    places = [flat.find(" ".join(text.split())) for text in _script()["told"].values()]
    assert -1 not in places
    assert places == sorted(places)
    claims = [flat.index(f'iteration {number}: "Done.') for number in (1, 2, 3)]
    assert places[1] < claims[0] < places[2] < claims[1] < places[3] < claims[2] < places[4]


def test_the_readme_shows_the_end_of_the_recorded_tour():
    block = FRAME.search(README.read_text("utf-8"))
    assert block
    assert block[2] == frame((ASSETS / "tour.txt").read_text("utf-8"))


def test_every_word_of_the_recording_is_in_its_picture():
    told = (ASSETS / "tour.txt").read_text("utf-8")
    shown = html.unescape(re.sub(r"<[^>]+>", " ", (ASSETS / "tour.svg").read_text("utf-8")))
    assert set(re.findall(r"[A-Za-z_]{4,}", told)) <= set(re.findall(r"[A-Za-z_]{4,}", shown))
