"""What Setpoint knows of each programming language, behind one protocol."""
