"""Prompts of recorded rounds: what a maker must be told, and how long it may be.

`fix_cases` holds second and third rounds of real runs on real and small packages, as JSON: what was measured,
and what was tried before. Each prompt is rendered here with the present templates.
"""

import json
import re
from pathlib import Path
from statistics import median

import pytest
from pydantic import TypeAdapter

from model.examples import ORDER
from setpoint.model.answers.reflection import ReflectionShape
from setpoint.model.answers.role_answers import OpinionsShape, ReviewShape, TestDesignShape, example_of
from setpoint.model.attempt import Tried
from setpoint.model.evidence import Failure, Suspect
from setpoint.model.finding import Finding
from setpoint.phase.policy.maker_feedback import feedback
from setpoint.pipelines import render
from setpoint.pipelines.prompt_templates import documented

CASES = sorted((Path(__file__).parent / "fix_cases").glob("*.json"))
MEDIAN = 2500
"""Characters of the fix prompt in the median of the cases."""
MOST = 6000
"""Characters of the longest."""


def prompt_of(case, template="fix.md.j2"):
    """Render the prompt of a recorded round."""
    failures = TypeAdapter(tuple[Failure, ...]).validate_python(case["failures"])
    findings = TypeAdapter(tuple[Finding, ...]).validate_python(case["findings"])
    suspects = TypeAdapter(tuple[Suspect, ...]).validate_python(case["suspects"])
    told = dict.fromkeys(documented().given, ())
    story = ORDER.story.model_copy(
        update={"title": case["wish"], "body": "", "acceptance": tuple(case["acceptance"])}
    )
    told |= {
        **{key: case[key] for key in ("iteration", "reason", "advice", "budget", "checks")},
        "max_iterations": 7,
        "story": story,
        "problems": feedback(failures, findings, suspects, "problems.txt"),
        "tried": TypeAdapter(tuple[Tried, ...]).validate_python(case["tried"]),
    }
    return render(template, told)


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def case(request):
    """Read one recorded round."""
    return json.loads(request.param.read_text("utf-8"))


def test_a_fix_prompt_tells_failure_place_command_and_what_was_tried(case):
    prompt = prompt_of(case)
    for cause in [each for each in case["failures"] if each["command"]][:3]:
        assert cause["test"] in prompt
        assert cause["command"].replace("`", "'") in prompt
        assert f"{cause['file']}:{cause['line']}" in prompt
        assert " ".join(cause["message"].split())[:100] in prompt
    for finding in case["findings"][:3]:
        assert finding["message"][:100] in prompt
    for tried in case["tried"]:
        assert f"iteration {tried['iteration']}" in prompt
        assert all(path in prompt for path in Tried.model_validate(tried).files)
    assert all(command in prompt for command in case["acceptance"])


def test_a_fix_prompt_says_nothing_twice(case):
    frame = re.compile(r"\S+:\d+ \w+")  # the way to two causes may be the same
    lines = [line.strip() for line in prompt_of(case).splitlines() if len(line.strip()) > 40]
    lines = [line for line in lines if not frame.fullmatch(line)]
    assert len(lines) == len(set(lines))


def test_fix_prompts_are_short():
    sizes = {path.stem: len(prompt_of(json.loads(path.read_text("utf-8")))) for path in CASES}
    assert len(sizes) >= 8
    assert median(sizes.values()) <= MEDIAN, sizes
    assert max(sizes.values()) <= MOST, sizes


@pytest.mark.parametrize("shape", [ReviewShape, OpinionsShape, TestDesignShape, ReflectionShape])
def test_the_example_of_an_answer_fits_its_shape(shape):
    read = shape.model_validate_json(example_of(shape))
    assert read.model_dump(exclude_defaults=True, mode="json").keys() <= shape.EXAMPLE.keys()
    assert read != shape.model_construct()
