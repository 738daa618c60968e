"""Compute the mutation score of a change or of a tree."""
