"""What a chore changes in manifests beside what is asked for is named."""

import pytest

from setpoint.checks.proof.kinds.manifests.asked_keys import acts, asked
from setpoint.checks.proof.kinds.manifests.keys import changed_keys
from setpoint.checks.proof.kinds.manifests.spoken import speaks_of_settings
from setpoint.model.ids import StoryId
from setpoint.model.proof import ObligationState
from setpoint.model.stories.story import Story

PYPROJECT = """\
[project]
name = "shop"
version = "1.0"
classifiers = ["Topic :: Office"]
dependencies = ["attrs>=23", "click"]

[tool.setuptools]
packages = ["shop"]

[tool.setuptools.package-data]
shop = ["data/*.csv"]

[tool.ruff]
line-length = 88
"""
CARGO = '[package]\nname = "shop"\n\n[profile.release]\n'
PACKAGE = '{"name": "shop", "main": "a.js", "dependencies": {"left": "1"}}'
GO = "module shop\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.0.0\n)\n"


TOML = "pyproject.toml"
DEPENDENCIES = "project.dependencies"
BACK = 'strip = true\npanic = "abort"\n'


def _unasked(path, old, new, wish):
    changed = changed_keys({path: old.encode()}, {path: new.encode()})
    return [".".join(each.key) for each in changed if acts(each) and not asked(each, wish)]


@pytest.mark.parametrize(
    ("path", "base", "old", "new", "wish", "unasked"),
    [
        (TOML, PYPROJECT, '"attrs>=23"', '"attrs>=24"', "Bump attrs to 24", []),
        (TOML, PYPROJECT, '"attrs>=23"', '"attrs>=24"', "Upgrade all dependencies", []),
        (TOML, PYPROJECT, '"1.0"', '"1.1"', "Release 1.1", []),
        (TOML, PYPROJECT, "Office", "Games", "bump attrs", []),
        (TOML, PYPROJECT, "88", "100", "bump attrs", []),
        (TOML, PYPROJECT, '"click"]', '"click", "rich"]', "Add rich to the dependencies", []),
        (TOML, PYPROJECT, ', "click"', "", "Remove click, nothing uses it", []),
        (TOML, PYPROJECT, '"click"]', '"click"]\nscripts.a = "b"', "bump attrs", ["project.scripts.a"]),
        (TOML, PYPROJECT, '"click"]', '"click", "evil"]', "Bump attrs", [f"{DEPENDENCIES}.evil"]),
        (TOML, PYPROJECT, ', "click"', "", "Bump attrs", [f"{DEPENDENCIES}.click"]),
        (
            TOML, PYPROJECT, '"attrs>=23"', "\"attrs>=24; python_version < '3'\"", "Bump attrs",
            [f"{DEPENDENCIES}.attrs.marker"],
        ),
        (
            TOML, PYPROJECT, 'shop = ["data/*.csv"]', "", "Add the classifier Games",
            ["tool.setuptools.package-data.shop.data/*.csv"],
        ),
        ("Cargo.toml", CARGO, "release]\n", "release]\nstrip = true\n", "strip the release build", []),
        (
            "Cargo.toml", CARGO, "release]\n", f"release]\n{BACK}", "strip the release build",
            ["profile.release.panic"],
        ),
        ("package.json", PACKAGE, '"1"', '"2"', "Bump left to 2", []),
        ("package.json", PACKAGE, '"a.js"', '"b.js"', "Bump left to 2", ["main"]),
        ("package.json", PACKAGE, '"main"', '"files": ["a.js"], "main"', 'add a list of "files"', []),
        ("go.mod", GO, "v1.0.0", "v1.1.0", "Bump example.com/a", []),
        ("go.mod", GO, ")\n", ")\n\nexclude example.com/b v1.0.0\n", "Bump a", ["exclude.example.com/b"]),
        ("requirements.txt", "attrs==23\n", "23", "24", "Bump attrs", []),
        ("requirements.txt", "attrs==23\n", "attrs", "evil==1\nattrs", "Bump attrs", ["requirements.evil"]),
        ("setup.cfg", "[options]\npackages =\n    a\n    b\n", "    b\n", "", "", ["options.packages.b"]),
        ("setup.cfg", "[flake8]\nmax = 1\n", "1", "2", "Bump attrs", []),
    ],
)  # fmt: skip
def test_what_is_not_asked_for_is_told_apart(path, base, old, new, wish, unasked):
    assert _unasked(path, base, base.replace(old, new), wish) == unasked


def test_a_table_that_moves_to_another_file_is_no_change():
    before = {
        "setup.cfg": b"[options]\ninstall_requires =\n    attrs>=23\n    click\n",
        "pyproject.toml": b"",
    }
    after = {"pyproject.toml": b'[project]\ndependencies = ["attrs>=23", "click"]\n'}

    assert changed_keys(before, after) == []


@pytest.mark.parametrize(
    ("title", "old", "new", "spoken"),
    [
        ("Set the line length of ruff to 100", "88", "100", True),
        ("Add the classifier Games to pyproject.toml", "Office", "Games", True),
        ("Add rich to the dependencies", '"click"]', '"click", "rich"]', True),
        ("Retry failing requests, with tenacity", '"click"]', '"click", "tenacity"]', False),
        ("Add function slug() and bump pyproject.toml", '"1.0"', '"1.1"', False),
    ],
)
def test_a_request_that_names_no_kind_may_be_about_settings(title, old, new, spoken):
    story = Story(id=StoryId("s"), title=title)
    before = {"pyproject.toml": PYPROJECT.encode()}
    after = {"pyproject.toml": PYPROJECT.replace(old, new).encode()}

    assert speaks_of_settings(story, ["pyproject.toml"], before, after) is spoken


async def test_a_chore_that_changes_what_is_packaged_beside_it_is_not_proved(obligations):
    base = {
        "shop.py": "def price(n):\n    return n\n",
        "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 2\n",
        "pyproject.toml": PYPROJECT,
    }
    new = PYPROJECT.replace("88", "100").replace('shop = ["data/*.csv"]', "")
    title = "Set the line length of ruff to 100 in pyproject.toml"
    said = await obligations(base, {"pyproject.toml": new}, title, may_change=("pyproject.toml",))

    assert said["settings"].state is ObligationState.NOT_MET
    assert "pyproject.toml: `tool.setuptools.package-data.shop.data/*.csv` is gone" in said["settings"].reason
    assert said["witness"].state is ObligationState.NOT_APPLICABLE
