"""Whether what the request names is in the change, and whether tests notice it."""
