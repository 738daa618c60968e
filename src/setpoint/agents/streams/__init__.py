"""What agents that run as a plain command print while they work: one reader for each kind of stream.

A reader receives the events of a stream one by one and records them in a `Tally`. It takes them as they
come: an event that it does not know, or that lacks what it should hold, says nothing and breaks nothing.
"""

from setpoint.agents.streams.reader import STREAMS, Stream
from setpoint.agents.streams.turn_record import Failure, Json, Tally

__all__ = ["STREAMS", "Failure", "Json", "Stream", "Tally"]
