"""Parse signals of other systems: Alertmanager, Sentry, OpenTelemetry, CloudEvents."""
