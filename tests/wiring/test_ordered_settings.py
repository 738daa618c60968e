"""Settings of other versions: what they lack has a default, what is unknown is named."""

import json

import pytest

from model.examples import ORDER
from setpoint.errors import RecordedDataError, UsageError
from setpoint.model.run import RunOrder
from setpoint.settings import SETTINGS_VERSION, Settings
from setpoint.wiring.ordered_settings import ordered_settings, stated_settings


def order_with(settings, **changes):
    return ORDER.model_copy(update={"settings": json.dumps(settings), **changes})


def test_settings_of_this_version_come_back_as_they_were_ordered():
    ordered = Settings.model_validate({"pipeline": "cover", "checks": {"reruns": 4}})
    order = order_with(json.loads(ordered.model_dump_json()), settings_version=SETTINGS_VERSION)
    assert ordered_settings(order) == ordered


def test_a_key_that_an_older_order_lacks_has_its_default():
    written = json.loads(Settings.model_validate({"checks": {"reruns": 4}}).model_dump_json())
    del written["telemetry"], written["checks"]["coverage"]
    read = ordered_settings(order_with(written))
    assert read.checks.reruns == 4
    assert (read.telemetry, read.checks.coverage) == (Settings().telemetry, Settings().checks.coverage)


@pytest.mark.parametrize("settings", [{"oracle": True}, {"checks": {"oracle": True}}])
def test_a_key_that_this_version_does_not_know_is_named_with_what_to_do(settings):
    with pytest.raises(RecordedDataError) as caught:
        ordered_settings(order_with(settings, settings_version=7))
    assert "oracle" in caught.value.message
    assert str(ORDER.trace_id) in caught.value.message
    assert "settings of version 7" in caught.value.message
    assert caught.value.hint == "resume with the version that began it, or start a new run"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_an_order_from_before_versions_were_recorded_is_read():
    written = json.loads(ORDER.model_dump_json())
    del written["settings_version"]
    assert RunOrder.model_validate(written).settings_version == 0


def test_a_statement_replaces_the_tables_that_it_names():
    own = Settings.model_validate({"pipeline": "cover", "checks": {"reruns": 4}})
    read = stated_settings(own, {"checks": {"reruns": 1}})
    assert (read.pipeline, read.checks.reruns) == ("cover", 1)


def test_a_key_of_a_statement_that_this_version_does_not_know_is_named_with_what_to_do():
    with pytest.raises(UsageError) as caught:
        stated_settings(Settings(), {"checks": {"oracle": True}, "integrity": {"seer": 1}})
    assert "checks: no check or tool is called 'oracle'" in caught.value.message
    assert "integrity.seer" in caught.value.message
    assert "--trust-commands" in caught.value.hint
