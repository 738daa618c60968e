"""Halting policies over the turns of any log: `halter-v1`, which predicts, and the rules beside it."""
