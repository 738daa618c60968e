"""Whether a request asks to make failing tests pass: a pure function of its words.

Each clause is read by itself. It asks for a repair when it says that tests fail or must pass, or when it asks
to repair them. "Add tests for failed logins" and "keep the tests green" do neither.
"""

from __future__ import annotations

import re

_CLAUSES = re.compile(
    r"""[;:,()\n] | [.!?](?=\s|$) | \b(?:and|but|so|that|until|because|since|while)\b
    | \s[-\u2013\u2014]\s | ^\s*[-*#]+\s""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_OPENING = (
    r"(?:(?:please|(?:can|could|would|will)\s+you|(?:i|we)\s+(?:want|need)(?:\s+you)?\s+to|let's|help(?:\s+me)?"
    r"|why|do|does|did|are|is|there|find\s+out|figure\s+out|currently|today|now|then|also|first|finally|to)\s+)*"
)
_REPAIR = r"(?:fix|repair|mend|debug|unbreak|resolve|investigate|correct|address|solve)"
_BRING = r"(?:make|get|turn|bring|have|want|need|let)"
_WHICH = (
    r"(?:(?:the|a|an|all|any|both|each|every|these|those|this|that|my|our|its|some|several|many|most|of|remaining"
    r"|existing|other|\d+|one|two|three|four|five)\s+)*"
)
_FAILING = r"(?:failing|failed|broken|red|flaky|erroring|crashing)"
_ABOUT = (
    r"(?:(?!(?:in|of|on|for|to|by|at|with|from|when|if|whether|without|as"
    r"|add|write|create|generate|extend|rename|move|remove|delete|run|skip|show|list|print|report)\b)"
    r"[\w.'/-]+\s+){0,2}?"
)
"""Up to two words that say which tests: "unit tests", "the parser's own tests"."""
_TESTS = (
    r"(?:tests?|specs?|(?:test\s+)?suites?|test\s+cases?|pytest|unittest|jest|vitest|mocha|ci|builds?"
    r"|[\w./-]*\btest_[\w./:-]+|[\w./-]+_test(?:\.\w+)?|[\w./-]+\.(?:test|spec)\.\w+)"
)
_BETWEEN = (
    r"(?:(?:is|are|was|were|be|being|been|has|have|had|do|does|not|must|should|shall|will|can|to|all|still|again|now"
    r"|just|also|only|always|sometimes|currently|suddenly|don't|doesn't|won't|aren't|isn't"
    r"|(?:in|on|under|of|for|with|from|at)\s+(?:the\s+|python\s+)?(?!the\b)[\w./-]+)\s+){0,6}?"
)
_STATE = (
    r"(?:fail|fails|failing|failed|pass|passes|passing|passed|green|red|broken|broke|breaks?|work|crash|crashes)"
    r"(?![\w-])"
)
_END = r"(?=\s*$|\s+(?:in|on|for|under|of|from|with|after|at|again|now|today|which|when)\b)"
_ASKS = re.compile(
    rf"""{_OPENING} (?:
        (?:{_REPAIR}\b.*? | {_BRING}\s+)? {_WHICH} {_FAILING}\s+ {_ABOUT} {_TESTS}\b
      | (?:(?:{_REPAIR}|{_BRING})\s+)? {_WHICH} {_ABOUT} {_TESTS}\s+ {_BETWEEN} {_STATE}
      | (?:{_REPAIR}\s+)? {_WHICH} {_ABOUT} {_TESTS}\s+ (?:failures?|errors?)\b
      | {_REPAIR}\s+ {_WHICH} {_ABOUT} {_TESTS} {_END}
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_KEEPS = re.compile(
    r"\b(?:still|keep|keeps|keeping|stay|stays|remain|remains|continue|continues)\b", re.IGNORECASE
)
_FAILS = re.compile(rf"\b(?:{_FAILING}|fails?|not|don't|doesn't)\b", re.IGNORECASE)


def asks_for_repair(request: str) -> bool:
    """Return whether a request asks to make tests pass that fail now."""
    return any(_asks(clause.strip()) for clause in _CLAUSES.split(request) if clause)


def _asks(clause: str) -> bool:
    if _KEEPS.search(clause) and not _FAILS.search(clause):
        return False
    return _ASKS.match(clause) is not None
