"""Draw argument values for generated calls."""
