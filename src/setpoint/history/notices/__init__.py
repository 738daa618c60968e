"""Notify people where they are: a run asks, is verified or has stopped."""
