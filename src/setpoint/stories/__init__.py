"""Story files, the story folder, and stories that Setpoint writes."""
