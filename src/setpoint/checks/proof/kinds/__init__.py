"""What each kind of work must prove beside witness and sensitivity."""
