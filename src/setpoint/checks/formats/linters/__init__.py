"""Report formats of linters and type checkers."""
