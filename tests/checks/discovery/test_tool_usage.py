"""Which tools are the project's: what its own files say, with the reason; nothing is run."""

from __future__ import annotations

import pytest

from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.discovery.tool_usage import sources_among, use_of

CERTAIN = {
    "hook": (
        ".pre-commit-config.yaml",
        "repos:\n- repo: x\n  hooks:\n  - id: mypy\n  - {id: local, entry: python -m bandit}\n",
        {
            "mypy": ".pre-commit-config.yaml has the hook mypy",
            "bandit": ".pre-commit-config.yaml runs `bandit`",
        },
    ),
    "format is not lint": (
        ".pre-commit-config.yaml",
        "repos: [{hooks: [{id: ruff-format}]}]",
        {"ruff_format": ".pre-commit-config.yaml has the hook ruff-format"},
    ),
    "tox": (
        "tox.ini",
        """
[testenv:types]
deps =
    py311: pyright>=1
commands =
    {envpython} -m mypy \\
      src
    A=1 pylint src
""",
        {
            "mypy": "tox.ini runs `mypy src`",
            "pylint": "tox.ini runs `pylint src`",
            "pyright": "tox.ini names the package pyright",
        },
    ),
    "tox as TOML": (
        "tox.toml",
        "[env.lint]\ncommands = [['ruff', 'check', '.']]\ndeps = ['ty==1']\n",
        {"ruff": "tox.toml runs `ruff check .`", "ty": "tox.toml names the package ty"},
    ),
    "nox": (
        "noxfile.py",
        """
raise SystemExit('never run')

def types(session):
    session.install('vulture')
    session.run('python', '-m', 'mypy', 'src')
""",
        {"mypy": "noxfile.py runs `mypy src`", "vulture": "noxfile.py names the package vulture"},
    ),
    "make": (
        "Makefile",
        "mypy:\n\t@uv run ruff check . && .venv/bin/basedpyright\n",
        {
            "ruff": "Makefile runs `ruff check .`",
            "basedpyright": "Makefile runs `basedpyright`",
        },
    ),
    "groups and scripts": (
        "pyproject.toml",
        """
[project.optional-dependencies]
dev = ['Detect_Secrets>1; python_version > "3"']
[dependency-groups]
lint = ['bandit', {include-group = 'x'}]
[tool.poetry.group.dev.dependencies]
interrogate = '*'
[tool.hatch.envs.types.scripts]
check = ['mypy {args}', 'pyrefly check']
[tool.poe.tasks]
lint = {cmd = 'pylint src'}
""",
        {
            "detect_secrets": "pyproject.toml names the package Detect_Secrets",
            "bandit": "pyproject.toml names the package bandit",
            "interrogate": "pyproject.toml names the package interrogate",
            "mypy": "pyproject.toml runs `mypy {args}`",
            "pyrefly": "pyproject.toml runs `pyrefly check`",
            "pylint": "pyproject.toml runs `pylint src`",
        },
    ),
    "requirements": (
        "requirements-dev.txt",
        "# mypy\n-r other.txt\nruff==1 --hash=sha256:0\n",
        {"ruff": "requirements-dev.txt names the package ruff"},
    ),
    "node": (
        "package.json",
        '{"scripts": {"dup": "npx jscpd src"}, "devDependencies": {"pyright": "1"}}',
        {"jscpd": "package.json runs `jscpd src`", "pyright": "package.json names the package pyright"},
    ),
}
SUGGESTED = {
    "uv.lock": ('[[package]]\nname = "mypy"\n', "uv.lock names the package mypy"),
    ".github/workflows/ci.yml": (
        "jobs:\n  lint:\n    steps:\n    - uses: x\n    - run: |\n        pip install .\n        mypy src\n",
        ".github/workflows/ci.yml runs `mypy src`",
    ),
    ".gitlab-ci.yml": ("image: x\ntypes:\n  script:\n  - mypy\n", ".gitlab-ci.yml runs `mypy`"),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_what_the_projects_people_use_is_told_with_the_reason(name: str) -> None:
    file, text, expected = CERTAIN[name]

    assert sources_among((file, "src/a.py", f"docs/{file}")) == [file]
    assert dict(use_of({file: text}).certain) == expected


@pytest.mark.parametrize("file", SUGGESTED)
def test_what_only_a_lock_file_or_a_ci_server_names_is_suggested(file: str) -> None:
    text, reason = SUGGESTED[file]
    use = use_of({file: text})

    assert (dict(use.certain), dict(use.suggested)) == ({}, {"mypy": reason})


def test_what_is_certain_is_not_suggested_too() -> None:
    use = use_of({"uv.lock": SUGGESTED["uv.lock"][0], "Makefile": "x:\n\tmypy\n"})

    assert (dict(use.certain), dict(use.suggested)) == ({"mypy": "Makefile runs `mypy`"}, {})


def test_configuration_goes_before_all_other_signs() -> None:
    layout = read_layout(
        (), {"mypy.ini": "[mypy]\n", "Makefile": "x:\n\tmypy\n", "uv.lock": SUGGESTED["uv.lock"][0]}
    )

    assert dict(layout.used) == {"mypy": "mypy is configured in mypy.ini"}
    assert dict(layout.suggested) == {}


@pytest.mark.parametrize(
    "text", ["", "[", "- x", "{", "a: b", "[x]\n=", "\0", "[]", "1", "repos: 1", "jobs: {a: 1}"]
)
@pytest.mark.parametrize("file", [*(file for file, _, _ in CERTAIN.values()), *SUGGESTED])
def test_a_file_that_is_not_what_its_name_says_tells_nothing(file: str, text: str) -> None:
    use = use_of({file: text})

    assert (dict(use.certain), dict(use.suggested)) == ({}, {})


@pytest.mark.parametrize(
    ("file", "text", "pin"),
    [
        (".pre-commit-config.yaml", "repos: [{repo: x, rev: v0.4.1, hooks: [{id: ruff}]}]", "0.4.1"),
        ("requirements-dev.txt", "ruff[x]==0.4.1 ; python_version > '3.8'\n", "0.4.1"),
        ("pyproject.toml", "[dependency-groups]\nlint = ['ruff == 0.4.1']\n", "0.4.1"),
        ("uv.lock", '[[package]]\nname = "ruff"\nversion = "0.4.1"\n', "0.4.1"),
        ("requirements.txt", "ruff>=0.4.1\n", ""),
        (".pre-commit-config.yaml", "repos: [{repo: x, rev: main, hooks: [{id: ruff}]}]", ""),
    ],
)
def test_the_version_that_a_project_pins_is_read(file: str, text: str, pin: str) -> None:
    assert use_of({file: text}).pinned.get("ruff", ("", file)) == (pin, file)


def test_of_two_pins_the_one_that_people_run_counts() -> None:
    lock = '[[package]]\nname = "ruff"\nversion = "0.9.0"\n'

    assert use_of({"uv.lock": lock, "requirements.txt": "ruff==0.4.1"}).pinned["ruff"][0] == "0.4.1"


def test_a_package_of_node_is_pinned_by_a_plain_version_alone() -> None:
    text = '{"devDependencies": {"oxlint": "1.58.0", "eslint": "^9.0.0"}}'

    assert dict(use_of({"package.json": text}).pinned) == {"oxlint": ("1.58.0", "package.json")}
