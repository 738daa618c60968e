"""Loop 3: reflect on runs, keep learnings, recall them."""
