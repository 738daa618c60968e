"""Tools of the user's own, end to end: real tools on real trees, and never clean where one broke."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from setpoint.checks.tools.custom import lasting
from setpoint.errors import SettingsError
from setpoint.model.config.custom_check import CustomCheck
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Severity
from setpoint.model.quality import Metric
from setpoint.settings import ChecksSettings, Settings, load

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "checks.md"
RUFF = ("ruff", "check", "--isolated", "--no-cache")
CLEAN, BAD, SYNTAX = "X = 1\n", "import os\n\nX = 1\n", "def f(:\n"
FORMATS = ("sarif", "rdjson", "gitlab", "ruff", "junit")
NAMES = {"ruff": "json"}
STAGES = {"junit": Stage.TEST}
"""A report of tests is read with the full suite."""


def lint(form: str, *more: str) -> CustomCheck:
    command = (*RUFF, f"--output-format={NAMES.get(form, form)}", *(more or (".",)))
    return CustomCheck(command=command, format=form, timeout_s=60)


def script(code: str, form: str = "sarif", **more) -> CustomCheck:
    return CustomCheck(command=("{python}", "-c", code), format=form, timeout_s=60, **more)


async def make(bench, files, **check: CustomCheck):
    made = await bench(files)
    checks = ChecksSettings(bandit=False, coverage=False, reruns=0, pytest=False, python=sys.executable)
    made.use(Settings(checks=checks, check=check))
    return made


@pytest.mark.parametrize("form", FORMATS)
async def test_a_new_finding_blocks_and_one_of_the_base_does_not(bench, form: str) -> None:
    made = await make(bench, {"old.py": BAD}, lint=lint(form))
    base = await made.measure(Stage.BASE)
    stage = STAGES.get(form, Stage.EVALUATE)

    await made.change({"new.py": CLEAN})
    calm = await made.measure(stage)
    await made.change({"new.py": BAD})
    red = await made.measure(stage)

    assert (base.findings, base.existing) == ((), 1)
    assert calm.evidence_of("lint").state is CheckState.PASS
    assert (calm.findings, calm.existing) == ((), 1)
    assert red.evidence_of("lint").state is CheckState.FAIL
    assert [finding.source for finding in red.findings] == ["lint"]
    assert red.findings[0].blocking is (form not in ("rdjson", "ruff")), "these two call it a warning"
    assert red.evidence_of("lint").argv[0] == "ruff"
    if form != "junit":
        assert (red.findings[0].file, red.findings[0].line) == ("new.py", 1)
        assert red.findings[0].text == "import os"


@pytest.mark.parametrize("form", FORMATS)
async def test_a_tool_that_broke_is_never_clean(bench, form: str) -> None:
    made = await make(
        bench,
        {"a.py": CLEAN, "b.py": SYNTAX},
        clean=lint(form, "a.py"),
        syntax=lint(form, "b.py"),
        missing=lint(form, "no/such.py"),
        option=lint(form, "--no-such-option"),
    )
    evaluation = await made.standing()

    states = {name: evaluation.evidence_of(name).state for name in ("clean", "syntax", "missing", "option")}
    assert states["clean"] is CheckState.PASS
    assert states["syntax"] is CheckState.FAIL
    assert states["missing"] in (CheckState.FAIL, CheckState.ERROR)
    assert states["option"] is CheckState.ERROR
    assert "option broke" in evaluation.evidence_of("option").reason


BROKEN = {
    "exit code 7": script("raise SystemExit(7)"),
    "half a report": script('print(\'{"version": "2.1.0", "ru\')'),
    "nothing written": script(""),
    "found, and names nothing": script(
        'print(\'{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": []}]}\')\n'
        "raise SystemExit(1)"
    ),
    "another format": script("print('<testsuite/>')"),
    "no report file": script("", report="out/r.sarif"),
    "an old report": script("", form="junit", report="old.xml"),
    "a link as report": script(
        "import os; os.symlink('/etc/hostname', 'r.sarif')", form="sarif", report="r.sarif"
    ),
    "a folder as report": script("", report="folder"),
    "tests that are none": script("print('<testsuite/>')", form="junit"),
    "empty coverage": script("print('<coverage/>')", form="cobertura"),
    "no such program": CustomCheck(command=("no-such-tool-anywhere",), format="sarif"),
    "killed": script("import os; os.kill(os.getpid(), 9)"),
    "too long": CustomCheck(
        command=("{python}", "-c", "import time; time.sleep(60)"), format="sarif", timeout_s=0.5
    ),
    "a flood": script("import sys\nfor _ in range(80): sys.stdout.write('[' * (1 << 20))"),
}


async def test_every_way_to_break_is_an_error_with_its_reason(bench) -> None:
    checks = {re.sub(r"\W+", "-", name): check for name, check in BROKEN.items()}
    files = {"a.py": CLEAN, "folder/x.txt": "", "old.xml": "<testsuite><testcase name='a'/></testsuite>"}
    made = await make(bench, files, **checks)

    evaluation = await made.standing()

    evidence = {name: evaluation.evidence_of(name) for name in checks}
    assert {name: each.state for name, each in evidence.items()} == dict.fromkeys(checks, CheckState.ERROR)
    assert [name for name, each in evidence.items() if name not in each.reason] == []
    assert (
        "half-a-report's sarif report (standard output) is not readable" in evidence["half-a-report"].reason
    )
    assert "wrote no report old.xml" in evidence["an-old-report"].reason
    assert "leads out of the tree" in evidence["a-link-as-report"].reason


async def test_a_tool_that_broke_at_the_base_too_is_not_measured(bench) -> None:
    made = await make(bench, {"a.py": CLEAN}, mine=script("raise SystemExit(7)"))
    await made.measure(Stage.BASE)
    await made.change({"b.py": CLEAN})

    evidence = (await made.measure(Stage.EVALUATE)).evidence_of("mine")

    assert evidence.state is CheckState.NOT_MEASURED
    assert "broke at the base commit too: mine broke" in evidence.reason


UNIT = CustomCheck(
    command=("{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=build/unit.xml"),
    format="junit",
    report="build/unit.xml",
)


async def test_tests_of_another_runner_run_with_the_suite_and_lost_ones_are_noted(bench) -> None:
    tests = "def test_red():\n    assert 0\n\ndef test_green():\n    pass\n"
    made = await make(bench, {"checks/test_it.py": tests}, unit=UNIT)
    base = await made.measure(Stage.BASE)

    await made.change({"a.py": CLEAN})
    early, calm = await made.measure(Stage.EVALUATE), await made.measure(Stage.TEST)
    await made.change({"checks/test_it.py": "def test_red():\n    assert 0, 'otherwise'\n"})
    gone = await made.measure(Stage.TEST)

    assert base.evidence_of("unit").counts["failed"] == 1
    assert early.evidence_of("unit") is None
    assert (calm.evidence_of("unit").state, calm.findings) == (CheckState.PASS, ())
    assert gone.evidence_of("unit").state is CheckState.PASS, "red with another message is the same red test"
    assert gone.findings == ()
    (note,) = [each for each in gone.notes if each.rule == "lost-test"]
    assert note.message.startswith("unit: tests that passed at the base do not run any more: ")


async def test_coverage_of_another_tool(bench) -> None:
    code = "".join(f"x{number} = {number}\n" for number in range(12))
    lines = "".join(f"DA:{number},{number % 2}\\n" for number in range(1, 13))
    tool = script(
        f"open('lcov.info', 'w').write('SF:new.py\\n{lines}end_of_record\\n')", "lcov", report="lcov.info"
    )
    made = await make(bench, {"a.py": CLEAN}, reach=tool)
    await made.measure(Stage.BASE)
    await made.change({"new.py": code})

    tested = await made.measure(Stage.TEST)

    assert tested.evidence_of("reach").state is CheckState.PASS
    assert tested.evidence_of("reach").counts == {"statements": 12, "covered": 6, "new": 0}
    assert tested.coverage.changed_lines == 0.5


async def test_the_category_of_the_settings_is_given_to_every_finding(bench) -> None:
    check = lint("gitlab").model_copy(update={"category": Category.SECURITY})
    made = await make(bench, {"a.py": BAD}, scan=check)

    evaluation = await made.standing()

    assert [(each.category, each.severity) for each in evaluation.findings] == [
        (Category.SECURITY, Severity.ERROR)
    ]


@pytest.mark.parametrize("feeds", list(Metric))
async def test_a_tool_of_ones_own_feeds_a_metric(bench, feeds: Metric) -> None:
    check = lint("gitlab").model_copy(update={"feeds": feeds})
    fed, silent = await make(bench, {"a.py": "X = 1\n"}, mine=check), lint("gitlab")

    clean = await fed.standing()
    (fed.root / "a.py").write_text(BAD)
    bad = await fed.standing()

    assert getattr(clean.quality, feeds) == 1.0
    assert getattr(bad.quality, feeds) < 1.0
    assert clean.evidence_of("mine").feeds == (feeds,)
    assert silent.measures == ()
    assert silent.model_copy(update={"category": Category.SECURITY}).measures == (Metric.SECURITY,)


async def test_the_example_in_the_documents_works_and_doctor_lists_it(bench) -> None:
    block = re.search(r"```toml\n(\[check\.lint\].*?)```", HOW_TO.read_text("utf-8"), re.DOTALL)[1]
    assert len(block.strip().splitlines()) == 4
    asked = Settings(**tomllib.loads(block)).check
    asked["absent"] = CustomCheck(command=("no-such-tool-anywhere",), format="sarif")
    made = await make(bench, {"a.py": BAD}, **asked)

    survey = await made.survey()
    evaluation = await made.standing()

    assert survey.checks["lint"].startswith("setting check.lint: ruff check")
    assert "'no-such-tool-anywhere' is not on the project's PATH" in survey.checks["absent"]
    assert evaluation.evidence_of("lint").state is CheckState.FAIL
    assert [finding.rule for finding in evaluation.blocking] == ["F401"]


TWICE = """
[check.a]
command = ['x']
format = 'sarif'
report = 'r'
[check.b]
command = ['x']
format = 'sarif'
report = './r'
"""


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (TWICE, "cannot write the same report: r"),
        ("[check.ruff]\ncommand = ['x']\nformat = 'sarif'", "key 'check'.*cannot be called ruff"),
        ("[check.'a b']\ncommand = ['x']\nformat = 'sarif'", "cannot be called a b"),
        ("[check.a]\ncommand = []\nformat = 'sarif'", r"key 'check\.a\.command'"),
        (
            "[check.a]\ncommand = ['x']\nformat = 'sarf'",
            r"key 'check'.*check\.a\.format: no format is called 'sarf'; there are sarif",
        ),
        ("[check.a]\ncommand = ['x']\nformat = 'sarif'\nreport = '../x'", r"key 'check\.a\.report'"),
        ("[check.a]\nformat = 'sarif'", r"key 'check\.a\.command'"),
    ],
)
def test_a_wrong_setting_names_its_key(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "setpoint.toml").write_text(toml)
    with pytest.raises(SettingsError, match=said):
        load(tmp_path, environment={})


async def test_what_asks_a_database_that_changes_is_asked_each_time(bench, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    code = f"open({str(asked)!r}, 'a').write('x'); print('[]')"
    for name, kept in (("kept", None), ("asking", False)):
        asked.write_text("")
        check = {name: script(code, "ruff", kept=kept)}
        checks = ChecksSettings(bandit=False, coverage=False, pytest=False, python=sys.executable)
        made = await bench({f"{name}.py": CLEAN})
        made.use(Settings(checks=checks, check=check))
        for _ in range(2):
            await made.measure(Stage.BASE)
            await made.standing()
        assert len(asked.read_text()) == (1 if kept is None else 4), name
        tmp_path.joinpath("project").rename(tmp_path / name)


@pytest.mark.parametrize(
    ("command", "lasts"),
    [
        (("pip-audit", "-f", "json"), False),
        (("{python}", "-m", "pip_audit"), False),
        (("npm", "audit", "--json"), False),
        (("/usr/bin/osv-scanner",), False),
        (("npm", "run", "lint"), True),
        (("ruff", "check", "audit"), True),
    ],
)
def test_programs_that_ask_others_are_known(command: tuple[str, ...], lasts: bool) -> None:
    check = CustomCheck(command=command, format="sarif")
    assert lasting(check) is lasts
    assert lasting(check.model_copy(update={"kept": not lasts})) is not lasts
