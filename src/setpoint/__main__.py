"""Run the command line with `python -m setpoint`."""

from setpoint.cli.app import main

main()
