"""Records the calls that tests make of functions, and makes them again outside of any test.

Its files are loaded by their paths, into the project's own processes, and import nothing of Setpoint.
"""
