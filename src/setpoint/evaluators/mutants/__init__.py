"""The mutation score, of what the work changes and of the tree as it stands."""
