"""`setpoint admin reviewers eval` on a recorded run: its tree is judged again, and the run stays as it is."""

import json

import pytest

from acceptance.conftest import RIGHT

FIX = [{"write": "calc.py", "text": RIGHT}]


def _says(decision, *findings):
    return json.dumps({"decision": decision, "findings": findings})


OBJECTION = {"severity": "error", "category": "correctness", "message": "no", "file": "calc.py", "line": 1}


def _recorded(repository):
    folder = repository.root / ".setpoint" / "snapshots"
    kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return kept, repository.setpoint("show", "--json").stdout


@pytest.mark.slow
def test_a_reviewer_is_replayed_on_a_run_which_stays_as_it_is(repository):
    repository.agent(FIX, settings='[agents]\nmaker = "actor"\n')
    repository.shell_agent(
        "harsh", f"cat > /dev/null; ls calc.py >&2; printf '{_says('request_changes', OBJECTION)}'"
    )
    repository.shell_agent("mute", "cat > /dev/null; echo looks good")
    assert repository.run()[0] == 0
    before = _recorded(repository)

    done = repository.setpoint("admin", "reviewers", "eval", "code:harsh", "--json")
    (record,) = json.loads(done.stdout)
    told = repository.setpoint("admin", "reviewers", "eval", "code:harsh").stdout
    mute = repository.setpoint("admin", "reviewers", "eval", "mute").stdout
    listed = json.loads(repository.setpoint("admin", "reviewers", "eval", "--list", "--json").stdout)

    assert (record["answers"], record["wrong"], record["right"], record["agreed"]) == (1, 1, 0, 0)
    assert "too few runs (1): 0 of 1" in told
    assert "1 trees had an answer of this reviewer already" in told
    assert "no answer that could be read" in mute
    assert [each["made_by"]["agent"] for each in listed] == ["mute", "harsh"]
    assert _recorded(repository) == before
