"""Use cases of measuring without a run: check, watch, verify, mutate, quarantine."""
