"""What a landing does next: any queue, any conflicts, crashes at any act, people who move the branch."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.landing import (
    CombinationMeasured,
    DecisionDone,
    Fate,
    LandingBegan,
    LandingCancelled,
    LandingEnded,
    Queued,
    StoryDecided,
)
from setpoint.stories.policy.landing import (
    MOST_MEASURED,
    Act,
    ActKind,
    Facts,
    Trial,
    landings,
    moved,
    next_act,
)

NAMES = ("a", "b", "c", "d", "e")


def queued(story, base="0"):
    needs = tuple(set(base.split(".")) & set(NAMES))
    told = {"story": story, "run": f"run-{story}", "branch": f"b/{story}", "needs": needs}
    return Queued(**told, base=base, tip=f"tip-{story}")


@dataclass
class World:
    """Git and the board in memory: a commit is named by what it holds, as `0.a.b`."""

    queue: tuple
    clashes: frozenset
    """Pairs that conflict."""
    wrong: frozenset
    """Pairs that merge and fail together."""
    flaky: frozenset
    """Stories whose first measurement of each combination is red."""
    at: str = "0"
    moves: int = 0
    log: list = field(default_factory=list)
    ready: dict = field(default_factory=dict)
    """How often the board was told that a story is to be done again."""
    counted: dict = field(default_factory=dict)

    def __post_init__(self):
        began = LandingBegan(landing="landing-1", branch="main", into=True, base="0", queue=self.queue)
        self.log.append(began)

    @property
    def now(self):
        return landings(self.log)["landing-1"]

    def facts(self):
        now, held = self.now, self.now.tip.split(".")
        chosen = next((each.story for each in now.undecided if set(each.base.split(".")) <= set(held)), None)
        if chosen is None:
            return Facts(at=self.at)
        conflicts = tuple(f"{chosen}.py" for each in held if frozenset((each, chosen)) in self.clashes)
        merge = now.tip if chosen in held or conflicts else f"{now.tip}.{chosen}"
        return Facts(at=self.at, ready=chosen, trial=Trial(commit=merge, conflicts=conflicts))

    def red(self, commit, story):
        held = commit.split(".")
        key = (commit, story)
        self.counted[key] = self.counted.get(key, 0) + 1
        if story in self.flaky and self.counted[key] == 1:
            return ("shaky: timed out",)
        return tuple(f"{each} and {story}" for each in held if frozenset((each, story)) in self.wrong)

    def does(self, act, facts):
        """Carry out an act and return what to record."""
        now, story = self.now, act.story
        match act.kind:
            case ActKind.DO:
                decided = now.pending
                if decided.fate is Fate.SENT_BACK:
                    self.ready[story] = 1
                elif self.at == decided.before:
                    assert decided.commit.startswith(self.at), "forward only"
                    self.at = decided.commit
                done = decided.fate is Fate.SENT_BACK or self.at == decided.commit
                return DecisionDone(landing=now.name, story=story) if done else None
            case ActKind.FOLLOW:
                return moved(now, self.at, {s.story for s in now.landed if s.story in self.at.split(".")})
            case ActKind.MEASURE:
                evaluation = Evaluation(stage=Stage.TEST, commit=facts.trial.commit, tree="t", evidence=())
                red = self.red(facts.trial.commit, story)
                told = {"landing": now.name, "story": story, "commit": facts.trial.commit, "red": red}
                return CombinationMeasured(**told, evaluation=evaluation)
            case ActKind.DECIDE:
                commit = facts.trial.commit if act.fate is Fate.LANDED else now.tip
                told = {"fate": act.fate, "before": now.tip, "commit": commit, "reason": act.reason}
                return StoryDecided(landing=now.name, story=story, **told)
            case ActKind.END:
                return LandingEnded(landing=now.name, commit=self.at, tree="t", measured=True)
        raise AssertionError(act)

    def step(self, *, crash=False):
        facts = self.facts()
        act = next_act(self.now, facts)
        assert next_act(self.now, facts) == act
        body = self.does(act, facts)
        if body is not None and not crash:
            self.log.append(body)
        return act

    def disturbed(self, what, number):
        """Go on, crash after an act, or have a person move the branch."""
        if what in ("step", "crash"):
            self.step(crash=what == "crash")
            return
        self.moves += 1
        held, name = self.at.split("."), NAMES[number % 5]
        if what == "merge":
            self.at += f".p{number}"
        elif what == "squash":
            self.at += f".{name}" * (name not in held)
        elif len(held) > 1:
            self.at = ".".join([*held[:-1], f"q{number}"])

    def finish(self, steps=200):
        for _ in range(steps):
            if self.now.ended:
                return self.now
            self.step()
        raise AssertionError("it does not end")


pairs = st.frozensets(st.frozensets(st.sampled_from(NAMES), min_size=2, max_size=2), max_size=4)
worlds = st.builds(
    World,
    queue=st.permutations(NAMES).flatmap(
        lambda names: st.lists(st.booleans(), min_size=5, max_size=5).map(
            lambda on: tuple(
                queued(name, f"0.{names[(place + 2) % 5]}" if on[place] and place % 2 else "0")
                for place, name in enumerate(names)
            )
        )
    ),
    clashes=pairs,
    wrong=pairs,
    flaky=st.frozensets(st.sampled_from(NAMES), max_size=2),
)


@given(worlds, st.lists(st.sampled_from(["step", "crash", "merge", "reset", "squash"]), max_size=60))
def test_each_story_is_decided_and_what_landed_is_there(world, acts):
    for number, each in enumerate(acts):
        if not world.now.ended:
            world.disturbed(each, number)
    moves = world.moves
    done = world.finish()
    held = world.at.split(".")
    assert set(done.decided) == {each.story for each in world.queue}
    for each in world.queue:
        fate = done.decided[each.story].fate
        assert (fate is Fate.LANDED) <= (each.story in held)
        assert (fate is Fate.SENT_BACK) == (world.ready.get(each.story, 0) == 1)
        assert fate is Fate.LANDED or done.decided[each.story].reason
    if not moves:
        for first in held:
            for second in held:
                assert frozenset((first, second)) not in world.clashes | world.wrong
    crashes = acts.count("crash")
    assert all(count <= MOST_MEASURED + crashes for count in world.counted.values())


@given(worlds)
def test_what_nothing_keeps_from_landing_lands(world):
    blocked = {name for pair in world.clashes | world.wrong for name in pair}
    free = {each.story for each in world.queue if each.base == "0" and each.story not in blocked}
    done = world.finish()
    assert free <= {each.story for each in done.landed}
    assert not any(each.fate is Fate.GONE for each in done.decided.values())


@given(worlds, st.integers(0, 25))
def test_a_cancelled_landing_ends_with_all_that_was_decided_done(world, steps):
    for _ in range(steps):
        if not world.now.ended:
            world.step()
    if not world.now.ended:
        world.log.append(LandingCancelled(landing="landing-1"))
    done = world.finish()
    assert (world.at, done.pending) == (done.tip, None)


def test_the_branch_of_a_story_that_changes_meanwhile_is_left_alone():
    world = World((queued("a"),), frozenset(), frozenset(), frozenset())
    facts = world.facts().model_copy(update={"changed": True})
    act = next_act(world.now, facts)
    assert act == Act(kind=ActKind.DECIDE, story="a", reason="b/a was changed since the landing began")


def test_a_story_that_a_person_takes_out_is_told_and_not_landed_again():
    world = World((queued("a"), queued("b")), frozenset(), frozenset(), frozenset())
    while world.at != "0.a":
        world.step()
    world.step()
    world.at = "0.x"
    done = world.finish()
    assert [each.fate for each in done.decided.values()] == [Fate.GONE, Fate.LANDED]
    assert (world.at, [each.gone for each in done.moves]) == ("0.x.b", [("a",)])
