#!/usr/bin/env bash
# The step of action.yml: install Setpoint into an environment of its own, and call its entry point.
set -euo pipefail

own="${RUNNER_TEMP:?is not set: run it in a job of GitHub Actions}/setpoint-environment"
report="${INPUT_REPORT:-$RUNNER_TEMP/setpoint}"

# Neither the checkout nor its settings for pip have a say in what is installed, and pip does not get the token.
if [ ! -x "$own/bin/setpoint" ]; then
  # The checkout of this action holds Setpoint itself, in the version of the action.
  wanted="$GITHUB_ACTION_PATH"
  [ -z "${INPUT_VERSION:-}" ] || wanted="setpoint==$INPUT_VERSION"
  (
    cd "$RUNNER_TEMP"
    unset GITHUB_TOKEN
    python3 -I -m venv "$own"
    "$own/bin/python" -I -m pip install --quiet --disable-pip-version-check "$wanted"
  )
fi

case "$INPUT_COMMAND" in
  check)
    exec "$own/bin/setpoint" ci github check --output "$report" --base "$INPUT_BASE" \
      --fail-on "$INPUT_FAIL_ON" --release-label "$INPUT_LABEL"
    ;;
  comment)
    exec "$own/bin/setpoint" ci github comment --report "$report"
    ;;
  run)
    exec "$own/bin/setpoint" ci github run
    ;;
  *)
    echo "::error title=Setpoint::'command' is not check, comment or run"
    exit 2
    ;;
esac
