"""Where a failing test may have its fault."""
