"""The dashboard: one process, pages without a build, a JSON API, and no logic of its own."""
