#!/usr/bin/env bash
# Installs the real agents that the tests here drive, pinned by package-lock.json, into .agents/ (or the folder given).
# The lock file covers Linux on x64; elsewhere npm leaves out what it has no build for, and the tests say so.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$here/../../.agents}
bin=$target/node_modules/.bin

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    echo "real agents: Node.js 20 or newer with npm is needed on PATH" >&2
    exit 1
fi
if cmp -s "$here/package-lock.json" "$target/.installed"; then
    exit 0
fi

mkdir -p "$target"
rm -f "$target/.installed"
cp "$here/package.json" "$here/package-lock.json" "$target/"
# Not `npm ci`: it refuses a lock file that lacks the builds for other platforms. The versions and hashes that the
# lock file does hold are kept to here as well.
(cd "$target" && npm install --no-audit --no-fund --loglevel=error)
# Newer npm does not run the install script that puts the real program in its place.
"$bin/opencode" --version >/dev/null 2>&1 || node "$target/node_modules/opencode-ai/postinstall.mjs"
for agent in gemini opencode; do
    echo "real agents: $agent $("$bin/$agent" --version)"
done
cp "$here/package-lock.json" "$target/.installed"
