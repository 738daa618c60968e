"""Turn values into terminal lines."""
