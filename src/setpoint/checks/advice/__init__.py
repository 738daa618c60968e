"""Answers to agents that want to know how their work measures before they end their turn; never evidence."""
