"""The tests of Maven projects, run for real where surefire and JUnit are on this machine."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckState
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

PLUGIN = """<plugin><groupId>org.apache.maven.plugins</groupId>
      <artifactId>maven-{name}-plugin</artifactId><version>{version}</version></plugin>
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>calc</artifactId><version>1.0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
    <version>5.11.4</version><scope>test</scope></dependency></dependencies>
  <build><plugins>{plugins}</plugins></build>
</project>
"""
VERSIONS = {"surefire": "3.2.5", "compiler": "3.13.0", "resources": "3.3.1"}
CALC = """package org.example;

public final class Calc {
    public static int add(int a, int b) {
        return a - b;
    }

    public static int first(int[] values) {
        return values[0];
    }
}
"""
RIGHT = CALC.replace("a - b", "a + b").replace("values[0]", "values.length == 0 ? 0 : values[0]")
TEST = """package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalcTest {
    @Test
    void adds() {
        assertEquals(3, Calc.add(1, 2));
    }

    @Test
    void nothing() {
        assertEquals(0, Calc.first(new int[0]));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void stays(int n) {
        assertEquals(n, Calc.add(n, 0));
    }

    @Nested
    class Inner {
        @Test
        void deep() {}
    }
}
"""
FILES = {
    ".gitignore": ".setpoint\ntarget\n",
    "pom.xml": POM.format(plugins="".join(PLUGIN.format(name=n, version=v) for n, v in VERSIONS.items())),
    "src/main/java/org/example/Calc.java": CALC,
    "src/test/java/org/example/CalcTest.java": TEST,
}
CLASS = "org.example.CalcTest"
pytestmark = pytest.mark.slow
STORY = {"settings": ChecksSettings(pytest=False, reruns=0), "known_red": KnownRed.FIX}


@pytest.fixture(scope="module")
def maven(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Demand a Maven that can test such a project without a download."""
    if shutil.which("mvn") is None:
        pytest.skip("mvn is not installed; apt-get install maven")
    place = tmp_path_factory.mktemp("probe")
    for name, text in {**FILES, "src/main/java/org/example/Calc.java": RIGHT}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    argv = ["mvn", "--batch-mode", "--offline", "--quiet", "test"]
    done = subprocess.run(argv, cwd=place, capture_output=True, text=True, check=False)
    if "offline mode" in done.stdout:
        pytest.skip("surefire or JUnit is not in the local repository of Maven")
    assert done.returncode == 0, done.stdout


async def test_a_bug_in_java_is_found_told_and_repaired(bench, maven) -> None:
    made = await bench(FILES, **STORY)

    base = await made.measure(Stage.BASE)
    await made.change({"src/main/java/org/example/Calc.java": RIGHT})
    suspect = await made.measure(Stage.EVALUATE, f"{CLASS}::adds", f"{CLASS}::stays(int)[2]")
    whole = await made.measure(Stage.TEST)

    tests = {each.test: each for each in base.failures}
    assert tests[f"{CLASS}::adds"].cause is Cause.ASSERTION
    assert tests[f"{CLASS}::adds"].message == "expected: <3> but was: <-1>"
    assert tests[f"{CLASS}::adds"].file == "src/test/java/org/example/CalcTest.java"
    crash = tests[f"{CLASS}::nothing"]
    assert (crash.cause, crash.file, crash.line) == (
        Cause.RUNTIME,
        "src/main/java/org/example/Calc.java",
        9,
    )
    assert suspect.test_counts == {"passed": 2}
    assert whole.test_counts == {"passed": 5}
    assert (whole.failures, whole.evidence_of("maven").state) == ((), CheckState.PASS)


async def test_what_does_not_compile_is_told_with_its_place(bench, maven) -> None:
    made = await bench(FILES, **STORY)

    await made.measure(Stage.BASE)
    await made.change({"src/main/java/org/example/Calc.java": RIGHT.replace("a + b;", "a + b")})
    found = await made.measure(Stage.TEST)

    (failure,) = found.failures
    assert (failure.test, failure.line) == ("src/main/java/org/example/Calc.java", 5)
    assert (failure.cause, failure.message) == (Cause.SYNTAX, "';' expected")


async def test_a_dependency_that_is_not_there_is_not_downloaded(bench, maven) -> None:
    pom = FILES["pom.xml"].replace("5.11.4", "5.0.99")
    made = await bench({**FILES, "pom.xml": pom}, **STORY)

    base = await made.measure(Stage.BASE)

    (result,) = [each for each in base.evidence if each.check == "maven"]
    assert result.state is CheckState.ERROR
    assert result.reason.startswith("not all is on this machine: mvn test (")
