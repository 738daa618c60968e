"""Requests and answers between Setpoint and the probe, as JSON lines."""
