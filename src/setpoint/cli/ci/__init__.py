"""The verbs of jobs in continuous integration."""
