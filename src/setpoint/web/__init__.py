"""The dashboard: pages without a build step, a JSON API, no logic of its own."""
