"""Verbs of runs: run, resume, show, status, watch, verify, export."""
