"""Rings and lines, on any cut of the stream."""

from hypothesis import given
from hypothesis import strategies as st

from setpoint.system.processes.streams import LINE_BYTES, Lines, Ring


@given(st.lists(st.binary(max_size=50)), st.integers(0, 60))
def test_a_ring_keeps_both_ends_and_counts_the_rest(parts: list[bytes], keep: int):
    ring, whole = Ring(keep), b"".join(parts)
    for part in parts:
        ring.add(part)
    if len(whole) <= keep:
        assert (ring.kept(), ring.dropped) == (whole, 0)
        return
    head, tail = whole[: keep // 2], whole[len(whole) - (keep - keep // 2) :]
    assert ring.dropped == len(whole) - keep
    assert ring.kept() == head + f"\n[... {ring.dropped} bytes dropped ...]\n".encode() + tail


@given(st.lists(st.binary(max_size=20)))
def test_lines_do_not_depend_on_how_the_stream_is_cut(parts: list[bytes]):
    told: list[bytes] = []
    lines = Lines(told.append)
    for part in parts:
        lines.add(part)
    lines.end()
    whole = b"".join(parts).split(b"\n")
    *complete, last = whole
    assert told == [line.removesuffix(b"\r") for line in complete] + ([last] if last else [])


def test_a_line_without_end_is_told_in_pieces():
    told: list[bytes] = []
    lines = Lines(told.append)
    for _ in range(3):
        lines.add(b"x" * LINE_BYTES)
    lines.end()
    assert b"".join(told) == b"x" * 3 * LINE_BYTES
    assert len(told) > 1


def test_a_ring_does_not_grow_with_the_stream():
    ring = Ring(1000)
    for _ in range(1000):
        ring.add(b"y" * 10_000)
    assert ring.dropped == 10_000_000 - 1000
    assert len(ring._tail) < 600_000
