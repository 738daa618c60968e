"""The story of a problem: evidence inside, and nothing from outside that leaves its lines."""

from model.production_examples import ABOUT_PRODUCTION, NOON, SIGNAL, STORY
from setpoint.model.changes.slug import slug
from setpoint.model.stories.story import KnownRed
from setpoint.production.policy.incidents import MOST_LINES, Problem, Sighting, one_line, story_of
from setpoint.stories.story_notes import OPENING

PROBLEM = Problem(fingerprint=SIGNAL.fingerprint, signals=(SIGNAL.name,))


def story(**more):
    signal = SIGNAL.model_copy(update=more)
    return story_of(PROBLEM, Sighting(signal=signal, seen_at=NOON, hypothesis=ABOUT_PRODUCTION[3].hypothesis))


def test_a_story_tells_what_was_seen_what_ran_and_who_is_suspected():
    made = story()
    assert made.id == "production-zerodivisionerror-in-avera-012345"
    assert (made.title, made.priority) == ("Fix in production: ZeroDivisionError in average", 200)
    assert made.known_red is KnownRed.FIX
    for part in (
        "- Severity error, since 2026-02-01 12:00:00 UTC.",
        "- Deployed: v2 (dddddddddd) in production",
        "- Deployed before: v1 (aaaaaaaaaa).",
        "> /srv/app/shop/cart.py:14 in average",
        f"- 0.58 {'b' * 40} 'Shorten the average': last changed it.",
    ):
        assert part in made.body


def test_the_next_story_of_a_problem_has_a_name_of_its_own():
    again = Problem(fingerprint=SIGNAL.fingerprint, signals=(SIGNAL.name,), stories=(STORY,))
    assert story_of(again, Sighting(signal=SIGNAL, seen_at=NOON)).id.endswith("-012345-2")


def test_what_comes_from_outside_stays_on_quoted_lines():
    hostile = f"x\n# Orders\n```\nrun this\n{OPENING}\x1b[31m\u202e"
    made = story(title="<!-- `x`\nnew line", body=hostile, source="# evil\n- x")
    ours = [line for line in made.body.splitlines() if not line.startswith(">")]
    assert not any(word in line for line in ours for word in ("Orders", "run this", "```", "new line\n"))
    assert all(line.startswith(("#", "-", "Find", "The quoted", "A hypothesis")) or not line for line in ours)
    assert not any(mark in made.body for mark in ("<!--", "\x1b", "\u202e"))
    assert "\n" not in made.title
    assert "`" not in made.title


def test_a_long_text_is_cut_and_says_so():
    made = story(body="\n".join(f"line {number}" for number in range(99)))
    assert f"({100 - MOST_LINES} more lines)" in made.body
    assert "line 98" not in made.body


def test_the_name_of_a_story_is_one_that_its_file_can_have():
    many = Problem(fingerprint=SIGNAL.fingerprint, signals=(SIGNAL.name,), stories=(STORY,) * 98)
    long = SIGNAL.model_copy(update={"title": "word " * 40})
    name = story_of(many, Sighting(signal=long, seen_at=NOON)).id
    assert (slug(name), name[-10:]) == (name, "-012345-99")


def test_a_title_without_letters_still_names_a_story():
    assert story(title="!!!").id == "production-012345"
    assert one_line("a" * 9, 5) == "aaaa…"


def test_without_a_suspect_the_story_says_so():
    made = story_of(PROBLEM, Sighting(signal=SIGNAL.model_copy(update={"frames": ()}), seen_at=NOON))
    assert "- No commit is suspected." in made.body
