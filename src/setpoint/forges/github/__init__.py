"""GitHub, its Enterprise Server included."""
