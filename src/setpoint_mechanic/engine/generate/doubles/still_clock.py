"""Stops the clock."""

import contextlib
import datetime  # noqa: ICN001 - as in the tests
import time
from unittest import mock


class StillDays(type):
    """Lets dates stay instances of the class that stands in for theirs."""

    def __instancecheck__(cls, value):
        """Take a real date for one of this class."""
        return isinstance(value, cls.__mro__[1])

    def __call__(cls, *args, **words):
        """Make a real date."""
        return cls.__mro__[1](*args, **words)


@contextlib.contextmanager
def still_clock(module):
    """Let it be 2020-01-02 03:04:05 UTC for a module; to sleep moves the clock on at once."""
    day, now = datetime.date, datetime.datetime
    start, slept = 1577934245.0, [0.0]

    class Date(day, metaclass=StillDays):
        @classmethod
        def today(cls):
            return Datetime.now().date()

    class Datetime(now, metaclass=StillDays):
        @classmethod
        def now(cls, tz=None):
            utc = now(2020, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc) + datetime.timedelta(
                seconds=slept[0]
            )
            return utc.astimezone(tz) if tz else utc.replace(tzinfo=None)

        today = utcnow = now

    def sleep(seconds):
        slept[0] += seconds

    def clock(count):
        return lambda: count(slept[0])

    doubles = {"sleep": sleep, "time": clock(lambda moved: start + moved)}
    doubles["time_ns"] = clock(lambda moved: int((start + moved) * 10**9))
    doubles.update((name, clock(lambda moved: 1000.0 + moved)) for name in ("monotonic", "perf_counter"))
    doubles["monotonic_ns"] = clock(lambda moved: int((1000 + moved) * 10**9))
    known = [(getattr(time, name), double) for name, double in doubles.items()] + [
        (day, Date),
        (now, Datetime),
    ]
    with contextlib.ExitStack() as patches:
        for name, double in doubles.items():
            patches.enter_context(mock.patch.object(time, name, double))
        for name, double in (("date", Date), ("datetime", Datetime)):
            patches.enter_context(mock.patch.object(datetime, name, double))
        for name, held in list(vars(module).items()):
            double = next((double for real, double in known if held is real), None)
            if double is not None:
                patches.enter_context(mock.patch.object(module, name, double))
        yield
