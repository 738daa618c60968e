"""Nothing blocks for ever, whatever the checks find and however the agent reports its prompts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from setpoint.app.hooks.turn import TITLE, checked, known_answer, prompted
from setpoint.model.hooks import CheckState, HookSession, TreeCheck

STATES = st.sampled_from(CheckState)
TREES = st.sampled_from(["a", "b", "c"])
STOPS = st.lists(st.tuples(TREES, STATES, st.booleans()), max_size=40)


@given(stops=STOPS, most=st.integers(0, 5))
def test_never_more_blocks_between_two_prompts_than_allowed_while_it_fails(
    stops: list[tuple[str, CheckState, bool]], most: int
) -> None:
    session, in_a_row = HookSession(max_blocks=most), 0
    for number, (tree, state, reported) in enumerate(stops):
        if reported:  # some agents report each reason as a prompt
            session = prompted(session, tree, "head", f"{TITLE} (1 of 3): the work is not done")
        known = known_answer(session, tree, float(number))
        if known is None:
            known = checked(session, TreeCheck(signature=tree, state=state, text="t"), float(number))
        answer, session = known
        if answer.block:
            in_a_row += 1
        elif session.blocks == 0:
            in_a_row = 0
        assert in_a_row <= most


def test_the_time_since_the_first_block_ends_the_blocking() -> None:
    session = HookSession(max_blocks=20, total_s=100.0)
    wrong = TreeCheck(signature="a", state=CheckState.FAILED, text="t")
    first, session = checked(session, wrong, 1_000.0)
    later, session = checked(session, wrong, 1_099.0)
    last, session = checked(session, wrong, 1_100.0)
    assert (first.block, later.block, last.block) == (True, True, False)
    assert "sent back first 100 s ago (hooks.total_s): it may stop" in last.text


def test_a_long_verdict_is_cut() -> None:
    answer, _ = checked(
        HookSession(), TreeCheck(signature="a", state=CheckState.FAILED, text="x" * 99_999), 1.0
    )
    assert len(answer.text) < 9_000
    assert "hint: setpoint check" in answer.text
