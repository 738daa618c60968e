"""Which requests ask to make failing tests pass, and which only speak of tests, failures or colours."""

import pytest

from setpoint.stories.policy.failing_tests import asks_for_repair

REPAIRS = (
    "make the failing tests pass",
    "Fix the failing tests",
    "fix failing parser tests",
    "the tests in tests/test_api.py fail since yesterday",
    "CI is red",
    "make CI green again",
    "Two tests fail on Python 3.13",
    "test_login fails with a KeyError",
    "Repair the broken unit tests",
    "please make all tests pass",
    "Get the test suite green",
    "Can you fix the tests?",
    "Fix tests/test_orders.py::test_total",
    "Make pytest pass",
    "Implement slugify so that the tests pass",
    "Fix the test failures in billing",
    "Why do the integration tests fail?",
    "The build is broken",
    "Fix the parser: 3 failing tests",
    "Resolve the flaky test in test_cache.py",
    "Implement divide and make the red tests green",
    "There are failing tests in the scheduler",
    "Failing tests after the upgrade to Django 5",
    "Our nightly CI fails on Windows",
    "Some tests are broken since the last merge, please repair them",
    "Unbreak the build",
    "all unit tests must pass",
    "The test for parse_date fails",
    "Every test in tests/api should be green again",
    "Investigate why test_export.py fails",
    "We need to fix three broken specs",
    "Fix red tests",
    "test suite broken on main",
    "Tests don't pass on my machine",
)
OTHERS = (
    "add tests for the password reset",
    "Add tests for the passenger list",
    "Write a test that expects a redirect",
    "Reduce the time the tests need; test redirects too",
    "Add a red button and test it in the browser",
    "Fail with a clear message when the test database is missing",
    "Add a test for broken links",
    "Refactor the cart module; all tests must still pass",
    "Refactor io.py and keep the tests green",
    "Split utils.py without breaking the tests",
    "Document how to run the tests",
    "Document what to do when a test fails",
    "Add a retry when a request fails, with tests",
    "Show failed tests first in the summary",
    "Print passed tests in green and failed ones in red",
    "Upgrade pytest to version 8",
    "Rename tests/unit to tests/small",
    "Add a --failed-only option to the test runner",
    "Fix the typo in the README",
    "Fix the login bug and add a regression test",
    "Fix the rounding error in totals; write tests",
    "Write unit tests for the Password class",
    "Add a dark mode",
    "Bump the version and pass the token to the test server",
    "Make the tests faster",
    "Fix the test names",
    "Record failed logins and test the lockout",
    "Cover the error branch of parse() with tests",
    "Test that expired tokens fail validation",
    "Delete the unused broken_links module, its tests too",
    "Add pagination to the list endpoint",
    "Change the default timeout to 30 seconds",
    "Let users reset their passwords by mail",
    "Retry failed uploads three times",
    "Mark orders as failed when the payment is refused",
    "Show a red banner when the disk is full",
    "Fix the crash when the config file is empty",
    "Fix wrong totals in the invoice and test it",
    "Repair the redirect after login",
    "Extract the tax code into its own module",
    "Rename Passenger to Traveller everywhere, tests included",
    "Simplify the retry loop without changing behaviour; tests should continue to pass",
    "Remove the deprecated test helpers",
    "Write tests for the failure path of the importer",
    "Raise test coverage of the parser to 90%",
    "Add property tests for the red-black tree",
    "Add a test fixture for broken files",
    "Test the password form with empty input",
    "Explain in the README how failing tests are reported",
    "Add docstrings to the test helpers",
    "Update the changelog for the passed release",
    "Upgrade ruff and fix its findings",
    "Pin the test dependencies",
    "Move CI to Python 3.13",
    "Make the build reproducible",
    "Make tests run in parallel",
    "Convert unittest tests to pytest",
)


@pytest.mark.parametrize("request_text", REPAIRS)
def test_a_request_to_repair_tests_is_one(request_text):
    assert asks_for_repair(request_text)


@pytest.mark.parametrize("request_text", OTHERS)
def test_a_request_that_only_speaks_of_tests_or_failures_is_none(request_text):
    assert not asks_for_repair(request_text)


def test_each_clause_counts_by_itself():
    assert asks_for_repair("Add multiply\n\nThen fix the failing tests.")
    assert not asks_for_repair("Show the error in red\n\nWrite tests for it.")
