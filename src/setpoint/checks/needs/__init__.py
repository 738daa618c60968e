"""What a copy of a project needs that git does not hold there: parts kept elsewhere, files, variables."""
