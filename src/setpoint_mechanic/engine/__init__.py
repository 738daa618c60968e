"""What runs in the project's interpreter for the mechanic and the generator; it stands on the probe."""
