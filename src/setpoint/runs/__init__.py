"""What the loops share: run context, journal, budget reservation."""
