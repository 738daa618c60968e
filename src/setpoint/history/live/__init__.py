"""What a run is doing at the moment, read from its events and a clock."""

from setpoint.history.live.live_run import LiveRun as LiveRun
from setpoint.history.live.moment import Moment as Moment
from setpoint.history.live.moment import Pane as Pane
from setpoint.history.live.moment import Running as Running
