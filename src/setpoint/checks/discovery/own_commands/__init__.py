"""What the project's own people type for tests, lint, types and build, read from its files.

`found.py` knows which files name commands, the strongest first. Each kind of file has a reader:
`package_scripts.py`, `makefile.py`, `justfile.py`, `ant_targets.py`, `environments.py` (tox, nox),
`task_tables.py` (hatch, pdm, poe, rye, taskipy) and `typed.py` (CI, documents). Each writes what it found as
a script for a shell, and `command.py` makes a command of that. `excluded.py` says which commands Setpoint
never runs, `steps.py` which of their steps, `variables.py` what a step gets from those before it.
`followed.py` and `elsewhere.py` read what a command calls. `runner_calls.py` and `python_call.py` find the
test runner. `gates.py` says what a command asks for beside tests that pass. `unread.py` names what the files
say that no reader takes.
"""
