"""One example of every event about what an agent is doing."""

from setpoint.model.attempt import ToolCall
from setpoint.model.events import live

PLACE = {"phase": "implement", "iteration": 1, "label": "implement-1", "attempt": 1}
ABOUT_LIVE = (
    live.ToolStarted(**PLACE, call=ToolCall(id="1", name="bash", kind="execute", title="pytest -q")),
    live.AgentSaid(**PLACE, text="I look at the test.\nIt is red."),
)
