"""Search for one edit of a token in Go, JavaScript and TypeScript, by trial in a copy of the tree."""
