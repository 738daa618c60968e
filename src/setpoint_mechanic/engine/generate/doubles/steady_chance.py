"""Makes chance the same each time."""

import contextlib
import os
import random
from unittest import mock


@contextlib.contextmanager
def steady_chance(seed):
    """Let the functions of `random`, `os.urandom` and `uuid.uuid4` give the same each time."""
    held = random.getstate()
    random.seed(seed)
    try:
        with mock.patch.object(os, "urandom", random.Random(seed).randbytes):
            yield
    finally:
        random.setstate(held)
