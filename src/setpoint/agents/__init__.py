"""Drivers for coding agents: the Agent Client Protocol, plain commands, models by API."""
