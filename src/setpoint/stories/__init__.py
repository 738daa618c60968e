"""What is wanted: story files, the story folder, and stories that Setpoint writes."""
