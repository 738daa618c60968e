"""Use cases: one module for each thing that a face (command line, web) asks Setpoint to do."""
