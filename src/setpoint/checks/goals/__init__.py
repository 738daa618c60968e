"""The goals of a run: how far a measured tree is from each, and what is missing by name."""
