"""What a change says is text and nothing else, wherever a job shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from setpoint.app.ci.annotations import annotation, commands, error_command, plain_line
from setpoint.app.ci.gitlab import code_quality, junit
from setpoint.app.ci.markdown import MOST_CHARACTERS, code, markdown
from setpoint.app.ci.sarif import sarif
from setpoint.checks.formats.general.gitlab import read as read_gitlab
from setpoint.checks.formats.general.sarif import read as read_sarif
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests.junit import read as read_junit
from setpoint.model.ci_report import MOST_PROBLEMS, CheckRow, CiReport, CiState, Level, Problem

HOSTILE = "x | `a` ``b`` \\| @octo/team [link](http://evil) <img src=x> --> ::error::no %0A\n::warning::no"
TEXTS = st.text(max_size=200) | st.text(alphabet="`|\\@[]()<>:%\n #*_-!", max_size=60)


def problem(
    text: str = "is wrong", *, level: Level = Level.ERROR, file: str = "a.py", line: int = 3
) -> Problem:
    return Problem(
        level=level,
        blocking=level is Level.ERROR,
        kind="finding",
        title=text[:300],
        message=text[:1000],
        file=file,
        line=line,
        rule="R1",
    )


def report(*problems: Problem, **more: object) -> CiReport:
    given = {
        "setpoint": "0",
        "event": "pull_request opened",
        "head": "a" * 40,
        "measured": "b" * 40,
        "base": "c" * 40,
        "state": CiState.FAILED,
        "problems": problems,
    }
    return CiReport.model_validate({**given, **more})


def test_an_annotation_is_escaped_as_github_asks() -> None:
    each = problem("100 %: a, b\r\nc", file="odd,na:me%.py")
    assert annotation(each) == (
        "::error file=odd%2Cna%3Ame%25.py,line=3,title=Setpoint%3A 100 %25%3A a%2C b%0D%0Ac"
        "::100 %25: a, b%0D%0Ac"
    )
    assert error_command("no\n  hint: yes") == "::error title=Setpoint::no%0A  hint: yes"


@given(TEXTS, TEXTS)
def test_no_text_ends_an_annotation_or_begins_another(title: str, message: str) -> None:
    each = problem().model_copy(update={"title": title, "message": message, "file": message})
    command = annotation(each)

    assert len(command.splitlines()) <= 1 + sum(
        command.count(end) for end in "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
    )
    assert "\n" not in command
    assert "\r" not in command
    properties = command.partition(" ")[2].partition("::")[0]
    assert all(part.partition("=")[0] in ("file", "line", "title") for part in properties.split(","))


def test_github_shows_ten_annotations_of_a_level_so_no_more_are_written() -> None:
    many = [problem(level=level) for level in Level for _ in range(15)]
    shown = list(commands(report(*many)))

    assert len(shown) == 30
    assert sum(command.startswith("::notice") for command in shown) == 10


@given(TEXTS)
def test_a_line_of_the_log_is_no_command(text: str) -> None:
    line = plain_line(text)

    assert line.startswith("setpoint: ")
    assert len(line.splitlines()) == 1
    assert "##[" not in line


@given(TEXTS)
def test_markdown_shows_a_text_as_code_in_one_cell(text: str) -> None:
    shown = code(text)
    if not shown:
        return
    fence = re.match("`+", shown)
    assert fence is not None
    inner = shown[len(fence[0]) : -len(fence[0])]
    assert shown.endswith(fence[0])
    assert all(len(run) != len(fence[0]) for run in re.findall("`+", inner))
    assert len(shown.splitlines()) == 1
    assert not re.search(r"(?<!\\)\||\\\\+\|", shown)  # each bar is escaped, and by one backslash alone


def test_hostile_texts_keep_the_table_and_are_never_outside_of_code() -> None:
    text = markdown(report(problem(HOSTILE), restored=(HOSTILE[:100],), known_red=(HOSTILE[:100],)))

    rows = [line for line in text.splitlines() if line.startswith("| blocks")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    for word in ("@octo", "evil", "<img", "-->", "::error"):
        assert word in text
        assert word not in outside


def test_the_longest_report_fits_into_a_comment() -> None:
    longest = "`" * 900
    full = report(
        *(problem(longest, file="f" * 300) for _ in range(MOST_PROBLEMS)),
        known_red=("n" * 300,) * 100,
        checks=tuple(CheckRow(name="n" * 300, state="fail", reason=longest) for _ in range(100)),
    )
    assert len(markdown(full)) < MOST_CHARACTERS + 100


@pytest.mark.parametrize(
    "wrong",
    [
        {"head": "main"},
        {"state": "great"},
        {"problems": [problem().model_dump()] * (MOST_PROBLEMS + 1)},
        {"more": 1},
        {"known_red": ["x" * 301]},
        {"version": 2},
    ],
)
def test_a_report_beyond_its_limits_is_not_read(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        report(**wrong)


@given(TEXTS)
def test_other_tools_read_the_files(text: str) -> None:
    each = problem(f"a{text}", file=f"f{text}.py".replace("\x00", ""))
    made = report(each, checks=(CheckRow(name=text, state="pass"),))

    assert json.loads(sarif(made.problems, made.setpoint))["version"] == "2.1.0"
    (issue,) = json.loads(code_quality(made))
    assert issue["location"] == {"path": each.file, "lines": {"begin": 3}}
    assert issue["severity"] == "blocker"
    suite = ET.fromstring(junit(made))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_setpoint_itself_reads_the_files(tmp_path: Path) -> None:
    made = report(problem(file="odd name é.py"), checks=(CheckRow(name="ruff", state="pass"),))
    (tmp_path / "odd name é.py").write_text("1\n2\n3\n")
    sources = Sources(tree=tmp_path)

    for found in (
        read_sarif(sarif(made.problems, made.setpoint).encode(), sources),
        read_gitlab(code_quality(made).encode(), sources),
    ):
        (only,) = found.findings
        assert (only.file, only.line) == ("odd name é.py", 3)
    tests = read_junit(junit(made).encode(), sources)
    assert (len(tests.outcomes), len(tests.failures)) == (2, 1)
