from __future__ import annotations

import os
import shutil
import time

from setpoint_probe.process import guard
from setpoint_probe.process.children import Limits, cpu_timer, look_then, run_child

LIMITS = Limits(8 << 30, silence_s=10.0)


def test_records_come_back_and_the_end_is_seen():
    seen = []
    ended = run_child(lambda report: [report(n) for n in range(3)], LIMITS, seen.append)
    assert seen == [0, 1, 2]
    assert ended.finished
    assert not ended.cpu_limit


def test_an_exception_ends_a_child_with_its_words():
    def act(report):
        raise KeyboardInterrupt("enough")

    ended = run_child(act, LIMITS, lambda record: None)
    assert not ended.finished
    assert ended.error == "KeyboardInterrupt: enough"


def test_an_endless_loop_that_swallows_everything_is_ended_by_the_kernel():
    def act(report):
        report("begun")
        cpu_timer(0.05)
        while True:
            try:
                while True:
                    pass
            except BaseException:  # noqa: BLE001 - as code under trial does
                pass

    seen = []
    ended = run_child(act, LIMITS, seen.append)
    assert seen == ["begun"]
    assert ended.cpu_limit
    assert not ended.finished


def test_a_loop_in_c_is_ended_too():
    def act(report):
        cpu_timer(0.05)
        report(sum(1 for _ in iter(int, 1)))

    assert run_child(act, LIMITS, lambda record: None).cpu_limit


def test_waiting_without_using_the_processor_is_ended_by_the_wall_clock():
    def act(report):
        cpu_timer(5.0, 0.05)
        time.sleep(60)

    assert run_child(act, LIMITS, lambda record: None).cpu_limit


def test_a_silent_child_is_stopped():
    ended = run_child(lambda report: time.sleep(60), Limits(8 << 30, silence_s=0.1), lambda record: None)
    assert ended.stopped


def test_the_parent_stops_a_child_when_it_has_heard_enough():
    def act(report):
        for number in range(10_000_000):
            report(number)

    seen = []

    def record(number):
        seen.append(number)
        return number == 5

    assert run_child(act, LIMITS, record).stopped
    assert seen == [0, 1, 2, 3, 4, 5]


def test_more_memory_than_allowed_is_an_error():
    def act(report):
        try:
            report(len(bytearray(4 << 30)))
        except MemoryError:
            report("refused")

    seen = []
    run_child(act, Limits(2 << 30), seen.append)
    assert seen == ["refused"]


def test_what_a_child_started_does_not_outlive_it(tmp_path):
    mark = tmp_path / "mark"

    def act(report):
        if os.fork() == 0:
            time.sleep(0.3)
            mark.write_text("alive")
            os._exit(0)

    run_child(act, LIMITS, lambda record: None)
    time.sleep(0.5)
    assert not mark.exists()


def test_code_under_trial_may_write_to_its_places_only(tmp_path):
    tree, scratch, other = tmp_path / "tree", tmp_path / "scratch", tmp_path / "other"
    for folder in (tree, scratch, other):
        folder.mkdir()
        (folder / "kept.py").write_text("x = 1\n")
    trials = {
        "scratch": lambda: (scratch / "new.txt").write_text("x"),
        "remove in scratch": (scratch / "kept.py").unlink,
        "data in tree": lambda: (tree / "new.txt").write_text("x"),
        "read": (other / "kept.py").read_text,
        "source in tree": lambda: (tree / "kept.py").write_text("x = 2\n"),
        "remove tree": lambda: shutil.rmtree(tree),
        "write elsewhere": lambda: (other / "new.txt").write_text("x"),
        "remove elsewhere": (other / "kept.py").unlink,
        "rename away": lambda: (tree / "kept.py").rename(other / "x.py"),
        "kill": lambda: os.kill(os.getppid(), 0),
    }

    def act(report):
        guard.install([str(scratch)], str(tree), temporary=str(scratch))
        for name, trial in trials.items():
            try:
                trial()
            except PermissionError:
                report((name, "refused"))
            else:
                report((name, "done"))

    seen = {}
    run_child(act, LIMITS, lambda record: seen.update([record]))
    assert [name for name, what in seen.items() if what == "done"] == list(trials)[:4]
    assert list(seen) == list(trials)
    assert (other / "kept.py").exists()
    assert (tree / "kept.py").read_text() == "x = 1\n"


def test_what_is_lost_is_ended_long_before_its_limit():
    def act(report):
        look_then(lambda frame: frame is not None and report(frame.f_code.co_name) is None)
        cpu_timer(60.0, 60.0, 0.05)
        endless()

    def endless():
        while True:
            pass

    heard = []
    ended = run_child(act, LIMITS, heard.append)
    assert heard == ["endless"]
    assert (ended.cpu_limit, ended.finished) == (True, False)


def test_what_is_not_lost_goes_on():
    def act(report):
        look_then(lambda _: False)
        cpu_timer(60.0, 60.0, 0.01)
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        report("done")

    heard = []
    assert run_child(act, LIMITS, heard.append).finished
    assert heard == ["done"]
