"""Own test commands judged by their exit code: no failure of a test is kept from them."""

import shutil

import pytest

from setpoint.checks.proof.instrument.own_command import is_run_by, statement_of
from setpoint.checks.proof.instrument.python_steps import python_steps
from setpoint.checks.proof.instrument.script_steps import script_steps
from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
PACKAGE = '{"name": "shop", "scripts": {"test": "node test/half.js"}}\n'
HEAD = 'const assert = require("assert");\nconst { half } = require("../half.js");\n'
WAITS = HEAD + "async function main() {\n  const got = await half(4);\n  assert.equal(got, 2);\n}\nmain();\n"
THEN = HEAD + "half(4).then((got) => assert.equal(got, 2));\n"
CAUGHT = HEAD + (
    "async function main() {\n  assert.equal(await half(4), 2);\n}\n"
    "main().then(() => process.exit(0), (error) => {\n  console.error(error); process.exit(1);\n});\n"
)
CATCHES = HEAD + (
    "async function main() {\n  assert.equal(await half(4), 2);\n}\n"
    "main().catch((error) => {\n  console.error(error); process.exit(1);\n});\n"
)
SHORT = HEAD + (
    "const test = async () => assert.equal(await half(4), 2);\ntest().catch(() => process.exit(1));\n"
)
REJECTS = HEAD + (
    "async function main() {\n  assert.equal(await half(4), 2);\n"
    "  await assert.rejects(async () => { assert.ok(true); await half('x'); });\n}\n"
    "main().catch(() => process.exit(1));\n"
)
GIVEN = HEAD + (
    "let calls = 0;\nhalf(4, (got) => {\n  calls += 1;\n  assert.equal(got, 2);\n});\n"
    "assert.equal(calls, 1);\n"
)
WANTS = HEAD + (
    "function fails(run) {\n  try { run(); } catch { return; }\n  throw new Error('it should fail');\n}\n"
    "fails(() => {\n  assert.ok(true);\n  half('x');\n});\nassert.equal(half(4), 2);\n"
)
COUNTS = HEAD + (
    "let failed = 0;\nfunction check(got, want) {\n  if (got !== want) {\n    failed += 1;\n  }\n}\n"
    "check(half(4), 2);\nif (failed) {\n  console.log('bad');\n  process.exit(1);\n}\n"
)
LEAVES = HEAD + (
    "function main() {\n  if (process.platform !== 'none') {\n    assert.equal(half(4), 2);\n"
    "    return;\n  }\n"
    "  assert.fail('unknown');\n}\nmain();\n"
)
LATE, NOW, CALLS = "async (n) => n;\n", "(n) => n;\n", "(n, then) => then(n);\n"
CHECKED = "(n) => { if (typeof n !== 'number') throw new TypeError('n'); return n / 2; };\n"
NEVER, NEVER_ENDS = "never reached", "never comes to its end"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("test", "base", "result", "words"),
    [
        (WAITS, LATE, "(n) => new Promise(() => n / 2);\n", NEVER),
        (THEN, LATE, "(n) => new Promise(() => n / 2);\n", NEVER),
        (CAUGHT, LATE, "(n) => new Promise(() => n / 2);\n", NEVER_ENDS),
        (WAITS, LATE, "async (n) => n / 2;\n", ""),
        (THEN, LATE, "async (n) => n / 2;\n", ""),
        (CAUGHT, LATE, "async (n) => n / 2;\n", ""),
        (CATCHES, LATE, "async (n) => n / 2;\n", ""),
        (CATCHES, LATE, "(n) => new Promise(() => n / 2);\n", NEVER_ENDS),
        (SHORT, LATE, "(n) => new Promise(() => n / 2);\n", NEVER_ENDS),
        (SHORT, LATE, "async (n) => n / 2;\n", ""),
        (REJECTS, LATE, "async (n) => { if (n === 'x') throw new Error('x'); return n / 2; };\n", ""),
        (GIVEN, CALLS, "(n, then) => then(n / 2);\n", ""),
        (WANTS, NOW, CHECKED, ""),
        (COUNTS, NOW, CHECKED, ""),
        (LEAVES, NOW, CHECKED, ""),
    ],
    ids=[
        "waits in vain", "then never", "waits, caught", "waits", "then", "caught", "catches",
        "catches never", "short never", "short", "rejects", "given", "wants a failure", "counts",
        "leaves early",
    ],
)  # fmt: skip
async def test_each_failure_of_a_script_reaches_its_command(obligations, test, base, result, words):
    files = {"package.json": PACKAGE, "half.js": f"exports.half = {base}", "test/half.js": test}
    said = await obligations(files, {"half.js": f"exports.half = {result}"}, "Fix half: it does not halve")

    found = said["instrument"]
    assert found.state is (NOT_MET if words else MET), found.reason
    assert words in found.reason


SHOP = """\
class Till:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        {0}

    def half(self, n):
        return {1}
"""
CHECK = """\
from shop import Till

with Till() as till:
    assert till.half(4) == 2, till.half(4)
assert Till().half(6) == 3
"""


@pytest.mark.parametrize(
    ("ends", "half", "state"),
    [("return True", "n - 3", NOT_MET), ("return None", "n // 2", MET)],
    ids=["swallows", "honest"],
)
async def test_each_failure_of_a_python_program_reaches_its_command(obligations, ends, half, state):
    files = {
        "shop.py": SHOP.format("return None", "n"),
        "cases/half.py": CHECK,
        "Makefile": "test:\n\tfor f in cases/*.py; do PYTHONPATH=. python3 $$f || exit 1; done\n",
    }
    said = await obligations(files, {"shop.py": SHOP.format(ends, half)}, "Fix half: it does not halve")

    assert said["instrument"].state is state, said["instrument"].reason
    assert "cases/half.py" in said["instrument"].reason


THREADS = "from concurrent.futures import ThreadPoolExecutor\n\n\n"
USED = """\
import shop

seen = []


def use(number, value):
    seen.append(number)
    assert value == number / 2, (number, value)


shop.each_half([8, 10], use)
assert sorted(seen) == [8, 10], seen
"""


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (
            "    with ThreadPoolExecutor() as pool:\n        pool.map(use, numbers, numbers)\n",
            NOT_MET,
        ),
        ("    for number in numbers:\n        use(number, number / 2)\n", MET),
    ],
    ids=["kept by a thread", "honest"],
)
async def test_a_failure_of_what_is_given_away_reaches_the_command(obligations, body, state):
    files = {
        "shop.py": "def half(n):\n    return n / 2\n",
        "checks/run.py": USED,
        "Makefile": "test:\n\tPYTHONPATH=. python3 checks/run.py\n",
    }
    code = f"{THREADS}def half(n):\n    return n / 2\n\n\ndef each_half(numbers, use):\n{body}"
    said = await obligations(files, {"shop.py": code}, "Add each_half: it calls a function with each half")

    assert said["instrument"].state is state, said["instrument"].reason


EACH = HEAD + (
    "const done = half(4, (got) => {\n  assert.equal(got, 2);\n});\n"
    "if (done !== true) throw new Error('not done');\n"
)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("code", "state"),
    [("() => true;\n", NOT_MET), ("(n, use) => { use(n / 2); return true; };\n", MET)],
    ids=["never called", "called"],
)
async def test_assertions_that_nothing_reaches_prove_nothing(obligations, code, state):
    later = "exports.half = () => { throw new Error('later'); };\n"
    files = {"package.json": PACKAGE, "half.js": later, "test/half.js": EACH}
    said = await obligations(files, {"half.js": f"exports.half = {code}"}, "Fix half: it throws")

    found = said["instrument"]
    assert found.state is state, found.reason
    assert ("the base failed at what contains it" in found.reason) is (state is NOT_MET)


RAISED = """\
from shop import Till

with Till() as till:
    if till.half(4) != 2:
        raise SystemExit("half of 4")
if Till().half(6) != 3:
    raise SystemExit("half of 6")
"""


@pytest.mark.parametrize(
    ("ends", "half", "state"),
    [("return _[0] is SystemExit", "n - 3", NOT_MET), ("return None", "n // 2", MET)],
    ids=["swallows its kind", "honest"],
)
async def test_a_failure_is_of_the_kind_that_the_base_raised(obligations, ends, half, state):
    files = {
        "shop.py": SHOP.format("return None", "n"),
        "checks/run.py": RAISED,
        "Makefile": "test:\n\tPYTHONPATH=. python3 checks/run.py\n",
    }
    said = await obligations(files, {"shop.py": SHOP.format(ends, half)}, "Fix half: it does not halve")

    assert said["instrument"].state is state, said["instrument"].reason


ENDS = """\
import shop


def check(got, want):
    if got != want:
        raise SystemExit(f"{got} is not {want}")


check(shop.half(8), 4)
check(shop.half(10), 5)
print("ok")
"""
REPLACED = (
    "import os\n\n\ndef half(n):\n    if n == 10:\n        os.execvp('true', ['true'])\n    return n - 4\n"
)


@pytest.mark.parametrize(
    ("half", "state"),
    [(REPLACED, NOT_MET), ("def half(n):\n    return n // 2\n", MET)],
    ids=["another program", "honest"],
)
async def test_a_program_that_may_end_itself_is_not_ended_by_others(obligations, half, state):
    files = {
        "shop.py": "def half(n):\n    return n\n",
        "checks/run.py": ENDS,
        "Makefile": "test:\n\tPYTHONPATH=. python3 checks/run.py\n",
    }
    said = await obligations(files, {"shop.py": half}, "Fix half: it does not halve")

    found = said["instrument"]
    assert found.state is state, found.reason
    assert ("something ends the process before" in found.reason) is (state is NOT_MET)


@pytest.mark.parametrize(
    ("sourced", "state"), [("set +e\n", NOT_MET), ("", MET)], ids=["switches off", "honest"]
)
async def test_a_shell_that_ends_at_a_failure_still_does(obligations, sourced, state):
    files = {
        "lib.sh": "half() {\n  echo $1\n}\n",
        "test/half.sh": 'set -e\n. ./lib.sh\ntest "$(half 4)" = 2\necho ok\n',
        "Makefile": "test:\n\tsh test/half.sh\n",
    }
    said = await obligations(
        files,
        {"lib.sh": f"{sourced}half() {{\n  echo $(($1 / 2))\n}}\n"},
        "Fix half in lib.sh: it does not halve",
    )

    wrong = [name for name in ("sensitivity", "instrument") if said[name].state is NOT_MET]
    assert bool(wrong) is (state is NOT_MET), {name: (each.state, each.reason) for name, each in said.items()}


def test_what_fails_in_a_shell_depends_on_its_options():
    strict, plain = "set -eu\nf\n", "f\nset -u\n"

    assert statement_of("t.sh", strict).startswith("command false\n")
    assert statement_of("t.sh", plain) == statement_of("t.sh", f"{strict}set +e\n") == "exit 97"


@pytest.mark.parametrize(
    ("path", "runs"), [("cases/a.py", True), ("cases/deep/a.py", True), ("other/a.py", False)]
)
def test_files_that_a_pattern_of_a_command_takes_are_run_by_it(path, runs):
    assert is_run_by(path, "for f in cases/*.py; do python $f; done") is runs


def test_a_program_runs_as_before_with_its_steps_numbered(tmp_path):
    first = '"""Documented."""\nfrom __future__ import annotations\n\n\n'
    text = f"{first}def f():\n    if 1:\n        return 2\n    return 3\n\n\nx = f(); y = 1\n"
    found = python_steps("a.py", text)
    log = tmp_path / "log"

    scope: dict[str, object] = {}
    exec(compile(found.marked(log, tmp_path), "a.py", "exec"), scope)

    assert (scope["x"], scope["y"], scope["__doc__"]) == (2, 1, "Documented.")
    assert not log.exists()  # this process runs in another folder


def test_a_file_that_cannot_be_read_has_no_steps():
    assert python_steps("a.py", "def f(:\n") is None
    assert script_steps("a.js", "function (\n") is None
    assert script_steps("a.css", "a {}\n") is None
    assert python_steps("a.py", "") is None
