"""Search for calls of the code and write them down as tests."""
