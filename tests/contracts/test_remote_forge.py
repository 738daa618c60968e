"""The contract of remote forges, on the adapters and on the shipped fake."""

import subprocess

import pytest

from forges.github_stage import GitHubStage
from forges.small_forgejo import ForgejoStage
from setpoint.testing import ManualClock, MemoryForge
from setpoint.testing.contracts.remote_forge import (
    FILE,
    LABEL,
    PEOPLE,
    ForgeStage,
    RemoteForgeContract,
    repository,
)
from setpoint.testing.forge import FakeForge


class MemoryStage(ForgeStage):
    def __init__(self, folder):
        self.root = repository(folder / "repository")
        bare = folder / "bare.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(self.root), str(bare)], check=True)
        self.forge = MemoryForge(bare, now=ManualClock(tick_s=1).now)
        self.forge.permissions |= PEOPLE

    async def open_issue(self, title, text, author):
        return self.forge.open_issue(title, text, author)

    async def label(self, number, by):
        self.forge.label(number, LABEL, by)

    async def edit(self, number, text):
        self.forge.edit(number, text)

    async def say(self, number, author, text):
        self.forge.say(number, author, text)

    async def say_on_line(self, number, author, text):
        self.forge.say(number, author, text, file=FILE, line=1)

    async def review(self, number, author, state, text):
        await self.forge.review(number, author, state, text)

    async def merge(self, number, by):
        await self.forge.merge(number, by)

    async def close(self, number, by):
        await self.forge.close(number, by)


class TestMemory(RemoteForgeContract):
    @pytest.fixture
    def stage(self, tmp_path):
        return MemoryStage(tmp_path)


class TestGitHubToken(RemoteForgeContract):
    @pytest.fixture
    async def stage(self, tmp_path):
        with FakeForge(tmp_path / "forge") as fake:
            stage = GitHubStage(fake, tmp_path)
            stage.shows = "commit status"
            yield await stage.open()


class TestGitHubApp(RemoteForgeContract):
    @pytest.fixture
    async def stage(self, tmp_path):
        with FakeForge(tmp_path / "forge") as fake:
            yield await GitHubStage(fake, tmp_path).as_app(tmp_path / "key.pem")


class TestForgejo(RemoteForgeContract):
    @pytest.fixture
    def stage(self, tmp_path):
        return ForgejoStage(tmp_path)
