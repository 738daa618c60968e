"""Short names for files and branches, made from titles."""

from __future__ import annotations

import hashlib
import re

MOST_SLUG = 48


def slug(text: str) -> str:
    """Make a short name of a text, fit for a file and a branch; at most 48 characters.

    A text in another script than the Latin one is told from others by a hash.
    """
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if words:
        return words[:MOST_SLUG].rstrip("-")
    kept = "".join(letter for letter in text.lower() if letter.isalnum())
    return f"story-{hashlib.sha256(kept.encode('utf-8', 'replace')).hexdigest()[:8]}" if kept else "story"
