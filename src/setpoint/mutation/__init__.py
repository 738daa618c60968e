"""Fault localisation, candidate edits and their trial on live tests, for repairs and mutation scores."""
