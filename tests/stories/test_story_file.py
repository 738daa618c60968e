"""Stories as files: what is written is read again, and what cannot be read says why."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from setpoint.errors import StoryError
from setpoint.model.changes.slug import MOST_SLUG, slug
from setpoint.model.stories.story import IntegrityMode, KnownRed, Story
from setpoint.stories.story_file import new_story, read_file, read_story
from stories.malformed import CASES, MEANT

WISHES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(str.strip)


def written(folder, text, name="a-story.md"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@given(text=st.text())
def test_a_slug_is_fit_for_a_file_and_a_branch(text):
    name = slug(text)
    assert 0 < len(name) <= MOST_SLUG
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert name == name.strip("-")
    assert slug(name) == name


@given(wish=WISHES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_a_wish_comes_back_as_it_was_written(tmp_path, wish):
    story, path = new_story(tmp_path, wish)
    again, same = new_story(tmp_path, wish)
    assert read_story(path) == story == again
    assert same == path


def test_another_wish_of_the_same_name_gets_a_file_of_its_own(tmp_path):
    one, first = new_story(tmp_path, "Fix it\n\nthe cart")
    two, second = new_story(tmp_path, "Fix it\n\nthe till")
    assert (one.title, one.body, one.id) == ("Fix it", "the cart", "fix-it")
    assert (first.name, second.name, two.id) == ("fix-it.md", "fix-it-2.md", "fix-it-2")
    assert new_story(tmp_path, "Fix it\n\nthe till") == (two, second)


def test_every_key_is_read(tmp_path):
    path = written(
        tmp_path,
        "---\nid: cart\ntitle: 'Mend: the cart'\npriority: 5\nacceptance: [make check]\n"
        "protected: ['docs/*']\nintegrity: read-only\nknown_red: fix\n"
        "max_refinement_attempts: 2\n---\n\nBody.\n",
    )
    assert read_story(path) == Story(
        id="cart",
        title="Mend: the cart",
        body="Body.",
        priority=5,
        acceptance=("make check",),
        protected=("docs/*",),
        integrity=IntegrityMode.READ_ONLY,
        known_red=KnownRed.FIX,
        max_refinement_attempts=2,
    )


def test_own_keys_begin_with_x_and_count_for_nothing(tmp_path):
    path = written(
        tmp_path, "---\ntitle: T\nx-owner: me\nrefinement_count: 2\nplan_complete: yes\npriority:\n---\nB"
    )
    assert read_story(path) == Story(id="a-story", title="T", body="B")


def test_without_front_matter_the_first_line_is_the_title(tmp_path):
    assert read_story(written(tmp_path, "\n# Add login\n\nWith a form.\n")).title == "Add login"
    assert read_story(written(tmp_path, "---\npriority: 3\n---\n## Add login\n")).title == "Add login"
    assert read_story(written(tmp_path, "Windows\r\nlines\r\n")).title == "Windows"


@pytest.mark.parametrize("mode", ["append-only", "free"])
def test_a_mode_of_an_earlier_version_is_read_and_named(tmp_path, mode):
    found = read_file(written(tmp_path, f"---\ntitle: T\nintegrity: {mode}\n---\n"))
    assert (found.story.integrity, found.earlier_mode) == (IntegrityMode.BOTH, mode)
    assert read_file(written(tmp_path, "---\ntitle: T\nintegrity: both\n---\n")).earlier_mode == ""


@pytest.mark.parametrize("name", CASES)
def test_a_malformed_file_is_refused_with_its_line_and_a_remedy(tmp_path, name):
    text, line, part = CASES[name]
    path = tmp_path / "a-story.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(StoryError) as refused:
        read_story(path)
    place = f"{path}:{line}: " if line else f"{path}: "
    assert refused.value.message.startswith(place), refused.value
    assert part in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("name", MEANT)
def test_another_spelling_is_read_as_it_is_meant(tmp_path, name):
    text, expected = MEANT[name]
    path = tmp_path / "a-story.md"
    path.write_bytes(text.encode())
    read = read_story(path)
    assert {key: getattr(read, key) for key in expected} == expected


def test_all_that_is_wrong_is_said_at_once(tmp_path):
    path = written(tmp_path, "---\ntitle: T\npriority: high\nacceptence: [a]\nowner: me\n---\n")
    with pytest.raises(StoryError) as refused:
        read_story(path)
    assert refused.value.message == (
        f"{path}:3: key 'priority': input should be a valid integer, unable to parse string as an integer; "
        "line 4: unknown key 'acceptence'; did you mean 'acceptance'?; line 5: unknown key 'owner'"
    )


def test_what_is_not_there_is_no_story(tmp_path):
    with pytest.raises(StoryError, match="cannot be read as a story"):
        read_story(tmp_path / "nowhere.md")


def test_titles_in_other_scripts_are_told_apart():
    names = {slug(title) for title in ("Исправить корзину", "Починить кассу", "修复购物车")}
    assert len(names) == 3
    assert all(name.startswith("story-") and slug(name) == name for name in names)
    assert slug("—") == "story"


def test_a_new_story_has_a_body_to_fill_in_that_is_no_part_of_the_request(tmp_path):
    story, path = new_story(tmp_path, "Export as JSON")
    text = path.read_text()
    assert "\n---\n\n<!-- What is different when this is done?" in text
    assert (story.body, read_story(path).body) == ("", "")

    path.write_text(text.replace("<!-- What must stay as it is? -->", "Exit codes stay."))
    assert read_story(path).body == "Exit codes stay."


def test_a_request_with_details_gets_no_hints(tmp_path):
    _, path = new_story(tmp_path, "Export as JSON\n\nOne document.")
    assert path.read_text().endswith("---\n\nOne document.\n")
