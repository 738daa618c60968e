"""Values: stories, runs, findings, evidence, verdicts and the events that record them."""
