"""Tests that fail in a copy for what it lacks: found by trying and carried, never counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.conftest import git
from setpoint.checks.needs.carried_files import found_needs, remember
from setpoint.model.config.local_needs import CopySettings, Needs
from setpoint.model.evaluation import Stage
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings
from setpoint.system.processes import Hold, holding, missing_namespaces

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
TESTS = """import os
from pathlib import Path

ROOT = Path(__file__).parents[1]

def test_file(): assert (ROOT / ".env").read_text() == "KEY=1"
def test_variable(): assert os.environ["SHOP_URL"] == "sqlite://"
def test_beside(): assert (ROOT.parent / "shared-data" / "a.txt").exists()
def test_built(): assert (ROOT / "build" / "out.bin").exists()
def test_root(): assert ROOT.name == "project"
def test_wrong(): assert 1 == 2
"""
FILES = {
    ".gitignore": ".setpoint\n__pycache__\n.env\nbuild/\n",
    "tests/test_shop.py": TESTS,
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
CARRIED = "`.env`, `../shared-data`, `build/out.bin` (as your last build left it), `SHOP_URL`"
ENV, VARIABLE, BESIDE, BUILT, ROOT, WRONG = (
    f"tests/test_shop.py::test_{name}" for name in ("file", "variable", "beside", "built", "root", "wrong")
)


@pytest.fixture
async def shop(bench, monkeypatch):
    made = await bench(FILES, settings=QUICK, known_red=KnownRed.FIX)
    (made.root / ".env").write_text("KEY=1")
    (made.root / "build").mkdir()
    (made.root / "build" / "out.bin").write_text("x")
    beside = made.root.parent / "shared-data"
    beside.mkdir()
    (beside / "a.txt").write_text("a")
    monkeypatch.setenv("SHOP_URL", "sqlite://")
    monkeypatch.setenv("SHOP_OTHER", "not asked for")
    return made


async def test_what_failing_tests_need_is_found_and_carried(shop):
    base = await shop.measure(Stage.BASE)

    found = Needs(files=(".env", "../shared-data", "build/out.bin"), variables=("SHOP_URL",))
    assert found_needs(shop.state) == found
    assert base.carried == CARRIED
    assert [each.test for each in base.failures] == [WRONG]
    assert base.ours == ()
    assert not (shop.root.parent / "shared-data" / ".setpoint").exists()
    assert "SHOP_OTHER" not in base.model_dump_json()


async def test_the_content_of_what_is_carried_is_recorded_nowhere(bench, monkeypatch):
    test = "import os\nfrom pathlib import Path\nROOT = Path(__file__).parents[1]\n"
    test += "def test_it():\n    said = (ROOT / '.env').read_text() + os.environ['SHOP_URL']\n"
    test += "    print(said)\n    assert said == 'nothing'\n"
    made = await bench({**FILES, "tests/test_shop.py": test}, settings=QUICK, known_red=KnownRed.FIX)
    (made.root / ".env").write_text("API_KEY=a-secret-of-mine\n")
    monkeypatch.setenv("SHOP_URL", "sqlite://another-secret")

    base = await made.measure(Stage.BASE)

    assert base.carried == "`.env`, `SHOP_URL`"
    assert "[API_KEY]" in base.failures[0].message + base.failures[0].detail
    kept = [path.read_bytes() for path in made.state.rglob("*") if path.is_file()]
    kept.append(base.model_dump_json().encode())
    assert not any(secret in each for each in kept for secret in (b"secret-of-mine", b"another-secret"))


async def test_a_person_can_have_the_run_held_instead(shop):
    shop.use(shop.settings.model_copy(update={"copied": CopySettings(found="hold")}))
    base = await shop.measure(Stage.BASE)

    assert found_needs(shop.state) == Needs()
    assert base.carried == ""
    assert base.lacking == (
        '`.env`, `../shared-data`, `SHOP_URL`; hint: write [copy] files = [".env", "../shared-data"] and '
        '[environment] pass = ["SHOP_URL"] into setpoint.toml'
    )


async def test_a_check_counts_what_the_users_own_command_counts(shop):
    seen = await shop.standing()

    assert seen.test_counts == {"passed": 5, "failed": 1}
    assert [each.test for each in seen.failures] == [WRONG]
    assert seen.carried == CARRIED


async def test_a_file_that_the_settings_name_is_there_from_the_start(bench):
    settings = QUICK
    made = await bench({**FILES, ".worktreeinclude": "build/\n"}, settings=settings, known_red=KnownRed.FIX)
    (made.root / ".env").write_text("KEY=1")
    (made.root / "build").mkdir()
    (made.root / "build" / "out.bin").write_text("x")
    made.use(made.settings.model_copy(update={"copied": CopySettings(files=("*.env", ".e*"))}))

    base = await made.measure(Stage.BASE)

    assert base.carried.startswith("`.env`, `build/out.bin`")
    assert not {ENV, BUILT} & {each.test for each in base.failures}
    assert not (Path(made.copy.path) / ".env").exists(), "agents do not get it"


CHAINED = """import os
URL, KEY = os.environ["SHOP_URL"], os.environ["SHOP_KEY"]

def test_both(): assert (URL, KEY) == ("sqlite://", "a key of mine")
"""


async def test_what_is_missed_one_after_the_other_is_found(bench, monkeypatch):
    made = await bench({**FILES, "tests/test_shop.py": CHAINED}, settings=QUICK)
    monkeypatch.setenv("SHOP_URL", "sqlite://")
    monkeypatch.setenv("SHOP_KEY", "a key of mine")

    base = await made.measure(Stage.BASE)

    assert base.carried == "`SHOP_URL`, `SHOP_KEY`"
    assert base.test_counts == {"passed": 1}


async def test_a_variable_that_leads_to_the_users_tree_is_not_carried(bench, monkeypatch):
    test = "import os\nfrom pathlib import Path\n"
    test += "def test_it(): assert (Path(os.environ['SHOP_HOME']) / 'calc.py').exists()\n"
    made = await bench({**FILES, "calc.py": "", "tests/test_shop.py": test}, settings=QUICK)
    monkeypatch.setenv("SHOP_HOME", str(made.root))

    base = await made.measure(Stage.BASE)

    assert found_needs(made.state) == Needs()
    assert base.test_counts == {"failed": 1}


async def test_a_check_whose_tests_fail_in_the_copy_alone_measured_nothing(bench, monkeypatch):
    test = "import os\ndef test_it(): assert os.environ.get('SHOP' + '_URL')\n"
    made = await bench({**FILES, "tests/test_shop.py": test}, settings=QUICK)
    monkeypatch.setenv("SHOP_URL", "sqlite://")

    seen = await made.standing()

    assert seen.failures == ()
    assert seen.untested.startswith("the tests fail in the copy alone")


async def test_a_link_to_a_folder_and_a_repository_inside_are_carried(bench, tmp_path: Path):
    test = "from pathlib import Path\nROOT = Path(__file__).parents[1]\n"
    test += "def test_link(): assert (ROOT / 'data' / 'a.txt').exists()\n"
    test += "def test_inside(): assert (ROOT / 'dep' / 'a.txt').exists()\n"
    ignored = FILES[".gitignore"] + "/data\n/dep/\n"
    made = await bench({**FILES, ".gitignore": ignored, "tests/test_shop.py": test}, settings=QUICK)
    for folder in (tmp_path / "elsewhere", made.root / "dep"):
        folder.mkdir()
        (folder / "a.txt").write_text("a")
    git(made.root / "dep", "init", "-q")
    (made.root / "data").symlink_to(tmp_path / "elsewhere")
    made.use(made.settings.model_copy(update={"copied": CopySettings(files=("data", "dep/**", "dep"))}))

    base = await made.measure(Stage.BASE)

    assert base.test_counts == {"passed": 2}


async def test_what_is_gone_is_not_said_to_be_given(bench):
    made = await bench({**FILES, "tests/test_shop.py": "def test_it(): pass\n"}, settings=QUICK)
    remember(made.state, Needs(files=(".env",), variables=("SHOP_THAT_NOBODY_SET",)))

    assert (await made.measure(Stage.BASE)).carried == ""


async def test_a_test_that_passes_only_at_the_path_of_the_tree_is_named_and_not_counted(bench, means):
    if why_not := await missing_namespaces():
        pytest.skip(f"nothing can be shown at another path here: {why_not}")
    test = "import json\nfrom pathlib import Path\nROOT = Path(__file__).parents[1]\n"
    test += "def test_place(): assert json.loads((ROOT / 'local.json').read_text())['root'] == str(ROOT)\n"
    test += "def test_writes(): Path(json.loads((ROOT / 'local.json').read_text())['root'], 'new').touch()\n"
    test += "def test_wrong(): assert 1 == 2\n"
    ignored = FILES[".gitignore"] + "local.json\nnew\n.venv\n"
    files = {**FILES, ".gitignore": ignored, "tests/test_shop.py": test}
    made = await bench(files, settings=QUICK, known_red=KnownRed.FIX)
    (made.root / "local.json").write_text(f'{{"root": "{made.root}"}}')
    (made.root / ".venv").mkdir()

    with holding(Hold(means=means, places=(made.copies / "measured",), depth=2)):
        base = await made.measure(Stage.BASE)

    place, writes = sorted(base.ours)
    assert place.startswith("tests/test_shop.py::test_place passes only at the path of your tree")
    assert writes.startswith("tests/test_shop.py::test_writes passes only at the path of your tree")
    assert [each.test for each in base.failures] == [WRONG]
    assert not (made.root / "new").exists()
    assert not [*(made.root / ".venv").iterdir()]
