"""Orders for the engine, and its answers."""
