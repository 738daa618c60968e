"""Shell: its functions."""
