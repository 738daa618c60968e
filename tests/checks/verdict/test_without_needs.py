"""Broken code, repeated calls and hidden tests without the network, on projects whose tests call servers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from checks.verdict.conftest import PRICE
from setpoint.checks.verdict import without_needs
from setpoint.model.proof import ObligationState
from setpoint.system.processes import no_network, without_network

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
DISCOUNT = PRICE + "\n\ndef discount(n):\n    return n // 2\n"
NEEDS = "not measured: 1 test cannot do without the network, which broken code never gets"
ASKS = """import socket, shop

def test_discount():
    with socket.create_connection(("127.0.0.1", {port}), timeout=5) as server:
        rate = int(server.recv(9))
    assert shop.discount(rate) == 2
"""
OWN_SERVER = """import socket, shop

def test_discount():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname(), timeout=5) as client:
            server.accept()[0].sendall(b"4")
            assert shop.discount(int(client.recv(9))) == 2
"""


@pytest.fixture
async def offline() -> None:
    async with without_network() as why_not:
        if why_not:
            pytest.skip(f"the network cannot be taken here: {why_not}")


@pytest.fixture
def port(offline: None) -> Iterator[int]:
    """A server of the user, which tells everybody who calls a number."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    with server.accept()[0] as client:
                        client.sendall(b"4")
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


async def test_a_test_that_calls_a_server_outside_notices_nothing(obligations, port):
    said = await obligations(
        {"shop.py": DISCOUNT, "tests/test_it.py": ASKS.format(port=port)}, "add a discount"
    )

    assert said["witness"].state is MET, "the plain runs have the network"
    assert (said["sabotage"].state, said["sabotage"].reason) == (NONE, NEEDS)
    assert said["elsewhere"].state is MET
    assert "2 tests" not in said["elsewhere"].reason
    assert not any(each.state is NOT_MET for each in said.values())


@pytest.mark.usefixtures("offline")
async def test_a_test_that_starts_its_own_server_proves(obligations):
    said = await obligations({"shop.py": DISCOUNT, "tests/test_it.py": OWN_SERVER}, "add a discount")

    assert said["sabotage"].state is said["elsewhere"].state is MET
    assert "1 of 1 changed functions" in said["sabotage"].reason


@pytest.mark.usefixtures("offline")
async def test_a_weak_test_is_refused_where_no_test_needs_the_network(obligations):
    weak = OWN_SERVER.replace(" == 2", "")
    said = await obligations({"shop.py": DISCOUNT, "tests/test_it.py": weak}, "add a discount")

    assert said["sabotage"].state is NOT_MET


async def test_a_command_that_needs_the_network_notices_nothing(obligations, port):
    asks = f"import socket, shop; socket.create_connection(('127.0.0.1', {port})); shop.discount(4)"
    said = await obligations({"shop.py": DISCOUNT}, "add a discount", acceptance=(f'python -c "{asks}"',))

    assert said["witness"].state is MET
    assert said["sabotage"].state is NONE
    assert "1 command cannot do without the network" in said["sabotage"].reason


async def test_where_the_network_cannot_be_taken_the_proof_says_so_once(obligations, monkeypatch):
    monkeypatch.setattr(no_network, "_tried", ["refused"])
    said = await obligations({"shop.py": DISCOUNT, "tests/test_it.py": OWN_SERVER}, "add a discount")

    assert [name for name, each in said.items() if without_needs.REACHED in each.reason] == ["sabotage"]
    assert said["sabotage"].state is MET
