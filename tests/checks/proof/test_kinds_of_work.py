"""What each kind of work must prove beside a witness, measured on real projects."""

import pytest

from setpoint.model.proof import ObligationState

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
PRICE = "def price(n):\n    return n * 100\n"
TEST = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
BLIND = "import shop\n\n\ndef test_price():\n    shop.price(2)\n"
SHOP = {"shop.py": PRICE, "tests/test_shop.py": TEST}
OLD_TEST = {
    "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert 100 < shop.price(2) < 400\n"
}
SKIPPED = f"import pytest\n\npytestmark = pytest.mark.skip\n\n{TEST}".replace("test_price", "test_more")
BETTER = "def price(n):\n    cents = 100\n    return cents * n\n"


async def test_a_refactoring_keeps_outcomes_and_public_names(obligations):
    said = await obligations(SHOP, {"shop.py": BETTER}, "refactor price")

    assert (said["witness"].state, said["sensitivity"].state) == (NONE, MET)
    assert (said["outcomes"].state, said["public names"].state) == (MET, MET)
    assert said["outcomes"].evidence == ("tests/test_shop.py::test_price",)
    assert "1 of 1 tests that passed at the base" in said["outcomes"].reason


async def test_a_refactoring_that_takes_a_public_name_away_is_not_proved(obligations):
    base = {**SHOP, "shop.py": f"{PRICE}\n\ndef twice(n):\n    return price(n) * 2\n"}
    said = await obligations(base, {"shop.py": BETTER}, "refactor shop")

    assert said["public names"].state is NOT_MET
    assert "shop: twice (it is gone)" in said["public names"].reason


async def test_a_public_name_may_go_where_the_request_names_it(obligations):
    base = {**SHOP, "shop.py": f"{PRICE}\n\ndef twice(n):\n    return price(n) * 2\n"}
    new = f"{PRICE}\n\ndef double(n):\n    return price(n) * 2\n"
    said = await obligations(base, {"shop.py": new}, "Rename twice to double")

    assert said["public names"].state is MET
    assert said["sensitivity"].state is NOT_MET


async def test_a_new_test_pins_what_a_refactoring_leaves_as_it_was(obligations):
    base = {**SHOP, "tests/test_shop.py": BLIND}
    pins = {"shop.py": BETTER, "tests/test_more.py": TEST}

    assert (await obligations(base, pins, "refactor price"))["sensitivity"].state is MET


async def test_a_changed_value_that_no_test_notices_is_not_proved(obligations):
    base = {
        "shop.py": f"RATE = 100\nNAME = 'a'\n\n\n{PRICE.replace('100', 'RATE')}",
        "tests/test_shop.py": TEST,
    }
    said = await obligations(base, {"shop.py": base["shop.py"].replace("'a'", "'b'")}, "add a name")

    assert said["sensitivity"].state is NOT_MET
    assert "no test notices another value at shop.py:2 (NAME = 'b')" in said["sensitivity"].reason


async def test_a_changed_value_that_a_test_notices_is_proved(obligations):
    base = {
        "shop.py": f"RATE = 99\n\n\n{PRICE.replace('100', 'RATE')}",
        "tests/test_shop.py": "def test_x(): pass\n",
    }
    change = {"shop.py": base["shop.py"].replace("99", "100"), "tests/test_more.py": TEST}
    said = await obligations(base, change, "fix the rate")

    assert (said["witness"].state, said["sensitivity"].state) == (MET, MET)
    assert "tests notice 1 of 1 mutants of the changed lines" in said["sensitivity"].reason


async def test_code_of_which_no_test_enters_the_larger_part_is_not_proved(obligations):
    more = (
        "\n\ndef export(rows):\n    text = ''\n    for row in rows:\n        text += row\n    return text\n"
    )
    new = "\n\ndef discount(n):\n    half = n // 2\n    return half\n"
    test = {"tests/test_more.py": "import shop\n\n\ndef test_more():\n    assert shop.discount(4) == 2\n"}
    said = await obligations(SHOP, {"shop.py": PRICE + new + more, **test}, "add a discount")

    assert said["sensitivity"].state is NOT_MET
    assert "no test enters shop.py::export, with 5 of 8 changed lines" in said["sensitivity"].reason


async def test_a_small_part_that_no_test_enters_is_named(obligations):
    new = "\n\ndef discount(n):\n    half = n // 2\n    return half\n\n\ndef _log(n):\n    return n\n"
    test = {"tests/test_more.py": "import shop\n\n\ndef test_more():\n    assert shop.discount(4) == 2\n"}
    said = await obligations(SHOP, {"shop.py": PRICE + new, **test}, "add a discount")

    assert said["sensitivity"].state is MET
    assert "no test enters shop.py::_log" in said["sensitivity"].reason


async def test_a_bump_must_be_locked(obligations):
    project = '[project]\nname = "shop"\nversion = "1"\ndependencies = ["left>=1"]\n'
    noted = 'requires-dist = [{ name = "left", specifier = ">=1" }]\n'
    lock = f'[[package]]\nname = "shop"\n[package.metadata]\n{noted}[[package]]\nname = "left"\n'
    base = {**SHOP, "pyproject.toml": project, "uv.lock": lock}
    change = {"pyproject.toml": project.replace(">=1", ">=2")}
    said = await obligations(base, change, "bump left to 2")

    assert said["lock file"].state is NOT_MET
    assert said["outcomes"].state is MET


async def test_styles_alone_need_a_command_or_a_person(obligations):
    base, change = {**SHOP, "shop.css": "a {}\n"}, {"shop.css": "a { color: red }\n"}
    said = await obligations(base, change, "tidy up the css")

    assert said["look"].state is NOT_MET
    assert "give an acceptance command" in said["look"].reason


async def test_a_command_of_the_person_shows_infrastructure(obligations):
    said = await obligations(
        {**SHOP, "Dockerfile": "FROM a\n"},
        {"Dockerfile": "FROM b\n"},
        "build from b",
        acceptance=("grep -q b Dockerfile",),
    )

    assert (said["witness"].state, said["look"].state) == (MET, MET)


RATES = {
    "shop.py": "def rate(text):\n    return float(text)\n",
    "rates/de.txt": "1\n",
    "tests/test_shop.py": (
        "from pathlib import Path\nfrom shop import rate\n\ndef test_rate():\n"
        "    found = next(Path(__file__).parents[1].glob('*/de.' + 'txt'))\n"
        "    assert rate(found.read_text()) == 2\n"
    ),
}


async def test_a_repair_of_data_that_no_code_names_needs_a_person(obligations):
    said = await obligations(RATES, {"rates/de.txt": "2\n"}, "fix the rate", known_red="fix")

    assert (said["witness"].state, said["look"].state) == (MET, NOT_MET)
    assert "no code of the base names it" in said["look"].reason


async def test_a_repair_of_data_that_code_names_is_shown_by_its_tests(obligations):
    base = {**RATES, "shop.py": "HERE = 'rates'\n" + RATES["shop.py"]}
    said = await obligations(base, {"rates/de.txt": "2\n"}, "fix the rate", known_red="fix")

    assert (said["witness"].state, said["look"].state) == (MET, MET)


async def test_documents_are_listed(obligations):
    said = await obligations(SHOP, {"README.md": "# Shop\n"}, "improve the docs")

    assert said["documents"].evidence == ("README.md",)


TWO = "import shop\n\n\ndef test_price():\n    assert shop.price(2) >= 2\n"


async def test_a_new_test_that_notices_more_than_the_others_is_proved(obligations):
    base = {**SHOP, "tests/test_shop.py": TWO}
    said = await obligations(base, {"tests/test_more.py": TEST}, "add tests for the price")

    assert said["new tests"].state is MET
    assert said["new tests"].evidence == ("tests/test_more.py::test_price",)


async def test_new_tests_that_notice_nothing_more_are_not_proved(obligations):
    said = await obligations(SHOP, {"tests/test_more.py": TWO}, "add tests for the price")

    assert said["new tests"].state is NOT_MET
    assert "test_more.py::test_price notices nothing that no other test notices" in said["new tests"].reason


async def test_a_new_test_that_asserts_nothing_is_named(obligations):
    base = {**SHOP, "tests/test_shop.py": TWO}
    both = (
        TEST
        + "\n\ndef test_again():\n    shop.price(2)\n\n\ndef test_same():\n    assert shop.price(3) == 300\n"
    )
    said = await obligations(base, {"tests/test_more.py": both}, "add tests for the price")

    assert said["new tests"].state is NOT_MET
    assert "tests/test_more.py::test_again notices nothing; " in said["new tests"].reason


async def test_a_new_test_may_notice_a_value_outside_functions(obligations):
    base = {"shop.py": PRICE.replace("def", "RATE = 100\n\n\ndef").replace("* 100", "* RATE"), **OLD_TEST}
    said = await obligations(base, {"tests/test_more.py": TEST}, "add tests for the price")

    assert said["new tests"].state is MET


async def test_docstrings_are_documents(obligations):
    new = PRICE.replace("    return", '    """Return the price."""\n    return')
    said = await obligations(SHOP, {"shop.py": new}, "improve the docstrings")

    assert said["documents"].state is MET
    assert (said["witness"].state, said["sensitivity"].state) == (NONE, NONE)


async def test_a_new_test_that_runs_a_program_is_asked_about_what_is_on_the_disk(obligations):
    base = {**SHOP, **OLD_TEST, "main.py": "import shop\n\nprint(shop.price(3))\n"}
    new = (
        "import subprocess\nimport sys\n\n\ndef test_it_prints_the_price():\n"
        "    done = subprocess.run([sys.executable, 'main.py'], capture_output=True, text=True, check=True)\n"
        "    assert done.stdout == '300\\n'\n\n\ndef test_nothing():\n    assert 'price'\n"
    )
    said = await obligations(base, {"tests/test_main.py": new}, "add tests for the program")

    assert said["new tests"].state is NOT_MET
    assert said["new tests"].reason.startswith("tests/test_main.py::test_nothing notices nothing:")
    assert said["new tests"].evidence == ("tests/test_main.py::test_it_prints_the_price",)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"TESTING.md": "Run pytest.\n"}, "no test is new or changed"),
        ({"tests/test_more.py": SKIPPED}, "tests/test_more.py::test_more skipped"),
        ({"tests/test_more.py": "# later\n"}, "tests/test_more.py is new, and no test in it ran"),
    ],
)
async def test_documents_and_skipped_tests_are_no_answer_to_a_request_for_tests(change, reason, obligations):
    said = await obligations(SHOP, change, "add tests for the price")

    assert said["new tests"].state is NOT_MET
    assert reason in said["new tests"].reason


async def test_types_without_code_are_not_a_witness(obligations):
    reads = "    assert 'discount' in Path('shop.pyi').read_text()\n"
    test = f"from pathlib import Path\n\n\ndef test_it():\n{reads}"
    change = {"shop.pyi": "def discount(n: int) -> int: ...\n", "tests/test_more.py": test}
    said = await obligations(SHOP, change, "Add discount(n) to shop.py")

    assert "passes without the changed code too" in said["witness"].reason
    assert "asks for discount, and no code has such a name" in said["named"].reason


ALL_NOTICED = {
    "shop.py": "def price(n):\n    return n * 100\n\n\ndef count(rows):\n    return len(rows)\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_it():\n    assert shop.price(3) == 300\n"
    "    assert shop.count([1, 2]) == 2\n",
}


@pytest.mark.parametrize(
    ("title", "state"),
    [("add a test for the count of nothing", MET), ("add tests for price", NOT_MET)],
)
async def test_a_new_case_counts_where_the_tests_of_the_base_notice_everything(title, state, obligations):
    test = "import shop\n\n\ndef test_nothing():\n    assert shop.count([]) == 0\n"
    said = await obligations(ALL_NOTICED, {"tests/test_more.py": test}, title)

    assert said["new tests"].state is state
