"""A base whose suite cannot run in the copy: the evidence says so, and nobody is paid for it."""

from __future__ import annotations

import shutil

import pytest

from setpoint.model.config.local_needs import CopySettings
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState, Fault
from setpoint.model.stories.story import KnownRed
from setpoint.phase.policy.verifiers import not_ready
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
IGNORED = ".setpoint\n__pycache__\n_version.py\n*.gen.js\n"
BASE = {
    ".gitignore": IGNORED,
    "src/pkg/__init__.py": "from pkg._version import version\n\n\ndef one():\n    return 2\n",
    "tests/test_one.py": "import pkg\n\n\ndef test_one():\n    assert pkg.one() == 1\n",
}
REPAIR = {"known_red": KnownRed.FIX}


async def measured(bench, files, left=None, **story):
    """Measure a base beside some ignored files; return the suite's evidence and what holds a run."""
    made = await bench(files, settings=QUICK, **story)
    made.use(made.settings.model_copy(update={"copied": CopySettings(found="hold")}))
    for path, text in (left or {}).items():
        (made.root / path).write_text(text)
    base = await made.measure(Stage.BASE)
    suite = next(each for each in base.evidence if each.check in ("pytest", "node_test"))
    return suite, not_ready(base, made.order.story)


@pytest.mark.parametrize(
    "source",
    [BASE["src/pkg/__init__.py"], BASE["src/pkg/__init__.py"].replace("from pkg._version", "from ._version"),
     "from pkg import _version\n"],
    ids=["absolute", "relative", "name"],
)  # fmt: skip
async def test_an_ignored_module_that_the_copy_lacks_holds_a_repair(bench, source: str) -> None:
    files = {**BASE, "src/pkg/__init__.py": source}

    suite, held = await measured(bench, files, {"src/pkg/_version.py": "version = '1'\n"}, **REPAIR)

    assert (suite.state, suite.fault) == (CheckState.ERROR, Fault.ABSENT)
    assert suite.reason.startswith(
        "`src/pkg/_version.py` is in your tree, ignored by git, and missing in the copy"
    )
    assert held == (suite,)


async def test_what_a_conftest_lacks_holds_it_too(bench) -> None:
    files = {**BASE, "conftest.py": "import pkg\n"}

    suite, held = await measured(bench, files, {"src/pkg/_version.py": "version = '1'\n"}, **REPAIR)

    assert suite.fault is Fault.ABSENT
    assert held == (suite,)


async def test_it_is_carried_unless_a_person_wants_the_run_held(bench) -> None:
    made = await bench({**BASE, "conftest.py": "import pkg\n"}, settings=QUICK, **REPAIR)
    (made.root / "src/pkg/_version.py").write_text("version = '1'\n")

    base = await made.measure(Stage.BASE)

    assert base.carried == "`src/pkg/_version.py`"
    assert [each.test for each in base.failures] == ["tests/test_one.py::test_one"]


BROKEN = {
    "a source that does not parse": {"src/pkg/__init__.py": "def one(:\n"},
    "a name that a source lacks": {
        "src/pkg/__init__.py": "from pkg.more import two\n",
        "src/pkg/more.py": "",
    },
    "a module still to be written": {
        "src/pkg/__init__.py": "",
        "tests/test_one.py": "from shop import price\n",
    },
    "a module that nobody has": {"src/pkg/__init__.py": "from pkg.more import two\n"},
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_source_is_what_a_repair_is_about(bench, name: str) -> None:
    suite, held = await measured(bench, {**BASE, **BROKEN[name]}, {"src/pkg/_version.py": ""}, **REPAIR)

    assert (suite.fault, held) == (None, ())


@pytest.mark.parametrize("stated", [True, False])
async def test_a_package_that_is_not_installed_holds_a_run_where_the_project_needs_it(
    bench, stated: bool
) -> None:
    files = {".gitignore": IGNORED, "tests/test_one.py": "import no_such_package\n\n\ndef test_one(): pass\n"}
    files |= {"requirements.txt": "no-such-package>=1\n"} if stated else {}

    suite, held = await measured(bench, files, **REPAIR)

    assert (suite.fault, bool(held)) == ((Fault.ABSENT, True) if stated else (None, False))


async def test_one_test_that_runs_is_enough(bench) -> None:
    files = {**BASE, "tests/test_two.py": "def test_two():\n    assert True\n"}

    suite, held = await measured(bench, files, {"src/pkg/_version.py": "version = '1'\n"}, **REPAIR)

    assert (suite.state, suite.fault, held) == (CheckState.FAIL, None, ())


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize("text", ["require('./b.gen.js')", "require('./b.gen')"])
async def test_an_ignored_script_that_the_copy_lacks_holds_a_run(bench, text: str) -> None:
    files = {
        ".gitignore": IGNORED,
        "package.json": '{"scripts": {"test": "node --test"}}\n',
        "a.js": f"exports.a = {text}\n",
        "test/a.test.js": "require('node:test')('a', () => require('../a.js'))\nrequire('../a.js')\n",
    }

    suite, held = await measured(bench, files, {"b.gen.js": "module.exports = 1\n"}, **REPAIR)

    assert suite.fault is Fault.ABSENT
    assert "`b.gen.js` is in your tree" in suite.reason
    assert held == (suite,)
