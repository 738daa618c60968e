"""Agents that speak the Agent Client Protocol: how they are opened, asked, watched and paid."""
