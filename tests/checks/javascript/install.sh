#!/usr/bin/env bash
# Installs the tools for JavaScript that the tests run for real, pinned by package-lock.json, into .tools/javascript (or the
# folder given). Without Node they are left out and the tests say so; in CI that is an error.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$here/../../../.tools/javascript}

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    echo "tools for JavaScript: Node.js 20 or newer with npm is not on PATH; their tests are skipped" >&2
    [[ -z ${CI:-} ]]
    exit
fi
if cmp -s "$here/package-lock.json" "$target/.installed"; then
    exit 0
fi

echo "installing tools for JavaScript into .tools/javascript ..."
mkdir -p "$target"
rm -f "$target/.installed"
cp "$here/package.json" "$here/package-lock.json" "$target/"
# Not `npm ci`: it refuses a lock file that lacks the builds for other platforms. The versions and hashes that the
# lock file does hold are kept to here as well.
(cd "$target" && npm install --no-audit --no-fund --loglevel=error)
cp "$here/package-lock.json" "$target/.installed"
