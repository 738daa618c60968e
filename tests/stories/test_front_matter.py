"""Front matter is changed in place: the key that is set changes, and nothing else does."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from setpoint.errors import StoryError
from setpoint.stories.front_matter import front_matter, taken_apart, with_keys

KEYS = [f"key{number}" for number in range(8)]
VALUES = (
    "plain",
    "'quoted: yes'",
    '"double # no comment"',
    "17",
    "2024-01-01",
    "",
    "[a, 'b']",
    "[a,\n    b]",
    "{x: 1, y: [2]}",
    "\n  - one\n  - two # second",
    "\n- one\n# between\n- two",
    "\n  a: 1\n  # inside\n  b:\n    - c",
    "|\n  text\n\n  more",
    ">-\n  folded\n  text",
    "two\n  lines",
    "&anchor value",
    "!!str 5",
)
BETWEEN = ("", "# a comment\n", "\n", "\n # indented comment\n\n", "#comment: no key\n")
AFTER = ("", "  # behind it")
NEW = st.one_of(
    st.text(max_size=30),
    st.integers(),
    st.booleans(),
    st.lists(st.text(max_size=8), max_size=3),
    st.lists(st.fixed_dictionaries({"iteration": st.integers(), "text": st.text(max_size=8)}), max_size=3),
)


@st.composite
def fronts(draw):
    """Give the parts of a front matter: (key, text) with the text of the key and what stands above it."""
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, min_size=1, max_size=6))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    parts = []
    for key in keys:
        value = draw(st.sampled_from(VALUES)).replace("&anchor", f"&{key}")
        single = "\n" not in value
        after = draw(st.sampled_from(AFTER)) if single else ""
        space = "" if value.startswith("\n") or not value else " "
        above = draw(st.sampled_from(BETWEEN))
        parts.append(
            (key, above.replace("\n", newline), f"{key}:{space}{value}{after}\n".replace("\n", newline))
        )
    return newline, parts, draw(st.sampled_from(BETWEEN)).replace("\n", newline)


def page_of(front, newline="\n", body="\nThe *body*\n---\nwith a line.\n"):
    return taken_apart(f"---{newline}{front}---{newline}{body}")


@given(made=fronts(), new=NEW, data=st.data())
def test_a_key_that_is_set_is_all_that_changes(made, new, data):
    newline, parts, last = made
    page = page_of("".join(above + text for _, above, text in parts) + last, newline)
    before = front_matter(page, "file")
    place = data.draw(st.integers(0, len(parts) - 1))
    key = parts[place][0]

    after = with_keys(page, {key: new}, "file")

    assert front_matter(taken_apart(after.text), "file") == {**before, key: new}
    left = "".join(above + text for _, above, text in parts[:place]) + parts[place][1]
    right = "".join(above + text for _, above, text in parts[place + 1 :]) + last
    assert after.front.startswith(left)
    assert after.front.endswith(right)
    assert (after.head, after.fence, after.body) == (page.head, page.fence, page.body)
    behind = "  # behind it"
    assert (behind in after.front[len(left) :]) or (behind not in page.front[len(left) :])


@given(made=fronts(), new=NEW)
def test_a_key_that_is_added_stands_at_the_end(made, new):
    newline, parts, last = made
    front = "".join(above + text for _, above, text in parts) + last
    page = page_of(front, newline)

    after = with_keys(page, {"another": new}, "file")

    assert after.front.startswith(front)
    assert front_matter(after, "file") == {**front_matter(page, "file"), "another": new}
    if newline == "\r\n" and not isinstance(new, str):
        assert "\n" not in after.front.replace("\r\n", "")


@given(made=fronts(), data=st.data())
def test_a_key_that_is_taken_out_leaves_the_others(made, data):
    newline, parts, last = made
    page = page_of("".join(above + text for _, above, text in parts) + last, newline)
    place = data.draw(st.integers(0, len(parts) - 1))
    key = parts[place][0]
    expected = {name: value for name, value in front_matter(page, "file").items() if name != key}
    if expected | {key: None} == front_matter(page, "file"):
        assert with_keys(page, {key: None}, "file") is page  # it holds nothing already
        return

    after = with_keys(page, {key: None}, "file")

    assert front_matter(after, "file") == expected
    left = "".join(above + text for _, above, text in parts[:place]) + parts[place][1]
    right = "".join(above + text for _, above, text in parts[place + 1 :]) + last
    assert after.front == left + right


@given(body=st.text(max_size=60))
def test_a_file_without_front_matter_gets_some_above_its_text(body):
    page = taken_apart(body)
    if page.head:
        return
    after = taken_apart(with_keys(page, {"status": "ready"}, "file").text)
    assert yaml.safe_load(after.front) == {"status": "ready"}
    assert after.body.lstrip("\r\n") == body.removeprefix("\ufeff").lstrip("\r\n")


def test_what_is_the_same_already_changes_nothing():
    page = page_of("a:   1   # one\nb: [x]\n")
    assert with_keys(page, {"a": 1, "b": ["x"], "c": None}, "file") is page


def test_comments_inside_a_list_stay_when_it_grows():
    page = page_of("list:\n  - a: 1\n    # mine\n    b: 2 # too\n\nnext: 1\n")
    after = with_keys(page, {"list": [{"a": 1, "b": 2}, {"a": 3}]}, "file")
    assert after.front == "list:\n  - a: 1\n    # mine\n    b: 2 # too\n  - a: 3\n\nnext: 1\n"

    again = with_keys(after, {"list": [{"a": 1, "b": 2}, {"a": 4}]}, "file")
    assert again.front == "list:\n  - a: 1\n    # mine\n    b: 2 # too\n  - a: 4\n\nnext: 1\n"


@pytest.mark.parametrize(
    "front",
    ["{a: 1}\n", "? a\n: 1\n", "x: &v 1\na: *v\n", "a: &v 1\nx: *v\n"],
    ids=["flow", "explicit", "alias", "anchor"],
)
def test_what_cannot_be_changed_safely_is_refused(front):
    with pytest.raises(StoryError, match=r"file: .* cannot be changed safely \(a\)") as refused:
        with_keys(page_of(front), {"a": 2}, "file")
    assert refused.value.hint


@pytest.mark.parametrize(
    "text", ["\x85", "a\x85b", "\u2028", "a\nb", "\n", "a\r\nb", " lead\nx\n", "\ufeff", "\U0001f600"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_text_with_odd_line_breaks_comes_back_as_it_was(text, newline):
    page = page_of(f"a: 1{newline}b: [1]{newline}", newline)
    after = taken_apart(with_keys(page, {"a": text, "b": [text, text]}, "file").text)
    assert front_matter(after, "file") == {"a": text, "b": [text, text]}


@given(text=st.text(st.sampled_from("-a: #\n\r\ufeff"), max_size=40))
def test_a_text_taken_apart_is_the_same_when_put_together(text):
    assert taken_apart(text).text == text
    assert taken_apart("---\n---\n" + text).body == text
