"""JavaScript and TypeScript: their functions, exported names and canaries."""
