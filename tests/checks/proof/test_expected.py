"""Tests of the base have to pass because of the code, and not of what they compare with."""

import shutil
import tempfile
from pathlib import Path

import pytest

from setpoint.checks import run_evaluator
from setpoint.checks.proof.expected.asked import asks_to_repair
from setpoint.checks.proof.expected.expected import expected
from setpoint.checks.proof.prove import Prover
from setpoint.checks.proof.subject import subject_of
from setpoint.model.proof import ObligationState, Proof

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
FIX = "Fix half: it does not halve"
WITH_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


class OnlyExpected(Prover):
    """Proves nothing but what this file is about."""

    async def prove(self, task, place, terms, *_) -> Proof:
        with tempfile.TemporaryDirectory() as scratch:
            subject = await subject_of(self.measuring, task, place, terms, Path(scratch))
            return Proof(work=subject.work, why=subject.why, obligations=await expected(subject, ()))


@pytest.fixture
def judged(obligations, monkeypatch):
    """Prove a change of some files by this obligation alone; gives it, or none where it is not listed."""
    monkeypatch.setattr(run_evaluator, "Prover", OnlyExpected)

    async def prove(*given, **story):
        return (await obligations(*given, **story)).get("expected")

    return prove


PAGES = {
    "README.md": "# pages\n\nWhat pages look like: see `pages/`.\n",
    "page.py": 'def page(n):\n    return f"<p>{n}</p>"\n',
    "pages/eight.html": "<p>4.0</p>",
    "tests/test_page.py": (
        "from pathlib import Path\n\nfrom page import page\n\n"
        "PAGES = Path(__file__).parent.parent / 'pages'\n\n\n"
        "def test_page():\n    assert page(8) == (PAGES / 'eight.html').read_text()\n"
    ),
}
HALF = {"half.py": "def half(n):\n    return n\n\n\ndef twice(n):\n    return n * 2\n"}
DIFFER = (
    "def differences(got, want):\n    found = []\n    for key in want:\n        if {0}:\n"
    "            found.append(key)\n    return found\n"
)
COMPARED = {
    **HALF,
    "support/diff.py": DIFFER.format("got[key] != want[key]"),
    "tests/test_half.py": (
        "from half import half\nfrom support.diff import differences\n\n\n"
        "def test_half():\n    assert differences({'a': half(8), 'b': half(6)}, {'a': 4, 'b': 3}) == []\n"
    ),
}
WORDS = {
    **HALF,
    "conf/de.json": '{"name": "de"}',
    "conf.py": (
        "import json\nimport os\n\n\ndef conf(name):\n"
        "    folder = os.path.join(os.path.dirname(__file__), 'conf')\n"
        "    with open(os.path.join(folder, name + '.json')) as file:\n        return json.load(file)\n\n\n"
        "COMMANDS = ['half', 'twice']\n"
    ),
    "cases/twice.json": "[[4, 8]]",
    "tests/test_cases.py": (
        "import json\nfrom pathlib import Path\n\nimport pytest\n\nimport half\n\n"
        "CASES = Path(__file__).parent.parent / 'cases'\n\n\n"
        "@pytest.mark.parametrize('name', ['twice'])\ndef test_cases(name):\n"
        "    for given, wanted in json.loads((CASES / f'{name}.json').read_text()):\n"
        "        assert getattr(half, name)(given) == wanted\n"
    ),
}


@pytest.mark.parametrize(
    ("files", "change", "title", "words"),
    [
        (
            PAGES,
            {"page.py": 'def page(n):\n    return f"<p>{n - 1}</p>"\n', "pages/eight.html": "<p>7</p>"},
            "Fix page: it shows the number in place of its half, as in pages/eight.html",
            "pages/eight.html",
        ),
        (
            COMPARED,
            {"support/diff.py": DIFFER.format("not want[key] <= got[key] <= 2 * want[key]")},
            FIX,
            "support/diff.py::differences may always return []",
        ),
        (
            WORDS,
            {"half.py": HALF["half.py"].replace("n * 2", "n + n + 1"), "cases/twice.json": "[[4, 9]]"},
            "Fix twice: it is slow",
            "cases/twice.json",
        ),
    ],
    ids=["described by a document", "a list of differences", "a word of the product, green at the base"],
)
async def test_what_tests_compare_with_proves_nothing(judged, files, change, title, words):
    found = await judged(files, change, title)

    assert found.state is NOT_MET, found.reason
    assert words in found.reason
    assert "hint: " in found.reason


RATES = {
    "rates.json": '{"DE": 16, "FR": 20}',
    "tax.py": (
        "import json\nfrom pathlib import Path\n\n"
        "RATES = json.loads((Path(__file__).parent / 'rates.json').read_text())"
        "\n\n\ndef tax(country, amount):\n    return amount * RATES[country] / 100\n"
    ),
    "tests/test_tax.py": "from tax import tax\n\n\ndef test_tax():\n    assert tax('DE', 100) == 19\n",
}
READ_BY_BOTH = RATES | {
    "tests/test_tax.py": (
        "import json\nfrom pathlib import Path\n\nfrom tax import tax\n\n\ndef test_tax():\n"
        "    assert tax('DE', 100) == 19\n    rates = Path(__file__).parent.parent / 'rates.json'\n"
        "    assert json.loads(rates.read_text())['FR'] == 20\n"
    )
}
MONEY = {
    **HALF,
    "form/money.py": "def written(value):\n    return f'{value}'\n",
    "tests/test_half.py": (
        "from form.money import written\nfrom half import twice\n\n\n"
        "def test_twice():\n    assert written(twice(2)) == '4.00'\n"
    ),
}
RIGHT = {"half.py": HALF["half.py"].replace("return n\n", "return n / 2\n")}
PAGE = {"page.py": 'def page(n):\n    return f"<p>{n / 2}</p>"\n'}
SCHEMA = {
    "README.md": "The interface is in `api/schema.yaml`.\n",
    "api/schema.yaml": "fields: [name]\n",
    "item.py": "FIELDS = ['name']\n\n\ndef schema():\n    return f\"fields: [{', '.join(FIELDS)}]\\n\"\n",
    "tests/test_item.py": (
        "from pathlib import Path\n\nimport item\n\nAPI = Path(__file__).parent.parent / 'api'\n\n\n"
        "def test_schema():\n    assert item.schema() == (API / 'schema.yaml').read_text()\n"
    ),
}


@pytest.mark.parametrize(
    ("files", "change", "title", "state"),
    [
        (RATES, {"rates.json": '{"DE": 19, "FR": 20}'}, "Fix the rate of DE: it is 19 percent", None),
        (READ_BY_BOTH, {"rates.json": '{"DE": 19, "FR": 20}'}, "Fix the rate of DE: it is 19 percent", None),
        (
            MONEY,
            {"form/money.py": "def written(value):\n    return f'{value:.2f}'\n"},
            "Fix prices: cents are missing",
            MET,
        ),
        (COMPARED, {**RIGHT, "support/diff.py": DIFFER.format("want[key] != got[key]")}, FIX, MET),
        (PAGES, {**PAGE, "pages/eight.html": "<p>4.0</p>\n"}, "Fix pages/eight.html: it has a line", None),
        (PAGES, PAGE, "Fix page: it shows the number in place of its half", None),
        (
            SCHEMA,
            {
                "item.py": SCHEMA["item.py"].replace("['name']", "['name', 'size']"),
                "api/schema.yaml": "fields: [name, size]\n",
            },
            "Add the field size to items",
            MET,
        ),
    ],
    ids=[
        "product data", "data that both read", "a module that only tests load", "a comparison as before",
        "asked for", "code alone", "a described file that follows the code",
    ],
)  # fmt: skip
async def test_work_on_the_product_is_not_in_doubt(judged, files, change, title, state):
    found = await judged(files, change, title)

    assert (found and found.state) is state, found and found.reason


async def test_what_a_person_releases_is_not_in_doubt(judged):
    change = {**PAGE, "pages/eight.html": "<p>7</p>"}

    assert await judged(PAGES, change, FIX, may_change=("pages/*",)) is None


PACKAGE = '{\n  "name": "half",\n  "scripts": {"test": "node test/run.js"}\n}\n'
SCRIPT = (
    "const commands = { half: (n) => n, twice: (n) => n * 2 };\n"
    "exports.run = (name, n) => commands[name](n);\n"
)
CASES = {
    "package.json": PACKAGE,
    "config/de.json": '{"name": "de"}',
    "lib/half.js": SCRIPT
    + "const fs = require('fs');\nexports.config = (name) => JSON.parse(fs.readFileSync(__dirname + "
    "'/../config/' + `${name}.json`, 'utf8'));\n",
    "cases/half.json": "[[8, 4], [10, 5]]",
    "test/run.js": (
        "const assert = require('assert');\nconst fs = require('fs');\nconst path = require('path');\n"
        "const { run } = require('../lib/half');\n"
        "for (const name of ['half']) {\n"
        "  const file = path.join(__dirname, '..', 'cases', `${name}.json`);\n"
        "  for (const [n, out] of JSON.parse(fs.readFileSync(file, 'utf8'))) "
        "assert.strictEqual(run(name, n), out);\n}\n"
    ),
}
HELD = {
    "package.json": PACKAGE,
    "lib/half.js": SCRIPT,
    "cases/wanted.js": "module.exports = [[8, 4], [10, 5]];\n",
    "test/run.js": (
        "const assert = require('assert');\nconst { run } = require('../lib/half');\n"
        "const wanted = require('../cases/wanted');\n"
        "for (const [n, out] of wanted) assert.strictEqual(run('half', n), out);\n"
    ),
}
DIFF = "exports.diff = (got, want) => want.filter((each, at) => {0});\n"
DIFFS = {
    "package.json": PACKAGE,
    "lib/half.js": SCRIPT,
    "support/diff.js": DIFF.format("got[at] !== each"),
    "test/run.js": (
        "const { run } = require('../lib/half');\nconst { diff } = require('../support/diff');\n"
        "const found = diff([run('half', 8), run('half', 6)], [4, 3]);\n"
        "if (found.length > 0) {\n  console.error(found.join());\n  process.exit(1);\n}\n"
    ),
}
WORSE = SCRIPT.replace("(n) => n,", "(n) => n - 1,")


@pytest.mark.slow
@WITH_NODE
@pytest.mark.parametrize(
    ("files", "change", "words"),
    [
        (CASES, {"lib/half.js": CASES["lib/half.js"].replace("(n) => n,", "(n) => n - 1,"),
                 "cases/half.json": "[[8, 7], [10, 9]]"}, "cases/half.json"),
        (HELD, {"lib/half.js": WORSE, "cases/wanted.js": "module.exports = [[8, 7], [10, 9]];\n"},
         "cases/wanted.js"),
        (DIFFS, {"support/diff.js": DIFF.format("got[at] > 2 * each")}, "may always return []"),
        (DIFFS, {"lib/half.js": WORSE, "support/diff.js": DIFF.format("got[at] > 2 * each")},
         "may always return []"),
        (DIFFS, {"lib/half.js": SCRIPT.replace("(n) => n,", "(n) => n / 2,"),
                 "support/diff.js": DIFF.format("each !== got[at]")}, ""),
    ],
    ids=["golden file", "module of values", "differences", "differences and code", "honest"],
)  # fmt: skip
async def test_scripts_are_judged_alike(judged, files, change, words):
    found = await judged(files, change, FIX)

    assert found.state is (NOT_MET if words else MET), found.reason
    assert words in found.reason


SHELL = {
    "Makefile": "test:\n\tbash test/run.sh\n",
    "lib/half.sh": (
        'half() {\n    echo "$1"\n}\nconf() {\n    cat "$folder/$1.txt"\n}\nfolder=conf\nnames="half eight"\n'
    ),
    "conf/de.txt": "de\n",
    "golden/eight.txt": "4\n",
    "test/run.sh": (
        "#!/bin/bash\nset -e\n. lib/half.sh\n"
        'for name in eight; do\n    diff <(half 8) "golden/$name.txt"\ndone\n[ "$(conf de)" = de ]\n'
    ),
}
OF_SHELL = {
    "Makefile": "test:\n\tbash test/run.sh\n",
    "lib/half.sh": 'half() {\n    echo "$1"\n}\n',
    "support/differs.sh": 'differs() {\n    [ "$1" != "$2" ] && echo "$1 is not $2"\n}\n',
    "test/run.sh": (
        '#!/bin/bash\n. lib/half.sh\n. support/differs.sh\nif differs "$(half 8)" 4; then\n    exit 1\nfi\n'
    ),
}
LESS = "half() {\n    echo $(($1 - 1))\n}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "change", "words"),
    [
        (SHELL, {"lib/half.sh": SHELL["lib/half.sh"].replace('"$1"\n}\nconf', "$(($1 - 1))\n}\nconf"),
                 "golden/eight.txt": "7\n"}, "golden/eight.txt"),
        (OF_SHELL, {"lib/half.sh": LESS,
                    "support/differs.sh": 'differs() {\n    [ "$1" -gt 9 ] && echo "$1 is not $2"\n}\n'},
         "support/differs.sh::differs may always do"),
    ],
    ids=["golden file", "differences"],
)  # fmt: skip
async def test_shells_are_judged_alike(judged, files, change, words):
    found = await judged(files, change, FIX)

    assert found.state is NOT_MET, found.reason
    assert words in found.reason


@pytest.mark.parametrize(
    ("wish", "asked"),
    [
        ("Fix the rate of DE in data/rates.yml: it is 19", True),
        ("Correct rates.yml", True),
        ("Mend what is in data/ and run it", True),
        ("Fix tax: it should be as in data/rates.yml", False),
        ("Fix tax so that it agrees with rates.yml", False),
        ("Fix tax to match data/rates.yml", False),
        ("data/rates.yml is right. Fix tax", False),
        ("Fix metadata/rates.yml.bak", False),
    ],
)
def test_a_request_asks_to_repair_a_file(wish, asked):
    assert asks_to_repair(wish, "data/rates.yml") is asked
