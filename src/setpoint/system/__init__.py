"""The operating system: processes, git, files."""
