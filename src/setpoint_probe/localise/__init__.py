"""Find the lines that are likely to cause a failure."""
