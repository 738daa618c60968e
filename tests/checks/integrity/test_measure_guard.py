"""Files of the measure apart from the tests are restored as tests are, and released as tests are."""

from __future__ import annotations

from setpoint.model.evaluation import Stage
from setpoint.settings import ChecksSettings

OFF = ChecksSettings(
    bandit=False, coverage=False, reruns=0, pytest=False, ruff=False, mypy=False, mutation=False
)
GOLDEN = "golden/report.txt"
REPORT = {
    "rep.py": "def report(rows):\n    return rows\n",
    GOLDEN: "a: 1.00\n",
    "tests/test_rep.py": (
        "from pathlib import Path\nfrom rep import report\n\ndef test_report():\n"
        "    assert report('') == (Path(__file__).parent.parent / 'golden' / 'report.txt').read_text()\n"
    ),
}
CASES = "goldens/cases.yml"
SAME = "support/same.py"
HELD = {
    "rep.py": "def report(rows):\n    return rows\n",
    CASES: "given: a\n",
    SAME: "def same(got, want):\n    return got == want\n",
    "tests/test_rep.py": (
        "from pathlib import Path\nfrom rep import report\nfrom support.same import same\n\n"
        "def test_report():\n"
        "    held = (Path(__file__).parent.parent / 'goldens' / 'cases.yml').read_text()\n"
        "    assert same(report('given: a'), held.strip())\n"
    ),
}
OWN = {
    "Makefile": "test:\n\tbash ci/run_tests.sh\n",
    "ci/run_tests.sh": (
        "#!/bin/bash\nkey=$(cat lib.sh | cksum | cut -d' ' -f1)\nif [ -f .cache/$key ]; then exit 0; fi\n"
        "bash tests/sub.sh\n"
    ),
    "lib.sh": "sub() { echo $(($1 + $2)); }\n",
    "tests/sub.sh": '. ./lib.sh\n[ "$(sub 3 2)" = 1 ]\n',
}


async def test_expected_output_apart_from_the_tests_is_restored_and_blocks(bench) -> None:
    made = await bench(REPORT, settings=OFF)

    await made.change({GOLDEN: "a: 1.0\n"})
    evaluated = await made.measure(Stage.EVALUATE)

    assert made.restored == [(GOLDEN,)]
    assert (made.tree / GOLDEN).read_text() == REPORT[GOLDEN]
    assert "belongs to the measure" in evaluated.blocking[0].message


async def test_expected_values_in_yaml_and_a_truth_with_which_tests_measure_are_restored(bench) -> None:
    made = await bench(HELD, settings=OFF)

    await made.change({CASES: "given: b\n", SAME: "def same(got, want):\n    return True\n"})
    evaluated = await made.measure(Stage.EVALUATE)

    assert made.restored == [(CASES, SAME)]
    assert {each.file for each in evaluated.blocking} == {CASES, SAME}


async def test_a_released_file_of_the_measure_stays(bench) -> None:
    made = await bench(REPORT, settings=OFF, may_change=("golden",))

    await made.change({GOLDEN: "a: 1.0\n", "rep.py": "def report(rows):\n    return 'a: 1.0'\n"})

    assert made.restored == [()]


async def test_a_new_cache_entry_of_the_own_command_is_removed_without_blame(bench) -> None:
    made = await bench(OWN, settings=OFF)
    await made.evaluator.prepare(made.order, made.copy)

    await made.change({".cache/1234": "", "lib.sh": "sub() { echo 1; }\n"})
    evaluated = await made.measure(Stage.EVALUATE)

    assert made.restored == [(".cache/1234",)]
    assert not (made.tree / ".cache/1234").exists()
    assert [each.blocking for each in evaluated.findings if each.rule == "protected"] == [False]


async def test_the_script_that_the_own_command_runs_is_restored_and_may_gain_a_test(bench) -> None:
    made = await bench(OWN, settings=OFF)
    await made.evaluator.prepare(made.order, made.copy)
    script = OWN["ci/run_tests.sh"]

    await made.change({"ci/run_tests.sh": script + "exit 0\n"})
    await made.change({"ci/run_tests.sh": script + "bash tests/add.sh\n", "tests/add.sh": ". ./lib.sh\n"})

    assert made.restored == [("ci/run_tests.sh",), ()]
