"""Use cases of a project: diagnosis and web keys."""
