"""Use cases of runs: order, start, drive, resume, step, work through the board."""
