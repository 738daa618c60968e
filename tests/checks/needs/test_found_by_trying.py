"""What tests need that no list of files shows: each kind is found by trying, or named."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.checks.needs.carried_files import found_needs, needs_of
from setpoint.errors import SettingsError
from setpoint.model.config.local_needs import CopySettings, EnvironmentSettings, Needs
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
IGNORED = ".setpoint\n__pycache__\ncorpus/\ndist/\n*.ini\n"
HEAD = "import os\nfrom pathlib import Path\n\nimport pytest\n\nROOT = Path(__file__).parents[1]\n\n"


def project(body: str, **others: str) -> dict[str, str]:
    return {".gitignore": IGNORED, "tests/test_a.py": f"{HEAD}{body}", **others}


async def test_a_test_that_skips_itself_without_a_file_runs_with_it(bench):
    body = (
        '@pytest.mark.skipif(not (ROOT / "corpus").is_dir(), reason="none")\ndef test_it(): assert 1 == 2\n'
    )
    made = await bench(project(body), settings=QUICK)
    write(made.root, {"corpus/a.txt": "a"})

    seen = await made.standing()

    assert seen.test_counts == {"failed": 1}
    assert seen.carried == "`corpus/a.txt`"


@pytest.mark.slow
async def test_a_file_that_skips_itself_without_a_variable_runs_with_it(bench, monkeypatch):
    body = 'if "SHOP_URL" not in os.environ: pytest.skip("no server", allow_module_level=True)\n'
    body += '@pytest.mark.skipif(os.name == "nt", reason="never")\ndef test_it(): pass\n'
    made = await bench(project(body), settings=QUICK)
    monkeypatch.setenv("SHOP_URL", "sqlite://")
    monkeypatch.setenv("SHOP_OTHER", "nobody asks")

    seen = await made.standing()

    assert seen.test_counts == {"passed": 1}
    assert found_needs(made.state) == Needs(variables=("SHOP_URL",))


@pytest.mark.slow
async def test_what_does_not_help_skipped_tests_is_tried_once(bench, tmp_path: Path):
    count = tmp_path / "count"
    body = f'Path({str(count)!r}).open("a").write("x")\n'
    body += '@pytest.mark.skipif(True, reason="never with corpus")\ndef test_it(): Path("corpus")\n'
    made = await bench(project(body), settings=QUICK)
    write(made.root, {"corpus/a.txt": "a"})

    runs = []
    for name in ("b.txt", "c.txt"):
        seen = await made.standing()
        runs.append(len(count.read_text()))
        write(made.root, {name: ""})

    assert (seen.carried, runs) == ("", [2, 3])


@pytest.mark.slow
async def test_a_folder_without_files_is_carried(bench):
    body = 'def test_it(): (ROOT / "tests/files/inner/a.txt").write_text("a")\n'
    made = await bench(project(body), settings=QUICK)
    (made.root / "tests" / "files" / "inner").mkdir(parents=True)

    seen = await made.standing()

    assert seen.test_counts == {"passed": 1}
    assert seen.carried == "`tests/files/inner/`"


@pytest.mark.slow
async def test_what_lies_two_folders_above_is_named(bench, tmp_path: Path):
    store = tmp_path.parent / f"{tmp_path.name}-store"
    write(store, {"a.txt": "a"})
    body = f'def test_it(): (ROOT / "../../{store.name}/a.txt").read_text()\n'
    made = await bench(project(body), settings=QUICK)

    seen = await made.standing()

    assert seen.failures == ()
    words = f"passes with `../../{store.name}` two folders above the root, which copies cannot have"
    assert seen.ours == (f"tests/test_a.py::test_it {words}",)


@pytest.mark.slow
async def test_a_path_that_is_too_long_in_the_copy_is_named(bench):
    made = await bench(project("def test_it(): assert len(str(ROOT)) < 50\n"), settings=QUICK)

    (ours,) = (await made.standing()).ours

    assert (
        "passes where the path of the copy is shorter; name a short folder in the setting cache_dir" in ours
    )


@pytest.mark.slow
async def test_a_test_that_a_sparse_checkout_leaves_out_is_not_counted(bench):
    others = {"old/tests/test_old.py": "import missing_since_long\ndef test_old(): pass\n", "shop/a.py": ""}
    made = await bench(project("def test_it(): pass\n", **others), settings=QUICK)
    git(made.root, "sparse-checkout", "set", "--cone", "tests")

    seen = await made.standing()

    assert seen.failures == ()
    assert seen.ours == ("old/tests/test_old.py lies outside of your sparse checkout",)


@pytest.mark.slow
async def test_a_need_that_no_failure_names_is_found_in_the_sources(bench, monkeypatch):
    code = (
        "import os\nfrom pathlib import Path\ndef level():\n    place = Path(__file__).with_name('my.ini')\n"
    )
    code += "    return place.read_text() if place.exists() else os.environ.get('SHOP_LEVEL', '')\n"
    made = await bench(project("from shop import level\ndef test_it(): assert level()\n"), settings=QUICK)
    write(made.root, {"shop.py": code, "my.ini": "3", "other.ini": "4", "conftest.py": ""})
    git(made.root, "add", "-A")

    assert (await made.standing()).carried == "`my.ini`"


BUILT = 'def test_it(): assert (ROOT / "dist/a.txt").read_text() == (ROOT / "a.txt").read_text()\n'


@pytest.mark.slow
async def test_the_projects_own_build_makes_generated_files_in_each_copy(bench):
    rule = "build:\n\tmkdir -p dist && cp a.txt dist/a.txt\n"
    made = await bench(project(BUILT, **{"a.txt": "one", "Makefile": rule}), settings=QUICK)
    write(made.root, {"dist/a.txt": "one"})

    first = await made.standing()
    write(made.root, {"a.txt": "two"})
    second = await made.standing()
    write(made.root, {"Makefile": "build:\n\tfalse\n"})
    broken = await made.standing()

    assert found_needs(made.state) == Needs(build="make build")
    assert (first.carried, first.test_counts) == ("what `make build` makes", {"passed": 1})
    assert second.test_counts == {"passed": 1}
    assert broken.test_counts == {"failed": 1}
    assert "before the tests `make build` runs: exit code 2" in broken.evidence_of("generated").reason


@pytest.mark.slow
async def test_without_a_build_step_generated_files_are_carried_as_they_lie(bench):
    made = await bench(project(BUILT, **{"a.txt": "one"}), settings=QUICK)
    write(made.root, {f"dist/{name}.txt": "one" for name in "abcdefg"})

    seen = await made.standing()

    assert seen.test_counts == {"passed": 1}
    assert seen.carried == "`dist/**` (as your last build left it)"


async def test_a_setting_that_no_copy_can_follow_is_refused(tmp_path: Path):
    copied = CopySettings(files=("../../store",))

    with pytest.raises(SettingsError, match="two folders above the root"):
        await needs_of(tmp_path, tmp_path, copied, EnvironmentSettings())
