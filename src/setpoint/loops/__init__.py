"""The loops: plain coroutines over ports that hold no thread, session or file."""
