"""Parts of the settings that several rooms read."""
