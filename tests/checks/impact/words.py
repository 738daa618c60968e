"""How the tests here start pytest with our report plugin."""

REPORTED = ("-m", "pytest", "-q", "-p", "setpoint_report", "-p", "no:cacheprovider")
