"""Check how well generated tests cover the code."""
