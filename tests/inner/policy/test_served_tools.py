"""Which servers of tools an agent is given, and why not the others."""

from setpoint.agents.registry import shipped
from setpoint.inner.policy.served_tools import served
from setpoint.model.project_text import ReadsItself
from setpoint.model.tool_server import ToolServer, ToolServers

SHARED = ToolServer(name="tickets", source=".mcp.json", command=("tickets", "--stdio"))
SAME = SHARED.model_copy(update={"source": ".gemini/settings.json"})
AWAY = ToolServer(name="away", source=".mcp.json", url="https://localhost/mcp")
OLD = AWAY.model_copy(update={"name": "old", "streams": True})
BROKEN = ToolServer(name="broken", source=".mcp.json", command=("x",), fault="x is not on PATH")


def test_an_agent_that_starts_a_server_by_itself_is_not_given_it_twice():
    servers = ToolServers(approved=(SHARED, SAME))
    for name, given in (("claude", ()), ("gemini", ()), ("opencode", ("tickets",)), ("qwen", ("tickets",))):
        found = served(servers, shipped()[name].reads, takes=True)
        assert (tuple(each.name for each in found.given), found.usable) == (given, ("tickets",)), name


def test_what_is_left_out_has_a_reason():
    refused = ToolServer(name="evil", source=".mcp.json", command=("sh", "-c", "x"))
    servers = ToolServers(approved=(BROKEN, AWAY, OLD), refused=(refused,), unreadable=("opencode.json",))
    found = served(servers, ReadsItself(), takes=True)
    assert (found.given, found.usable) == ((AWAY,), ("away (if it takes servers by HTTP)",))
    assert sorted(found.left_out) == [
        "broken: x is not on PATH",
        "evil: not approved (setpoint agents mcp)",
        "old: Setpoint passes on programs and addresses of plain HTTP, and this is one of events",
        "opencode.json: cannot be read",
    ]
    (only,) = served(ToolServers(approved=(SHARED,)), ReadsItself(), takes=False).left_out
    assert only == "tickets: the agent takes no servers from Setpoint"
