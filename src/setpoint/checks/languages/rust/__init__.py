"""Rust: its functions and macros, exported names, canaries and tests inside sources."""
