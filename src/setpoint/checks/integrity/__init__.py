"""Judge tests, runner configuration and thresholds as they are at the base commit."""
