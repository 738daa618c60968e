"""The repair engine: runs in the project's interpreter, with the standard library and its pytest alone."""
