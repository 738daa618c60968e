"""What a run is doing at the moment, read from its events and a clock."""

from setpoint.app.views.live.live_run import LiveRun as LiveRun
from setpoint.app.views.live.moment import Moment as Moment
from setpoint.app.views.live.moment import Pane as Pane
from setpoint.app.views.live.moment import Running as Running
