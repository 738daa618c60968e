"""What holds for all tests."""

from hypothesis import settings

# A slow machine is no fault of the code: nothing in the tests depends on wall time.
settings.register_profile("setpoint", deadline=None, max_examples=60)
settings.load_profile("setpoint")
