"""Package caches of the user that held commands see through links, and add to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from setpoint.model.config.sandbox import Means
from setpoint.system.processes import Command, Completed, Hold, clean_environment, holding, run
from setpoint.system.processes.fresh_home import home_rules
from setpoint.system.processes.linked_cache import LinkedCache

Shell = Callable[..., Command]
CRATE = ".cargo/registry/src/index/dep-1.0.0/lib.rs"
MODULE = "go/pkg/mod/example.com/dep@v1.0.0/dep.go"
MORE = {
    ".cargo/config.toml": "kept",
    ".cargo/.package-cache": "",
    "go/pkg/mod/cache/download/example.com/dep/@v/v1.0.0.zip": "kept",
    "go/pkg/mod/cache/download/example.com/dep/@v/v1.0.0.lock": "",
    "go/pkg/mod/example.com/block/dep@v2.0.0/dep.go": "kept",
}


def written(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    written(tmp_path / "user", {CRATE: "kept", MODULE: "kept", **MORE})
    return tmp_path / "user"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    place = tmp_path / "measured" / "one"
    written(place, {"go.mod": "module example.com/calc\n", "rust/calc/Cargo.toml": "[package]\n"})
    return place


@pytest.fixture
def shell(user: Path, tree: Path, means: Means) -> Iterator[Callable[..., object]]:
    def made(script: str, lasting: Path | None = None) -> Command:
        return Command(
            argv=("sh", "-ec", script),
            cwd=tree,
            timeout_s=60.0,
            environment=clean_environment({"HOME": str(user)}),
            writes=(lasting,) if lasting else (),
            lasting=lasting,
        )

    with holding(Hold(means=means, places=(tree.parent,))):
        yield made


async def ok(command: Command) -> Completed:
    done = await run(command)
    assert done.ok, done.errors
    return done


def everything(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


async def test_packages_are_read_and_added_and_never_changed(shell: Shell, user: Path) -> None:
    before = everything(user)
    for place, package, new in (
        ("$CARGO_HOME", CRATE.removeprefix(".cargo/"), "registry/src/index/new-1.0.0"),
        ("$GOMODCACHE", MODULE.removeprefix("go/pkg/mod/"), "example.com/new@v1.0.0"),
    ):
        await ok(shell(f'test "$(cat {place}/{package})" = kept'))
        await ok(shell(f"mkdir -p {place}/{new} && echo x > {place}/{new}/file"))
        for change in (f"echo x > {place}/{package}", f"chmod u+w {place}/{package}; : > {place}/{package}"):
            assert not (await run(shell(change))).ok
        await ok(shell(f"rm -rf {place}"))
    assert everything(user) == before


async def test_locks_are_left_out_and_other_names_that_end_alike_are_not(shell: Shell) -> None:
    await ok(
        shell("cd $GOMODCACHE/cache/download/example.com/dep/@v; test -e v1.0.0.zip; echo x > v1.0.0.lock")
    )
    await ok(shell("cat $GOMODCACHE/example.com/block/dep@v2.0.0/dep.go"))
    await ok(shell("echo x > $CARGO_HOME/.package-cache"))


async def test_a_tool_finds_at_the_same_path_what_it_added_but_no_settings_of_others(
    shell: Shell, user: Path, tmp_path: Path
) -> None:
    lasting = tmp_path / "cache"
    add = "mkdir $CARGO_HOME/registry/src/index/new-1.0.0; rm $CARGO_HOME/config.toml; "
    first = await ok(shell(add + "echo evil > $CARGO_HOME/config.toml; echo $CARGO_HOME", lasting))
    written(user, {".cargo/registry/src/index/later-1.0.0/lib.rs": "kept"})
    look = "ls $CARGO_HOME/registry/src/index; cat $CARGO_HOME/config.toml; echo; echo $CARGO_HOME"
    assert (await ok(shell(look, lasting))).text.split() == [
        "dep-1.0.0", "later-1.0.0", "new-1.0.0", "kept", first.text.strip(),
    ]  # fmt: skip


async def test_other_projects_and_large_caches_are_read_where_they_are(
    shell: Shell, user: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "go.mod").unlink()
    assert (await ok(shell("echo $GOMODCACHE"))).text.strip() == str(user / "go/pkg/mod")
    small = tuple(each.model_copy(update={"most": 2}) for each in home_rules().caches)
    with_bound = home_rules().model_copy(update={"caches": small})
    monkeypatch.setattr("setpoint.system.processes.fresh_home.home_rules", lambda: with_bound)
    assert (await ok(shell("echo $CARGO_HOME"))).text.strip() == str(user / ".cargo")


def test_a_manifest_that_cannot_be_looked_for_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    cache = LinkedCache(variable="CARGO_HOME", manifest="n" * 300, whole="", left="")
    assert not cache.wanted(tmp_path)


def test_nothing_is_looked_for_below_the_root_of_the_machine() -> None:
    cache = LinkedCache(variable="CARGO_HOME", manifest="status", whole="", left="")
    assert not cache.wanted(Path("/"))  # each folder of a process below /proc holds a file with this name
