"""The last test run once more, in a place and a way that say nothing of Setpoint."""
