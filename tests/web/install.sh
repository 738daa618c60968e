#!/usr/bin/env bash
# Installs what the browser tests need, pinned by package-lock.json, into .tools/web (or the folder given). Without Node it
# is left out and the tests say so; in CI that is an error.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$here/../../.tools/web}

if ! command -v npm >/dev/null; then
    echo "browser tests: npm is not on PATH; the checks of accessibility are skipped" >&2
    [[ -z ${CI:-} ]]
    exit
fi
if cmp -s "$here/package-lock.json" "$target/.installed"; then
    exit 0
fi

echo "installing what the browser tests need into .tools/web ..."
mkdir -p "$target"
rm -f "$target/.installed"
cp "$here/package.json" "$here/package-lock.json" "$target/"
(cd "$target" && npm ci --no-audit --no-fund --loglevel=error)
cp "$here/package-lock.json" "$target/.installed"
