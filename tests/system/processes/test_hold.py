"""What commands of a block can write that holds them, with the real kernel and the real bubblewrap."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandboxes import usable
from setpoint.model.config.sandbox import Means
from setpoint.system.processes import Command, Completed, Hold, clean_environment, holding, run
from setpoint.system.processes.confinement import usable_devices
from setpoint.system.processes.hold import narrowing
from setpoint.system.processes.refusals import refusal
from setpoint.system.processes.writable_paths import Places

Shell = Callable[..., Command]
HERE = f"PATH={Path(sys.executable).parent}:$PATH; "


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The home of a user with toolchains and settings."""
    home = tmp_path / "user"
    for folder in (".cargo/bin", ".rustup", ".pyenv", "go/pkg/mod", ".m2/repository", ".docker"):
        (home / folder).mkdir(parents=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Someone\n\temail = some@one\n")
    (home / ".npmrc").write_text("registry=kept\n")
    (home / ".bashrc").write_text("kept\n")
    return home


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """Two measured trees."""
    for name in ("one/package", "other"):
        (tmp_path / "measured" / name).mkdir(parents=True)
    (tmp_path / "measured" / "other" / "file").write_text("kept\n")
    return tmp_path / "measured"


@pytest.fixture
def shell(user: Path, trees: Path) -> Shell:
    def made(script: str, cwd: Path = trees / "one" / "package", writes: tuple[Path, ...] = ()) -> Command:
        environment = clean_environment({"HOME": str(user), "XDG_CACHE_HOME": str(user / "cache")})
        return Command(
            argv=("sh", "-c", script), cwd=cwd, timeout_s=60.0, environment=environment, writes=writes
        )

    return made


@pytest.fixture
def held(means: Means, trees: Path) -> Iterator[None]:
    with holding(Hold(means=means, places=(trees,))):
        yield


async def ok(command: Command) -> bool:
    done = await run(command)
    assert not done.fault
    return done.ok


async def test_a_tree_that_lies_deeper_is_writable_without_the_folder_around_it(
    shell: Shell, means: Means, trees: Path
) -> None:
    with holding(Hold(means=means, places=(trees,), depth=2)):
        assert await ok(shell("echo x > file"))
        assert not await ok(shell("echo x > ../file"))
        assert not await ok(shell("echo x > file", cwd=trees / "one"))


@pytest.mark.usefixtures("held")
async def test_a_command_writes_to_its_tree_its_home_and_what_it_is_given(
    shell: Shell, trees: Path, tmp_path: Path
) -> None:
    given = tmp_path / "scratch"
    for script in (
        "echo x > file && echo x > ../file",
        "echo x > ~/.bashrc && echo x > $HOME/new",
        "echo x > $TMPDIR/new && mktemp",
        "mkdir -p ~/.cache/tool && git config --global user.name Other",
    ):
        assert await ok(shell(script)), script
    assert await ok(shell(f"echo x > {given}/report", writes=(given,)))
    assert (trees / "one" / "file").is_file()
    assert (given / "report").is_file()


async def test_no_command_writes_anywhere_else(
    shell: Shell, user: Path, trees: Path, tmp_path: Path, means: Means
) -> None:
    outside = (
        "echo x > ../../other/file",
        "echo x > ../../new",
        f"echo x > {user}/.bashrc",
        f"echo x > {user}/.npmrc",
        "echo x > ~/.npmrc",
        f"echo x > {user}/.cargo/bin/cargo",
        f"ln -s {user} way; echo x > way/.bashrc",
        f"echo x > {tmp_path}/new",
        f"echo x > {Path(pytest.__file__).parent}/planted.py",
        f"echo x >> {sys.executable}",
    )
    before = Path(sys.executable).stat().st_size
    with holding(Hold(means=means, places=(trees,))):
        for script in outside:
            assert not await ok(shell(script)), script
        assert not await ok(shell("echo x > file", cwd=user)), "a folder that is no measured tree"
        assert not await asyncio.create_task(ok(shell(outside[2])))
    kept = [(user / ".bashrc").read_text(), (user / ".npmrc").read_text(), (trees / "other/file").read_text()]
    assert kept == ["kept\n", "registry=kept\n", "kept\n"]
    assert Path(sys.executable).stat().st_size == before
    assert not (Path(pytest.__file__).parent / "planted.py").exists()
    assert await ok(shell(f"echo x > {user}/new")), "without a hold it is open"


@pytest.mark.usefixtures("held")
async def test_toolchains_and_settings_of_the_user_are_found(shell: Shell, user: Path) -> None:
    done = await run(shell("env; git config user.name; cat ~/.npmrc; ls -d ~/.docker"))
    said = done.text.splitlines()
    assert {"Someone", "registry=kept"} <= set(said)
    variables = dict(line.partition("=")[::2] for line in said)
    assert variables["CARGO_HOME"] == str(user / ".cargo")
    assert variables["GOMODCACHE"] == str(user / "go/pkg/mod")
    assert variables["MAVEN_ARGS"].endswith(f"-Dmaven.repo.local.tail={user}/.m2/repository")
    assert not {"XDG_CACHE_HOME", "NVM_DIR"} & variables.keys()


@pytest.mark.usefixtures("held")
async def test_each_command_has_a_home_of_its_own_that_goes_with_it(shell: Shell) -> None:
    script = "ls -A ~ $TMPDIR; mkdir -p ~/mod/read && touch ~/mod/read/only $TMPDIR/x && chmod -R a-w ~/mod; "
    first, second = [await run(shell(script + "echo home $HOME $TMPDIR")) for _ in range(2)]
    assert "mod" not in second.text.partition("home ")[0]
    for done in (first, second):
        for place in done.text.rpartition("home ")[2].split():
            assert not Path(place).exists()


async def test_a_refused_place_is_named_with_the_setting_that_opens_it(
    shell: Shell, user: Path, trees: Path, means: Means
) -> None:
    async def said(script: str) -> tuple[Completed, str]:
        done = await run(shell(script))
        return done, refusal(done)

    writing = f"open('{user}/new/file', 'w')"
    (user / "new").mkdir()
    with holding(Hold(means=means, places=(trees,))):
        done, reason = await said(f'{HERE} python -c "{writing}"')
        assert (done.held, done.ok) == (means.value, False)
        assert f'sandbox.checks_write = ["{user}/new"]' in reason
        assert f'["{user}"]' in (await said(f"echo x > {user}/other"))[1]
        # Not the sandbox refused these: the hint would lead astray.
        assert (await said("echo permission denied: /proc/1/mem /nowhere/file >&2; false"))[1] == ""
        assert (await said(f"echo no such file: {user}/new >&2; false"))[1] == ""
    opened = Places(clean_environment({"HOME": str(user)}), [], [], "sandbox.checks_write")
    places = tuple(opened.opened(("~/new",), (), caches=False))
    with holding(Hold(means=means, places=(trees,), opened=places)):
        assert (await said(f'{HERE} python -c "{writing}"'))[0].ok
    assert (await said(f"cat {user}/missing"))[1] == ""


async def test_a_test_program_can_be_kept_from_its_runners_cache(
    shell: Shell, trees: Path, tmp_path: Path
) -> None:
    means, cache = usable(Means.LANDLOCK), tmp_path / "cache"
    tries = 'echo x > $CACHE/planted; echo x > "$1"/planted; echo x > kept'
    with holding(Hold(means=means, places=(trees,))):
        words = narrowing("CACHE", (trees / "one",))
        command = shell("", writes=(cache,))
        environment = {**(command.environment or {}), "CACHE": str(cache)}
        argv = (*words, "sh", "-c", tries, "sh", str(cache))
        done = await run(Command(**{**vars(command), "argv": argv, "environment": environment}))
    assert done.ok, done.errors
    assert ([*cache.iterdir()], (trees / "one/package/kept").is_file()) == ([], True)
    assert narrowing("CACHE", ()) == ()


async def test_devices_that_are_named_can_be_used_and_no_others(
    means: Means, trees: Path, shell: Shell
) -> None:
    device = next(
        (each for each in ("/dev/fuse", "/dev/kvm", "/dev/net/tun") if os.access(each, os.W_OK)), ""
    )
    if not device:
        pytest.skip("this machine has no device that tests may open")
    for devices, opens in ((usable_devices((f"{device[:-1]}*", "/dev/loop*", "/dev")), True), ((), False)):
        with holding(Hold(means=means, places=(trees,), devices=devices)):
            assert await ok(shell(f"test -c {device} && exec 3<> {device}")) is opens


def test_a_disk_and_a_file_are_no_usable_devices(tmp_path: Path) -> None:
    disks = [str(each) for each in Path("/dev").iterdir() if each.is_block_device()]
    (tmp_path / "file").touch()
    assert usable_devices((*disks, "/dev", "/dev/", "/etc/passwd", str(tmp_path / "*"))) == ()
    assert usable_devices(("/dev/nul*",)) == ("/dev/null",)
