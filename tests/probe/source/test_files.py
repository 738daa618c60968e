"""What the mechanic may change: never a test, by the same rule as everywhere else in Setpoint."""

import pytest

from setpoint.model.changes.test_paths import is_test_path
from setpoint_probe.source.files import SourceFiles, files_of_tests

PATHS = (
    *("shop/tests.py", "shop/test_price.py", "shop/price_test.py", "tests/data.py", "pkg/testing/fakes.py"),
    *("shop/price.py", "shop/testimony.py", "attest.py", "latest/x.py", "__tests__/a.py", "testdata/a.py"),
)


@pytest.mark.parametrize("path", PATHS)
def test_the_engine_and_the_guards_have_one_rule(path):
    assert SourceFiles("/work", (), ())(f"/work/{path}") is not is_test_path(path)


def test_the_files_of_failing_tests_are_no_sources(tmp_path):
    (tmp_path / "check_price.py").write_text("import shop\n\n\ndef test_price():\n    assert shop.price()\n")
    (tmp_path / "shop.py").write_text("def price(:\n")
    failing = (
        "check_all.py::TestAll::test_one[a.b]",
        "check_price.py",
        "shop.py",
        "fees.py::fees.fee",
        "gone.py",
    )

    found = files_of_tests(str(tmp_path), failing)

    assert found == {str(tmp_path / "check_all.py"), str(tmp_path / "check_price.py")}
    assert not SourceFiles(str(tmp_path), (), found)(str(tmp_path / "check_price.py"))
