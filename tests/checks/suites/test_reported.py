"""Build tools that write JUnit files, on what they print and write as recorded or documented."""

from __future__ import annotations

import pytest

from setpoint.checks.discovery.package_suites import found_suites, manifests
from setpoint.checks.suites.package_suite import RUNNERS, owner
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import OWN_TESTS, SUITES, Cause, CheckState
from setpoint.model.stories.story import KnownRed
from setpoint.presets import presets
from setpoint.settings import ChecksSettings

CALC = "package org.example;\n\nclass Calc {\n    static int add(int a, int b) { return a - b; }\n}\n"
RED = """<testcase name="adds()" classname="org.example.CalcTest" time="0.01">
<failure message="java.lang.IllegalStateException: boom" type="java.lang.IllegalStateException">
java.lang.IllegalStateException: boom
\tat org.example.Calc.add(Calc.java:4)
\tat app//org.example.CalcTest.adds(CalcTest.java:9)
</failure></testcase>"""
GREEN = '<testcase name="adds()" classname="org.example.CalcTest" time="0.01"/>'
# The wrapper stands for Gradle, which is not run here: it writes what Gradle writes by its documentation.
GRADLEW = f"""#!/bin/sh
case "$*" in *--version*) echo "Gradle 8.10"; exit 0;; esac
echo "$@" > build-args
calc=app/src/main/java/org/example/Calc.java
out=app/build/test-results/test
if grep -q MISSING $calc; then
  echo "> No cached version of org.junit:junit-bom:5.10.0 available for offline mode."; exit 1
fi
if grep -q UNBUILT $calc; then
  echo "$PWD/$calc:4: error: ';' expected"; echo "FAILURE: Build failed with an exception."; exit 1
fi
mkdir -p $out other/build/test-results/test
header='<?xml version="1.0" encoding="UTF-8"?>'
if grep -q 'a + b' $calc; then case='{GREEN}'; code=0; else case='{RED}'; code=1; fi
printf '%s\\n<testsuite name="org.example.CalcTest" tests="1">%s</testsuite>\\n' "$header" "$case" \\
  > $out/TEST-org.example.CalcTest.xml
printf '%s\\n<testsuite name="org.example.OtherTest" tests="1"><testcase name="stays()"
  classname="org.example.OtherTest"/></testsuite>\\n' "$header" \\
  > other/build/test-results/test/TEST-org.example.OtherTest.xml
exit $code
"""
FILES = {
    ".gitignore": ".setpoint\nbuild\nbuild-args\n",
    "settings.gradle.kts": 'include("app", "other")\n',
    "app/build.gradle.kts": "",
    "app/src/main/java/org/example/Calc.java": CALC,
    "app/src/test/java/org/example/CalcTest.java": "package org.example;\nclass CalcTest {}\n",
    "gradlew": GRADLEW,
}
SOURCE = "app/src/main/java/org/example/Calc.java"
STORY = {"settings": ChecksSettings(pytest=False, reruns=0), "known_red": KnownRed.FIX}


def test_every_runner_of_a_preset_is_a_suite() -> None:
    of_presets = {name for name, preset in presets().items() if preset.command}

    assert of_presets | {OWN_TESTS} == set(RUNNERS)
    assert set(SUITES) == {"pytest", "unittest", *RUNNERS}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("pom.xml", "src/test/java/AT.java", "src/test/java/ATest.java"), {"maven": ("",)}),
        (("pom.xml", "src/main/java/A.java"), {}),
        (("pom.xml", "a/pom.xml", "a/src/test/kotlin/ATest.kt"), {"maven": ("",)}),
        (("x/pom.xml", "x/src/test/java/ATest.java", "y/pom.xml"), {"maven": ("x",)}),
        (("settings.gradle", "build.gradle", "src/test/java/ATest.java"), {"gradle": ("",)}),
        (("pom.xml", "build.gradle", "src/test/java/ATest.java"), {"maven": ("",)}),
        (("pom.xml", "build.gradle", "gradlew", "src/test/java/ATest.java"), {"gradle": ("",)}),
        (
            ("a/pom.xml", "b/build.gradle", "a/ATest.java", "b/BTest.java"),
            {"maven": ("a",), "gradle": ("b",)},
        ),
    ],
)
def test_packages_of_the_jvm(files: tuple[str, ...], expected: dict[str, tuple[str, ...]]) -> None:
    found = found_suites(files, dict.fromkeys(manifests(files), ""))

    assert {name: each.folders for name, each in found.items()} == expected


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("org.example.CalcTest::adds", "maven"),
        ("org.example.CalcTest$Inner::adds(int)[1]", "maven"),
        ("src/main/java/A.java", "maven"),
        ("src/a.test.ts::adds", ""),
        ("tests/test_a.py::test_b", ""),
        ("example.com/calc::TestAdd", ""),
    ],
)
def test_names_that_the_jvm_owns(test: str, name: str) -> None:
    assert owner(test, ("maven", "pytest")) == name


def test_a_selection_names_methods_and_else_their_class() -> None:
    tests = ("a.BTest::adds", "a.BTest::many(int)[2]", "a.CTest::adds two numbers", "a.BTest::many(int)[1]")

    assert RUNNERS["maven"]._selection(tests)[0] == "-Dtest=a.BTest#adds,a.BTest#many,a.CTest"
    gradle = RUNNERS["gradle"]._selection(tests)
    assert gradle == ("--tests", "a.BTest.adds", "--tests", "a.BTest.many", "--tests", "a.CTest")


async def test_reports_of_all_modules_are_read_and_stale_ones_are_not(bench) -> None:
    made = await bench(FILES, **STORY)
    (made.root / "gradlew").chmod(0o755)

    base = await made.measure(Stage.BASE)
    await made.change({SOURCE: CALC.replace("a - b", "a + b")})
    tested = await made.measure(Stage.TEST)
    await made.change({SOURCE: CALC.replace("a - b", "UNBUILT")})
    unbuilt = await made.measure(Stage.TEST)
    await made.change({SOURCE: CALC.replace("a - b", "MISSING")})
    missing = await made.measure(Stage.TEST)

    (failure,) = base.failures
    assert failure.test == "org.example.CalcTest::adds()"
    assert (failure.cause, failure.file, failure.line) == (Cause.RUNTIME, SOURCE, 4)
    assert base.test_counts == {"failed": 1, "passed": 1}
    assert "--offline" in base.evidence_of("gradle").argv
    assert tested.test_counts == {"passed": 2}
    (told,) = unbuilt.failures
    assert (told.test, told.cause, told.line, told.message) == (SOURCE, Cause.SYNTAX, 4, "';' expected")
    assert unbuilt.findings == ()
    assert missing.evidence_of("gradle").state is CheckState.ERROR
    assert missing.evidence_of("gradle").reason.startswith("not all is on this machine: gradle test (")


async def test_a_wrapper_that_would_download_is_not_started(bench) -> None:
    settings = "distributionUrl=https\\://services.gradle.org/distributions/gradle-0.0.1-bin.zip\n"
    started = "#!/bin/sh\ntouch started\n"
    named = "gradle/wrapper/gradle-wrapper.properties"
    made = await bench({**FILES, named: settings, "gradlew": started}, **STORY)
    (made.root / "gradlew").chmod(0o755)

    survey = await made.survey()

    assert not (made.root / "started").exists()
    assert "gradle" in survey.checks
