"""Read, split and swap the source files of the project."""
