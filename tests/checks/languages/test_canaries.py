"""Canaries: each runner reports their tests as they were written to come out."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from setpoint.checks.languages import parsed_language
from setpoint.checks.languages.all import language_of
from setpoint.checks.languages.language import CanaryRequest


def request(tmp_path, runner, beside=(), code=None, folders=("",)):
    return CanaryRequest(tree=tmp_path, runner=runner, folders=folders, beside=beside, code=code or {})


def written(tmp_path, path, runner, files, **more):
    """Write files and the canary for one of them; return it."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (canary,) = language_of(path).canaries(request(tmp_path, runner, **more))
    for name, text in canary.files.items():
        (tmp_path / name).write_text(text, "utf-8")
    for name, text in canary.appended.items():
        (tmp_path / name).write_text((tmp_path / name).read_text("utf-8") + text, "utf-8")
    return canary


def printed(tmp_path, *argv):
    own = {name: text for name, text in os.environ.items() if not name.startswith(("PYTEST", "NODE"))}
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False, env=own)
    return done.stdout


def test_pytest_reports_them(tmp_path):
    files = {"tests/check_shop.py": "def check_price():\n    assert True\n",
             "pytest.ini": "[pytest]\npython_functions = check_*\npython_files = check_*.py\n"}  # fmt: skip
    beside = ("shop.py::shop", "shop.py::shop.price", "tests/check_shop.py::check_price[1]")
    canary = written(tmp_path, "a.py", "pytest", files, beside=beside)
    said = printed(tmp_path, sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "--tb=no")

    outcomes = dict(
        line.split(" ")[1::-1] for line in said.splitlines() if re.match("(FAILED|PASSED) ", line)
    )
    assert outcomes.pop("tests/check_shop.py::check_price") == "PASSED"
    assert {test for test, how in outcomes.items() if how == "PASSED"} == canary.passing
    assert {test for test, how in outcomes.items() if how == "FAILED"} == canary.failing | canary.never_pass
    assert (len(canary.passing), len(canary.failing), len(canary.never_pass)) == (2, 9, 1)


def test_unittest_reports_them(tmp_path):
    text = "import unittest\n\n\nclass Price(unittest.TestCase):\n    def test_it(self):\n        pass\n"
    canary = written(tmp_path, "a.py", "unittest", {"a_test.py": text}, beside=("a_test.py::Price::test_it",))
    (path,) = canary.files
    assert path.endswith("_test.py")
    said = printed(tmp_path, sys.executable, "-c", f"import unittest as u; u.main('{path[:-3]}', exit=False,"
                   " testRunner=u.TextTestRunner(verbosity=2, stream=__import__('sys').stdout))")  # fmt: skip
    outcomes = dict(re.findall(r"^(test_\w+) .*\.\.\. (ok|FAIL|ERROR)$", said, re.MULTILINE))
    assert {test.rpartition("::")[2] for test in canary.passing} == {
        name for name, how in outcomes.items() if how == "ok"
    }
    assert len(outcomes) == len(canary.tests) == 6


def test_without_a_file_of_tests_python_has_none(tmp_path):
    python = language_of("a.py")
    assert python.canaries(request(tmp_path, "pytest", ("a.py::a", "b.py::b.f"))) == ()
    assert python.canaries(request(tmp_path, "go_test", ("test_a.py::test_b",))) == ()


NODE = {
    "a.test.mjs": 'import test from "node:test";\ntest("own", () => {});\n',
    "b_test.cjs": 'const test = require("node:test");\ntest("own", () => {});\n',
}


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
@pytest.mark.parametrize("path", NODE)
def test_node_reports_them(tmp_path, path):
    canary = written(tmp_path, "a.js", "node_test", {path: NODE[path]}, beside=(f"{path}::own",))
    (new,) = canary.files
    outcomes = {}
    for file in (path, new):
        said = printed(tmp_path, "node", "--test", "--test-reporter=tap", file)
        found = re.findall(r"^ *(ok|not ok) \d+ - (\w+ \w+|own)$", said, re.MULTILINE)
        outcomes |= {f"{file}::{name}": how for how, name in found}
    assert {test for test, how in outcomes.items() if how == "not ok"} == canary.failing | canary.never_pass
    assert canary.passing <= {test for test, how in outcomes.items() if how == "ok"}
    assert new.endswith(path[1:])


@pytest.mark.parametrize("runner", ["vitest", "jest", "mocha"])
@pytest.mark.parametrize("text", ['import { x } from "./x";\n', 'const x = require("./x");\n'])
def test_other_runners_of_javascript_get_valid_tests(tmp_path, runner, text):
    canary = written(tmp_path, "a.js", runner, {"test/a-spec.ts": text}, beside=("test/a-spec.ts::g > own",))
    (path,) = canary.files
    assert path.startswith("test/")
    assert path.endswith("-spec.ts")
    for file in (path, "test/a-spec.ts"):
        source = (tmp_path / file).read_bytes()
        assert not parsed_language._root(file, source).has_error
        assert all(
            test.partition("::")[2].encode() in source for test in canary.tests if test.startswith(file)
        )
    assert language_of("a.js").canaries(request(tmp_path, "karma", ("a.js::b",))) == ()
    assert language_of("a.js").canaries(request(tmp_path, runner, ("gone.js::b",))) == ()


GO = {"sub/go.mod": "module shop\n\ngo 1.19\n", "sub/in/shop.go": "package inner\n\nfunc Half() {}\n"}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub mod fee;\n",
    "src/fee.rs": "pub fn half() {}\n",
}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("go"), reason="needs Go")
def test_go_reports_them(tmp_path):
    code = {"sub/in/shop.go": GO["sub/in/shop.go"].encode()}
    canary = written(tmp_path, "a.go", "go_test", GO, code=code, folders=("", "sub"))
    said = printed(tmp_path / "sub", "go", "test", "-v", "./...")
    outcomes = {f"shop/in::{name}": how for how, name in re.findall(r"--- (\w+): (\w+)", said)}
    assert {test for test, how in outcomes.items() if how == "FAIL"} == canary.failing
    assert {test for test, how in outcomes.items() if how == "PASS"} == canary.passing
    assert len(canary.failing) == 3


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cargo"), reason="needs Rust")
def test_cargo_reports_them(tmp_path):
    code = {"src/fee.rs": RUST["src/fee.rs"].encode()}
    canary = written(tmp_path, "a.rs", "cargo_test", RUST, code=code)
    said = printed(tmp_path, "cargo", "test", "--offline", "--lib")
    found = re.findall(r"^test (\S+) \.\.\. (\w+)", said, re.MULTILINE)
    outcomes = {f"src/lib.rs::{name}": how for name, how in found}
    assert {test for test, how in outcomes.items() if how == "FAILED"} == canary.failing
    assert {test for test, how in outcomes.items() if how == "ok"} == canary.passing
    assert len(canary.failing) == 2


def test_names_of_packages_and_programs_are_found_without_a_run(tmp_path):
    code = {"sub/in/shop.go": GO["sub/in/shop.go"].encode()}
    go = written(tmp_path, "a.go", "go_test", GO, code=code, folders=("", "sub"))
    rust = written(tmp_path, "a.rs", "cargo_test", RUST, code={"src/fee.rs": b""})
    assert {test.partition("::")[0] for test in go.tests} == {"shop/in"}
    assert {test.rsplit("::", 2)[0] for test in rust.tests} == {"src/lib.rs::fee"}
    assert language_of("a.rs").canaries(request(tmp_path, "cargo_test", code={"build.rs": b""})) == ()
    assert language_of("a.go").canaries(request(tmp_path, "go_test", code=code, folders=("other",))) == ()
