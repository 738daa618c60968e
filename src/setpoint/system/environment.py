"""The environment that programs get of Setpoint's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from setpoint.settings import inherited

DEFAULT_KEEP = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "TMPDIR", "TZ", "LANG", "LANGUAGE",
    "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT",
    "LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
)  # fmt: skip
"""Variables every command may see; secrets and Setpoint's own settings are not among them."""

NETWORK_KEEP = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip
"""Variables that commands which call other machines need on top; a proxy's address may hold a password."""


def clean_environment(
    extra: Mapping[str, str] | None = None, keep: Iterable[str] = DEFAULT_KEEP
) -> dict[str, str]:
    """Make an environment of the named variables of Setpoint's own, and `extra` on top of them."""
    return {**inherited(keep), **(extra or {})}
