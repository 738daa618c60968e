"""Run the command line with `python -m setpoint`."""

from setpoint.cli.start import main

main()
