"""Amounts of money in whole cents."""


def share(cents: int, percent: int) -> int:
    """Give a share of an amount in percent, rounded half up to whole cents."""
    return (cents * percent + 50) // 100


def shown(cents: int) -> str:
    """Write an amount as people read it: 1234 becomes 12.34."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02}"
