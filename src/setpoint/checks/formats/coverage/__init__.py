"""Report formats of coverage tools."""
