"""Which packages a repository holds, which needs which, and which of them a change touches."""

from __future__ import annotations

import json

import pytest

from setpoint.checks.discovery.layout import configuration, read_layout
from setpoint.checks.discovery.workspaces import Workspaces
from several_packages import REPOSITORIES

AT = {"python": "packages/", "javascript": "packages/", "go": "", "rust": "crates/"}


def workspaces(files: dict[str, str]) -> Workspaces:
    known = tuple(files)
    return read_layout(known, {file: files[file] for file in configuration(known)}).workspaces


def needs(found: Workspaces) -> dict[str, set[str]]:
    return {each.folder: set(each.needs) for each in found.packages if each.folder}


@pytest.mark.parametrize("language", REPOSITORIES)
def test_packages_and_what_they_need_are_read(language: str) -> None:
    found, at = workspaces(REPOSITORIES[language]), AT[language]

    assert needs(found) == {f"{at}a": set(), f"{at}b": {f"{at}a"}, f"{at}c": set()}
    assert {each.language for each in found.packages if each.folder} == {language}
    assert all(each.workspace == "" for each in found.packages if each.folder)


@pytest.mark.parametrize("language", REPOSITORIES)
def test_a_change_touches_its_package_and_those_that_depend_on_it(language: str) -> None:
    found, at = workspaces(REPOSITORIES[language]), AT[language]

    assert found.touched([f"{at}a/x"]).reasons == {f"{at}a": "", f"{at}b": f"{at}a"}
    assert found.touched([f"{at}a/x"]).words == f"{at}a, {at}b (depends on {at}a)"
    assert found.touched([f"{at}b/x", f"{at}c/y"]).reasons == {f"{at}b": "", f"{at}c": ""}


@pytest.mark.parametrize(
    "path", ["package-lock.json", "tsconfig.json", "tools/build.js", "Cargo.toml", "uv.lock"]
)
def test_a_file_outside_all_packages_touches_all(path: str) -> None:
    touched = workspaces(REPOSITORIES["javascript"]).touched(["packages/c/x.js", path])

    assert touched.everything == f"{path} lies in none of them"
    assert touched.holds("packages/a")


@pytest.mark.parametrize("path", ["README.md", "docs/index.html", "LICENSE", ".github/workflows/ci.yml"])
def test_documents_touch_nothing(path: str) -> None:
    touched = workspaces(REPOSITORIES["javascript"]).touched([path])

    assert not touched.holds("packages/a")
    assert touched.words == "no package"


def test_dependents_of_dependents_are_touched() -> None:
    files = {"package.json": json.dumps({"workspaces": {"packages": ["libs/**", "!libs/old"]}})}
    for name, need in {"a": "", "b": "a", "c": "b", "old": "a"}.items():
        table = {"devDependencies": {need: "workspace:*"}} if need else {}
        files[f"libs/{name}/package.json"] = json.dumps({"name": name, **table})
    found = workspaces(files)

    assert "libs/old" not in needs(found)
    assert (
        found.touched(["libs/a/index.js"]).words
        == "libs/a, libs/b (depends on libs/a), libs/c (depends on libs/b)"
    )


def test_pnpm_names_its_packages_in_a_file_of_its_own() -> None:
    files = {
        "package.json": "{}",
        "pnpm-workspace.yaml": "packages:\n  - 'apps/*'\n  - '{libs,tools}/*'\n",
        "apps/web/package.json": '{"name": "web", "dependencies": {"ui": "link:../../libs/ui"}}',
        "libs/ui/package.json": '{"name": "@x/ui"}',
        "fixtures/one/package.json": '{"name": "one"}',
    }

    assert needs(workspaces(files)) == {"apps/web": {"libs/ui"}, "libs/ui": set()}


def test_crates_that_a_workspace_leaves_out_are_alone() -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\nexclude = ["fuzz"]\n'
        '[workspace.dependencies]\na = { path = "a" }\n',
        "a/Cargo.toml": '[package]\nname = "a"\n',
        "b/Cargo.toml": '[package]\nname = "b"\n'
        "[target.'cfg(unix)'.dev-dependencies]\na = { workspace = true }\n",
        "fuzz/Cargo.toml": '[package]\nname = "fuzz"\n[dependencies]\na = { path = "../a" }\n',
    }
    found = workspaces(files)

    assert {each.folder: each.workspace for each in found.packages} == {"a": "", "b": "", "fuzz": None}
    assert needs(found) == {"a": set(), "b": {"a"}, "fuzz": {"a"}}


def test_poetry_and_dependency_groups_name_packages_of_the_repository() -> None:
    files = {
        "a/pyproject.toml": '[project]\nname = "My.Lib"\n',
        "b/pyproject.toml": '[tool.poetry]\nname = "b"\n[tool.poetry.dependencies]\nx = { path = "../a" }\n',
        "c/pyproject.toml": '[project]\nname = "c"\n'
        '[dependency-groups]\ndev = ["my-lib>=1", {include-group = "x"}]\n',
    }

    assert needs(workspaces(files)) == {"a": set(), "b": {"a"}, "c": {"a"}}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "\x00", '{"workspaces": 3, "dependencies": []}', "[package\n"]
)
@pytest.mark.parametrize("name", ["package.json", "Cargo.toml", "go.mod", "pyproject.toml"])
def test_what_cannot_be_read_is_a_package_without_needs(name: str, text: str) -> None:
    found = workspaces({f"a/{name}": text, name: text})

    assert all(not each.needs for each in found.packages)


MODULE = "module example.com/{}\n\ngo 1.19\n"


def test_modules_that_the_go_work_above_them_leaves_out_are_known() -> None:
    files = {
        "go.work": 'go 1.19\n\nuse ./a\nuse (\n\t"./b" // the other\n)\n',
        "inner/go.work": "go 1.19\n\nuse (\n\t.\n\t./d\n)\n",
        **{f"{at}/go.mod": MODULE.format(at) for at in ("a", "b", "c", "inner", "inner/d", "inner/e")},
    }

    found = workspaces(files)

    assert found.unused == {"c", "inner/e"}
    assert {each.folder: each.workspace for each in found.packages} == {
        "a": "",
        "b": "",
        "c": None,
        "inner": "inner",
        "inner/d": "inner",
        "inner/e": None,
    }
    assert workspaces({"c/go.mod": files["c/go.mod"]}).unused == frozenset()
