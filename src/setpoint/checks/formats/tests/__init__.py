"""Report formats of test runners."""
