"""Check a change in continuous integration; settings come from the base, never from the change."""
