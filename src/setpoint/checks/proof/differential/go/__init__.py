"""Functions of Go, called at the base and on the result with the same arguments."""
