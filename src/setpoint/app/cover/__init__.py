"""Use cases of test generation: order a run, follow its trend."""
