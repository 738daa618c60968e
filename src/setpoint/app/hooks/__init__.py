"""Checks inside the user's own agent and before commits: when a turn ends, and how hooks are installed."""
