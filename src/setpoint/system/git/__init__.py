"""Run git plumbing commands."""
