"""Other systems that Setpoint speaks to: one foreign system, one file."""
