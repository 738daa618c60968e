"""Use cases of production: take signals in, show incidents."""
