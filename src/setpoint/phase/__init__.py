"""Loop 2: make, measure, review, test, and send the work back."""
