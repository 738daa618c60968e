"""Loop 1: one attempt of an agent, its tool calls and their repetition."""
