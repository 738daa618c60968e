"""Measure whether tests that the work rewrote notice all that the old ones noticed."""
