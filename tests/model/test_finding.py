"""A finding is recognised again, wherever and whenever it is seen; another one is not taken for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.finding import Category, Finding, Severity, normalised, worst_first

PATHS = st.lists(st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True), min_size=2, max_size=5)
ADDRESSES = st.integers(0, 2**64).map(hex)
TIMES = st.one_of(
    st.floats(0, 1e6, allow_nan=False).map(lambda seconds: f"{seconds:.2f} s"),
    st.integers(0, 9999).map(lambda count: f"{count}ms"),
    st.integers(1, 99).map(lambda count: f"{count} {'second' if count == 1 else 'seconds'}"),
    st.datetimes().map(lambda at: at.replace(year=2026).isoformat(" ")),
    st.datetimes().map(lambda at: at.strftime("%H:%M:%S.%f")),
)


def finding(**more):
    values = {
        "source": "mypy",
        "rule": "assignment",
        "severity": Severity.ERROR,
        "category": Category.TYPES,
        "message": "wrong",
        "file": "src/work.py",
    }
    return Finding(**{**values, **more})


@given(lines=st.lists(st.integers(0, 10**6), min_size=2, max_size=2))
def test_lines_do_not_matter(lines):
    first, second = (
        finding(line=line, message=f"wrong, see line {line} and work.py:{line}:1") for line in lines
    )
    assert first.fingerprint == second.fingerprint


@given(two=st.lists(st.tuples(PATHS, ADDRESSES, TIMES), min_size=2, max_size=2))
def test_times_addresses_and_absolute_paths_do_not_matter(two):
    first, second = (
        finding(
            message=f"<C object at {address}> in '/{'/'.join(path)}' took {time}", text=f"x  =  {address}"
        )
        for path, address, time in two
    )
    assert first.fingerprint == second.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"source": "ruff"},
        {"rule": "arg-type"},
        {"category": Category.STYLE},
        {"file": "src/other.py"},
        {"symbol": "total"},
        {"message": "also wrong"},
        {"message": "wrong 1"},
        {"text": "total = 1"},
    ],
)
def test_what_tells_findings_apart_matters(change):
    assert finding().fingerprint != finding(**change).fingerprint


@pytest.mark.parametrize(
    "change", [{"severity": Severity.INFO}, {"line": 7}, {"confidence": 0.1}, {"detail": "more"}]
)
def test_what_may_vary_does_not_matter(change):
    assert finding().fingerprint == finding(**change).fingerprint


def test_paths_in_the_repository_tell_findings_apart():
    assert normalised("no module pkg/data/one.py") != normalised("no module pkg/data/two.py")
    assert normalised("in /tmp/one/pkg/work.py") == normalised("in /tmp/two/pkg/work.py") == "in <path>"


def test_figures_of_the_work_stay():
    assert normalised("assert 1 == 2") == "assert 1 == 2"
    assert normalised("assert  3.5 ==\n 4") == "assert 3.5 == 4"


def test_fingerprints_are_short_and_free_of_lines():
    assert len(finding().fingerprint) == 16
    assert finding().fingerprint == finding(line=9).fingerprint != finding(message="else").fingerprint


def test_error_and_critical_block():
    assert [severity for severity in Severity if finding(severity=severity).blocking] == ["error", "critical"]
    assert [severity.rank for severity in Severity] == [0, 1, 2, 3]


def test_the_worst_comes_first():
    info, late, early = finding(severity=Severity.INFO), finding(line=9), finding(line=2)
    other, worst = finding(file="src/a.py"), finding(severity=Severity.CRITICAL)
    assert worst_first((info, late, early, other, worst)) == (worst, other, early, late, info)
