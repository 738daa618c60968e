"""What in sources and documents runs, and what only says something."""
