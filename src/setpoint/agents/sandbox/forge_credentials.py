"""Credentials of forges, which agents do not get: their work reaches a forge through a person alone.

Variables are not passed on. The programs that would find a login in the user's home find none: git has a
home of its own, with the user's settings and without credentials, and so have `gh` and `glab`. The home of
the agent itself stays the user's, because its login lies there.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from setpoint.model.value import Value
from setpoint.settings import inherited
from setpoint.system.processes import Command, run
from setpoint.system.processes.writable_paths import existing

_ASK_S = 10.0
_GIT = """\
#!/bin/sh
# The home of git without the user's credentials (sandbox.forge_credentials).
unset XDG_CONFIG_HOME
HOME={home} exec {git} "$@"
"""


class ForgeRules(Value):
    """What counts as a credential of a forge, and what takes its place."""

    variables: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    git_sections: tuple[str, ...] = ()
    git_left_out: tuple[str, ...] = ()
    instead: Mapping[str, str] = {}


@cache
def forge_rules() -> ForgeRules:
    """Read the rules that come with Setpoint."""
    text = resources.files(__package__).joinpath("forges.toml").read_text("utf-8")
    return ForgeRules.model_validate(tomllib.loads(text))


def passed_on() -> dict[str, str]:
    """Return the variables with credentials of forges that Setpoint itself has."""
    return inherited(forge_rules().variables)


def hidden_places(environment: Mapping[str, str]) -> list[str]:
    """Return the files and folders that hold credentials of forges, as far as they exist."""
    return existing(forge_rules().hidden, {**passed_on(), **environment})


async def without_credentials(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that take the credentials of forges away; what they name is made in `folder`.

    `environment` is the agent's. Its PATH decides which git there is.
    """
    home, empty, programs = (folder / name for name in ("git-home", "no-login", "bin"))
    for each in (home, empty, programs):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    named = {"{home}": str(home), "{folder}": str(empty)}
    variables = {}
    for name, value in forge_rules().instead.items():
        for mark, path in named.items():
            value = value.replace(mark, path)  # noqa: PLW2901 - one mark after the other
        variables[name] = value
    path = environment.get("PATH", os.defpath)
    git = shutil.which("git", path=path)
    if git is None:
        return variables
    (home / ".gitconfig").write_text("".join(await _settings(git, environment)), "utf-8")
    shim = programs / "git"
    shim.write_text(_GIT.format(home=shlex.quote(str(home)), git=shlex.quote(git)), "utf-8")
    shim.chmod(stat.S_IRWXU)
    return {**variables, "PATH": f"{programs}:{path}"}


async def _settings(git: str, environment: Mapping[str, str]) -> list[str]:
    """Return those of the user's settings of git that hold no credential, as lines of a file."""
    listing = (git, "config", "--global", "--includes", "--list", "-z")
    done = await run(Command(argv=listing, cwd=Path("/"), environment=environment, timeout_s=_ASK_S))
    return list(_kept(done.text)) if done.ok else []


def _kept(listing: str) -> Iterator[str]:
    rules = forge_rules()
    for entry in filter(None, listing.split("\0")):
        key, _, value = entry.partition("\n")
        section, _, rest = key.partition(".")
        part, _, name = rest.rpartition(".")
        harmless = section in rules.git_sections and f"{section}.{name}" not in rules.git_left_out
        # A rewritten address may hold a token, or lead to ssh, for which there is no key.
        rewrites = section == "url" and part.startswith(("http://", "https://")) and "@" not in part
        if (harmless or rewrites) and "\n" not in part:
            head = f'[{section} "{_quoted(part)}"]' if part else f"[{section}]"
            yield f'{head}\n\t{name} = "{_quoted(value)}"\n' if "\n" in entry else f"{head}\n\t{name}\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
