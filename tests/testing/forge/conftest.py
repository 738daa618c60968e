from __future__ import annotations

import pytest

from setpoint.testing.forge import FakeForge
from testing.forge.client import Client, receiver

FILES = {"calc.py": "def add(a, b):\n    return a - b\n", "README.md": "# Shop\n"}
FIXED = {"calc.py": "def add(a, b):\n    return a + b\n"}


@pytest.fixture
def forge(tmp_path):
    with FakeForge(tmp_path / "forge", files=FILES) as made:
        made.people["ana"] = "write"
        made.people["rob"] = "read"
        yield made


@pytest.fixture
def client(forge):
    return Client(forge, forge.token)


@pytest.fixture
def inbox():
    with receiver() as made:
        yield made


@pytest.fixture
def pull(forge):
    """The number of an open pull request of setpoint-bot."""
    forge.push("fix", FIXED, by="setpoint-bot")
    return forge.open_pull("fix", "Add adds", "It subtracted.", by="setpoint-bot").number
