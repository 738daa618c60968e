"""Forgejo and Gitea, which have the same API (version 1)."""
