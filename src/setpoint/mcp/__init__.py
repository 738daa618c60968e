"""`setpoint mcp`: Setpoint's use cases as tools for the agent that a person drives."""
