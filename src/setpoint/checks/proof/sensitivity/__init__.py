"""Whether the tests notice when changed code does something else."""
