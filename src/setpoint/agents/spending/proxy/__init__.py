"""A recording proxy on loopback, in front of the model that an agent calls: it counts, and keeps no text."""

from setpoint.agents.spending.proxy.route import Tap, counting

__all__ = ["Tap", "counting"]
