"""What to do next: pure functions of a run's history."""
