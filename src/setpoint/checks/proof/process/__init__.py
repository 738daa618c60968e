"""Whether code behaves alike in every process that runs it."""
