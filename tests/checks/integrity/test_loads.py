"""What is loaded before the tests is compared with the base, however it gets there."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.loads import Loads
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Loading

PLUGIN = ("early", "src/early.py")
CONFTEST = ("conftest", "conftest.py")
OF_BASE = Loading(
    unasked=(PLUGIN, ("outside", "/elsewhere/outside.py")),
    before_tests=(PLUGIN, ("outside", "/elsewhere/outside.py"), CONFTEST, ("calc", "src/calc.py")),
    names=("early", "conftest", "calc", "test_calc"),
)
UNASKED = {
    "new module": ("packaging", "src/packaging/__init__.py"),
    "file of the base that is loaded now": ("tool", "tools/tool.py"),
    "outside": ("planted", "/planted.py"),
}
EARLY = {
    "new module": ("new", "src/new.py"),
    "in an archive": ("zipped.inner", "lib.zip/zipped/inner.py"),
}
EXPECTED = {
    "a module that conftest.py makes": ("made", "/tmp/x1y2/made.py"),
    "conftest": ("below.conftest", "below/conftest.py"),
    "part of a package that the base loads": ("calc.inner", "src/calc/inner.py"),
    "imported by a test": ("wanted", "src/wanted.py"),
    "of tests": ("factories", "tests/factories.py"),
    "imported by a source": ("deep", "src/deep.py"),
    "unchanged": ("tool", "tools/tool.py"),
}
CHANGED = frozenset(
    {
        "src/new.py", "lib.zip", "src/calc/inner.py", "src/wanted.py", "tests/factories.py",
        "below/conftest.py", "src/packaging/__init__.py", "src/early.py", "src/deep.py", "src/deeper.py",
    }
)  # fmt: skip


def found(*unasked: tuple[str, str], early: tuple[tuple[str, str], ...] = ()) -> list[str]:
    now = Loading(
        unasked=(*OF_BASE.unasked, *unasked),
        before_tests=(*OF_BASE.before_tests, *unasked, *early),
        names=OF_BASE.names,
    )
    tests = ("import os, wanted  # and more\nfrom calc import add\n",)
    sources = {"src/calc.py": "import deep\n", "src/deep.py": "from deeper import x\n"}
    sources["conftest.py"] = "import new\n"
    loads = Loads(
        base=OF_BASE,
        now=now,
        changed=CHANGED,
        tests=tests,
        sources=sources,
        apart={"tests/factories.py"},
    )
    return [each.message.partition(":")[0] for each in loads.findings()]


@pytest.mark.parametrize("name", UNASKED)
def test_what_starts_with_the_runner_is_found(name: str) -> None:
    assert found(UNASKED[name]) == [UNASKED[name][1]]


def test_a_plugin_of_the_project_may_change_and_grow() -> None:
    assert found(("early.part", "src/early/part.py"), PLUGIN) == []


@pytest.mark.parametrize("name", EARLY)
def test_what_comes_before_the_tests_is_found(name: str) -> None:
    path = EARLY[name][1]
    assert found(early=(EARLY[name],)) == ["lib.zip" if path.startswith("lib.zip") else path]


def test_what_sources_of_sources_import_is_free() -> None:
    assert found(early=(("deep", "src/deep.py"), ("deeper", "src/deeper.py"))) == []
    assert found(early=(("deeper", "src/deeper.py"),)) == ["src/deeper.py"]


@pytest.mark.parametrize("name", EXPECTED)
def test_what_tests_and_their_sources_need_is_free(name: str) -> None:
    assert found(early=(EXPECTED[name],)) == []


CONFTEST_OF_BASE = "import pytest\nimport calc\n\n\n@pytest.fixture\ndef one():\n    return 1\n"
PROJECT = {
    "src/calc.py": "def add(a, b):\n    return a + b\n",
    "src/early.py": "try:\n    import extra\nexcept ImportError:\n    pass\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "conftest.py": CONFTEST_OF_BASE,
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p early"\n',
}
WORK = {
    "by a plugin of the base": ({"src/extra.py": "x = 1\n"}, "src/extra.py"),
    "by conftest.py": (
        {"src/steer.py": "x = 1\n", "conftest.py": f"import steer\n{CONFTEST_OF_BASE}"},
        "src/steer.py",
    ),
    "not at all": (
        {
            "src/calc.py": "import inner\n\n\ndef add(a, b):\n    return inner.plus(a, b)\n",
            "src/inner.py": "def plus(a, b):\n    return a + b\n",
        },
        "",
    ),
}


@pytest.mark.parametrize("name", WORK)
async def test_what_the_tests_load_is_measured(bench, name: str) -> None:
    files, path = WORK[name]
    made = await bench(PROJECT)
    await made.measure(Stage.BASE)
    await made.change(files)

    evaluated = await made.measure(Stage.TEST)

    found = [each.file for each in evaluated.findings if each.rule == "startup"]
    assert (found, bool(evaluated.blocking)) == ([path] if path else [], bool(path))


async def test_a_person_can_release_what_is_loaded_first(bench) -> None:
    made = await bench(PROJECT, granted=("src/extra.py",))
    await made.measure(Stage.BASE)
    await made.change({"src/extra.py": "x = 1\n"})

    assert not (await made.measure(Stage.TEST)).blocking
