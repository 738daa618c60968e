"""What measures inside the project's interpreter, with the standard library and its pytest alone."""

from pathlib import Path

ENGINE = Path(__file__).parent
"""Started by its path: Setpoint need not be installed where the project's tests run."""
