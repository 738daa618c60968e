"""Fault localisation, candidate edits and their trial on live tests: repair now, mutation score on the same ground."""
