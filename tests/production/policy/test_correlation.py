"""Which deployment and which commits are suspected, and with what reasons."""

from hypothesis import given
from hypothesis import strategies as st

from model.production_examples import BAD, BEFORE, BLAME, CHANGES, DEPLOYED, MINUTE, NOON, OTHER, SIGNAL
from setpoint.model.ids import Commit
from setpoint.production.policy.correlation import MOST_SUSPECTS, Ran, hypothesis, is_release, ran

BOTH = Ran(DEPLOYED, BEFORE, "it ran")


def signal(**more):
    return SIGNAL.model_copy(update=more)


def scores(made):
    return {each.commit: each.score for each in made.suspects}


def test_what_ran_is_the_newest_deployment_before_the_signal():
    found = ran(SIGNAL, [DEPLOYED, BEFORE], "production")
    assert (found.deployment, found.previous, found.exact) == (DEPLOYED, BEFORE, False)
    earlier = ran(signal(occurred_at=NOON - 60 * MINUTE), [BEFORE, DEPLOYED], "production")
    assert (earlier.deployment, earlier.previous) == (BEFORE, None)
    assert ran(signal(occurred_at=NOON - 900 * MINUTE), [BEFORE, DEPLOYED], "production").deployment is None


def test_the_release_that_a_signal_names_goes_before_the_time():
    found = ran(signal(release="v1"), [BEFORE, DEPLOYED], "production")
    assert (found.deployment, found.exact) == (BEFORE, True)
    unknown = ran(signal(release="v9"), [BEFORE, DEPLOYED], "production")
    assert (unknown.deployment, unknown.exact) == (DEPLOYED, False)
    assert "v9, of which no deployment is recorded" in unknown.how


def test_only_the_signals_own_environment_counts():
    staging = DEPLOYED.model_copy(update={"environment": "staging"})
    assert ran(SIGNAL, [BEFORE, staging], "production").deployment == BEFORE
    nowhere = ran(signal(environment=""), [staging], "production")
    assert (nowhere.deployment, nowhere.how) == (None, "no deployment to production is recorded")
    assert ran(signal(environment=""), [staging], "staging").deployment == staging


def test_the_same_commit_again_is_not_what_ran_before():
    again = BEFORE.model_copy(update={"at": DEPLOYED.at - MINUTE, "commit": DEPLOYED.commit})
    assert ran(SIGNAL, [BEFORE, again, DEPLOYED], "production").previous == BEFORE


def test_a_release_is_known_by_its_name_or_by_its_commit():
    assert is_release("v2", DEPLOYED)
    assert is_release("shop@v2", DEPLOYED)
    assert is_release("d" * 7, DEPLOYED)
    assert not any(is_release(name, DEPLOYED) for name in ("", "v", "v22", "d" * 6, "a" * 8, "ddddddd-x"))


def test_the_line_that_a_commit_changed_makes_it_the_first_suspect():
    made = hypothesis(SIGNAL, BOTH, CHANGES, [BLAME])
    assert [each.commit for each in made.suspects] == [BAD, OTHER]
    assert made.suspects[0].reasons == (
        "last changed shop/cart.py:14 (the innermost frame of the stack)",
        "was deployed 5 minutes before the signal began, with 1 other",
    )
    assert (made.brought, made.notes) == (2, ())


def test_release_goes_before_line_and_line_before_time():
    release = hypothesis(signal(release="v2"), BOTH._replace(exact=True), CHANGES[:1], [])
    line = hypothesis(SIGNAL, BOTH._replace(previous=None), CHANGES[1:], [BLAME])
    time = hypothesis(SIGNAL, BOTH, CHANGES[:1], [])
    assert release.suspects[0].score > line.suspects[0].score > time.suspects[0].score > 0


def test_a_file_that_the_stack_names_counts_less_than_a_line():
    elder = BLAME.model_copy(update={"commit": Commit("e" * 40)})
    made = hypothesis(SIGNAL, BOTH, CHANGES, [elder])
    assert scores(made)[BAD] > scores(made)[OTHER]
    assert "changes shop/cart.py, which the stack names" in made.suspects[0].reasons
    assert made.notes == ("the lines that the stack names are older than this deployment",)
    assert scores(made)[BAD] < scores(hypothesis(SIGNAL, BOTH, CHANGES, [BLAME]))[BAD]


def test_without_an_earlier_deployment_only_the_stack_tells():
    made = hypothesis(signal(release="v2"), Ran(DEPLOYED, None, "", exact=True), CHANGES, [BLAME])
    assert OTHER not in scores(made)
    assert "no earlier deployment is recorded" in made.notes[0]


def test_what_is_not_known_is_said():
    nothing = hypothesis(SIGNAL, Ran(how="no deployment is recorded"), CHANGES, [BLAME])
    assert (nothing.suspects, nothing.notes) == ((), ("no deployment is recorded",))
    back = hypothesis(signal(frames=()), BOTH, (), ())
    assert back.suspects == ()
    assert [note[:20] for note in back.notes] == ["it brought no commit", "the signal names no "]
    assert hypothesis(SIGNAL, BOTH, CHANGES, []).notes == ("no frame of the stack lies in the repository",)


def test_times_are_said_as_people_do():
    late = [
        hypothesis(signal(occurred_at=DEPLOYED.at + m * MINUTE), BOTH, CHANGES, []) for m in (0, 90, 3000)
    ]
    told = [made.suspects[0].reasons[-1].split(" before")[0] for made in late]
    assert told == ["was deployed less than a minute", "was deployed 1 hour", "was deployed 2 days"]


@given(
    places=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=5),
    late=st.floats(0, 1e6),
    count=st.integers(1, 30),
    exact=st.booleans(),
)
def test_more_that_speaks_for_a_commit_never_lowers_its_score(places, late, count, exact):
    what = BOTH._replace(exact=exact)
    seen = signal(occurred_at=DEPLOYED.at + late * MINUTE / 60)
    brought = [
        CHANGES[1],
        *(CHANGES[0].model_copy(update={"commit": Commit(f"{n:040x}")}) for n in range(count)),
    ]
    blamed = [BLAME.model_copy(update={"place": place, "distance": far}) for place, far in places]
    before = 0.0
    for some in range(len(blamed) + 1):
        made = hypothesis(seen, what, brought, blamed[:some])
        now = scores(made).get(BAD, 0.0)
        assert all(0 <= each.score <= 1 and each.reasons for each in made.suspects)
        assert len(made.suspects) == min(MOST_SUSPECTS, count + 1)
        assert now >= before or some == 0
        before = now
    nearer = hypothesis(seen.model_copy(update={"occurred_at": DEPLOYED.at}), what, brought, blamed)
    assert scores(nearer).get(BAD, 0.0) >= before
