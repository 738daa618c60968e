"""The repair engine: runs inside the project's own interpreter, with the standard library and the project's pytest alone."""
