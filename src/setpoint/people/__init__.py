"""Loop 4: questions to people and what their answers change."""
