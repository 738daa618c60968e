"""Sabotage of Go, JavaScript, TypeScript and Rust: other values, and code outside functions."""
