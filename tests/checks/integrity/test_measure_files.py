"""Which files belong to the measure: tests refer to them, and the product does not."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.additions import repeats_lines
from setpoint.checks.integrity.paths.measure_files import Side, Sources, of_measure

REPORT = "def report(rows):\n    return rows\n"
USES_GOLDEN = "from rep import report\nGOLDEN = ROOT / 'golden' / 'report.txt'\n"
ASSERT = 'assert_eq() {\n  if [ "$1" != "$2" ]; then exit 1; fi\n}\n'
SAME = "exports.same = (got, want) => {\n  if (got !== want) throw new Error(`got ${got}`);\n};\n"
CHECKS = (
    "const { same } = require('../support/same');\nconst { add } = require('../calc');\nsame(add(1, 2), 3);\n"
)
PYTHON_SAME = "def same(got, want):\n    if got != want:\n        raise AssertionError(got)\n"
GOLDEN = {"rep.py": REPORT, "golden/report.txt": "a\n", "tests/test_rep.py": USES_GOLDEN}
SCRIPTS = {
    "run_tests.sh": "for t in tests/*.sh; do bash $t || exit 1; done\n",
    "lib.sh": "add() { echo $(($1 + $2)); }\n",
    "scripts/assert.sh": ASSERT,
    "tests/add.sh": '. ./lib.sh; . ./scripts/assert.sh\nassert_eq "$(add 1 2)" 3\n',
}
CACHED = {
    "ci/run_tests.sh": "if [ -f .cache/$key ]; then exit 0; fi\nfor t in tests/*.sh; do bash $t; done\n",
    "lib.sh": "add() { echo 3; }\n",
    "tests/add.sh": ". ./lib.sh\n",
}
JAVASCRIPT = {"calc.js": "exports.add = () => 3;\n", "support/same.js": SAME, "check/run.js": CHECKS}
PYTHON = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "support/same.py": PYTHON_SAME,
    "tests/test_calc.py": "from calc import add\nfrom support.same import same\n",
}


def found(files: dict[str, str], path: str, *commands: str, scripts: tuple[str, ...] = ()) -> bool:
    side = Side(commands=commands, scripts=frozenset(scripts))
    return path in of_measure([path], Sources(files=files.keys(), texts=files, side=side))


@pytest.mark.parametrize(
    ("files", "path", "scripts"),
    [
        (GOLDEN, "golden/report.txt", ()),
        ({**GOLDEN, "golden/other.txt": ""}, "golden/other.txt", ()),
        ({**GOLDEN, "golden/page.md": ""}, "golden/page.md", ()),
        ({**GOLDEN, "cases.csv": "", "tests/test_rep.py": "open('cases.csv')"}, "cases.csv", ()),
        (CACHED, ".cache/0123abcd", ("ci/run_tests.sh",)),
        (CACHED, "ci/run_tests.sh", ("ci/run_tests.sh",)),
        (SCRIPTS, "scripts/assert.sh", ("run_tests.sh",)),
        (JAVASCRIPT, "support/same.js", ("check/run.js",)),
        (PYTHON, "support/same.py", ()),
        ({**PYTHON, "support/same.py": "def same(a, b):\n    assert a.x == b.x\n"}, "support/same.py", ()),
        (
            {**JAVASCRIPT, "support/same.js": "exports.same = (got, want) => assert.equal(got, want);\n"},
            "support/same.js",
            ("check/run.js",),
        ),
    ],
)
def test_what_only_tests_refer_to_belongs_to_the_measure(files, path, scripts):
    assert found(files, path, scripts=scripts)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({**GOLDEN, "golden/new.txt": ""}, "notes/plan.txt"),
        (GOLDEN, "golden/new.txt"),
        ({**GOLDEN, "rep.py": "NAMES = open('golden/report.txt')"}, "golden/report.txt"),
        ({**GOLDEN, "rep.py": "FOLDER = Path('golden')"}, "golden/report.txt"),
        ({**GOLDEN, "rep.py": "text = load('report')"}, "golden/report.txt"),
        ({**GOLDEN, "rep.py": "found = files('*.txt')"}, "golden/report.txt"),
        ({**GOLDEN, "pyproject.toml": 'include = ["golden"]'}, "golden/report.txt"),
        ({**GOLDEN, "page.html": "<a href='golden/report.txt'>"}, "golden/report.txt"),
        ({key: text for key, text in GOLDEN.items() if key != "rep.py"}, "golden/report.txt"),
        ({**GOLDEN, "README.md": "", "tests/test_rep.py": "open('README.md')"}, "README.md"),
        ({**GOLDEN, "tests/test_rep.py": "open('data/new.json')"}, "data/new.json"),
        (
            {
                "src/shop/__init__.py": "for each in folder.glob('*'): load(each)",
                "src/shop/rates/a.csv": "",
                "tests/test_a.py": "open('src/shop/rates/a.csv')",
            },
            "src/shop/rates/a.csv",
        ),
        (
            {"src/shop.py": REPORT, "src/x.csv": "", "tests/test_a.py": "sys.path.insert(0, 'src')"},
            "src/x.csv",
        ),
        (
            {**GOLDEN, "data/x.csv": "", "tests/data/y.csv": "", "tests/test_rep.py": "HERE / 'data'"},
            "data/x.csv",
        ),
    ],
)
def test_data_that_the_product_reads_or_nobody_names_is_no_part(files, path):
    assert not found(files, path)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({**PYTHON, "support/same.py": "def same(a):\n    return a\n"}, "support/same.py"),
        ({**PYTHON, "calc.py": "from support.same import same\n"}, "support/same.py"),
        ({**PYTHON, "pyproject.toml": 'packages = ["support"]'}, "support/same.py"),
        ({**PYTHON, "same.py": PYTHON_SAME, "tests/test_calc.py": "import calc\nimport same\n"}, "same.py"),
        (
            {"money/same.py": PYTHON_SAME, "tests/test_same.py": "from money.same import same"},
            "money/same.py",
        ),
        (
            {**JAVASCRIPT, "lib/sub.js": SAME, "test/a.js": "require('../lib/sub'); require('../calc')"},
            "lib/sub.js",
        ),
        ({**JAVASCRIPT, "package.json": '{"files": ["support"]}'}, "support/same.js"),
        ({**PYTHON, "support/same.py": PYTHON_SAME.replace("!=", "==")}, "support/same.py"),
        ({**PYTHON, "support/same.py": PYTHON_SAME + "    return got + want\n"}, "support/same.py"),
        ({**PYTHON, "tests/test_calc.py": PYTHON["tests/test_calc.py"] + "raises(E)\n"}, "support/same.py"),
        (
            {**PYTHON, "tests/test_calc.py": PYTHON["tests/test_calc.py"] + "try: pass\nexcept E: pass\n"},
            "support/same.py",
        ),
        (
            {**JAVASCRIPT, "support/same.js": SAME.replace("};", "  return got + want;\n};")},
            "support/same.js",
        ),
        ({**SCRIPTS, "scripts/assert.sh": ASSERT.replace("exit", "return")}, "scripts/assert.sh"),
        (SCRIPTS, "lib.sh"),
        (PYTHON, "calc.py"),
    ],
)
def test_a_module_of_the_product_is_no_part(files, path):
    assert not found(files, path)


def test_a_script_may_gain_lines_like_its_own() -> None:
    old = "set -e\nnode tests/a.js\n"

    assert repeats_lines(old, old + "node tests/b.js\n")
    assert not repeats_lines(old, "exit 0\n" + old)
    assert not repeats_lines(old, "set -e\n")
