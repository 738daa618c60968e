"""Verbs of people: gate, feedback, finding, learn, story."""
