"""Which address a URL leads to, without any in a private network where that is not allowed.

A URL in settings could lead to a service of this machine or of the network around it. So the name is
resolved once, every address is looked at, and the request goes to the address that was looked at.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from setpoint.errors import UsageError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_EMBEDDING = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""Networks whose addresses stand for one of IPv4, behind a translator or a tunnel."""


class Place(NamedTuple):
    """Where a request goes."""

    url: str
    """With the address in place of the name."""
    host: str
    """What the `Host` header says: the name, and the port where the URL has one."""
    name: str
    """The name that the certificate has to be for."""


def place_of(url: str, *, private: bool) -> Place:
    """Resolve a URL; `UsageError` where it is none, or leads to where it may not.

    `private` allows addresses of this machine and of private networks, and plain HTTP.
    """
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise UsageError(
            f"the URL cannot be read: {error}", hint="for example https://example.com/hook"
        ) from None
    if not name or parts.scheme not in ("http", "https") or parts.username or parts.password:
        hint = "for example https://example.com/hook, without a user's name in it"
        raise UsageError("the URL is none of http or https with a host", hint=hint)
    if parts.scheme == "http" and not private:
        hint = "use https, or set private = true for a server of your own network"
        raise UsageError(f"{name}: plain HTTP is not used", hint=hint)
    address = _address(name, port or (443 if parts.scheme == "https" else 80), private=private)
    literal = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004 - the version of IP
    end = f":{port}" if port else ""
    host = f"[{name}]" if ":" in name else name
    return Place(urlunsplit(parts._replace(netloc=literal + end, fragment="")), host + end, name)


def _address(name: str, port: int, *, private: bool) -> IPAddress:
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{name} cannot be resolved: {error}", hint="correct the URL") from None
    addresses = [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found]
    refused = [each for each in addresses if not is_public(each)]
    if refused and not private:
        hint = "set private = true where that is meant"
        raise UsageError(f"{name} leads to {refused[0]}, which is not a public address", hint=hint)
    return addresses[0]


def is_public(address: IPAddress) -> bool:
    """Whether an address is one of the public internet, also behind an embedding of IPv4."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in _EMBEDDING):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
