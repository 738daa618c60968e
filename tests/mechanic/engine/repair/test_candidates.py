from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint_mechanic.engine.repair.candidates import stream
from setpoint_probe.source.source import Source, Splice

SAMPLE = '''\
"""A module."""
LIMIT = 3


class Box:
    """A box."""

    size = 2

    def put(self, thing, count=1):  # a comment stays
        """Put."""
        if count > self.size and thing:
            raise ValueError("too many")
        total = [thing for _ in range(count)]
        total.append(f"{thing!r} é")
        return total[0:count], len(total) + LIMIT


async def wait(seconds, *, loud=False):
    while seconds >= 0:
        seconds -= 1
        try:
            yield str(seconds) if loud else None
        except (KeyError, IndexError):
            continue
        finally:
            pass
'''


def test_every_candidate_parses_or_is_discarded_and_changes_only_its_splices():
    source = Source("/a.py", SAMPLE.encode())
    scores = {("/a.py", line): 1.0 for line in range(1, SAMPLE.count("\n") + 1)}
    seen: set[tuple[Splice, ...]] = set()
    parsed = discarded = 0
    for candidate in stream({"/a.py": source}, scores, seed=0):
        assert candidate.edits not in seen
        seen.add(candidate.edits)
        text = source.edited(candidate.edits)
        assert text != SAMPLE or candidate.template == "insert"
        _assert_only_splices_changed(SAMPLE.encode(), text.encode(), candidate.edits)
        try:
            ast.parse(text)
            parsed += 1
        except SyntaxError:
            discarded += 1
    assert parsed > 1000
    assert discarded < parsed * 0.15


def _assert_only_splices_changed(before: bytes, after: bytes, edits: tuple[Splice, ...]) -> None:
    at = shift = 0
    for edit in edits:
        assert before[at : edit.start] == after[at + shift : edit.start + shift]
        new = edit.text.encode()
        assert after[edit.start + shift : edit.start + shift + len(new)] == new
        shift += len(new) - (edit.end - edit.start)
        at = edit.end
    assert before[at:] == after[at + shift :]


names = st.sampled_from(["a", "b", "count", "é"])
numbers = st.integers(0, 9).map(str)
expressions = st.recursive(
    names | numbers | st.sampled_from(["None", "True", "'x'", "[a, b]", "a[1:b]", "b.size"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " < ", " and ", " not in ", "//", " is "]), inner).map(
            "".join
        ),
        inner.map("len({})".format),
        inner.map("({})".format),
        st.tuples(inner, inner).map(lambda pair: f"f({pair[0]}, key={pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} if {pair[1]} else 0)"),
    ),
    max_leaves=6,
)
statements = st.one_of(
    st.tuples(names, expressions).map(lambda pair: f"    {pair[0]} = {pair[1]}  # kept"),
    expressions.map("    return {}".format),
    st.tuples(expressions, expressions).map(
        lambda pair: f"    if {pair[0]}:\n        b = {pair[1]}\n    else: a = 1"
    ),
    st.tuples(names, expressions).map(lambda pair: f"    for {pair[0]} in {pair[1]}:\n        break"),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(statements, min_size=1, max_size=4))
def test_edits_of_any_function_keep_what_stands_around_them(lines):
    text = "def f(a, b, count, é):\n" + "\n".join(lines) + "\n"
    source = Source("/f.py", text.encode())
    scores = {("/f.py", line): 0.5 for line in range(2, text.count("\n") + 1)}
    for count, candidate in enumerate(stream({"/f.py": source}, scores, seed=1)):
        _assert_only_splices_changed(text.encode(), source.edited(candidate.edits).encode(), candidate.edits)
        if count > 150:
            break
