"""Several projects in one tree: the name a module is imported by, and where its tests go."""

import pytest

from setpoint_mechanic.generate.test_files import place_for
from setpoint_probe.source.import_roots import import_roots, module_of

CASES = {
    "packages/foo/src/foo/x.py": ("foo.x", "packages/foo/tests/test_foo_x_pinned.py"),
    "packages/bar/bar/y.py": ("bar.y", "packages/bar/tests/test_bar_y_pinned.py"),
    "src/main/z.py": ("main.z", "tests/test_main_z_pinned.py"),
    "loose/spaced/w.py": ("loose.spaced.w", "tests/test_loose_spaced_w_pinned.py"),
    "top.py": ("top", "tests/test_top_pinned.py"),
    "packages/foo/src/foo/__init__.py": ("foo", "packages/foo/tests/test_foo_pinned.py"),
}


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for file in (
        *CASES,
        *("packages/bar/bar/__init__.py", "src/main/__init__.py", "packages/bar/pyproject.toml"),
        *("packages/foo/tests/test_a.py", "tests/test_b.py", "pyproject.toml"),
    ):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    return root


@pytest.mark.parametrize("file", CASES)
def test_a_module_is_named_from_its_own_project_and_its_tests_lie_there(tree, file):
    module, place = CASES[file]

    assert module_of(tree, file) == module
    if file.startswith("packages/bar"):  # it has none yet: those of the tree take them
        place = "tests/test_bar_y_pinned.py"
    assert place_for(tree, file, []) == place


def test_each_project_is_imported_from(tree):
    assert import_roots(str(tree), CASES) == (
        f"{tree}/packages/foo/src",
        f"{tree}/packages/bar",
        f"{tree}/src",
    )


def test_tests_are_written_for_a_project_inside_the_tree(tmp_path, cover):
    root = tmp_path / "project"
    (root / "packages" / "foo" / "src" / "foo").mkdir(parents=True)
    (root / "packages" / "foo" / "src" / "foo" / "__init__.py").write_text("", "utf-8")
    file = "packages/foo/src/foo/fees.py"
    (root / file).write_text("def fee(total: int) -> int:\n    return 1 if total < 10 else 2\n", "utf-8")

    result = cover(root, file, module_of(root, file), wall_s=4.0)

    assert result.status == "written"
    assert result.orders >= 1
    assert "foo.fees" in result.text
