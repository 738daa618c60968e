from __future__ import annotations

import math

from _pytest._io.saferepr import saferepr

from setpoint_probe.localise.ochiai import Reached, Spectra, ochiai, with_tracebacks
from setpoint_probe.localise.spectra import Tracer

LINES = {"bad": {1, 2, 3}, "good": {1, 2}, "other": {1}}


def spectra():
    tests = {
        name: Reached(
            "failed" if name == "bad" else "passed", 0.01, frozenset(("/a.py", line) for line in lines)
        )
        for name, lines in LINES.items()
    }
    return Spectra(tests)


def test_ochiai_is_high_where_only_failing_tests_go():
    scores = ochiai(spectra(), ["bad"])
    assert scores == {
        ("/a.py", 1): 1 / math.sqrt(3),
        ("/a.py", 2): 1 / math.sqrt(2),
        ("/a.py", 3): 1.0,
    }


def test_lines_in_the_traceback_are_raised_the_innermost_most():
    found = spectra()
    found.tests["bad"].traceback = (("/a.py", 2), ("/a.py", 1))
    scores = with_tracebacks(ochiai(found, ["bad"]), found, ["bad"])
    assert scores["/a.py", 1] == 0.9
    assert scores["/a.py", 2] == 0.7071067811865475 * 1.3


def test_tests_that_reach_a_function_are_known():
    found = spectra()
    found.tests["good"].functions = frozenset([("/a.py", 10)])
    assert found.touching([("/a.py", 10), ("/a.py", 11)]) == ["good"]


def test_the_tracer_records_lines_of_wanted_files_and_functions_only(live):
    module = live("def f(x):\n    if x:\n        return g()\n    return 0\n\n\ndef g():\n    return 1\n")
    path = module.__file__
    everything = Tracer(lambda name: name == path, None)
    everything.start()
    try:
        module.f(1)
    finally:
        everything.stop()
    assert everything.lines == {(path, 2), (path, 3), (path, 8)}
    assert everything.functions == {(path, 1), (path, 7)}
    some = Tracer(lambda name: name == path, {(path, 7)})
    some.start()
    try:
        module.f(1)
    finally:
        some.stop()
    assert some.lines == {(path, 8)}
    assert some.functions == {(path, 1), (path, 7)}


def test_the_tracer_leaves_out_what_runs_as_pytest_writes_a_value(live):
    module = live(
        "class Box:\n    def __repr__(self):\n        return shown()\n\n\ndef shown():\n    return 'Box'\n"
    )
    path = module.__file__
    tracer = Tracer(lambda name: name == path, None)
    tracer.start()
    try:
        saferepr([module.Box()])
        written = set(tracer.lines)
        repr(module.Box())
    finally:
        tracer.stop()
    assert written == set()
    assert tracer.lines == {(path, 3), (path, 7)}
