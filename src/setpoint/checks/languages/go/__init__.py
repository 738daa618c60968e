"""Go: its functions, exported names and canaries."""
