"""Tests that fail in a copy for what it lacks: found by trying and carried, never counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.checks.discovery.carried_files import found_needs
from setpoint.model.config.local_needs import CopySettings, Needs
from setpoint.model.evaluation import Stage
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

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

    assert found_needs(shop.state) == Needs(files=(".env", "../shared-data"), variables=("SHOP_URL",))
    assert base.carried == "`.env`, `../shared-data`, `SHOP_URL`"
    assert [each.test for each in base.failures] == [WRONG]
    (built,) = base.ours
    assert built.startswith(f"{BUILT} passes with `build/out.bin`, which git ignores and a build makes")
    assert base.known_red == (BUILT,)
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

    assert seen.test_counts == {"passed": 4, "failed": 2}
    assert [each.test for each in seen.failures] == [WRONG]
    assert seen.carried == "`.env`, `../shared-data`, `SHOP_URL`"


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
