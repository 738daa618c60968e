"""An agent, a check and a guard for Setpoint."""
