"""Settings: which source wins, and that a wrong key or value names its source, the key and the mend."""

import pytest

from setpoint.errors import ExitCode, SettingsError
from setpoint.model.config.database_url import without_password
from setpoint.model.config.limits import Limits
from setpoint.model.quality import WEIGHTS
from setpoint.model.stories.story import IntegrityMode
from setpoint.presets.classic import CLASSIC
from setpoint.settings import CustomAgent, Settings, inherited, load


@pytest.fixture
def wrong(tmp_path):
    def tell(toml=None, *, pyproject=None, environment=None, flags=None):
        if toml is not None:
            (tmp_path / "setpoint.toml").write_text(toml)
        if pyproject is not None:
            (tmp_path / "pyproject.toml").write_text(pyproject)
        with pytest.raises(SettingsError) as refused:
            load(tmp_path, flags, environment or {})
        assert refused.value.hint
        assert refused.value.exit_code is ExitCode.USAGE
        return refused.value.message.replace(str(tmp_path), "PROJECT")

    return tell


def test_without_any_source_the_defaults_hold(tmp_path):
    settings = load(tmp_path, environment={})
    assert settings == Settings()
    assert (settings.limits, settings.weights) == (Limits(), WEIGHTS)


def test_what_an_earlier_version_knew_is_ignored_and_named(tmp_path):
    (tmp_path / "setpoint.toml").write_text("[halting]\ncanary_share = 0.5\nworth_usd = 3\n")
    settings = load(tmp_path, environment={"SETPOINT_HALTING__SHADOW_CONTINUE": "0.1"})
    assert settings.halting.worth_usd == 3
    assert [note.partition(" ")[0] for note in settings.notices] == [
        "halting.canary_share",
        "halting.shadow_continue",
    ]
    assert Settings.model_validate_json(settings.model_dump_json()).notices == ()


IN_A_FILE = {
    "colour = 1": "key 'colour': extra inputs are not permitted (got 1)",
    "[limits]\ncolour = 1": "key 'limits.colour': extra inputs are not permitted (got 1)",
    "[agents]\nmakr = 'x'": "key 'agents.makr': extra inputs are not permitted (got 'x')",
    "[limits]\nmax_iterations = 0": "key 'limits.max_iterations': input should be greater than or equal to 1",
    "[limits]\nmax_wall_s = 'long'": "key 'limits.max_wall_s': input should be a valid number",
    "limits = 5": "key 'limits': input should be a valid dictionary",
    "preset = 'classic'\nlimits = 5": "key 'limits': input should be a valid dictionary",
    "preset = 'fast'": "key 'preset': input should be 'default' or 'classic' (got 'fast')",
    "known_red = 'ignore'": "key 'known_red': input should be 'tolerate' or 'fix' (got 'ignore')",
    "[integrity]\nmode = 'off'": "key 'integrity.mode': input should be 'both' or 'read-only' (got 'off')",
    "[checks]\npytest = 'maybe'": "key 'checks.pytest': input should be 'auto' (got 'maybe')",
    "[checks]\nrufff = true": "key 'checks.rufff': no check or tool is called 'rufff'; there are python, ",
    "[checks]\nruff = 'maybe'": "key 'checks.ruff': value error, give true, false, ",
    "[checks.ruff]\nargz = 1": "key 'checks.ruff.argz': extra inputs are not permitted",
    "[checks.ruff]\nseverity = {F = 'bad'}": "key 'checks.ruff.severity.F': input should be 'info', ",
    "[checks]\nreruns = 6": "key 'checks.reruns': input should be less than or equal to 5 (got 6)",
    "[agents]\norder = 'claude'": "key 'agents.order': input should be a valid tuple (got 'claude')",
    "[agents]\norder = [1]": "key 'agents.order.0': input should be a valid string (got 1)",
    "[agent.mine]\ncomand = ['x']": "key 'agent.mine.comand': extra inputs are not permitted",
    "[weights]\nlooks = 1": "key 'weights': value error, no metric is called looks; there are tests, ",
    "[weights]\ntests = -1": "key 'weights': value error, a weight is a number from 0 upwards: tests",
    "[weights]\ntests = nan": "key 'weights.tests': input should be a finite number (got nan)",
    "[agents]\nwall_s = inf": "key 'agents.wall_s': input should be a finite number (got inf)",
    "[checks]\ntimeout_s = inf": "key 'checks.timeout_s': input should be a finite number (got inf)",
    "[checks.ruff]\ntimeout_s = nan": "key 'checks.ruff.timeout_s': input should be ",
    "[cover]\nbudget_s = inf": "key 'cover.budget_s': input should be a finite number (got inf)",
    "[limits]\nmax_wall_s = inf": "key 'limits.max_wall_s': input should be a finite number (got inf)",
    "[memory]\nhold_out = nan": "key 'memory.hold_out': input should be ",
}


@pytest.mark.parametrize("toml", IN_A_FILE)
def test_what_is_wrong_in_a_file_names_file_and_key(wrong, toml):
    assert f"PROJECT/setpoint.toml, {IN_A_FILE[toml]}" in wrong(toml)


def test_settings_of_integrity_of_earlier_versions_are_read_and_named(tmp_path):
    (tmp_path / "setpoint.toml").write_text("[integrity]\nmode = 'append-only'\nrewrites_s = 60\n", "utf-8")
    found = load(tmp_path, environment={}).integrity
    assert found.mode is IntegrityMode.BOTH
    assert [each.partition(" is ")[0] for each in found.notices] == [
        "integrity.rewrites_s",
        "integrity.mode 'append-only'",
    ]


def test_pyproject_is_named_with_its_table(wrong):
    message = wrong(pyproject="[tool.setpoint.limits]\nmax_iterations = 0")
    assert message.startswith("PROJECT/pyproject.toml [tool.setpoint], key 'limits.max_iterations': ")


def test_a_table_that_is_none_is_refused(wrong):
    assert (
        wrong(pyproject="[tool]\nsetpoint = 3")
        == "PROJECT/pyproject.toml: 'tool.setpoint' is no table (got 3)"
    )


@pytest.mark.parametrize("content", [b"[limits", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_named(tmp_path, content):
    (tmp_path / "setpoint.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=r"setpoint\.toml: not valid TOML"):
        load(tmp_path, environment={})


IN_THE_ENVIRONMENT = {
    ("SETPOINT_COLOUR", "1"): "SETPOINT_COLOUR: no setting is called 'colour'",
    ("SETPOINT_LIMIT__MAX_ITERATIONS", "1"): "no setting is called 'limit.max_iterations'",
    ("SETPOINT_LIMITS__COLOUR", "1"): "SETPOINT_LIMITS__COLOUR: extra inputs are not permitted (got '1')",
    (
        "SETPOINT_LIMITS__MAX_ITERATIONS",
        "many",
    ): "SETPOINT_LIMITS__MAX_ITERATIONS: input should be a valid integer",
    (
        "SETPOINT_LIMITS__MAX_ITERATIONS",
        "",
    ): "SETPOINT_LIMITS__MAX_ITERATIONS: input should be a valid integer",
    ("SETPOINT_LIMITS", "abc"): "SETPOINT_LIMITS: a list or table has to be written as JSON (got 'abc')",
    ("SETPOINT_AGENTS__ORDER", "claude"): "SETPOINT_AGENTS__ORDER: a list or table has to be written as JSON",
    ("SETPOINT_CHECKS__RUFFF", "true"): "SETPOINT_CHECKS__RUFFF: no check or tool is called 'rufff'",
    ("SETPOINT_CHECKS__RUFF__ARGS", "[x"): "a list or table has to be written as JSON (got '[x')",
    ("SETPOINT_PRESET", "fast"): "SETPOINT_PRESET: input should be 'default' or 'classic' (got 'fast')",
}


@pytest.mark.parametrize("variable", IN_THE_ENVIRONMENT)
def test_what_is_wrong_in_the_environment_names_the_variable(wrong, variable):
    message = wrong(environment=dict([variable]))
    assert message.startswith("environment variable ")
    assert IN_THE_ENVIRONMENT[variable] in message


@pytest.mark.parametrize(
    ("flags", "key"), [({"colour": 1}, "colour"), ({"limits": {"colour": 1}}, "limits.colour")]
)
def test_an_unknown_flag_is_named(wrong, flags, key):
    assert wrong(flags=flags) == f"flag for '{key}': extra inputs are not permitted (got 1)"


def test_the_source_whose_value_counts_is_named(wrong):
    message = wrong(
        "[limits]\nmax_iterations = 3\nmax_wall_s = 0",
        environment={"SETPOINT_LIMITS__MAX_ITERATIONS": "4", "SETPOINT_LIMITS__MAX_EMPTY_DIFFS": "0"},
        flags={"limits": {"max_iterations": 99}},
    )
    assert sorted(line.split(":")[0] for line in message.splitlines()) == [
        "PROJECT/setpoint.toml, key 'limits.max_wall_s'",
        "environment variable SETPOINT_LIMITS__MAX_EMPTY_DIFFS",
        "flag for 'limits.max_iterations'",
    ]


def test_flags_go_before_the_environment_before_the_file(tmp_path):
    (tmp_path / "setpoint.toml").write_text(
        "[limits]\nmax_iterations = 2\nmax_empty_diffs = 5\nmax_wall_s = 60"
    )
    environment = {"SETPOINT_LIMITS__MAX_ITERATIONS": "3", "SETPOINT_LIMITS__MAX_EMPTY_DIFFS": "6"}
    limits = load(tmp_path, {"limits": {"max_iterations": 4}}, environment).limits
    assert (limits.max_iterations, limits.max_empty_diffs, limits.max_wall_s) == (4, 6, 60)


def test_a_stronger_source_mends_a_weaker_one(tmp_path):
    (tmp_path / "setpoint.toml").write_text("[limits]\nmax_iterations = 99")
    assert load(tmp_path, {"limits": {"max_iterations": 4}}, {}).limits.max_iterations == 4


def test_the_own_file_goes_before_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.setpoint]\npipeline = 'theirs'")
    assert load(tmp_path, environment={}).pipeline == "theirs"
    (tmp_path / "setpoint.toml").write_text("pipeline = 'own'")
    assert load(tmp_path, environment={}).pipeline == "own"


@pytest.mark.parametrize(
    "pyproject", ["", "[project]\nname = 'x'", "tool = 3", "[tool.ruff]\nline-length = 99"]
)
def test_a_pyproject_without_our_table_says_nothing(tmp_path, pyproject):
    (tmp_path / "pyproject.toml").write_text(pyproject)
    assert load(tmp_path, environment={}) == Settings()


def test_variables_hold_plain_and_json_values(tmp_path):
    environment = {
        "SETPOINT_CHECKS__PYTEST": "true",
        "SETPOINT_CHECKS__PYTEST_ARGS": '["-x"]',
        "setpoint_agents__maker": "codex",
        "SETPOINT_AGENT__MINE__COMMAND": '["my-agent"]',
        "SETPOINT_LIMITS": '{"max_iterations": 3}',
        "SETPOINT_LIMITS__MAX_EMPTY_DIFFS": "4",
        "SETPOINT_REPORT_FILE": "/tmp/report.json",
        "HOME": "/root",
    }
    settings = load(tmp_path, environment=environment)
    assert (settings.checks.pytest, settings.checks.pytest_args) == (True, ("-x",))
    assert settings.agents.maker == "codex"
    assert settings.agent == {"mine": CustomAgent(command=("my-agent",))}
    assert (settings.limits.max_iterations, settings.limits.max_empty_diffs) == (3, 4)


def test_the_real_environment_is_read_where_none_is_given(tmp_path, monkeypatch):
    monkeypatch.setenv("SETPOINT_PIPELINE", "mine")
    assert load(tmp_path).pipeline == "mine"
    assert inherited(("SETPOINT_PIPELINE", "SETPOINT_NOT_THERE")) == {"SETPOINT_PIPELINE": "mine"}


@pytest.mark.parametrize(
    ("toml", "environment", "flags"),
    [
        ("preset = 'classic'", {}, {}),
        ("", {"SETPOINT_PRESET": "classic"}, {}),
        ("preset = 'default'", {}, {"preset": "classic"}),
    ],
)
def test_classic_sets_the_limits_of_the_five_designs(tmp_path, toml, environment, flags):
    (tmp_path / "setpoint.toml").write_text(toml)
    limits = load(tmp_path, flags, environment).limits
    assert limits == Limits(**CLASSIC)
    assert (limits.max_iterations, limits.max_review_bounces, limits.max_test_bounces) == (5, 3, 2)
    assert (limits.max_refinement_attempts, limits.stagnation, limits.minimum_quality) == (3, True, 0.60)


def test_what_is_stated_goes_before_classic(tmp_path):
    (tmp_path / "setpoint.toml").write_text("preset = 'classic'\n[limits]\nmax_iterations = 4")
    limits = load(tmp_path, {"limits": {"stagnation": False}}, {}).limits
    assert (limits.max_iterations, limits.max_test_bounces, limits.stagnation) == (4, 2, False)


def test_settings_survive_json():
    settings = Settings(agent={"mine": CustomAgent(command=("x",))}, preset="classic")
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


def test_variables_name_tools_too(tmp_path):
    environment = {
        "SETPOINT_CHECKS__RUFF": "false",
        "SETPOINT_CHECKS__MYPY__ARGS": '["--strict"]',
        "SETPOINT_CHECKS__TY__TIMEOUT_S": "7",
    }
    checks = load(tmp_path, environment=environment).checks
    assert (checks.tool("ruff").use, checks.tool("mypy").args, checks.tool("ty").timeout_s) == (
        False,
        ("--strict",),
        7,
    )


def test_each_layer_adds_to_the_variables_that_an_agent_gets(tmp_path):
    (tmp_path / "setpoint.toml").write_text('[agent.codex]\npass_environment = ["A", "B"]\n')
    variable = {"SETPOINT_AGENT__CODEX__PASS_ENVIRONMENT": '["B", "C"]'}
    flags = {"agent": {"codex": {"pass_environment": ("D",)}}}
    assert load(tmp_path, flags, variable).agent["codex"].pass_environment == ("A", "B", "C", "D")


def test_a_pattern_names_several_variables(monkeypatch):
    monkeypatch.setenv("OWN_KEY_A", "1")
    monkeypatch.setenv("OWN_KEY_B", "2")
    assert inherited(("OWN_KEY_*", "NOT_SET")) == {"OWN_KEY_A": "1", "OWN_KEY_B": "2"}


URL = "postgresql://ada@db.example/setpoint"


def test_a_database_is_named_by_one_setting(tmp_path):
    for named, read in ((URL, URL), ("postgres://h/n", "postgresql://h/n"), ("", "")):
        assert load(tmp_path, environment={"SETPOINT_DATABASE": named}).database == read
    service = "postgresql:///?service=team"
    (tmp_path / "setpoint.toml").write_text(f'database = "{service}"\n')
    assert load(tmp_path, environment={}).database == service


@pytest.mark.parametrize("url", ["postgresql://ada:sesame@h/n", "postgresql://h/n?user=a&password=sesame",
    "postgresql://ada:se/same@h/n", "postgresql://ada:5/sesame@h/n"])  # fmt: skip
def test_a_password_in_a_file_of_the_repository_is_refused(tmp_path, url):
    (tmp_path / "setpoint.toml").write_text(f'database = "{url}"\n')
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, environment={})
    assert str(tmp_path / "setpoint.toml") in refused.value.message
    assert "SETPOINT_DATABASE" in refused.value.hint
    assert "same" not in str(refused.value)


NO_DATABASE = (
    "mysql://ada:sesame@h/n",
    "h/n",
    "postgresql://ada:se/same@h/n",
    "postgresql://ada:se#same@h/n",
    "postgresql://ada:sesame@[h/n",
    "postgresql://ada:5/sesame@h/n",
)


@pytest.mark.parametrize("url", NO_DATABASE)
def test_what_names_no_database_is_refused_and_not_shown(tmp_path, url):
    with pytest.raises(SettingsError, match=r"variable SETPOINT_DATABASE: .* as in postgresql") as refused:
        load(tmp_path, environment={"SETPOINT_DATABASE": url})
    assert "same" not in str(refused.value)


def test_a_database_is_shown_without_its_password():
    for url in ("postgresql://a:sesame@h:5433/n", "postgresql://a@h:5433/n?password=sesame&x=1"):
        assert without_password(url) == "postgresql://a:***@h:5433/n"
    for url in (URL, "postgresql:///?service=team", ""):
        assert without_password(url) == url
    assert without_password("postgresql://a:se/same@h/n") == "***"
