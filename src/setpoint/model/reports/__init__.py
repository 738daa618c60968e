"""Shapes that leave Setpoint: attestations and trace spans."""
