"""Runs from outside: ordered, cast, begun, worked off, stepped through and told of."""
