"""Setpoint as a library: what `import setpoint` offers, over the use cases that the verbs call."""
