"""Use cases of reading: runs, metrics and production in the shapes that faces show."""
