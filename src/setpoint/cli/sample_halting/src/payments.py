"""Payments of a small shop; amounts are whole cents."""


def amount(text: str) -> int:
    raise NotImplementedError


def charge(balance: int, cents: int, currency: str) -> int:
    raise NotImplementedError


def refund(paid: int, cents: int) -> int:
    raise NotImplementedError


def fee(cents: int) -> int:
    raise NotImplementedError
