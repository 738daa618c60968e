"""Tests and settings of the base, run as they were, whatever a change made of them."""
