"""Python: its functions, statements outside of them, public names and canaries."""
