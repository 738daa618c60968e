"""Use cases of people: answers, findings, feedback, learnings, deliveries."""
