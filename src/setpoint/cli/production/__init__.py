"""Verbs of production: deploy, signal."""
