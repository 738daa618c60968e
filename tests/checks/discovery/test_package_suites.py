"""Which packages have tests in other languages, and what of installed ones reaches the measured tree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setpoint.checks.discovery.layout import configuration
from setpoint.checks.discovery.linked_packages import fingerprint, link_packages, lock_note
from setpoint.checks.discovery.own_commands.found import own_commands
from setpoint.checks.discovery.package_suites import found_suites, manifests, package_folders
from setpoint.checks.suites.package_suite import owner


def suites(files: dict[str, object]) -> dict[str, tuple[str, ...]]:
    texts = {path: text if isinstance(text, str) else json.dumps(text) for path, text in files.items()}
    found = found_suites(texts, {path: texts[path] for path in manifests(texts)})
    return {name: each.folders for name, each in found.items()}


def scripts(**named: str) -> dict[str, object]:
    return {"scripts": named}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": scripts(test="vitest run")}, {"vitest": ("",)}),
        ({"package.json": scripts(test="cross-env A=1 jest --ci")}, {"jest": ("",)}),
        ({"package.json": scripts(test="node --import tsx --test")}, {"node_test": ("",)}),
        ({"package.json": scripts(test="node test.js")}, {}),
        ({"package.json": scripts(lint="eslint .", build="tsc")}, {}),
        ({"package.json": {"devDependencies": {"vitest": "3"}}, "vitest.config.ts": ""}, {"vitest": ("",)}),
        ({"package.json": {"devDependencies": {"vitest": "3"}}}, {}),
        ({"package.json": {"jest": {}}, "a.test.js": ""}, {"jest": ("",)}),
        ({"package.json": "{", "a.test.js": ""}, {}),
        (
            {
                "package.json": scripts(test="npm -ws test"),
                "a/package.json": scripts(test="vitest"),
                "b/package.json": scripts(test="jest"),
            },
            {"vitest": ("a",), "jest": ("b",)},
        ),
        (
            {"package.json": scripts(test="vitest"), "a/package.json": scripts(test="vitest")},
            {"vitest": ("",)},
        ),
        ({"node_modules/x/package.json": scripts(test="jest")}, {}),
        ({"go.mod": "module m", "a_test.go": ""}, {"go_test": ("",)}),
        ({"go.mod": "module m", "a.go": ""}, {}),
        ({"web/go.mod": "module m", "web/a/a_test.go": "", "b_test.go": ""}, {"go_test": ("web",)}),
        ({"Cargo.toml": "", "crates/a/Cargo.toml": "", "src/lib.rs": ""}, {"cargo_test": ("",)}),
        ({"a/Cargo.toml": "", "b/Cargo.toml": ""}, {"cargo_test": ("a", "b")}),
    ],
)
def test_runners_and_their_packages(files: dict[str, object], expected: dict[str, tuple[str, ...]]) -> None:
    assert suites(files) == expected


def test_each_test_has_one_owner() -> None:
    every = ("vitest", "jest", "node_test", "go_test", "cargo_test")
    owners = {
        "tests/test_a.py::test_a": "",
        "test/a.test.ts::calc > adds": "vitest",
        "example.com/calc::TestAdd/small": "go_test",
        "example.com/calc": "go_test",
        "gopkg.in/yaml.v3::TestDecode": "go_test",
        "example.com::FuzzAll": "go_test",
        "src/lib.rs::tests::adds": "cargo_test",
        "doc calc::src/lib.rs - add": "cargo_test",
    }

    assert {test: owner(test, every) for test in owners} == owners
    assert owner("a.test.js::x", ("jest", "go_test")) == "jest"


def installed(root: Path) -> None:
    for name in ("left", "@scope/right"):
        (root / "node_modules" / name).mkdir(parents=True)
    (root / "node_modules" / ".cache").mkdir()
    (root / "node_modules" / ".bin").mkdir()
    (root / "packages" / "own").mkdir(parents=True)
    (root / "node_modules" / "own").symlink_to(root / "packages" / "own")


def test_installed_packages_are_links_and_those_of_the_repository_the_measured_ones(tmp_path: Path) -> None:
    root, place = tmp_path / "user", tmp_path / "measured"
    installed(root)
    (place / "packages" / "own").mkdir(parents=True)

    link_packages(root, place, ("", "gone"), frozenset())

    made = place / "node_modules"
    assert made.is_dir()
    assert not made.is_symlink()
    assert (made / "left").resolve() == root / "node_modules" / "left"
    assert (made / "@scope" / "right").resolve() == root / "node_modules" / "@scope" / "right"
    assert (made / "own").resolve() == place / "packages" / "own"
    assert sorted(each.name for each in made.iterdir()) == [".bin", "@scope", "left", "own"]
    (made / ".cache").mkdir()
    (made / ".cache" / "new").touch()
    assert not (root / "node_modules" / ".cache" / "new").exists()
    assert (made / "new").exists() is False


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_packages_that_the_work_commits_are_taken_away(tmp_path: Path, kind: str) -> None:
    root, place = tmp_path / "user", tmp_path / "measured"
    installed(root)
    place.mkdir()
    if kind == "folder":
        (place / "node_modules" / "left").mkdir(parents=True)
        (place / "node_modules" / "left" / "index.js").write_text("fake")
    else:
        (place / "node_modules").symlink_to(tmp_path)

    link_packages(root, place, ("",), frozenset())

    assert (place / "node_modules" / "left").is_symlink()
    assert (place / "node_modules" / "left").resolve() == root / "node_modules" / "left"
    assert root.is_dir()


def test_packages_under_version_control_are_left(tmp_path: Path) -> None:
    root, place = tmp_path / "user", tmp_path / "measured"
    installed(root)
    (place / "node_modules" / "left").mkdir(parents=True)

    link_packages(root, place, ("",), frozenset({"node_modules"}))

    assert not (place / "node_modules" / "left").is_symlink()


def test_the_lock_file_is_compared_and_installing_is_noticed(tmp_path: Path) -> None:
    root, place = tmp_path / "user", tmp_path / "measured"
    installed(root)
    place.mkdir()
    assert lock_note(root, place, ("",)).endswith("no lock file")
    (root / "package-lock.json").write_text("{}")
    assert "another than the measured package-lock.json" in lock_note(root, place, ("",))
    (place / "package-lock.json").write_text("{}")
    assert "the same package-lock.json" in lock_note(root, place, ("",))

    before = fingerprint(root, ("",))
    (root / "node_modules" / "@scope" / "new").mkdir()
    assert fingerprint(root, ("",)) != before
    assert package_folders(["a/package.json", "package.json", "go.mod"]) == ("", "a")


def test_packages_are_not_linked_through_a_link_that_the_work_put_there(tmp_path: Path) -> None:
    root, place, other = tmp_path / "user", tmp_path / "measured", tmp_path / "other project"
    (root / "packages" / "own" / "node_modules" / "left").mkdir(parents=True)
    (other / "node_modules" / "theirs").mkdir(parents=True)
    (place / "packages").mkdir(parents=True)
    (place / "packages" / "own").symlink_to(other)

    link_packages(root, place, ("packages/own",), frozenset())

    assert [each.name for each in (other / "node_modules").iterdir()] == ["theirs"]


@pytest.mark.parametrize(
    ("files", "texts", "expected"),
    [
        (
            ("go.mod", "a_test.go", "Makefile"),
            {"Makefile": "test:\n\tgo test -v -race -tags=net -coverprofile=c.out ./...\n"},
            {"go_test": ("-race", "-tags=net")},
        ),
        (("go.mod", "a_test.go", "Makefile"), {"Makefile": "test:\n\tgo test ./...\n"}, {}),
        (("go.mod", "a_test.go", "Makefile"), {"Makefile": "lint:\n\tgo vet -race ./...\n"}, {}),
        (
            ("Cargo.toml", "Makefile"),
            {"Makefile": "test:\n\tcargo test --locked --features 'a b' -- --nocapture\n"},
            {"cargo_test": ("--features", "a b")},
        ),
        (
            ("pom.xml", "ATest.java", "Makefile"),
            {"Makefile": "test:\n\t./mvnw -B -Pci -DskipTests=false -Dtest=X -Da=b verify\n"},
            {"maven": ("-Pci", "-Da=b")},
        ),
    ],
)
def test_options_of_the_own_command_reach_runners_that_are_called_otherwise(
    files: tuple[str, ...], texts: dict[str, str], expected: dict[str, tuple[str, ...]]
) -> None:
    held = {**dict.fromkeys(manifests(files), ""), **texts}
    found = found_suites(files, held, own_commands(held))

    assert {name: each.options[""] for name, each in found.items() if each.options} == expected


def test_the_file_of_every_kind_of_package_is_read():
    named = ("package.json", "a/go.mod", "Cargo.toml", "pom.xml", "b/build.gradle.kts")
    assert set(named) <= set(configuration(named))
