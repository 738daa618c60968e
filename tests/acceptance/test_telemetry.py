"""Runs that are told to a collector as they end, as a user sets it up, and a collector that is not there."""

import json

from acceptance.conftest import BUG, RIGHT, WISH
from history.traces.test_otlp import attributes, listening

WRONG = BUG.replace("a - b", "a * b")
SECRET = "Basic c2VjcmV0"
HIDDEN = ("assert 6 == 5", "tests/test_calc.py", "return a * b", "look at the sign", SECRET)
"""What the record holds and no collector is told: errors, names of files, changes, what agents say."""


def test_every_run_that_ends_is_sent_where_the_settings_say(repository):
    with listening() as collector:
        repository.agent(
            [{"write": "calc.py", "text": WRONG}, {"say": "look at the sign"}],
            [{"write": "calc.py", "text": RIGHT}],
            settings=f'[telemetry]\notlp = "{collector.url}"\n',
        )
        code, outcome = repository.run(
            "--agent", "actor", OTEL_EXPORTER_OTLP_HEADERS=f"authorization={SECRET.replace(' ', '%20')}"
        )
        sent = len(collector.requests)
        again = repository.setpoint("admin", "export", outcome["trace_id"], "--otlp", collector.url)
    assert (code, outcome["mark"], sent) == (0, "IMPLEMENTATION_VERIFIED", 1)
    assert collector.paths == ["/v1/traces"] * 2, again.stderr
    assert collector.headers[0]["authorization"] == SECRET
    first, second = collector.requests
    assert first == second, "sent again, it is the same trace"
    spans = [span for each in first.resource_spans for scope in each.scope_spans for span in scope.spans]
    (root,) = (span for span in spans if not span.parent_span_id)
    told = attributes(root.attributes)
    assert (told["setpoint.run.ending"], told["gen_ai.conversation.id"]) == ("verified", outcome["trace_id"])
    names = [span.name for span in spans]
    assert [names.count(each) for each in ("iteration", "invoke_agent actor")] == [2, 2]
    assert {"phase implement", "evaluate evaluate", "evaluate test", "check pytest"} <= set(names)
    bounces = [note.name for span in spans for note in span.events if note.name == "setpoint.bounce"]
    assert len(bounces) == 1
    for text in HIDDEN:
        assert text.encode() not in first.SerializeToString(), text


def test_a_collector_that_is_not_there_changes_no_outcome_and_is_named(repository):
    with listening() as collector:
        gone = collector.url
    repository.agent([{"write": "calc.py", "text": RIGHT}], settings=f'[telemetry]\notlp = "{gone}"\n')
    done = repository.setpoint("run", WISH, "--agent", "actor", "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), done.stderr
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert f"{gone}/v1/traces: the collector cannot be reached" in done.stderr
    with listening() as collector:
        again = f"setpoint admin export {outcome['trace_id']} --otlp {gone}"
        assert again in done.stderr
        words = again.replace(gone, collector.url).split()[1:]
        sent = repository.setpoint(*words)
    assert sent.returncode == 0, sent.stderr
    assert len(collector.spans) > 5
