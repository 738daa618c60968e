"""Counts and shortened texts."""

from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.wording import counted, shortened


def test_a_noun_agrees_with_its_count():
    assert [counted(count, "file") for count in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
    assert counted(2, "blocking finding") == "2 blocking findings"
    assert counted(2, "process") == "2 processes"
    assert counted(2, "story") == "2 stories"
    assert counted(2, "day") == "2 days"


def test_a_text_is_cut_between_words():
    assert shortened("E  cannot import add from shop/discount.py", 30) == "E  cannot import add from …"
    assert shortened("one two", 7) == "one two"
    assert shortened("one two three", 7) == "one two …"
    assert shortened("shop/discount/very_long_name.py is gone", 10) == "shop/discount/very_long_name.py …"


@given(st.lists(st.text("ab/.", min_size=1, max_size=12), min_size=1, max_size=20), st.integers(12, 60))
def test_each_word_that_stays_is_whole(words: list[str], most: int):
    text = " ".join(words)
    kept = shortened(text, most).removesuffix(" …").split(" ")
    assert kept == words[: len(kept)]
    assert len(" ".join(kept)) <= most or len(kept) == 1
