#!/usr/bin/env bash
# Installs the tools that the presets describe, pinned, into .tools/ (or the folder given), for the tests that run
# each of them for real. They have an environment of their own: some pin what Setpoint itself needs otherwise.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$here/../../../.tools}
python=${PYTHON:-python3}
wanted=$(cat "$here/requirements.txt" "$here/package-lock.json")

if [[ -f $target/.installed && $wanted == "$(cat "$target/.installed")" ]]; then
    exit 0
fi
mkdir -p "$target"
rm -f "$target/.installed"

echo "tools: installing into $target ..."
if command -v uv >/dev/null; then
    uv venv --quiet --allow-existing --python "$python" "$target/venv"
    uv pip install --quiet --python "$target/venv/bin/python" --requirement "$here/requirements.txt"
else
    "$python" -m venv "$target/venv"
    "$target/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
fi
if command -v npm >/dev/null && command -v node >/dev/null; then
    cp "$here/package.json" "$here/package-lock.json" "$target/"
    (cd "$target" && npm ci --no-audit --no-fund --loglevel=error)
else
    echo "tools: without Node.js jscpd is left out" >&2
fi
printf '%s\n' "$wanted" >"$target/.installed"
