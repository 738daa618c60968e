"""Tests inside source files: Rust modules, doctests, examples of Go and in-source vitest."""
