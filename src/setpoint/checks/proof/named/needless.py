"""Tell from a request whether it asks for a function that only raises, or always answers the same."""

from __future__ import annotations

import re

_RAISING = re.compile(
    r"\b(?:always|only|just|simply)\b[^.]{0,40}\b(?:rais|throw|panic|fail)\w*|\babstract\b|\binterface\b"
    r"|\bprotocol\b|\bstubs?\b|\bplaceholder\b|\bdeprecat\w*|\b(?:un|not )(?:supported|implemented)\b"
    r"|NotImplemented|todo!|unimplemented!|\bno longer\b|\bdisabl\w*|\bforbid\w*",
    re.IGNORECASE,
)
_RAISES = re.compile(r"\b(?:rais|throw|panic|reject|refus|fail)\w*", re.IGNORECASE)
_SAME = re.compile(
    r"\b(?:always|constants?|every|fixed|stubs?|placeholder|regardless|no matter|ignor\w+|dummy|fake"
    r"|no-?op)\b",
    re.IGNORECASE,
)
_TEXT = re.compile(r"""["'`]([^"'`\n]+)["'`]""")
_TRUTH = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")


def excused(request: str, *, new: bool) -> bool:
    """Whether a request asks for a function that only raises; `new` ones need plainer words for that."""
    return _RAISING.search(request) is not None or (not new and _RAISES.search(request) is not None)


def has_one_answer(request: str, text: str) -> bool:
    """Whether a request asks for a function that always answers the same: it says so, or gives the answer."""
    if _SAME.search(request):
        return True
    if any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", request) for each in _TEXT.findall(text)):
        return True
    truths = {each.lower() for each in _TRUTH.findall(request)}
    if not truths.isdisjoint(each.lower() for each in _TRUTH.findall(text)):
        return True
    numbers = set(_NUMBER.findall(request))
    return len(numbers) == 1 and not numbers.isdisjoint(_NUMBER.findall(text))
