"""What the project's own people type for tests, lint, types and build, read from its files.

`found.py` looks for the commands, `package_scripts.py` follows the scripts of `package.json`,
`excluded.py` says which commands Setpoint never runs, and `runner_calls.py` finds the test runner in one.
"""
