"""A pipeline that could never verify anything, or hides a phase where it is not played, is refused."""

import pytest
from pydantic import ValidationError

from setpoint.model.pipeline import Pipeline

RESEARCH = {"name": "research", "kind": "think", "role": "researcher"}
MAKE = {"name": "implement", "kind": "make", "role": "maker"}
EVALUATE = {"name": "evaluate", "kind": "measure", "stage": "evaluate"}
REVIEW = {"name": "review", "kind": "review", "role": "reviewer"}
TEST = {"name": "test", "kind": "measure", "stage": "test"}
DELIVER = {"name": "deliver", "kind": "deliver"}


def pipeline(*phases):
    return Pipeline.model_validate({"name": "own", "phases": phases})


def test_phases_lie_before_and_behind_the_making():
    own = pipeline(RESEARCH, MAKE, EVALUATE, REVIEW, TEST, DELIVER)
    assert own.making.name == "implement"
    assert [phase.name for phase in own.before_making()] == ["research"]
    assert [phase.name for phase in own.behind_making()] == ["evaluate", "review", "test", "deliver"]


def test_a_review_that_names_no_kind_is_one_of_the_code():
    own = pipeline(MAKE, EVALUATE, REVIEW, TEST)
    assert own.behind_making()[1].reviews == ("code",)
    assert own.making.reviews == ()


@pytest.mark.parametrize(
    ("phases", "why"),
    [
        ((MAKE, EVALUATE, TEST, {**EVALUATE}), "names must differ; doubled: evaluate"),
        ((EVALUATE, TEST), "exactly one phase of kind 'make', this one has 0"),
        (
            (MAKE, {**MAKE, "name": "more"}, EVALUATE, TEST),
            "exactly one phase of kind 'make', this one has 2",
        ),
        (({**RESEARCH, "role": None}, MAKE, EVALUATE, TEST), "'research' of kind 'think' needs a role"),
        (({**MAKE, "role": None}, EVALUATE, TEST), "'implement' of kind 'make' needs a role"),
        ((MAKE, EVALUATE, {**REVIEW, "role": None}, TEST), "'review' of kind 'review' needs a role"),
        ((MAKE, EVALUATE, {**REVIEW, "reviews": ["Code!"]}, TEST), "'Code!' is no name of a review"),
        ((MAKE, EVALUATE, {**REVIEW, "reviews": ["code", "code"]}, TEST), "names a kind of review twice"),
        ((MAKE, EVALUATE, {**TEST, "reviews": ["code"]}), "'test' of kind 'measure' has no reviews"),
        ((MAKE, {**EVALUATE, "stage": None}, TEST), "'evaluate' of kind 'measure' needs a stage"),
        ((MAKE,), "the phase behind 'implement' must be"),
        ((MAKE, TEST), "the phase behind 'implement' must be"),
        ((MAKE, EVALUATE, DELIVER), "nothing could ever be verified"),
        ((EVALUATE, MAKE, {**EVALUATE, "name": "again"}, TEST), "'evaluate' stands before the making"),
        ((DELIVER, MAKE, EVALUATE, TEST), "'deliver' stands before the making"),
        ((MAKE, EVALUATE, RESEARCH, TEST), "'research' of kind 'think' must stand before the making"),
        ((MAKE, EVALUATE, {**TEST, "stage": "base"}), "a pipeline's stages are 'evaluate' and 'test'"),
        ((MAKE, EVALUATE, {**TEST, "colour": "red"}), "extra"),
    ],
)
def test_an_impossible_pipeline_is_refused_with_the_reason(phases, why):
    with pytest.raises(ValidationError) as refused:
        pipeline(*phases)
    assert why.lower() in str(refused.value).lower()
