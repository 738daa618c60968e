"""Stand-ins for the clock, chance, processes and the network that generated tests carry in their own text.

Each file holds imports, then definitions. The search runs it, and copies it into the tests that need it:
so a test does what the search saw. The files import nothing of the engine.
"""
