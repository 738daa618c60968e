"""Rounds and histories in a few words, for the tests of policies."""

from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Stage
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Commit, Tree
from setpoint.model.run import Round, Snapshot
from setpoint.model.verdict import Judgement, Verdict
from setpoint.phase.policy.hard_gates import hard_gates
from setpoint.testing import Scene, evaluation

GREEN = Scene()
BASE = evaluation(Stage.BASE, "base", "tree-0", Scene(failing=("t::a", "t::b")))


def finding(message="it is wrong", category=Category.CORRECTNESS, severity=Severity.ERROR, **more):
    return Finding(source="review:code", category=category, severity=severity, message=message, **more)


def verdict(*findings, judgement=None):
    blocking = any(each.blocking for each in findings)
    judgement = judgement or (Judgement.REQUEST_CHANGES if blocking else Judgement.APPROVE)
    return Verdict(reviewer="code", judgement=judgement, findings=findings)


def a_round(number, scene=GREEN, *, review=(), judgement=None, chain=0, diff=None, early=GREEN, reached=True):
    """A round whose test stage looks like the scene; with `reached=False` it ended at the evaluate stage."""
    commit, tree = f"commit-{number}", f"tree-{number}"
    diff = f"diff-{number}" if diff is None else diff
    files = ("src/work.py",) if diff else ()
    past = Round(
        number=number,
        chain=chain,
        snapshot=Snapshot(
            label=f"make-{number}", commit=Commit(commit), tree=Tree(tree), parent=Commit("base"), files=files
        ),
        changed_against_base=bool(diff),
        diff_hash=diff,
        evaluation=evaluation(Stage.EVALUATE, commit, tree, early if reached else scene),
        verdict=verdict(*review, judgement=judgement) if reached else None,
        tests=evaluation(Stage.TEST, commit, tree, scene) if reached else None,
    )
    return with_gates(past)


def with_gates(past):
    gates = hard_gates(past)
    blocked = not all(gate.passed for gate in gates)
    source = "" if not blocked else "review" if past.verdict and past.verdict.blocking else "test"
    return past.model_copy(
        update={"gates": gates, "bounced_to": "implement" if blocked else "", "bounced_from": source}
    )


def confirmed(past, scene):
    again = evaluation(Stage.CONFIRM, past.snapshot.commit, past.snapshot.tree, scene)
    return with_gates(past.model_copy(update={"confirmation": again}))


def a_past(*rounds, limits=None, base=BASE, **more):
    return RunFacts(limits=limits or Limits(), base=base, rounds=rounds, **more)


def reds(number, *names):
    """Rounds that end with failures of their own: nothing in them repeats."""
    return tuple(
        a_round(place, Scene(failing=names or (f"t::red_{place}", f"t::more_{place}")))
        for place in range(1, number + 1)
    )
