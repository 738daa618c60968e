"""What people are asked and what they say: answers, findings, fixes, learnings, delivered branches."""
