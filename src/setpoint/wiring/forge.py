"""The forge of a project, by its settings; what speaks with one is loaded where one is spoken with."""

from __future__ import annotations

from setpoint.errors import UsageError
from setpoint.ports import DeliveryReader, ForgeGit, RemoteForge
from setpoint.settings import whole_environment
from setpoint.system.git.git import ask
from setpoint.wiring.project import Project


async def forge_of(project: Project) -> RemoteForge:
    """Open the forge that the settings name; `SettingsError` where it is none, or something is missing."""
    from setpoint.forges.open import open_forge

    return await open_forge(project.settings.forge, project.root, whole_environment())


async def remote_of(project: Project, name: str) -> ForgeGit | None:
    """Open a git remote, with the token of the forge where it is that of `[forge]`; none without a name."""
    from setpoint.forges.git_remote import GitRemote

    terms = project.settings.forge
    if not name:
        return None
    if terms.kind and name == terms.remote:
        return await forge_of(project)
    named = await ask(project.root, "remote", "get-url", "--", name)
    if not named.ok and ":" not in name and not (project.root / name).exists():
        raise UsageError(
            f"{project.root}: there is no remote '{name}'", hint="set forge.remote; git remote -v"
        )
    return GitRemote(address=named.text if named.ok else name)


def reader_of(project: Project) -> DeliveryReader:
    """Return what reads messages to the webhook; `SettingsError` where the settings name no forge."""
    from setpoint.forges.open import delivery_reader

    return delivery_reader(project.settings.forge.kind)


def secret_variables(project: Project) -> tuple[str, ...]:
    """Return the variables that hold secrets for the forge: runs must not inherit them."""
    return (project.settings.forge.token_variable, project.settings.forge.secret_variable)


def webhook_secret(project: Project) -> str:
    """Return the secret of the webhook; empty where there is none."""
    return whole_environment().get(project.settings.forge.secret_variable, "")


async def into_branch(project: Project) -> str:
    """Return the branch that pull requests are to be merged into: as set, or the default of the remote."""
    terms = project.settings.forge
    if terms.into:
        return terms.into
    head = await ask(project.root, "symbolic-ref", "--quiet", "--short", f"refs/remotes/{terms.remote}/HEAD")
    if head.ok and head.text:
        return head.text.removeprefix(f"{terms.remote}/")
    for name in ("main", "master"):
        if (
            await ask(project.root, "rev-parse", "--verify", "--quiet", f"refs/remotes/{terms.remote}/{name}")
        ).ok:
            return name
    raise UsageError(
        f"{project.root}: the default branch of the remote '{terms.remote}' is unknown",
        hint='set it: [forge] into = "main"',
    )
