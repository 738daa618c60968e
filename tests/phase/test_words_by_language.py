"""A maker reads the words of the languages that it works in, and causes before consequences."""

from __future__ import annotations

import pytest

from model.examples import ORDER
from setpoint.model.evidence import NOT_RUN, Cause, Failure
from setpoint.model.failure_clusters import clustered
from setpoint.pipelines import render
from setpoint.pipelines.prompt_templates import documented
from setpoint.presets import languages_of

OF_PYTHON = ("`noqa`", "`xfail`", "`pragma: no cover`")


def rules(*checks: str) -> str:
    told = dict.fromkeys(documented().given, ())
    told |= {"story": ORDER.story, "checks": checks, "languages": languages_of(checks)}
    return render("implement.md.j2", told)


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        (("go_test", "go_vet"), ("`//nolint`", "`t.Skip`")),
        (("cargo_test", "clippy"), ("`#[ignore]`",)),
        (("vitest", "tsc"), ("`eslint-disable`", "`@ts-ignore`")),
    ],
)
def test_other_languages_read_no_words_of_python(checks, words) -> None:
    prompt = rules("parse", "integrity", *checks)

    assert all(word in prompt for word in words)
    assert not any(word in prompt for word in OF_PYTHON)


def test_python_reads_its_own_words_and_a_mixed_project_those_of_both() -> None:
    assert all(word in rules("pytest") for word in OF_PYTHON)
    assert all(word in rules("unittest", "go_test") for word in (*OF_PYTHON, "`t.Skip`"))


def test_a_project_without_known_checks_is_told_the_rule_alone() -> None:
    assert "Do not silence checks and do not write code" in rules("parse", "own_check")


def test_a_panic_comes_before_the_tests_that_it_kept_from_running() -> None:
    never = [
        Failure(test=f"x::Test{n}", cause=Cause.CRASH, message=f"{NOT_RUN}the process ended", new=True)
        for n in range(64)
    ]
    panic = Failure(test="x::TestA", cause=Cause.CRASH, message="panic: nil map", file="a.go", line=3)
    red = Failure(test="x::TestB", cause=Cause.ASSERTION, message="got 1", file="b.go", line=3)

    order = [cluster.first.message for cluster in clustered([*never, red, panic])]

    assert order == ["panic: nil map", "got 1", f"{NOT_RUN}the process ended"]
