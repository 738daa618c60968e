"""Facts folded from the events of a run: rounds, spending, answers, releases."""
