"""Forges: what GitHub and its like say and are told."""
