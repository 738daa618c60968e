"""Runs as OpenTelemetry traces."""
