"""An agent that acts by a script: no model, for tests and for people who want to see a loop at work."""
