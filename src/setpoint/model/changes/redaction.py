"""Keeping secrets out of what is remembered, and noticing texts that give orders."""

from __future__ import annotations

import hashlib
import re
from functools import partial
from typing import NamedTuple, TypeVar

from setpoint.model.value import Value

V = TypeVar("V", bound=Value)


class _Shape(NamedTuple):
    """What a secret looks like; `group` is the part that is taken out."""

    name: str
    pattern: re.Pattern[str]
    group: int = 0


_SHAPES = (
    _Shape(
        "private-key",
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ),
    _Shape("anthropic", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{16,}")),
    _Shape("openai", re.compile(r"\bsk-[A-Za-z0-9_-]{20,}")),
    _Shape("github", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})")),
    _Shape("gitlab", re.compile(r"\bglpat-[A-Za-z0-9_-]{18,}")),
    _Shape("aws", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    _Shape("google", re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    _Shape("slack", re.compile(r"\bxox[abeprs]-[A-Za-z0-9-]{10,}")),
    _Shape("pypi", re.compile(r"\bpypi-[A-Za-z0-9_-]{40,}")),
    _Shape("npm", re.compile(r"\bnpm_[A-Za-z0-9]{30,}")),
    _Shape("jwt", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")),
    _Shape("url-password", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,80}:([^\s/@]{3,200})@"), 1),
    _Shape("bearer", re.compile(r"(?i)\bauthorization:\s*(?:bearer|basic|token)\s+([^\s\"',;]{8,})"), 1),
    _Shape(
        "assigned",
        re.compile(
            r"(?i)\b[a-z0-9_-]{0,40}(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token)"
            r"[\"']?\s*[:=]\s*[\"']?([^\s\"',;(){}\[\]]{8,200})"
        ),
        1,
    ),
)
_ABOUT_SECRETS = "a word about secrets"
_ALARMS = (
    ("a link", re.compile(r"(?i)\b(?:https?|ftp|ssh|file|data)://|\bwww\.")),
    (
        "an order to set rules aside",
        re.compile(
            r"(?i)\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}"
            r"\b(?:instruction|rule|previous|above|prior|check|guard|policy|test)"
        ),
    ),
    ("an order for ever", re.compile(r"(?i)\b(?:always|never|from now on|in all cases|no matter what)\b")),
    (
        "a command",
        re.compile(
            r"(?i)(?:^|[`$;|&\s])(?:sudo|curl|wget|bash|sh -c|rm -rf?|chmod|nc|eval|exec|ssh|scp|"
            r"pip install|npm i(?:nstall)?|git push|docker run)\s+\S"
        ),
    ),
    (_ABOUT_SECRETS, re.compile(r"(?i)\b(?:token|password|credential|api[ _-]?key|\.env)\b")),
    ("an order about the agent itself", re.compile(r"(?i)\b(?:you are now|system prompt|act as|pretend)\b")),
)


def redacted(text: str) -> str:
    """Take secrets out of a text; what stands there instead names the kind, and a hash tells them apart."""
    for shape in _SHAPES:
        text = shape.pattern.sub(partial(_instead, shape), text)
    return text


def without_secrets(value: V) -> V:
    """Take secrets out of every text of a value."""
    found = {name: redacted(text) for name, text in value if isinstance(text, str)}
    changed = {name: text for name, text in found.items() if text != getattr(value, name)}
    return value.model_copy(update=changed) if changed else value


def _instead(shape: _Shape, match: re.Match[str]) -> str:
    secret = match.group(shape.group)
    if secret.startswith("[redacted "):
        return match.group(0)
    mark = f"[redacted {shape.name} {hashlib.sha256(secret.encode()).hexdigest()[:6]}]"
    begin = match.start(shape.group) - match.start()
    return match.group(0)[:begin] + mark + match.group(0)[begin + len(secret) :]


def alarms(text: str) -> tuple[str, ...]:
    """Name what is suspicious in a text that is to be remembered: orders, links, commands."""
    return tuple(name for name, pattern in _ALARMS if pattern.search(text))


def orders(text: str) -> tuple[str, ...]:
    """Name what is suspicious in a text that a program or a person quotes; a word about secrets is not.

    Findings, failures and wishes name tokens and passwords every day.
    """
    return tuple(name for name in alarms(text) if name != _ABOUT_SECRETS)
