"""Answers of processes and servers that tests of the project stand in with."""

from __future__ import annotations

import pytest

from mechanic.engine.generate.test_generate import run_tests
from setpoint_mechanic.engine.generate.given.answers import answers_of

END, TYPE, SIZE = r"\r\n", "Content-Type", "Content-Length"
JSON = f"{TYPE}: application/json"
TAKEN = "answers as in `tests/test_release.py`."
RELEASE = """
    import json
    import subprocess
    import urllib.request


    def version(folder):
        told = subprocess.run(["git", "describe"], capture_output=True, text=True, check=True)
        name, _, rest = told.stdout.strip().partition("-")
        if not name.startswith("v"):
            raise ValueError("no release")
        return f"{name[1:]}+{rest}"


    def newest(project):
        with urllib.request.urlopen(f"http://index.invalid/{project}") as answer:
            return json.load(answer)["info"]["version"]


    def branches():
        return subprocess.check_output(["git", "branch"], text=True).splitlines()
"""
TESTS = """
    import io
    import subprocess
    import urllib.request

    import release


    def fake_run(args, **words):
        return subprocess.CompletedProcess(args, 0, stdout="v1.2-3")


    def test_version(monkeypatch):
        monkeypatch.setattr(subprocess, "run", fake_run)
        assert release.version


    def test_newest(monkeypatch):
        monkeypatch.setattr(
            urllib.request, "urlopen", lambda url: io.BytesIO(b'{"info": {"version": "2.0"}}')
        )
        assert release.newest
"""


def test_answers_of_the_projects_tests_are_used_and_named(project, cover):
    root = project(release=RELEASE, tests__test_release=TESTS, conftest="")

    result = cover(root, "release.py", "release", tests=("tests/test_release.py",), kill=False)

    assert result.status == "written", result.reason
    why = {(each.target, each.why.partition("; ")[2]) for each in result.tests}
    assert {("version", TAKEN), ("newest", TAKEN), ("branches", "the answer is made up.")} <= why
    assert ("branches", TAKEN) not in why
    assert "recorded_processes('v1.2-3')" in result.text
    assert "== '1.2+3'" in result.text
    assert "'2.0'" in result.text
    done = run_tests(root)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("line", "double"),
    [
        ("subprocess.CompletedProcess(a, 2, 'x')", "recorded_processes('x', 2)"),
        ("patch('m.subprocess.check_output', return_value=b'y')", "recorded_processes('y')"),
        (
            "patch('m.subprocess.run', return_value=Mock(stdout='z', returncode=1))",
            "recorded_processes('z', 1)",
        ),
        ("fp.register(['git'], stdout='w')", "recorded_processes('w')"),
        (
            "responses.add(responses.GET, 'http://x', json=[1], status=410)",
            rf"recorded_network(b'HTTP/1.1 410 Gone{END}{JSON}{END}{SIZE}: 3{END}{END}[1]')",
        ),
        (
            "respx.get('http://x').mock(return_value=httpx.Response(200, text='hi'))",
            rf"recorded_network(b'HTTP/1.1 200 OK{END}{TYPE}: text/plain{END}{SIZE}: 2{END}{END}hi')",
        ),
    ],
)
def test_stand_ins_that_are_understood(line, double):
    text = f"import subprocess, responses\ndef test_one():\n    {line}\n    shop.sell()\n"

    found = answers_of({"tests/test_x.py": text}, "shop", ["sell", "buy"])

    assert list(found) == [double]
    assert found[double].file == "tests/test_x.py"
    assert found[double].about == {"sell"}


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.CompletedProcess(a, code, 'x')",
        "subprocess.CompletedProcess(a, 0, stdout=text)",
        "patch('m.subprocess.run', side_effect=OSError)",
        "responses.add(responses.GET, 'http://x', json={'a': made()})",
        "values.get(text='x', status='new')",
    ],
)
def test_what_is_no_literal_answer_is_left(line):
    text = f"import subprocess, responses\ndef test_one():\n    {line}\n    shop.sell()\n"

    assert answers_of({"tests/test_x.py": text}, "shop", ["sell"]) == {}
